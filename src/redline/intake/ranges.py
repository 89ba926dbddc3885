"""Put the texts of ranges in place, all positions being of the content before (LSP 3.17, "Position")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.errors import EditMismatch

if TYPE_CHECKING:
    from redline.intake.edits import Range, Ranges

_BOM = "\ufeff"
_LONE_CR = re.compile(r"\r(?!\n)")
_LONE_LF = re.compile(r"(?<!\r)\n")
_LONE_LF_BYTES = re.compile(rb"(?<!\r)\n")
_REREAD: Final = "Read the file again and take the positions from what it holds now."


def apply_ranges(data: bytes, edit: Ranges) -> bytes:
    """Give the content after the edit. Raises EditMismatch.

    A character behind its line's end means that end, a range's end behind the file's end means that; a byte
    order mark counts for nothing.
    """
    text = _decoded(data, edit)
    mark = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(_BOM)
    if "\n" in text and not _LONE_LF.search(text):
        _refuse_bare_lf(edit)
    # In UTF-16 throughout, so that a position is found without counting along its line.
    units = text.encode("utf-16-le")
    lines = _lines(text)
    placed = sorted((_place(lines, units, edit, item) for item in edit.ranges), key=lambda found: found[:1])
    pieces: list[bytes] = [mark.encode()]
    at = 0
    for start, end, new in placed:
        if start < at or end < start:
            raise _fault(edit, "two of the ranges overlap", "OVERLAP", "Give ranges that do not overlap.")
        pieces += (_utf8(units, at, start), new)
        at = end
    pieces.append(_utf8(units, at, len(units) // 2))
    return b"".join(pieces)


def _decoded(data: bytes, edit: Ranges) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        why = f"byte {error.start} is not UTF-8, so that positions in the file have no meaning"
        raise _fault(edit, why, "ENCODING", "Send the whole file, or a diff.") from error
    if _LONE_CR.search(text):
        why = "a carriage return stands alone in the file, and it may or may not end a line"
        raise _fault(edit, why, "LINE_ENDS", "Name the text to replace instead of its position.")
    return text


def _refuse_bare_lf(edit: Ranges) -> None:
    if any(_LONE_LF_BYTES.search(item.text) for item in edit.ranges):
        why = "every line of the file ends CRLF, but a new text has an LF alone"
        raise _fault(edit, why, "LINE_ENDS", "Write \\r\\n in newText where a line ends.")


def _lines(text: str) -> list[tuple[int, int]]:
    """Give where each line starts and where its text ends, in UTF-16 units."""
    found: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        size = len(line.encode("utf-16-le")) // 2
        found.append((start, start + size - line.endswith("\r")))
        start += size + 1
    return found


def _place(lines: list[tuple[int, int]], units: bytes, edit: Ranges, item: Range) -> tuple[int, int, bytes]:
    if item.start_line >= len(lines):
        why = f"line {item.start_line}, counted from 0, is behind the file's end; it has {len(lines)} lines"
        raise _fault(edit, why, "NO_MATCH", _REREAD)
    start = _offset(lines, units, edit, item.start_line, item.start_character)
    end = len(units) // 2
    if item.end_line < len(lines):
        end = _offset(lines, units, edit, item.end_line, item.end_character)
    return start, end, item.text


def _offset(lines: list[tuple[int, int]], units: bytes, edit: Ranges, line: int, character: int) -> int:
    start, end = lines[line]
    offset = min(start + character, end)
    if 0xDC <= (units[2 * offset + 1 : 2 * offset + 2] or b"\0")[0] <= 0xDF:
        why = f"line {line}, character {character}, counted from 0, is in the middle of a character"
        raise _fault(edit, why, "NO_MATCH", "Count characters in UTF-16 units.")
    return offset


def _utf8(units: bytes, start: int, end: int) -> bytes:
    return units[2 * start : 2 * end].decode("utf-16-le").encode("utf-8")


def _fault(edit: Ranges, why: str, code: str, hint: str) -> EditMismatch:
    return EditMismatch(f"{edit.path}: {why}", code=code, hint=hint, details={"path": str(edit.path)})
