"""The scenarios marked `killed`: the process dies before a call that changes the disk, at every one of them.

The normal run takes all points of the small proposals and every ninth of the fifty files; REDLINE_CRASH=all takes all.
"""

from __future__ import annotations

import errno
import signal
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import KILLED, TAKES_ALL, case_of
from tests.crash.trials import Trials
from tests.crash.variants import MOVE_ASIDE
from tests.support.scenarios import duration_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.killer import Killer

pytestmark = pytest.mark.kill


@pytest.mark.parametrize(
    ("name", "exchange", "stride"), [("R15", "", 1), ("R15", MOVE_ASIDE, 5), ("R18", "", 3), ("R24", "", 9)]
)
def test_a_killed_confirmation_leaves_all_before_or_all_after(
    name: str, exchange: str, stride: int, swift_path: Path, killer: Killer
) -> None:
    scenario = KILLED[name]
    delay = sum((duration_of(step["by"]) for step in scenario.steps if step["do"] == "advance-clock"), timedelta())
    trials = Trials(killer, case_of(scenario, swift_path), delay=delay, variant=exchange)
    for at in trials.points(stride):
        trials.settle(trials.kill(at))
    print(f"{name}, {exchange or 'exchange'}: {len(trials.calls)} calls, deaths: {dict(trials.ends)}")
    assert trials.violations == []
    assert set(trials.ends) == {"pending", "failed_before_commit", "applied"}


def test_a_killed_partial_confirmation_ends_the_whole_with_its_part_or_not_at_all(
    swift_path: Path, killer: Killer
) -> None:
    """The receipt of what was taken and that of the whole are filed together, or neither is."""
    case = case_of(KILLED["R24"], swift_path)
    calls = killer.run("confirm in part", case)["calls"]
    part = case.everything()
    found = set()
    for at in range(1, len(calls) + 1, 1 if TAKES_ALL else 29):
        case.restore()
        where = f"killed before call {at}, {calls[at - 1]}"
        assert killer.run("confirm in part", case, at=at) == {"killed_by": signal.SIGKILL}, where
        killer.run("recover", case)
        ends = killer.run("ends", case)
        end = (ends["whole"], *ends["parts"])
        found.add(end)
        assert case.everything() == (part if end == ("superseded", "applied") else case.before), where
        inspected = killer.run("inspect", case)
        assert (inspected["faults"], inspected["unfinished"], case.leftovers()) == ([], 0, []), where
    assert found == {(None,), (None, "failed_before_commit"), ("superseded", "applied")}


@pytest.mark.parametrize(
    ("name", "exchange", "stride"),
    [
        ("exchanged", "", 1),
        ("half exchanged", "", 4),
        ("staged", "", 4),
        ("exchanged", MOVE_ASIDE, 8),
        ("half exchanged", MOVE_ASIDE, 8),
    ],
)
def test_a_killed_recovery_is_finished_by_the_next(
    name: str, exchange: str, stride: int, swift_path: Path, killer: Killer
) -> None:
    trials = Trials(killer, case_of(KILLED["R15"], swift_path), variant=exchange)
    moves = [number for number, call in enumerate(trials.calls, 1) if call in {"renameat2", "renameat", "linkat"}]
    death = {"exchanged": moves[-1] + 1, "half exchanged": moves[-3], "staged": trials.calls.index("linkat") + 1}[name]
    trials.kill(death)
    recovery: list[str] = trials.run("recover")["calls"]
    for at in range(1, len(recovery) + 1, 1 if TAKES_ALL else stride):
        where = f"{trials.kill(death)}; recovery killed before call {at}, {recovery[at - 1]}"
        trials.expect(where, {"killed_by": signal.SIGKILL}, trials.run("recover", at=at))
        trials.settle(where)
    print(f"recovery, {name}, {exchange or 'exchange'}: {len(recovery)} calls, deaths: {dict(trials.ends)}")
    assert trials.violations == []
    assert set(trials.ends) == {"failed_before_commit"}


@pytest.mark.parametrize(
    ("name", "exchange", "stride"), [("R15", "", 4), ("R15", MOVE_ASIDE, 9), ("R24", "", 29), ("R24", MOVE_ASIDE, 83)]
)
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
def test_an_error_from_any_call_leaves_all_before_or_all_after(
    error: int, name: str, exchange: str, stride: int, swift_path: Path, killer: Killer
) -> None:
    """What the answer says is what is there; a receipt is filed if and only if the answer names an outcome."""
    trials = Trials(killer, case_of(KILLED[name], swift_path), variant=exchange)
    for at in trials.points(stride):
        trials.case.restore()
        answer = trials.run("confirm", at=at, error=error)
        where = f"{errno.errorcode[error]} from call {at}, {trials.calls[at - 1]}: {answer.get('error')}"
        trials.expect(where, None, answer.get("bug"))
        if answer.get("error") not in {"RECOVERY_INCOMPLETE", None}:
            trials.expect(where, trials.case.before, trials.case.everything())
        trials.run("recover")
        receipt = trials.run("inspect")["receipt"]
        if "outcome" in answer:
            trials.expect(where, answer["receipt"], receipt)
        trials.check_settled(where)
    print(f"{name}, {exchange or 'exchange'}, {errno.errorcode[error]}: {len(trials.calls)} calls, {dict(trials.ends)}")
    assert trials.violations == []


def test_an_index_lock_that_could_not_be_removed_is_removed_by_the_next(swift_path: Path, killer: Killer) -> None:
    trials = Trials(killer, case_of(KILLED["R15"], swift_path))
    unlink = max(number for number, call in enumerate(trials.calls, 1) if call == "unlink")
    for error in (0, errno.EIO):
        trials.case.restore()
        trials.run("confirm", at=unlink, error=error)
        trials.settle(f"{errno.errorcode.get(error, 'killed')} at the removal of the index lock")
    assert trials.violations == []
