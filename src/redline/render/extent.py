"""How much a large change really changes: its tokens that differ, whitespace left aside."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING

from redline.core.hunks import LineKind
from redline.core.safetext import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.core.hunks import Hunk

_TOKEN = re.compile(r"\w+|[^\w\s]")
_MOST_TOKENS = 20_000  # of one side of a region; beyond that all between its equal ends counts as different


def changed_tokens(hunks: Iterable[Hunk]) -> int:
    """Count the tokens that differ: never fewer than do, more where a region is large or lines were moved."""
    return sum(map(_changed, hunks))


def _changed(hunk: Hunk) -> int:
    changed = 0
    for is_context, group in groupby(hunk.body.split(b"\n"), lambda line: line[:1] == LineKind.CONTEXT.value.encode()):
        if not is_context:
            lines = list(group)
            changed += _differing(*(_tokens(lines, mark) for mark in (b"-", b"+")))
    return changed


def _tokens(lines: list[bytes], mark: bytes) -> list[str]:
    return [token for line in lines if line[:1] == mark for token in _TOKEN.findall(decode(line[1:]))]


def _differing(before: list[str], after: list[str]) -> int:
    start, least = 0, min(len(before), len(after))
    while start < least and before[start] == after[start]:
        start += 1
    end = 0
    while end < least - start and before[-1 - end] == after[-1 - end]:
        end += 1
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if not before or not after or max(len(before), len(after)) > _MOST_TOKENS:
        return max(len(before), len(after))
    return sum(
        max(end - start, other_end - other_start)
        for tag, start, end, other_start, other_end in SequenceMatcher(None, before, after).get_opcodes()
        if tag != "equal"
    )
