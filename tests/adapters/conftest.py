"""A place for the guard, and each way to exchange."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.support.workplace import Workplace

from redline.adapters.worktree.exchange import AtomicExchange, MoveAside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from redline.adapters.worktree.exchange import Exchange


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    os.umask(0o022)
    made = Workplace(tmp_path / "tree")
    yield made
    for guard in made.guards:
        guard.close()


@pytest.fixture(params=["exchange", "move-aside"])
def exchange(request: pytest.FixtureRequest) -> Exchange:
    return AtomicExchange() if request.param == "exchange" else MoveAside()
