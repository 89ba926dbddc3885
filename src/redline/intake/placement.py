"""Place hunks in a file: at the stated line, or where their old side occurs exactly once.

All hunks are placed against the original, so that their order in the text does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.errors import EditMismatch
from redline.intake.line_ends import has_only, to_crlf, to_lf
from redline.intake.line_index import LineIndex
from redline.intake.mismatch import mismatch, nearest_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.core.paths import RepoPath
    from redline.intake.edits import Hunk

_LISTED = 20
_COUNTED = 1_000


@dataclass
class _Text:
    """A file's lines, each with its line end, and the offset of every line and of the end."""

    data: bytes

    @cached_property
    def offsets(self) -> list[int]:
        return _line_offsets(self.data)

    @cached_property
    def _index(self) -> LineIndex[bytes]:
        return LineIndex([self.data[start:end] for start, end in pairwise(self.offsets)])

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    def stands_at(self, piece: bytes, index: int) -> bool:
        """Whether whole lines equal to the piece begin at this line, counted from 0."""
        if not 0 <= index < self.count:
            return False
        start = self.offsets[index]
        ends = piece.endswith(b"\n") or start + len(piece) == len(self.data)
        return ends and self.data.startswith(piece, start)

    def occurrences(self, piece: bytes) -> list[int]:
        """Indexes of the lines at which whole lines equal to the piece begin, at most _COUNTED; they may overlap."""
        return self._index.occurrences([piece[start:end] for start, end in pairwise(_line_offsets(piece))], 0, _COUNTED)


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    hunk: Hunk
    after: bytes
    moved_to: int | None


def apply_hunks(
    data: bytes, hunks: Sequence[Hunk], path: RepoPath, *, is_base: bool | None
) -> tuple[bytes, list[Leniency]]:
    """Replace each hunk's old side by its new one; `is_base` tells whether the diff was made from this very file.

    Where file and hunks each have one kind of line end, and not the same, the hunks are given the file's, if each of
    them stands exactly once then. Raises EditMismatch if a hunk fits nowhere or at several places, or if two overlap.
    """
    text = _Text(data)
    try:
        return _applied(text, hunks, path, is_base=is_base)
    except EditMismatch as error:
        adapted = _with_ends_of(data, hunks) if error.code == "NO_MATCH" and is_base is not True else None
        if adapted is None:
            raise
        try:
            result, noted = _applied(text, adapted, path, is_base=False)
        except EditMismatch:
            raise error from None
    ends = "CRLF" if b"\r\n" in data else "LF"
    said = f"the diff was taken as if its line ends were {ends}, as in the file"
    return result, [Leniency("LINE_ENDS", path, said), *noted]


def _applied(
    text: _Text, hunks: Sequence[Hunk], path: RepoPath, *, is_base: bool | None
) -> tuple[bytes, list[Leniency]]:
    data = text.data
    places = sorted((_place(text, hunk, path) for hunk in hunks), key=lambda place: (place.start, place.end))
    if is_base is False or any(place.moved_to is not None for place in places):
        _refuse_doubtful(text, places, path)
    pieces: list[bytes] = []
    end = 0
    for before, place in zip([None, *places], places, strict=False):
        if before is not None and (place.start < end or (place.start, place.end) == (before.start, before.end)):
            raise _mismatch(path, place.hunk, "overlaps another hunk", "HUNKS_OVERLAP", _ONE_HUNK)
        pieces += [data[end : place.start], place.after]
        end = place.end
    pieces.append(data[end:])
    return b"".join(pieces), _leniencies(text, places, path, is_base=is_base)


def _with_ends_of(data: bytes, hunks: Sequence[Hunk]) -> list[Hunk] | None:
    """The hunks with the file's line ends; None if either has both kinds, or both have the same."""
    stated = b"".join([line for hunk in hunks for line in hunk.lines])
    for crlf, convert in ((True, to_crlf), (False, to_lf)):
        if has_only(data, crlf=crlf) and has_only(stated, crlf=not crlf):
            return [replace(hunk, lines=tuple(map(convert, hunk.lines))) for hunk in hunks]
    return None


def _leniencies(text: _Text, places: list[_Place], path: RepoPath, *, is_base: bool | None) -> list[Leniency]:
    noted: list[Leniency] = []
    for place in places:
        stated = f"a hunk stated for line {place.hunk.old_start}"
        if place.moved_to is not None:
            noted.append(Leniency("HUNK_MOVED", path, f"{stated} fits line {place.moved_to} only"))
        if is_base is None and _is_placed_by_number(text, place.hunk):
            noted.append(Leniency("NO_CONTEXT", path, f"{stated} has no context that would confirm its place"))
        # A diff tool ends a hunk without context only where the file ends; git refuses it elsewhere.
        if place.hunk.lines[0][0] == 0x20 != place.hunk.lines[-1][0] and place.end != len(text.data):
            noted.append(Leniency("NO_TRAILING_CONTEXT", path, f"{stated} ends as if the file ended there"))
    return noted


def _is_placed_by_number(text: _Text, hunk: Hunk) -> bool:
    """Whether only the line number tells the place of a hunk that has no context."""
    if not text.data or any(line[0] == 0x20 for line in hunk.lines):
        return False
    return not hunk.before or len(text.occurrences(hunk.before)) > 1


def _line_offsets(data: bytes) -> list[int]:
    offsets = [0]
    start = 0
    for line in data.split(b"\n"):
        start += len(line) + 1
        offsets.append(start)
    offsets.pop()
    if offsets[-1] != len(data):
        offsets.append(len(data))
    return offsets


def _place(text: _Text, hunk: Hunk, path: RepoPath) -> _Place:
    before, after = hunk.before, hunk.after
    if not before:
        return _insertion(text, hunk, after, path)
    index = max(hunk.old_start - 1, 0)
    moved_to = None
    if text.stands_at(before, index):
        start = text.offsets[index]
    else:
        found = _elsewhere(text, hunk, before, path)
        start, moved_to = text.offsets[found], found + 1
    end = start + len(before)
    if not after.endswith(b"\n") and after and end != len(text.data):
        why = "ends the file without a line end, but more lines follow"
        raise _mismatch(path, hunk, why, "NO_MATCH", _REREAD)
    return _Place(start, end, hunk, after, moved_to)


def _insertion(text: _Text, hunk: Hunk, after: bytes, path: RepoPath) -> _Place:
    line = hunk.old_start if text.count else 0
    if line > text.count:
        why = f"adds lines behind line {hunk.old_start}, but the file has {text.count}"
        raise _mismatch(path, hunk, why, "NO_MATCH", _REREAD)
    start = text.offsets[line]
    if start and text.data[start - 1] != 0x0A:
        why = "adds lines behind a last line that has no line end"
        raise _mismatch(path, hunk, why, "NO_MATCH", _REREAD)
    if not after.endswith(b"\n") and start != len(text.data):
        why = "ends the file without a line end, but more lines follow"
        raise _mismatch(path, hunk, why, "NO_MATCH", _REREAD)
    return _Place(start, start, hunk, after, None)


def _elsewhere(text: _Text, hunk: Hunk, before: bytes, path: RepoPath) -> int:
    found = text.occurrences(before)
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguous(hunk, found, path)
    raise _no_match(text, hunk, before, path)


def _refuse_doubtful(text: _Text, places: list[_Place], path: RepoPath) -> None:
    """Refuse hunks that only a line number places, once the line numbers are known to be off."""
    for place in places:
        before = place.hunk.before
        if not before:
            why = "has no context, and the file is not the one that the diff was made from"
            raise _mismatch(path, place.hunk, why, "AMBIGUOUS", _REREAD)
        found = text.occurrences(before)
        if len(found) > 1:
            raise _ambiguous(place.hunk, found, path)


def _ambiguous(hunk: Hunk, found: list[int], path: RepoPath) -> EditMismatch:
    lines = [index + 1 for index in found[:_LISTED]]
    shown = ", ".join(map(str, lines)) + (", …" if len(found) > _LISTED else "")
    count = f"{len(found)} or more" if len(found) == _COUNTED else str(len(found))
    why = f"fits {count} places (lines {shown})"
    hint = "Give more context lines, or the right line number."
    return _mismatch(path, hunk, why, "AMBIGUOUS", hint, {"count": len(found), "lines": lines})


def _no_match(text: _Text, hunk: Hunk, before: bytes, path: RepoPath) -> EditMismatch:
    details: dict[str, object] = {}
    why, hint = "does not match the file", _REREAD
    other_ends = before.replace(b"\r\n", b"\n") if b"\r\n" in before else before.replace(b"\n", b"\r\n")
    if text.occurrences(other_ends):
        why = "matches the file but for its line ends (CRLF and LF)"
        hint = "Send the hunk with the line ends that the file has."
    elif not text.data.endswith(b"\n") and text.data.endswith(before.removesuffix(b"\n")):
        why = "says that the file's last line ends with a newline, but it does not"
        hint = "Mark that line with `\\ No newline at end of file`."
    elif not before.endswith(b"\n") and text.data.endswith(before + b"\n"):
        why = "says that the file's last line has no newline, but it has"
        hint = "Leave out `\\ No newline at end of file`."
    else:
        nearest, differs = nearest_places(text.data, before)
        why += f"; {differs}"
        details["nearest"] = [max(index, 0) + 1 for index in nearest]
    return _mismatch(path, hunk, why, "NO_MATCH", hint, details)


_REREAD = "Read the file again and make the diff from what it holds now."
_ONE_HUNK = "Put lines that touch each other into one hunk."


def _mismatch(
    path: RepoPath, hunk: Hunk, why: str, code: str, hint: str, details: dict[str, object] | None = None
) -> EditMismatch:
    of_hunk = f"the hunk for line {hunk.old_start} {why}"
    return mismatch(path, of_hunk, code, hint, {"line": hunk.old_start, "input_line": hunk.line, **(details or {})})
