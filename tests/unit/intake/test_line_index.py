"""Runs of lines are found as a naive search finds them, in a number of comparisons that grows with the lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.intake.line_index import LineIndex

_LINES = st.lists(st.sampled_from("ab"), max_size=12)


@given(_LINES, st.lists(st.sampled_from("ab"), min_size=1, max_size=5), st.integers(0, 12), st.integers(1, 4))
def test_every_place_is_found_in_order(lines: list[str], wanted: list[str], start: int, most: int) -> None:
    naive = [at for at in range(start, len(lines)) if lines[at : at + len(wanted)] == wanted]
    assert LineIndex(lines).occurrences(wanted, start, most) == naive[:most]


@given(
    _LINES,
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 3), st.lists(st.sampled_from("ab"), max_size=3)), max_size=60
    ),
    st.lists(st.sampled_from("ab"), min_size=1, max_size=3),
    st.integers(0, 12),
)
def test_a_spliced_index_is_as_one_of_the_spliced_lines(
    lines: list[str], splices: list[tuple[int, int, list[str]]], wanted: list[str], start: int
) -> None:
    index, expected = LineIndex([*lines]), [*lines]
    for at, removed, added in splices:
        first = min(at, len(expected))
        end = min(first + removed, len(expected))
        index.splice(first, end, added)
        expected[first:end] = added
    fresh = LineIndex(expected)
    assert index.keys == expected
    assert [index.places(key) for key in "ab"] == [fresh.places(key) for key in "ab"]
    assert index.occurrences(wanted, start, 99) == fresh.occurrences(wanted, start, 99)


def test_lines_can_be_put_in_one_place_without_end() -> None:
    index = LineIndex(["a", "b"])
    for _ in range(200):
        index.splice(1, 1, ["x"])
    assert index.places("x") == list(range(1, 201))
    assert index.places("b") == [201]


class _Counted(str):
    """A line that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        _Counted.comparisons += 1
        return str.__eq__(self, other) is True

    __hash__ = str.__hash__


def _comparisons(lines: list[str], wanted: list[str]) -> int:
    index = LineIndex([_Counted(line) for line in lines])
    needle = [_Counted(line) for line in wanted]
    _Counted.comparisons = 0
    assert index.occurrences(needle, 0, 100) == []
    return _Counted.comparisons


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["a", "b"], ["a", "b", "b"]),
        (["a"], ["a", "b"]),
        (["a", "b", "b"], ["a", "b", "a"]),
    ],
)
def test_repeating_lines_cost_no_more_than_their_number(lines: list[str], wanted: list[str]) -> None:
    """Half as many lines of the first kind are wanted as there are, then one that spoils it."""
    costs = []
    for size in (200, 400, 800):
        long = (lines * size)[:size]
        costs.append(_comparisons(long, long[: size // 2] + wanted[-1:]))
    assert costs[-1] <= 6 * 800
    assert costs[2] <= 2.5 * costs[1] <= 6.25 * costs[0]
