"""Every test has a home, XDG folders and git configuration of its own; nothing reaches the real ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from pathlib import Path

SHARED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "..", "shared")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden-write", action="store_true", help="Rewrite the expected files; review the diff.")


@pytest.fixture(autouse=True)
def hermetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_", "REDLINE_")) or name in {"NO_COLOR", "PAGER", "LESS", "COLUMNS", "LINES"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("TERM", "xterm")
    (home / "config" / "git").mkdir(parents=True)
    (home / "config" / "git" / "config").write_text(
        "[user]\n\tname = Ada Example\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    """A throw-away repository with one commit: `a.txt`, `src/b.py`."""
    return Sandbox.make(tmp_path / "repo")
