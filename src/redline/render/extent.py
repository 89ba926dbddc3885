"""How much a large change really changes: its tokens that differ, whitespace left aside."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from redline.core.hunks import LineKind
from redline.core.safetext import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.core.hunks import Hunk

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WINDOW = 16  # tokens looked ahead, so that the time for a change grows with its length alone


def changed_tokens(hunks: Iterable[Hunk]) -> int:
    """Count the tokens that differ: never fewer than do, more where much changed at one place or lines moved."""
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
    """Walk both; where they part, count what lies before the nearest place at which they meet again."""
    changed = i = j = 0
    while i < len(before) and j < len(after):
        if before[i] == after[j]:
            i, j = i + 1, j + 1
        else:
            skipped, other_skipped = _apart(before[i : i + _WINDOW + 1], after[j : j + _WINDOW + 1])
            changed += max(skipped, other_skipped)
            i, j = i + skipped, j + other_skipped
    return changed + max(len(before) - i, len(after) - j)


def _apart(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many tokens of each side to skip until two of one are two of the other; all where there is no such place."""
    for total in range(1, 2 * _WINDOW):
        for skipped in range(max(0, total - _WINDOW + 1), min(total, _WINDOW - 1) + 1):
            following = before[skipped : skipped + 2]
            if following and following == after[total - skipped : total - skipped + 2]:
                return skipped, total - skipped
    return len(before), len(after)
