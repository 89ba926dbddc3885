"""The scenarios marked `killed`, as repositories with one pending proposal."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.crash.killer import Case
from tests.scenarios.command_line_driver import empty_sandbox
from tests.support.scenarios import Scenario, edit_text, load_all

from redline import app
from redline.core.proposal import Origin

if TYPE_CHECKING:
    from pathlib import Path

KILLED = {scenario.id: scenario for scenario in load_all() if scenario.is_killed}
TAKES_ALL = os.environ.get("REDLINE_CRASH") == "all"
NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


def case_of(scenario: Scenario, folder: Path) -> Case:
    """The scenario up to its first confirmation."""
    root = folder / "repo"
    empty_sandbox(root, scenario)
    world = app.World(clock=lambda: NOW)
    app.start()
    app.initialise(str(root), world, adopt=False)
    request = app.request(
        text=edit_text(scenario.steps[0]),
        origin=Origin("model"),
        format=None,
        path=None,
        strip=None,
        reason="",
        lifetime=None,
    )
    with app.model(str(root), world) as desk:
        proposal = desk.prepare(request).proposal
    case = Case(root, folder / "state", folder / "copy", proposal.id, proposal.digest, NOW)
    case.freeze()
    return case
