"""Look for a text in all lines of a review, also in those that were never drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from redline.core.safetext import decode
from redline.frontends.tui.document import line_places

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from redline.core.parts import Part
    from redline.frontends.tui.document import Place


class Match(NamedTuple):
    """A line that was found: its part's index, its own within the hunk, and where that is."""

    part: int
    line: int
    place: Place


def matches(parts: Sequence[Part], wanted: re.Pattern[str]) -> Iterator[Match]:
    """All lines that hold the text, in order."""
    for index, part in enumerate(parts):
        for number, line in enumerate(part.hunk.lines if part.hunk is not None else ()):
            if wanted.search(decode(line.data)):
                for place in line_places(line):
                    yield Match(index, number, place)


def next_match(
    parts: Sequence[Part], wanted: re.Pattern[str], part: int, places: tuple[Place, ...], *, is_back: bool
) -> Match | None:
    """The match after a place, or before it; from the other end where there is none."""
    found = list(matches(parts, wanted))
    here = (part, _line_of(parts, part, places))
    beyond = [match for match in found if (match[:2] < here if is_back else match[:2] > here)]
    order = beyond or found
    return (order[-1] if is_back else order[0]) if order else None


def _line_of(parts: Sequence[Part], part: int, places: tuple[Place, ...]) -> int:
    """Which line of its part a place is; before the first one where it is none of them."""
    hunk = parts[part].hunk if 0 <= part < len(parts) else None
    lines = hunk.lines if hunk is not None else ()
    return next((number for number, line in enumerate(lines) if set(line_places(line)) & set(places)), -1)
