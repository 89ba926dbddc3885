"""Which characters changed, and which lines belong together."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from redline.render.emphasis import Pair, pairs

LINES = st.lists(st.text("ab .(", max_size=10), max_size=5)


def kept(line: str, ranges: tuple[tuple[int, int], ...]) -> str:
    """What is left of a line without its changed ranges."""
    for start, end in reversed(ranges):
        line = line[:start] + line[end:]
    return line


@given(LINES, LINES)
def test_pairs_rise_and_differ_only_in_their_ranges(removed: list[str], added: list[str]) -> None:
    found = pairs(removed, added)
    assert [pair.removed for pair in found] == sorted({pair.removed for pair in found})
    assert [pair.added for pair in found] == sorted({pair.added for pair in found})
    for pair in found:
        before = kept(removed[pair.removed], pair.removed_ranges)
        after = kept(added[pair.added], pair.added_ranges)
        assert before.replace(" ", "") == after.replace(" ", "")


def test_lines_that_share_too_little_are_no_pair() -> None:
    assert pairs(["return total"], ["raise ValueError"]) == []


def test_a_line_is_paired_with_the_one_it_became() -> None:
    assert pairs(["    return compute(a)"], ["    # why", "    return compute(b)"]) == [
        Pair(0, 1, ((19, 20),), ((19, 20),))
    ]


def test_a_change_at_the_end_of_a_very_long_line_is_found_at_once() -> None:
    line = "a(b);" * 40_000
    start = time.perf_counter()
    assert pairs([line + "x"], [line + "y"]) == [Pair(0, 0, ((200_000, 200_001),), ((200_000, 200_001),))]
    assert time.perf_counter() - start < 2


def test_many_different_lines_take_bounded_time() -> None:
    removed = [f"value_{i} = {i} * {i}" for i in range(3000)]
    added = [f"other({i}, {i})" for i in range(2999)]
    start = time.perf_counter()
    assert pairs(removed, added) == []
    assert time.perf_counter() - start < 2
