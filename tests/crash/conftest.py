"""The preloaded shim, built once; a killer for each test."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.crash.killer import Killer
from tests.support.shim import build

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build(tmp_path_factory)


@pytest.fixture
def swift_path(hermetic: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in memory where there is one: a killed process needs no disk that survives a power cut.

    The person's state goes there too, and their configuration lets a digest stand for a look.
    """
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="redline-crash-", dir=in_memory) as folder:
        monkeypatch.setenv("XDG_STATE_HOME", os.path.join(folder, "state"))
        configuration = Path(os.environ["XDG_CONFIG_HOME"], "redline", "config.toml")
        configuration.parent.mkdir()
        configuration.write_text('[confirm]\nlevel = "none"\n')
        yield Path(folder)


@pytest.fixture
def recording_killer(shim: str, tmp_path_factory: pytest.TempPathFactory, swift_path: Path) -> Iterator[Killer]:
    with Killer(f"{shim} {build(tmp_path_factory, 'recorder')}") as running:
        yield running


@pytest.fixture
def killer(shim: str, swift_path: Path) -> Iterator[Killer]:
    with Killer(shim) as running:
        yield running
