"""A capture that dies before any call that changes the disk loses nothing: files as they were, or put back on record.

The normal run takes a sample of the points; REDLINE_CRASH=all takes all.
"""

from __future__ import annotations

import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import NOW, TAKES_ALL
from tests.crash.killer import Case
from tests.crash.variants import MOVE_ASIDE
from tests.support.sandbox import Sandbox

from redline import app

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.killer import Killer

pytestmark = pytest.mark.kill


@pytest.fixture
def case(swift_path: Path) -> Case:
    """A repository with an uncommitted change of each kind."""
    sandbox = Sandbox.make(swift_path / "repo")
    sandbox.write("gone/deep.txt", b"deep\n")
    sandbox.write("run.sh", b"run\n")
    sandbox.git("add", ".")
    sandbox.git("commit", "-q", "-m", "more")
    app.start()
    app.initialise(str(sandbox.root), app.World(clock=lambda: NOW), adopt=False)
    sandbox.write("a.txt", b"mine\n")
    sandbox.write("new/er.txt", b"neu\n")
    (sandbox.root / "run.sh").chmod(0o755)
    (sandbox.root / "gone" / "deep.txt").unlink()
    (sandbox.root / "gone").rmdir()
    made = Case(sandbox.root, swift_path / "state", swift_path / "copy", "", "", NOW)
    made.freeze()
    return made


@pytest.mark.parametrize(("exchange", "stride"), [("", 7), (MOVE_ASIDE, 13)])
def test_a_killed_capture_loses_nothing_and_can_be_repeated(
    exchange: str, stride: int, case: Case, killer: Killer
) -> None:
    unharmed = killer.run("capture", case, variant=exchange)
    put_back, calls = case.everything(), unharmed["calls"]
    assert put_back != case.before
    ends: Counter[str] = Counter()
    for at in range(1, len(calls) + 1, 1 if TAKES_ALL else stride):
        case.restore()
        where = f"killed before call {at}, {calls[at - 1]}"
        assert killer.run("capture", case, at=at, variant=exchange) == {"killed_by": signal.SIGKILL}, where
        recovered = killer.run("recover", case, variant=exchange)
        assert recovered["kept"] == [], where
        pending = killer.run("pending", case)["pending"]
        found = case.everything()
        ends["put back" if found == put_back else "as it was"] += 1
        ends["taken back"] += len(recovered["rolled_back"])
        assert found in (case.before, put_back), where
        if found == put_back:
            assert [one["put_back"] for one in pending] == [True], where
        assert (killer.run("faults", case)["faults"], case.leftovers()) == ([], []), where
        repeated = killer.run("capture", case, variant=exchange)
        assert (repeated["proposal"] is None) == (found == put_back), where
        assert case.everything() == put_back, where
        (only,) = killer.run("pending", case)["pending"]
        assert killer.run("confirm", _with(case, only))["outcome"] == "applied", where
        assert _files(case.everything()) == _files(case.before), where  # a deletion leaves its folder
    assert min(ends["put back"], ends["as it was"], ends["taken back"]) > 0


def _files(found: dict[str, tuple[int, bytes]]) -> dict[str, tuple[int, bytes]]:
    above = {path.rpartition("/")[0] for path in found}
    return {path: state for path, state in found.items() if path not in above and path != "gone"}


def _with(case: Case, pending: dict[str, str]) -> Case:
    return Case(case.root, case.state, case.copy, pending["proposal"], pending["digest"], case.now)
