"""Only stretches around a telling line are looked at, and nothing that a tier would find lies outside them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from redline.core.paths import RepoPath
from redline.intake.edits import Replace
from redline.intake.matching import replace
from redline.intake.stretches import Stretch, lines_of, stretches
from redline.intake.tiers import TIERS

if TYPE_CHECKING:
    from collections.abc import Callable

FILLER = b"filler\n" * 40


@pytest.mark.parametrize(
    ("data", "old", "expected"),
    [
        (b"a\nb\n", [b"c"], []),
        (b"a\nb\n", [b"b"], [Stretch(b"a\nb\n")]),
        (
            FILLER + b"  one\r\n" + FILLER + b"one",
            [b"one"],
            [
                Stretch(b"filler\nfiller\n  one\r\nfiller\nfiller\n", 7 * 38, 38),
                Stretch(b"filler\nfiller\none", 7 * 78 + 7, 79),
            ],
        ),
        (
            FILLER + b"one\nx\none\n" + FILLER,
            [b"one"],
            [Stretch(b"filler\nfiller\none\nx\none\nfiller\nfiller\n", 7 * 38, 38)],
        ),
        (FILLER + b" \n" + FILLER, [b""], [Stretch(b"filler\nfiller\n \nfiller\nfiller\n", 7 * 38, 38)]),
    ],
    ids=["nowhere", "a short file", "apart", "near each other", "blank lines"],
)  # fmt: skip
def test_stretches_hold_the_telling_line_and_what_is_around(
    data: bytes, old: list[bytes], expected: list[Stretch]
) -> None:
    assert stretches(data, old, alike=False) == expected


def test_look_alikes_count_as_what_they_look_like() -> None:
    data = FILLER + "it\u2019s\n".encode() + FILLER
    assert stretches(data, [b"it's"], alike=False) == []
    assert [piece.above for piece in stretches(data, [b"it's"], alike=True)] == [38]


LINES = st.lists(
    st.sampled_from([b"a", b" a", b"a \r", b"b", b"\tb", b"", b" ", b"it's", "it\u2019s".encode(), b"aa"]), max_size=5
)


@given(above=LINES, old=LINES.filter(bool), below=LINES, gap=st.integers(0, 40), ended=st.booleans())
def test_every_tier_finds_in_stretches_what_it_finds_in_the_file(
    above: list[bytes], old: list[bytes], below: list[bytes], gap: int, *, ended: bool
) -> None:
    data = b"\n".join([*above, *[b"filler"] * gap, *old, *[b"filler"] * gap, *below]) + b"\n" * ended
    assume(data)  # in an empty file nothing is looked for
    for tier in TIERS:
        pieces = stretches(data, old, alike=tier.alike)
        found = [(window.number, window.start) for piece in pieces for window in tier.find(piece, old)]
        assert found == [(window.number, window.start) for window in tier.find(Stretch(data), old)]


def test_lines_end_at_lf_only() -> None:
    assert lines_of(b"a\rb\x0cc\n\nd") == [b"a\rb\x0cc", b"", b"d"]


def calls(work: Callable[[], object]) -> int:
    """Count the calls that the work makes, built-in ones too: the same number on every machine."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("shift", [b"", b"  "], ids=["exactly", "indented"])
def test_many_edits_of_a_long_file_cost_no_more_than_the_edits(shift: bytes) -> None:
    def edit_all(size: int) -> None:
        data = b"".join(b"  line %d of many\n" % at for at in range(size))
        for at in range(0, size, 50):
            old = b"  line %d of many\n" % at
            edit = Replace(RepoPath("f"), shift + old, shift + b"  new %d\n" % at, 1, whole_lines=True, exactly=False)
            data, _ = replace(data, edit)
        assert data.count(b"new") == size // 50

    once, twice = (calls(lambda size=size: edit_all(size)) for size in (2_000, 4_000))  # type: ignore[misc]
    assert twice <= 2.2 * once
