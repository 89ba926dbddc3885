"""Fenced blocks of Markdown, at the start of a line only (CommonMark 0.31, section 4.5), and the paths they carry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.intake.markup import path_behind_fence, path_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPENER: Final = re.compile(rb"(`{3,}+(?=[^`]*+\Z)|~{3,}+)[ \t]*+([^\s:{`]*+)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A block by the indexes of its fence lines; `closes_at` None is one that never ends.

    `paths` are the different ones above it and behind its opening fence. `tight` tells that the one above follows
    another block's closing fence at once.
    """

    mark: bytes
    language: bytes
    opens_at: int
    closes_at: int | None
    paths: tuple[bytes, ...]
    tight: bool


def fences(lines: Sequence[bytes]) -> Iterator[Fence]:
    """Give the blocks from first to last; nothing stands behind one that never ends."""
    at, previous_end = 0, -1
    while at < len(lines):
        opener = OPENER.match(lines[at])
        if opener is None:
            at += 1
            continue
        closes_at = next((end for end in range(at + 1, len(lines)) if closes(lines[end], opener[1])), None)
        above, path_at = _path_above(lines, at, previous_end)
        paths = tuple(sorted({path for path in (above, path_behind_fence(lines[at])) if path is not None}))
        tight = above is not None and path_at == previous_end + 1 and previous_end >= 0
        yield Fence(opener[1], opener[2].lower(), at, closes_at, paths, tight)
        if closes_at is None:
            return
        at, previous_end = closes_at + 1, closes_at


def closes(line: bytes, mark: bytes) -> bool:
    """Tell whether a line ends a block that the mark has opened."""
    return line.startswith(mark) and not line.rstrip(b" \t\r").strip(mark[:1])


def _path_above(lines: Sequence[bytes], fence_at: int, previous_end: int) -> tuple[bytes | None, int]:
    at = fence_at - 1
    if at > previous_end and not lines[at].strip():
        at -= 1
    if at <= previous_end:
        return None, at
    return path_on(lines[at]), at
