"""The power is cut at every point of a confirmation and of a recovery, and the disk keeps as little as it may.

`disk` says what that is. The normal run takes some of the states, the same ones every time, REDLINE_CRASH=all all of
them. The broken variants prove that a violation is seen: each must be caught.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import KILLED, TAKES_ALL, case_of
from tests.crash.power_loss import PowerCuts
from tests.crash.variants import BROKEN, MOVE_ASIDE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.killer import Killer
    from tests.crash.recording import Call

pytestmark = pytest.mark.kill

EXCHANGES = pytest.mark.parametrize("exchange", ["", MOVE_ASIDE], ids=["exchange", "move aside"])
MOVES = {"renameat", "renameat2", "linkat"}
MOST_AT_ONCE = 400 if TAKES_ALL else 40


@EXCHANGES
@pytest.mark.parametrize(("name", "most_at_once", "most"), [("R15", MOST_AT_ONCE, 150), ("R24", 12, 40)])
def test_a_power_cut_leaves_all_before_or_all_after(
    name: str, most_at_once: int, most: int, exchange: str, swift_path: Path, recording_killer: Killer
) -> None:
    cuts = PowerCuts(recording_killer, case_of(KILLED[name], swift_path), exchange)
    calls = cuts.record("confirm")
    states = cuts.states(calls, most_at_once)
    cuts.check_some(states, most)
    print(f"{name}, {exchange or 'exchange'}: {len(calls) + 1} points, {cuts.summary(states)}")
    assert set(cuts.ends) >= {"pending", "failed_before_commit", "applied"}
    assert [str(violation) for violation in cuts.violations] == []


@EXCHANGES
@pytest.mark.parametrize("death", ["half exchanged", "exchanged"])
def test_a_power_cut_in_a_recovery_leaves_all_before(
    death: str, exchange: str, swift_path: Path, recording_killer: Killer
) -> None:
    """The recovery follows a death: what the dead one did not sync may be lost as well."""
    cuts = PowerCuts(recording_killer, case_of(KILLED["R15"], swift_path), exchange)
    calls = record_recovery(cuts, death)
    states = cuts.states(calls, MOST_AT_ONCE)
    cuts.check_some(states, 60)
    print(f"recovery, {death}, {exchange or 'exchange'}: {len(calls) + 1} points, {cuts.summary(states)}")
    assert set(cuts.ends) <= {"pending", "failed_before_commit", "stopped"}
    assert [str(violation) for violation in cuts.violations] == []


@pytest.mark.parametrize("variant", BROKEN)
def test_a_broken_variant_is_caught(variant: str, swift_path: Path, recording_killer: Killer) -> None:
    cuts = PowerCuts(recording_killer, case_of(KILLED["R15"], swift_path), variant)
    states = cuts.states(cuts.record("confirm"), MOST_AT_ONCE)
    cuts.check_until_caught(states)
    print(f"{variant}: {cuts.summary(states)}")
    assert cuts.violations


def test_an_index_lock_that_comes_back_is_removed(swift_path: Path, recording_killer: Killer) -> None:
    cuts = PowerCuts(recording_killer, case_of(KILLED["R15"], swift_path), "")
    for state in cuts.states(cuts.record("confirm"), 10**6):
        if state.lost == "entries: only this lost, index.lock gone, no data lost":
            cuts.check(state)
    assert cuts.violations == []


def test_a_link_of_the_fallback_that_is_lost_alone_is_undone(swift_path: Path, recording_killer: Killer) -> None:
    """Only on a disk that keeps no order between folders: the name is absent, its file is kept and a person is told."""
    cuts = PowerCuts(recording_killer, case_of(KILLED["R15"], swift_path), MOVE_ASIDE)
    for state in cuts.states(cuts.record("confirm"), 10**6):
        if state.lost == "entries: only this lost, a.txt new, no data lost":
            cuts.check(state)
    assert cuts.violations == []


def test_a_power_cut_in_the_fallbacks_recovery_loses_no_bytes(swift_path: Path, recording_killer: Killer) -> None:
    """Only on a disk that keeps no order between folders: the slot is gone, the link never came, the file is lost."""
    cuts = PowerCuts(recording_killer, case_of(KILLED["R15"], swift_path), MOVE_ASIDE)
    for state in cuts.states(record_recovery(cuts, "exchanged"), 10**6):
        if state.lost == "entries: only this lost, old.txt new, no data lost":
            cuts.check(state)
    assert [violation for violation in cuts.violations if violation.what == "bytes lost"] == []


def record_recovery(cuts: PowerCuts, death: str) -> list[Call]:
    """Let a confirmation die half-way through its exchanges, or after them, and record the recovery."""
    moves = [number for number, call in enumerate(cuts.unharmed, 1) if call in MOVES]
    cuts.pass_over(cuts.record("confirm", at=moves[-3] if death == "half exchanged" else moves[-1] + 1))
    return cuts.record("recover")
