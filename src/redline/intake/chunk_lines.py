"""A file's lines as Codex sees them, and in what a chunk's lines may differ from them.

Here, and here only, a lone CR ends a line of a file too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from redline.intake.line_index import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COUNTED: Final = 100
_MOVED: Final = 16
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


@dataclass(frozen=True, slots=True)
class Splice:
    """Lines in place of those from `start` to before `end`."""

    start: int
    end: int
    lines: tuple[bytes, ...]


@dataclass(slots=True)
class File:
    """A file's lines and their ends, of which `crlf` are CRLF; only the last line may have none.

    `has_cr` tells that some line ends with a lone CR: it and a line end put behind it may be one.
    """

    lines: list[bytes]
    ends: list[bytes]
    crlf: int
    has_cr: bool
    views: dict[Tier, LineIndex[str]] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        return b"".join(chain.from_iterable(zip(self.lines, self.ends, strict=True)))

    @property
    def end(self) -> bytes:
        """How the first line ends, or LF."""
        return (self.ends and self.ends[0]) or b"\n"

    def splice(self, splices: Sequence[Splice]) -> None:
        """Put lines in place of others, all places being those before; then every line ends, the new ones as the first.

        Each splice moves all the lines below it, so that many of them are made in one pass.
        """
        end = self.end
        if self.ends[-1:] == [b""]:
            self.ends[-1] = end
        has_cr = self.has_cr or any(b"\r" in line for splice in splices for line in splice.lines)
        if has_cr or len(splices) > _MOVED:
            made = file_of(b"".join(self._spliced(splices, end)))
            self.lines, self.ends, self.crlf, self.has_cr = made.lines, made.ends, made.crlf, made.has_cr
            self.views = {}
            return
        for splice in sorted(splices, key=_start)[::-1]:
            at = slice(splice.start, splice.end)
            self.crlf += len(splice.lines) * (end == b"\r\n") - self.ends[at].count(b"\r\n")
            self.lines[at], self.ends[at] = splice.lines, [end] * len(splice.lines)
            for tier, view in self.views.items():
                view.splice(splice.start, splice.end, [tier.key(line) for line in splice.lines])

    def _spliced(self, splices: Sequence[Splice], end: bytes) -> Iterator[bytes]:
        whole = [line + closing for line, closing in zip(self.lines, self.ends, strict=True)]
        at = 0
        for splice in sorted(splices, key=_start):
            yield from whole[at : splice.start]
            yield from (line + end for line in splice.lines)
            at = splice.end
        yield from whole[at:]

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
    return File(lines, ends, ends.count(b"\r\n"), b"\r" in ends)


def _start(splice: Splice) -> int:
    return splice.start
