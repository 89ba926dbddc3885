"""`GIT binary patch`: base85, zlib and git's delta (gitformat-pack(5), "Deltified representation")."""

from __future__ import annotations

import base64
import re
import zlib
from typing import TYPE_CHECKING, Final

from redline.errors import LimitExceeded, MalformedEdit
from redline.intake.edits import BinaryKind, BinaryPatch

if TYPE_CHECKING:
    from redline.intake.diff_text import Cursor

MAX_INFLATED_BYTES: Final = 64 * 1024 * 1024

_START = re.compile(rb"(literal|delta) ([0-9]{1,12})\Z")


def read_binary(source: Cursor) -> BinaryPatch:
    """Read the forward half that stands here, and pass over the reverse half, which must be whole as well."""
    source.at += 1
    forward = _read_half(source)
    if forward is None:
        raise _fault(source.number, "has neither `literal SIZE` nor `delta SIZE`")
    _read_half(source)
    return forward


def _read_half(source: Cursor) -> BinaryPatch | None:
    start = _START.match(source.peek() or b"")
    if start is None:
        return None
    number, size = source.number, int(start[2])
    if size > MAX_INFLATED_BYTES:
        raise _too_large(size)
    source.at += 1
    packed: list[bytes] = []
    while line := source.peek():
        packed.append(_decode_line(line, source.number))
        source.at += 1
    source.at += 1
    return BinaryPatch(BinaryKind(start[1].decode()), _inflate(b"".join(packed), size, number))


def _decode_line(line: bytes, number: int) -> bytes:
    mark = line[0]
    size = mark - 64 if 65 <= mark <= 90 else mark - 70 if 97 <= mark <= 122 else 0
    if not size or len(line) != 1 + (size + 3) // 4 * 5:
        raise _fault(number, "has a line of another length than it says")
    try:
        return base64.b85decode(line[1:])[:size]
    except ValueError as error:
        raise _fault(number, "has a line that is not base85") from error


def _inflate(packed: bytes, size: int, number: int) -> bytes:
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(packed, size + 1)
    except zlib.error as error:
        raise _fault(number, "does not inflate") from error
    if len(data) != size or not reader.eof or reader.unused_data:
        raise _fault(number, f"does not inflate to the {size} bytes that it states")
    return data


def apply_delta(before: bytes, delta: bytes) -> bytes | None:
    """Rebuild the content from a delta; None if the delta does not fit or is broken."""
    try:
        source_size, at = _size(delta, 0)
        target_size, at = _size(delta, at)
        if source_size != len(before) or target_size > MAX_INFLATED_BYTES:
            return None
        result = _run(before, delta, at, target_size)
    except IndexError:
        return None
    return result if result is not None and len(result) == target_size else None


def _size(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _run(before: bytes, delta: bytes, at: int, limit: int) -> bytes | None:
    result = bytearray()
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            offset = size = 0
            for bit in range(7):
                if code & (1 << bit):
                    if bit < 4:
                        offset |= delta[at] << (8 * bit)
                    else:
                        size |= delta[at] << (8 * (bit - 4))
                    at += 1
            size = size or 0x10000
            piece = before[offset : offset + size]
        else:
            size = code
            piece = delta[at : at + size]
            at += size
        if not size or len(piece) != size or len(result) + size > limit:
            return None
        result += piece
    return bytes(result)


def _too_large(size: int) -> LimitExceeded:
    return LimitExceeded(
        f"a binary patch states {size} bytes; {MAX_INFLATED_BYTES} are allowed",
        hint="Leave files of this size to a person.",
        details={"size_bytes": size, "limit": MAX_INFLATED_BYTES},
    )


def _fault(number: int, what: str) -> MalformedEdit:
    return MalformedEdit(
        f"line {number}: the binary patch {what}",
        code="BINARY_BROKEN",
        hint="Make the diff with `git diff --binary` and send it whole.",
        details={"line": number},
    )
