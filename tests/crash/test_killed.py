"""The scenarios marked `killed`: the process dies before a call that changes the disk, at every one of them.

The normal run takes all points of the small proposals and every ninth of the fifty files; REDLINE_CRASH=all takes all.
"""

from __future__ import annotations

import errno
import os
import signal
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.crash.killer import Case, Killer
from tests.scenarios.command_line_driver import empty_sandbox
from tests.support.scenarios import Scenario, duration_of, edit_text, load_all

from redline import app
from redline.core.proposal import Origin

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.kill

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


class Trials:
    """Runs one case through its deaths and holds what is left to the protocol; `violations` collects what breaks it."""

    def __init__(self, killer: Killer, case: Case, delay: timedelta) -> None:
        self.killer = killer
        self.case = case
        self.later = NOW + delay
        unharmed = killer.run("confirm", case)
        assert (unharmed["outcome"], unharmed["replayed"]) == ("applied", False)
        self.calls: list[str] = unharmed["calls"]
        self.after = case.everything()
        self.ends: Counter[str] = Counter()
        self.violations: list[str] = []

    def points(self, stride: int) -> range:
        return range(1, len(self.calls) + 1, 1 if TAKES_ALL else stride)

    def kill(self, at: int) -> str:
        """Put everything back, confirm, and die before the call numbered `at`; says where that was."""
        self.case.restore()
        died = self.killer.run("confirm", self.case, at=at)
        where = f"killed before call {at}, {self.calls[at - 1]}"
        self.expect(where, {"killed_by": signal.SIGKILL}, died)
        return where

    def settle(self, where: str) -> None:
        """Let the next command come, then hold tree, journal and folder to: all before, or all after with a receipt.

        Every other time that command is `recover`, else a confirmation by mistake: it too recovers first.
        """
        if self.ends.total() % 2:
            recovered = self.killer.run("recover", self.case)
            self.expect(where, [], recovered.get("kept", recovered))
        else:
            refused = self.killer.run("mistake", self.case)
            self.expect(where, "CONFIRMATION_MISMATCH", refused.get("error", refused))
        self.check_settled(where)

    def check_settled(self, where: str) -> None:
        seen = self.killer.run("inspect", self.case)
        receipt = seen.get("receipt")
        end = receipt["outcome"] if receipt is not None else "pending"
        self.ends[end] += 1
        self.expect(where, ([], 0, []), (seen.get("faults"), seen.get("unfinished"), self.case.leftovers()))
        self.expect(where, self.after if end == "applied" else self.case.before, self.case.everything())
        self.check_repeated(end, receipt, where)

    def check_repeated(self, end: str, receipt: dict[str, Any] | None, where: str) -> None:
        """A confirmation later on gives the same receipt; a proposal that is still pending ends now."""
        again = self.killer.run("confirm", self.case, now=self.later)
        given = again.get("outcome"), again.get("replayed")
        if end == "pending":
            expired = self.later >= NOW + timedelta(hours=24)
            self.expect(where, ("expired" if expired else "applied", False), given)
        else:
            self.expect(where, (end, True, receipt), (*given, again.get("receipt")))
        applied = again.get("outcome") == "applied"
        self.expect(where, self.after if applied else self.case.before, self.case.everything())

    def expect(self, where: str, expected: object, found: object) -> None:
        if found != expected:
            self.violations.append(f"{where}: expected {_shortly(expected, found)}, found {_shortly(found, expected)}")


def _shortly(one: object, other: object) -> object:
    """Of two trees, only what differs."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: value for key, value in one.items() if other.get(key) != value}
    return one


@pytest.mark.parametrize(("name", "stride"), [("R15", 1), ("R18", 3), ("R24", 9)])
def test_a_killed_confirmation_leaves_all_before_or_all_after(
    name: str, stride: int, swift_path: Path, killer: Killer
) -> None:
    scenario = KILLED[name]
    delay = sum((duration_of(step["by"]) for step in scenario.steps if step["do"] == "advance-clock"), timedelta())
    trials = Trials(killer, case_of(scenario, swift_path), delay)
    for at in trials.points(stride):
        trials.settle(trials.kill(at))
    print(f"{name}: {len(trials.calls)} calls, {trials.ends.total()} deaths: {dict(trials.ends)}")
    assert trials.violations == []
    assert set(trials.ends) == {"pending", "failed_before_commit", "applied"}


@pytest.mark.parametrize(("name", "stride"), [("exchanged", 1), ("half exchanged", 4), ("staged", 4)])
def test_a_killed_recovery_is_finished_by_the_next(name: str, stride: int, swift_path: Path, killer: Killer) -> None:
    trials = Trials(killer, case_of(KILLED["R15"], swift_path), timedelta())
    exchanges = [number for number, call in enumerate(trials.calls, 1) if call == "renameat2"]
    death = {"exchanged": exchanges[-1] + 1, "half exchanged": exchanges[2], "staged": exchanges[0]}[name]
    trials.kill(death)
    recovery: list[str] = killer.run("recover", trials.case)["calls"]
    for at in range(1, len(recovery) + 1, 1 if TAKES_ALL else stride):
        where = f"{trials.kill(death)}; recovery killed before call {at}, {recovery[at - 1]}"
        trials.expect(where, {"killed_by": signal.SIGKILL}, killer.run("recover", trials.case, at=at))
        trials.settle(where)
    print(f"recovery, {name}: {len(recovery)} calls, {trials.ends.total()} deaths: {dict(trials.ends)}")
    assert trials.violations == []
    assert set(trials.ends) == {"failed_before_commit"}


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
def test_an_error_from_any_call_leaves_all_before_or_all_after(error: int, swift_path: Path, killer: Killer) -> None:
    """What the answer says is what is there; a receipt is filed if and only if the answer names an outcome."""
    trials = Trials(killer, case_of(KILLED["R15"], swift_path), timedelta())
    for at in trials.points(4):
        trials.case.restore()
        answer = killer.run("confirm", trials.case, at=at, error=error)
        where = f"{errno.errorcode[error]} from call {at}, {trials.calls[at - 1]}: {answer.get('error')}"
        trials.expect(where, None, answer.get("bug"))
        if answer.get("error") not in {"RECOVERY_INCOMPLETE", None}:
            trials.expect(where, trials.case.before, trials.case.everything())
        killer.run("recover", trials.case)
        receipt = killer.run("inspect", trials.case)["receipt"]
        if "outcome" in answer:
            trials.expect(where, answer["receipt"], receipt)
        trials.check_settled(where)
    print(f"{errno.errorcode[error]}: {trials.ends.total()} errors: {dict(trials.ends)}")
    assert trials.violations == []
