"""Place chunks by their lines, as Codex does: downwards, each at the first place below the chunk before.

Here, and here only, a lone CR ends a line of a file too. Lines that a chunk keeps stay byte for byte as the file
has them; lines that it adds end as the file's first line does.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.errors import EditMismatch
from redline.intake.line_index import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from redline.core.paths import RepoPath
    from redline.intake.edits import Chunk, Chunks

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"(\r\n|\r|\n)")
_END_NAMES = {b"\r\n": "CRLF", b"\r": "CR", b"\n": "LF"}
_LISTED = 20
_NAMED = 5
_COUNTED = 100
_SHOWN_CHARACTERS = 80
_SHOWN_BEFORE = 30
_WIDE_BLANKS = "\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_BLANKS = "\t\n\x0b\x0c\r \x85\u1680\u2000\u2001\u2028\u2029" + _WIDE_BLANKS
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys(_WIDE_BLANKS, " ")
)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _look_alike(line: bytes) -> str:
    return _text(line).strip(_BLANKS).translate(_TYPOGRAPHY)


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip())]


def _gist(line: bytes) -> str:
    return "".join(unicodedata.normalize("NFKC", _text(line)).casefold().split())


@dataclass(frozen=True, slots=True)
class _Tier:
    """What two lines may differ in: `key` makes them equal."""

    code: str
    but_for: str
    key: Callable[[bytes], str]


_EXACT = _Tier("", "", _text)
_LOOSEST = _Tier("LOOK_ALIKE", "blanks at either end of a line, and look-alike characters", _look_alike)
_TIERS = (
    _EXACT,
    _Tier("TRAILING_SPACE", "blanks at the end of a line", lambda line: _text(line).rstrip(_BLANKS)),
    _Tier("SURROUNDING_SPACE", "blanks at either end of a line", lambda line: _text(line).strip(_BLANKS)),
    _LOOSEST,
)
_NEAR = _Tier("", "", _gist)  # for messages only: nothing is applied by it


@dataclass(frozen=True, slots=True)
class _Hit:
    tier: _Tier
    places: list[int]

    @property
    def first(self) -> int:
        return self.places[0]

    @property
    def several(self) -> str:
        """The number and the lines of the places."""
        count = f"{_COUNTED} or more" if len(self.places) == _COUNTED else str(len(self.places))
        return f"{count} places ({_numbers(self.places)})"


@dataclass(slots=True)
class _File:
    """A file's lines and their ends; only the last line may have none."""

    lines: list[bytes]
    ends: list[bytes]
    views: dict[_Tier, LineIndex[str]] = field(default_factory=dict)

    def view(self, tier: _Tier) -> LineIndex[str]:
        if tier not in self.views:
            self.views[tier] = LineIndex([tier.key(line) for line in self.lines])
        return self.views[tier]

    def find(self, wanted: Sequence[bytes], start: int) -> _Hit | None:
        """Find the lines from `start` on under the strictest tier that has them."""
        for tier in _TIERS:
            found = self.view(tier).occurrences([tier.key(line) for line in wanted], start, _COUNTED)
            if found:
                return _Hit(tier, found)
        return None


@dataclass(frozen=True, slots=True)
class _Sides:
    """A chunk's old and new lines, and the index in both of each line that it keeps."""

    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    kept: tuple[tuple[int, int], ...]

    def without_last_blank(self) -> _Sides:
        new = self.new[:-1] if self.new[-1:] == (b"",) else self.new
        return _Sides(self.old[:-1], new, self.kept)

    def splices(self, first: int) -> Iterator[_Splice]:
        """The lines to put in place of others, if the old ones begin at `first`."""
        old_at = new_at = 0
        kept = [(old, new) for old, new in self.kept if old < len(self.old) and new < len(self.new)]
        for old, new in [*kept, (len(self.old), len(self.new))]:
            if (old, new) != (old_at, new_at):
                yield _Splice(first + old_at, first + old, self.new[new_at:new])
            old_at, new_at = old + 1, new + 1


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    lines: tuple[bytes, ...]


def apply_chunks(data: bytes, edit: Chunks) -> tuple[bytes, list[Leniency]]:
    """Give the content with every chunk in place.

    Raises EditMismatch if one fits nowhere, or, but for blanks or look-alikes, at several places.
    """
    # A byte order mark is no part of the first line, unless a chunk speaks of it.
    spoken = (line for chunk in edit.chunks for line in (b" " + (chunk.anchor or b""), *chunk.lines))
    speaks_of_it = any(line.startswith(_BOM, 1) for line in spoken)
    mark = _BOM if data.startswith(_BOM) and not speaks_of_it else b""
    pieces = _LINE_END.split(data[len(mark) :])
    lines, ends = pieces[::2], pieces[1::2]
    if lines[-1]:
        ends.append(b"")
    else:
        lines.pop()
    placing = _Placing(_File(lines, ends), edit.path)
    for chunk in edit.chunks:
        placing.place(chunk)
    return mark + placing.result(), placing.leniencies


@dataclass(slots=True)
class _Placing:
    """The chunks placed so far; the next one stands at line `cursor`, from 0, or below."""

    file: _File
    path: RepoPath
    cursor: int = 0
    splices: list[_Splice] = field(default_factory=list)
    leniencies: list[Leniency] = field(default_factory=list)

    def place(self, chunk: Chunk) -> None:
        above = self.cursor
        anchor = self._anchor(chunk) if chunk.anchor is not None else None
        sides = _sides(chunk)
        if not self.file.lines and sides.old == (b"",):
            sides = sides.without_last_blank()  # an empty file, seen as one empty line
        if not sides.old:
            self._append(chunk, sides)
            return
        hit = self._find(chunk, sides)
        if hit is None and sides.old[-1] == b"" and len(sides.old) > 1:
            sides = sides.without_last_blank()
            hit = self._find(chunk, sides)
            if hit is not None:
                self._note("BLANK_DROPPED", chunk, "ends with a blank line that the file does not have there")
        if hit is None:
            raise self._not_found(chunk, _sides(chunk).old, above)
        self._accept(chunk, hit, anchor)
        self.splices += sides.splices(hit.first)
        self.cursor = hit.first + len(sides.old)

    def result(self) -> bytes:
        """The content with every splice in place; the format ends every line, the last one too."""
        lines, ends = self.file.lines, self.file.ends
        end = ends[0] if ends and ends[0] else b"\n"
        whole = [line + (closing or end) for line, closing in zip(lines, ends, strict=True)]
        pieces: list[bytes] = []
        at = 0
        for splice in sorted(self.splices, key=lambda splice: splice.start):
            pieces += whole[at : splice.start]
            pieces += [line + end for line in splice.lines]
            at = splice.end
        pieces += whole[at:]
        self._note_ends(end, unended=bool(pieces) and b"" in ends[-1:])
        return b"".join(pieces)

    def _note_ends(self, end: bytes, *, unended: bool) -> None:
        added = any(splice.lines for splice in self.splices)
        if added and (end != b"\n" or b"\r\n" in self.file.ends):
            text = f"the added lines end {_END_NAMES[end]}, as the file's first line does"
            self.leniencies.append(Leniency("LINE_ENDS", self.path, text))
        if unended:
            text = "the file's last line has no line end; the format ends every line"
            self.leniencies.append(Leniency("LAST_LINE_END", self.path, text))

    def _anchor(self, chunk: Chunk) -> _Hit:
        anchor = chunk.anchor or b""
        hit = self.file.find([anchor], self.cursor)
        if hit is None:
            raise self._no_anchor(chunk, anchor)
        if hit.tier is not _EXACT:
            self._note(hit.tier.code, chunk, f"has an @@ line that is line {hit.first + 1} but for {hit.tier.but_for}")
        self.cursor = hit.first + 1
        return hit

    def _append(self, chunk: Chunk, sides: _Sides) -> None:
        count = len(self.file.lines)
        if count and not chunk.at_end:
            self._note("ADDED_AT_END", chunk, "only adds lines; the format puts these at the end of the file")
        self.splices.append(_Splice(count, count, sides.new))

    def _find(self, chunk: Chunk, sides: _Sides) -> _Hit | None:
        start = self.cursor
        if chunk.at_end:
            start = max(start, len(self.file.lines) - len(sides.old))
        return self.file.find(sides.old, start)

    def _accept(self, chunk: Chunk, hit: _Hit, anchor: _Hit | None) -> None:
        """Note how the chunk fits; refuse the first of several places if it, or its anchor, is not exact."""
        if len(hit.places) > 1:
            doubtful = anchor is not None and anchor.tier is not _EXACT and len(anchor.places) > 1
            if hit.tier is not _EXACT or doubtful:
                raise self._ambiguous(chunk, hit)
            where = f"fits {hit.several}; the first, line {hit.first + 1}, was taken"
            self._note("FIRST_OF_SEVERAL", chunk, where)
        elif hit.tier is not _EXACT:
            indented = self._indented_otherwise(chunk, hit.first)
            told = "; the lines it adds keep the chunk's own indentation, not the file's" if indented else ""
            self._note(hit.tier.code, chunk, f"fits line {hit.first + 1} only but for {hit.tier.but_for}{told}")

    def _indented_otherwise(self, chunk: Chunk, first: int) -> bool:
        """Whether the chunk adds lines below or above lines that the file indents in another way."""
        old = _sides(chunk).old
        pairs = zip(old, self.file.lines[first : first + len(old)], strict=False)
        adds = any(line.startswith(b"+") and line[1:].strip() for line in chunk.lines)
        return adds and any(ours.strip() and _indent(ours) != _indent(theirs) for ours, theirs in pairs)

    def _note(self, code: str, chunk: Chunk, what: str) -> None:
        self.leniencies.append(Leniency(code, self.path, f"the chunk of line {chunk.line} {what}"))

    def _ambiguous(self, chunk: Chunk, hit: _Hit) -> EditMismatch:
        but_for = f", but for {hit.tier.but_for}" if hit.tier.but_for else ""
        hint = "Give more lines of context, or an @@ line, exactly as the file has them."
        return self._mismatch(chunk, f"fits {hit.several}{but_for}", "AMBIGUOUS", hint, _listed(hit.places))

    def _no_anchor(self, chunk: Chunk, anchor: bytes) -> EditMismatch:
        hit = self.file.find([anchor], 0)
        if hit is not None:
            why = f"has an @@ line that stands at {_numbers(hit.places)}, not below the chunk before it"
            return self._mismatch(chunk, why, "NO_MATCH", _IN_ORDER, _listed(hit.places))
        why = f"has an @@ line that the file does not have: {_shown(_text(anchor))}"
        gist = _gist(anchor)
        near = [at for at, key in enumerate(self.file.view(_NEAR).keys) if gist and gist in key]
        if near:
            why += f"; line {near[0] + 1} is {_shown(_text(self.file.lines[near[0]]))}"
        hint = "Behind @@ stands one whole line of the file, neither a part of one nor line numbers."
        return self._mismatch(chunk, why, "NO_MATCH", hint, _listed(near))

    def _not_found(self, chunk: Chunk, old: tuple[bytes, ...], above: int) -> EditMismatch:
        hit = self.file.find(old, 0)
        if hit is None:
            why, near = _nearest(self.file, old)
            return self._mismatch(chunk, why, "NO_MATCH", _REREAD, _listed(near))
        last = hit.places[-1]
        if chunk.at_end and last + len(old) < len(self.file.lines):
            where = "not at the end of the file"
        else:
            where = "above its @@ line" if last >= above else "not below the chunk before it"
        why = f"stands at {_numbers(hit.places)}, {where}"
        return self._mismatch(chunk, why, "NO_MATCH", _IN_ORDER, _listed(hit.places))

    def _mismatch(self, chunk: Chunk, why: str, code: str, hint: str, details: dict[str, object]) -> EditMismatch:
        return EditMismatch(
            f"{self.path}: the chunk of line {chunk.line} {why}",
            code=code,
            hint=hint,
            details={"path": str(self.path), "input_line": chunk.line, **details},
        )


def _sides(chunk: Chunk) -> _Sides:
    old: list[bytes] = []
    new: list[bytes] = []
    kept: list[tuple[int, int]] = []
    for line in chunk.lines:
        if line.startswith(b"+"):
            new.append(line[1:])
            continue
        # The file's lines end at a lone CR: an old line that holds one is several of them.
        for piece in line[1:].split(b"\r"):
            if line.startswith(b" "):
                kept.append((len(old), len(new)))
                new.append(piece)
            old.append(piece)
    return _Sides(tuple(old), tuple(new), tuple(kept))


def _nearest(file: _File, old: tuple[bytes, ...]) -> tuple[str, list[int]]:
    """Tell where a chunk that fits nowhere nearly fits, and the first line that differs there."""
    view, wanted = file.view(_NEAR), [_gist(line) for line in old]
    known = [at for at, gist in enumerate(wanted) if gist and view.places(gist)]
    if not known:
        return f"does not match the file, which has no line like {_shown(_text(max(old, key=len)))}", []
    telling = min(known, key=lambda at: len(view.places(wanted[at])))
    candidates = [place - telling for place in view.places(wanted[telling])[:_LISTED]]
    keys = [_look_alike(line) for line in old]
    here = file.view(_LOOSEST).keys

    def differing(first: int) -> list[int]:
        return [at for at, key in enumerate(keys) if not 0 <= first + at < len(here) or here[first + at] != key]

    best = min(candidates, key=lambda first: len(differing(first)))
    at = differing(best)[0]
    number = best + at
    what = f"the file {'begins' if number < 0 else 'ends'} where the chunk has {_shown(_text(old[at]))}"
    if 0 <= number < len(here):
        found, stated = _text(file.lines[number]), _text(old[at])
        pairs = enumerate(zip(found, stated, strict=False))
        same = next((place for place, (one, other) in pairs if one != other), min(len(found), len(stated)))
        what = f"line {number + 1} is {_shown(found, same)} where the chunk has {_shown(stated, same)}"
    return f"does not match the file; at the nearest place {what}", [first for first in candidates if first >= 0]


_IN_ORDER = "Put the chunks of a file in the order of their lines, each below the one before and below its own @@ line."
_REREAD = "Read the file again and copy the lines of the chunk exactly from what it holds now."


def _listed(places: list[int]) -> dict[str, object]:
    return {"count": len(places), "lines": [place + 1 for place in places[:_LISTED]]}


def _numbers(places: list[int]) -> str:
    shown = ", ".join(str(place + 1) for place in places[:_NAMED])
    return f"{'line' if len(places) == 1 else 'lines'} {shown}{', …' if len(places) > _NAMED else ''}"


def _shown(text: str, around: int = 0) -> str:
    """Show a line in ASCII, a long one from a little before the given character on."""
    start = max(around - _SHOWN_BEFORE, 0) if len(text) > _SHOWN_CHARACTERS else 0
    piece = text[start : start + _SHOWN_CHARACTERS]
    shown = piece.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return f"{'...' if start else ''}{shown!a}{'...' if start + len(piece) < len(text) else ''}"
