"""Place chunks by their lines, as Codex does: downwards, each at the first place below the chunk before.

Lines that a chunk keeps stay byte for byte as the file has them; lines that it adds end as the file's first line does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.intake.chunk_lines import EXACT, Splice, file_of
from redline.intake.chunk_mismatch import ambiguous, no_anchor, not_found, several
from redline.intake.markup import BOM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.core.paths import RepoPath
    from redline.intake.chunk_lines import File, Hit
    from redline.intake.edits import Chunk, Chunks

_END_NAMES = {b"\r\n": "CRLF", b"\r": "CR", b"\n": "LF"}


@dataclass(frozen=True, slots=True)
class _Sides:
    """A chunk's old and new lines, and the index in both of each line that it keeps."""

    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    kept: tuple[tuple[int, int], ...]

    def without_last_blank(self) -> _Sides:
        new = self.new[:-1] if self.new[-1:] == (b"",) else self.new
        return _Sides(self.old[:-1], new, self.kept)

    def splices(self, first: int) -> Iterator[Splice]:
        """The lines to put in place of others, if the old ones begin at `first`."""
        old_at = new_at = 0
        kept = [(old, new) for old, new in self.kept if old < len(self.old) and new < len(self.new)]
        for old, new in [*kept, (len(self.old), len(self.new))]:
            if (old, new) != (old_at, new_at):
                yield Splice(first + old_at, first + old, self.new[new_at:new])
            old_at, new_at = old + 1, new + 1


def apply_chunks(data: bytes, edits: Sequence[Chunks]) -> tuple[bytes, list[Leniency]]:
    """Give the content of one file with every chunk in place, those of one edit after those of the one before.

    Raises EditMismatch if one fits nowhere, or, but for blanks or look-alikes, at several places.
    """
    # A byte order mark is no part of the first line, unless a chunk speaks of it.
    spoken = (line for edit in edits for chunk in edit.chunks for line in (b" " + (chunk.anchor or b""), *chunk.lines))
    speaks_of_it = data.startswith(BOM) and any(line.startswith(BOM, 1) for line in spoken)
    mark = BOM if data.startswith(BOM) and not speaks_of_it else b""
    file = file_of(data[len(mark) :])
    leniencies: list[Leniency] = []
    for edit in edits:
        placing = _Placing(file, edit.path)
        for chunk in edit.chunks:
            placing.place(chunk)
        placing.finish()
        leniencies += placing.leniencies
    return mark + file.data, leniencies


@dataclass(slots=True)
class _Placing:
    """The chunks placed so far; the next one stands at line `cursor`, from 0, or below."""

    file: File
    path: RepoPath
    cursor: int = 0
    splices: list[Splice] = field(default_factory=list)
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
            raise not_found(self.file, self.path, chunk, _sides(chunk).old, above)
        self._accept(chunk, hit, anchor)
        self.splices += sides.splices(hit.first)
        self.cursor = hit.first + len(sides.old)

    def finish(self) -> None:
        """Put every splice in place; the format ends every line, the last one too."""
        end, had_crlf, unended = self.file.end, self.file.crlf > 0, b"" in self.file.ends[-1:]
        self.file.splice(self.splices)
        added = any(splice.lines for splice in self.splices)
        if added and (end != b"\n" or had_crlf):
            text = f"the added lines end {_END_NAMES[end]}, as the file's first line does"
            self.leniencies.append(Leniency("LINE_ENDS", self.path, text))
        if unended and self.file.lines:
            text = "the file's last line has no line end; the format ends every line"
            self.leniencies.append(Leniency("LAST_LINE_END", self.path, text))

    def _anchor(self, chunk: Chunk) -> Hit:
        anchor = chunk.anchor or b""
        hit = self.file.find([anchor], self.cursor)
        if hit is None:
            raise no_anchor(self.file, self.path, chunk, anchor)
        if hit.tier is not EXACT:
            self._note(hit.tier.code, chunk, f"has an @@ line that is line {hit.first + 1} but for {hit.tier.but_for}")
        self.cursor = hit.first + 1
        return hit

    def _append(self, chunk: Chunk, sides: _Sides) -> None:
        count = len(self.file.lines)
        if count and not chunk.at_end:
            self._note("ADDED_AT_END", chunk, "only adds lines; the format puts these at the end of the file")
        self.splices.append(Splice(count, count, sides.new))

    def _find(self, chunk: Chunk, sides: _Sides) -> Hit | None:
        start = self.cursor
        if chunk.at_end:
            start = max(start, len(self.file.lines) - len(sides.old))
        return self.file.find(sides.old, start)

    def _accept(self, chunk: Chunk, hit: Hit, anchor: Hit | None) -> None:
        """Note how the chunk fits; refuse the first of several places if it, or its anchor, is not exact."""
        if len(hit.places) > 1:
            doubtful = anchor is not None and anchor.tier is not EXACT and len(anchor.places) > 1
            if hit.tier is not EXACT or doubtful:
                raise ambiguous(self.path, chunk, hit)
            where = f"fits {several(hit)}; the first, line {hit.first + 1}, was taken"
            self._note("FIRST_OF_SEVERAL", chunk, where)
        elif hit.tier is not EXACT:
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


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip())]


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
