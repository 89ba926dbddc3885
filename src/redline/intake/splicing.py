"""Places in a content, by offsets, and what is put there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Fit:
    """A place in the file and what comes there."""

    start: int
    end: int
    new: bytes


def occurrences(haystack: bytes, needle: bytes, shared: int) -> list[int]:
    """Find the needle's offsets from the front; an occurrence's `shared` last bytes may begin the next."""
    found: list[int] = []
    at = haystack.find(needle)
    while at >= 0:
        found.append(at)
        at = haystack.find(needle, at + len(needle) - shared)
    return found


def overlaps_at(haystack: bytes, needle: bytes, shared: int, at: int) -> int:
    """The offset of the next occurrence that begins within the one at `at`, or -1."""
    return haystack.find(needle, at + 1, at + 2 * len(needle) - shared - 1)


def spliced(data: bytes, fits: Sequence[Fit]) -> bytes:
    pieces, end = [], 0
    for fit in fits:
        pieces += [data[end : fit.start], fit.new]
        end = fit.end
    return b"".join([*pieces, data[end:]])
