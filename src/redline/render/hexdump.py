"""Where the bytes of a binary file first differ: sizes, digests, and some rows of each side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.render.lines import Line, Role, Span, Tone, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROW_BYTES = 16
_MOST_ROWS = 8


def hexdump(before: bytes, after: bytes) -> Iterator[Line]:
    """Rows from the first difference on, before it one that is the same, and how many bytes are not shown."""
    start = _first_difference(before, after) // _ROW_BYTES * _ROW_BYTES
    yield plain(f"  the first difference is in the row at byte {start}, 0x{start:x}; offsets are hexadecimal")
    end = start + _MOST_ROWS * _ROW_BYTES
    if start:
        yield _row(" ", Tone.NONE, start - _ROW_BYTES, before)
    for mark, tone, data in (("-", Tone.REMOVED, before), ("+", Tone.ADDED, after)):
        for offset in range(start, min(end, len(data)), _ROW_BYTES):
            yield _row(mark, tone, offset, data)
    shown_from = max(start - _ROW_BYTES, 0)
    hidden = [len(data) - max(min(end, len(data)) - shown_from, 0) for data in (before, after)]
    if any(hidden):
        yield (Span(f"  not shown: {hidden[0]} bytes of before, {hidden[1]} bytes of after", Role.WARNING),)


def _row(mark: str, tone: Tone, offset: int, data: bytes) -> Line:
    row = data[offset : offset + _ROW_BYTES]
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
    return (Span(f"{offset:08x} ", Role.NUMBER), Span(f"{mark}{row.hex(' '):<{_ROW_BYTES * 3}} {text}", tone=tone))


def _first_difference(before: bytes, after: bytes) -> int:
    """By halves, so that long files are compared as fast as memory allows."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
