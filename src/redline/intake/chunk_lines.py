"""A file's lines as Codex sees them, and in what a chunk's lines may differ from them.

Here, and here only, a lone CR ends a line of a file too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from redline.intake.line_index import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COUNTED: Final = 100
_LINE_END = re.compile(rb"(\r\n|\r|\n)")
_WIDE_BLANKS = "\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_BLANKS = "\t\n\x0b\x0c\r \x85\u1680\u2000\u2001\u2028\u2029" + _WIDE_BLANKS
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys(_WIDE_BLANKS, " ")
)


def text_of(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def look_alike(line: bytes) -> str:
    return text_of(line).strip(_BLANKS).translate(_TYPOGRAPHY)


def gist(line: bytes) -> str:
    return "".join(unicodedata.normalize("NFKC", text_of(line)).casefold().split())


@dataclass(frozen=True, slots=True)
class Tier:
    """What two lines may differ in: `key` makes them equal."""

    code: str
    but_for: str
    key: Callable[[bytes], str]


EXACT = Tier("", "", text_of)
LOOSEST = Tier("LOOK_ALIKE", "blanks at either end of a line, and look-alike characters", look_alike)
_TIERS = (
    EXACT,
    Tier("TRAILING_SPACE", "blanks at the end of a line", lambda line: text_of(line).rstrip(_BLANKS)),
    Tier("SURROUNDING_SPACE", "blanks at either end of a line", lambda line: text_of(line).strip(_BLANKS)),
    LOOSEST,
)
NEAR = Tier("", "", gist)  # for messages only: nothing is applied by it


@dataclass(frozen=True, slots=True)
class Hit:
    tier: Tier
    places: list[int]

    @property
    def first(self) -> int:
        return self.places[0]


@dataclass(slots=True)
class File:
    """A file's lines and their ends; only the last line may have none."""

    lines: list[bytes]
    ends: list[bytes]
    views: dict[Tier, LineIndex[str]] = field(default_factory=dict)

    def view(self, tier: Tier) -> LineIndex[str]:
        if tier not in self.views:
            self.views[tier] = LineIndex([tier.key(line) for line in self.lines])
        return self.views[tier]

    def find(self, wanted: Sequence[bytes], start: int) -> Hit | None:
        """Find the lines from `start` on under the strictest tier that has them."""
        for tier in _TIERS:
            found = self.view(tier).occurrences([tier.key(line) for line in wanted], start, COUNTED)
            if found:
                return Hit(tier, found)
        return None


def file_of(data: bytes) -> File:
    pieces = _LINE_END.split(data)
    lines, ends = pieces[::2], pieces[1::2]
    if lines[-1]:
        ends.append(b"")
    else:
        lines.pop()
    return File(lines, ends)
