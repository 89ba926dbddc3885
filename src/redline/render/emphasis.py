"""Which characters changed within changed lines.

Removed and added lines of a region are paired in order, and compared token by token. All of it is bounded: by tokens
compared, not by the clock, so that one text always looks the same.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Range = tuple[int, int]
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_LEAST_SHARED = 0.5  # of the characters of both lines: below that the signs would hide more than they tell
_MOST_COMBINATIONS = 256  # pairs tried where lines are not simply one for one
_MOST_COMPARISONS = 40_000  # tokens of one line times tokens of the other; beyond that the middle is one change


class Pair(NamedTuple):
    """A removed and an added line that continue each other, by index, and the characters that differ."""

    removed: int
    added: int
    removed_ranges: tuple[Range, ...]
    added_ranges: tuple[Range, ...]


def pairs(removed: Sequence[str], added: Sequence[str]) -> list[Pair]:
    """Pair the lines of one region; both indexes rise. What has no counterpart is left out."""
    before, after = [_TOKEN.findall(line) for line in removed], [_TOKEN.findall(line) for line in added]
    if len(before) == len(after):
        found = [_compare(index, index, before[index], after[index]) for index in range(len(before))]
        paired = [pair for pair in found if pair is not None]
        if len(paired) == len(before) or len(before) * len(after) > _MOST_COMBINATIONS:
            return paired
    elif len(before) * len(after) > _MOST_COMBINATIONS:
        return []
    found = [_compare(i, j, before[i], after[j]) for i, j in _likeliest(before, after)]
    return [pair for pair in found if pair is not None]


def _likeliest(before: list[list[str]], after: list[list[str]]) -> list[tuple[int, int]]:
    """Choose pairs, both indexes rising, that share most: the longest common subsequence, weighted."""
    weights = _shared(before, after)
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in reversed(range(len(before))):
        for j in reversed(range(len(after))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + weights[i][j])
    chosen: list[tuple[int, int]] = []
    i = j = 0
    while i < len(before) and j < len(after):
        if weights[i][j] and best[i][j] == best[i + 1][j + 1] + weights[i][j]:
            chosen.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return chosen


def _shared(before: list[list[str]], after: list[list[str]]) -> list[list[float]]:
    """How much each pair of lines could share, 0 where it is too little."""
    sizes = [[sum(map(len, line)) for line in side] for side in (before, after)]
    counters = [[Counter(line) for line in side] for side in (before, after)]
    return [
        [_ratio((one & other).elements(), sizes[0][i] + sizes[1][j]) for j, other in enumerate(counters[1])]
        for i, one in enumerate(counters[0])
    ]


def _ratio(shared: Iterable[str], total: int) -> float:
    ratio = 2 * sum(map(len, shared)) / total if total else 0.0
    return ratio if ratio >= _LEAST_SHARED else 0.0


def _compare(i: int, j: int, before: list[str], after: list[str]) -> Pair | None:
    """Mark what differs, or give None where too little is shared."""
    head = _common_start(before, after)
    tail = _common_start(before[head:][::-1], after[head:][::-1])
    middles = before[head : len(before) - tail], after[head : len(after) - tail]
    starts = (sum(map(len, before[:head])),) * 2
    changed = _changed(*middles)
    removed_ranges = _ranges(middles[0], [block[0] for block in changed], starts[0])
    added_ranges = _ranges(middles[1], [block[1] for block in changed], starts[1])
    total = sum(map(len, before)) + sum(map(len, after))
    differing = sum(end - start for start, end in (*removed_ranges, *added_ranges))
    if total - differing < total * _LEAST_SHARED:
        return None
    return Pair(i, j, removed_ranges, added_ranges)


def _common_start(one: list[str], other: list[str]) -> int:
    count = 0
    for token, counterpart in zip(one, other, strict=False):
        if token != counterpart:
            break
        count += 1
    return count


def _changed(one: list[str], other: list[str]) -> list[tuple[Range, Range]]:
    """Ranges of tokens that differ; what two lines share by a mere blank is no reason to cut a change in two."""
    if len(one) * len(other) > _MOST_COMPARISONS:
        return [((0, len(one)), (0, len(other)))]
    changed: list[tuple[Range, Range]] = []
    for tag, start, end, other_start, other_end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if changed and "".join(one[changed[-1][0][1] : start]).isspace():
            before, after = changed.pop()
            start, other_start = before[0], after[0]  # noqa: PLW2901 -- the change goes on
        changed.append(((start, end), (other_start, other_end)))
    return changed


def _ranges(tokens: list[str], changed: list[Range], offset: int) -> tuple[Range, ...]:
    ranges: list[Range] = []
    position, at = offset, 0
    for start, end in changed:
        position += sum(map(len, tokens[at:start]))
        length = sum(map(len, tokens[start:end]))
        if length:
            ranges.append((position, position + length))
        position, at = position + length, end
    return tuple(ranges)
