"""A signal at any call of a confirmation: applied with its receipt, or interrupted and as before; never half."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import KILLED, case_of
from tests.crash.trials import Trials

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.killer import Killer

pytestmark = pytest.mark.kill


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_leaves_all_before_or_all_after(number: signal.Signals, swift_path: Path, killer: Killer) -> None:
    """Where redline does not hold a signal back, its default ends the process: a death like any other."""
    trials = Trials(killer, case_of(KILLED["R15"], swift_path))
    for at in trials.points(5):
        trials.case.restore()
        answer = trials.run("confirm", at=at, error=-number)
        where = f"{number.name} at call {at}, {trials.calls[at - 1]}"
        if "killed_by" in answer:
            trials.expect(where, ({"killed_by": number}, True), (answer, number != signal.SIGINT))
            trials.settle(where)
        else:
            trials.check_answered(where, answer)
    print(f"{number.name}: {len(trials.calls)} calls, {trials.ends.total()} signals: {dict(trials.ends)}")
    assert trials.violations == []
    assert {"pending", "applied"} <= set(trials.ends)


def test_an_interrupt_after_the_commit_is_no_interruption(swift_path: Path, killer: Killer) -> None:
    """The change is applied and its receipt filed: to say that everything is as before would be wrong."""
    trials = Trials(killer, case_of(KILLED["R15"], swift_path))
    for at in range(end_of_tidy(trials) + 1, len(trials.calls) + 1):
        trials.case.restore()
        answer = trials.run("confirm", at=at, error=-signal.SIGINT)
        trials.check_answered(f"SIGINT at call {at}, {trials.calls[at - 1]}", answer)
    assert trials.violations == []


def end_of_tidy(trials: Trials) -> int:
    """The last call of the write itself: its folder goes, or the index lock."""
    return max(number for number, call in enumerate(trials.calls, 1) if call in {"unlinkat", "unlink"})
