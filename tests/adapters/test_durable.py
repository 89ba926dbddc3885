"""What outlasts a power cut, by system."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from redline.adapters import durable

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_where_the_drive_must_be_asked_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another harmless request stands for F_FULLFSYNC, which only macOS has."""
    asked: list[tuple[int, int]] = []
    fd = os.open(tmp_path, os.O_RDONLY)
    monkeypatch.setattr(durable, "_FULL", fcntl.F_GETFD)
    monkeypatch.setattr(fcntl, "fcntl", lambda *request: asked.append(request))
    durable.sync(fd)
    os.close(fd)
    assert asked == [(fd, fcntl.F_GETFD)]
