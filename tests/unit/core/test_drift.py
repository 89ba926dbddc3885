from __future__ import annotations

from itertools import product

import pytest
from tests.support.build import a_state, sighting

from redline.core.change import Change
from redline.core.content import Content, FileState, Mode, Sighting
from redline.core.drift import Drift, DriftKind, Irregular, compare, compare_all
from redline.core.paths import RepoPath

PATH = RepoPath("a.txt")
ONE, TWO = Content(b"one\n", Mode.REGULAR), Content(b"two\n", Mode.REGULAR)
ONE_EXECUTABLE = Content(b"one\n", Mode.EXECUTABLE)
TWO_EXECUTABLE = Content(b"two\n", Mode.EXECUTABLE)
FILES = (ONE, TWO, ONE_EXECUTABLE, TWO_EXECUTABLE)


def _change(before: Content | None) -> Change:
    return Change(PATH, a_state(before.data, before.mode) if before else None, a_state(b"after\n"))


@pytest.mark.parametrize(("before", "now"), list(product((None, *FILES), (None, *FILES))))
def test_the_whole_state_counts(before: Content | None, now: Content | None) -> None:
    if before == now:
        expected = None
    elif before is None:
        expected = DriftKind.APPEARED
    elif now is None:
        expected = DriftKind.VANISHED
    else:
        expected = DriftKind.CHANGED if before.data != now.data else DriftKind.MODE_CHANGED
    drift = Drift(PATH, expected) if expected is not None else None
    assert compare(_change(before), sighting(now) if now else None) == drift


@pytest.mark.parametrize(("before", "now"), list(product((None, ONE), Irregular)))
def test_what_is_no_regular_file_has_always_drifted(before: Content | None, now: Irregular) -> None:
    assert compare(_change(before), now) == Drift(PATH, DriftKind.NOT_REGULAR)


def test_a_size_that_disagrees_is_a_change_even_under_one_hash() -> None:
    state = a_state(b"one\n")
    change = Change(PATH, FileState(state.oid, state.sha256, Mode.REGULAR, 5), None)
    assert compare(change, Sighting(state.sha256, Mode.REGULAR, 4)) == Drift(PATH, DriftKind.CHANGED)


def test_only_the_drifted_paths_are_listed_in_order() -> None:
    changes = tuple(Change(RepoPath(name), a_state(b"one\n"), None) for name in ("a", "b", "c"))
    now = {RepoPath("a"): None, RepoPath("b"): sighting(ONE), RepoPath("c"): Irregular.FOLDER}
    drifts = compare_all(changes, now)
    assert [f"{drift.path} {drift.text}" for drift in drifts] == [
        "a is gone since this was proposed",
        "c is no regular file any more since this was proposed",
    ]
