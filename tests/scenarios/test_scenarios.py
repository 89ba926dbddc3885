"""Every row of the scenario table, in every way in which it makes sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.scenarios.command_line_driver import CommandLineDriver, TerminalDriver
from tests.scenarios.ports_driver import PortsDriver
from tests.scenarios.story import Story
from tests.support.scenarios import Scenario, load_all
from tests.support.shim import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCENARIOS = load_all()
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)


@pytest.fixture
def shim_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Scenario], str | None]:
    """The fault shim, for a scenario that needs one."""

    def shim(scenario: Scenario) -> str | None:
        return build(tmp_path_factory) if any(step["do"] == "fail-the-write" for step in scenario.steps) else None

    return shim


def test_the_table_is_complete() -> None:
    assert [scenario.id for scenario in SCENARIOS] == [f"R{number:02}" for number in range(1, 27)]
    assert [scenario.id for scenario in SCENARIOS if scenario.is_killed] == ["R15", "R18", "R24"]


@every_scenario
def test_through_the_ports(scenario: Scenario, tmp_path: Path) -> None:
    if "ports" in scenario.not_by:
        pytest.skip(scenario.not_by["ports"])
    Story(scenario, PortsDriver(str(tmp_path / ".proposals"), scenario)).play()


@every_scenario
def test_through_the_command_line(
    scenario: Scenario, tmp_path: Path, shim_for: Callable[[Scenario], str | None]
) -> None:
    Story(scenario, CommandLineDriver(tmp_path, scenario, shim_for(scenario))).play()


@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.by_terminal], ids=lambda scenario: scenario.id)
def test_on_a_terminal(scenario: Scenario, tmp_path: Path) -> None:
    Story(scenario, TerminalDriver(tmp_path, scenario, None)).play()
