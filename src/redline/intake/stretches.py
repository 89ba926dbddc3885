"""The stretches of a file in which a text can stand at all, so that an edit costs no more than a look for one line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLANKS: Final = b" \t\r"
_TELLING_LINES = 5
_FEW = 50
_BLANK_LINE = re.compile(rb"(?m)^[ \t\r]*$")
_LOOK_ALIKES = re.compile(
    rb"(\xe2\x80[\x90-\x95]|\xe2\x88\x92)|(\xe2\x80[\x98-\x9b])|(\xe2\x80[\x9c-\x9f])"
    rb"|(\xc2\xa0|\xe2\x80[\x82-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
)
_PLAIN = (b"-", b"'", b'"', b" ")
_ANY_OF = dict(zip(_PLAIN, _LOOK_ALIKES.pattern.removeprefix(b"(").removesuffix(b")").split(b")|("), strict=True))


@dataclass(frozen=True)
class Stretch:
    """Whole lines of a file, without LF, and where each of them starts in it.

    `begin` is the offset of the first, `above` the number of lines above it. Data without LF at its end ends the file.
    """

    data: bytes
    begin: int = 0
    above: int = 0

    @cached_property
    def lines(self) -> list[bytes]:
        return lines_of(self.data)

    @cached_property
    def offsets(self) -> list[int]:
        offsets, at = [], self.begin
        for line in self.lines:
            offsets.append(at)
            at += len(line) + 1
        return offsets

    def is_open(self, index: int) -> bool:
        """Whether the line is the file's last one and has no line end."""
        return index == len(self.lines) - 1 and not self.data.endswith(b"\n")

    def parts(self, index: int) -> tuple[bytes, bytes]:
        """Return the line's text and its line end."""
        line = self.lines[index]
        if self.is_open(index):
            return line, b""
        return (line[:-1], b"\r\n") if line.endswith(b"\r") else (line, b"\n")

    def has_crlf(self, index: int) -> bool:
        """Whether the line, or the one before if it has no line end, ends CRLF."""
        index -= self.is_open(index)
        return index >= 0 and self.lines[index].endswith(b"\r")


def lines_of(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def is_blank(line: bytes) -> bool:
    return not line.strip(BLANKS)


def plain(line: bytes) -> bytes:
    """The line with ASCII characters in place of those that look like them, and no blanks behind."""
    return _LOOK_ALIKES.sub(lambda found: _PLAIN[(found.lastindex or 1) - 1], line).rstrip(BLANKS)


def stretches(data: bytes, old: Sequence[bytes], *, alike: bool) -> list[Stretch]:
    """Every stretch with a line that holds the text's most telling one, and as many lines around it as the text has.

    Lines count as such but for blanks around them and, if `alike`, but for look-alike characters.
    """
    hits = _hits(data, old, alike=alike)
    around = len(old) + 1
    if 2 * around * len(hits) > data.count(b"\n"):
        return [Stretch(data)] if hits else []
    return list(_around(data, hits, around))


def _hits(data: bytes, old: Sequence[bytes], *, alike: bool) -> list[int]:
    texts = {(plain(line) if alike else line).strip(BLANKS) for line in old} - {b""}
    if not texts:
        return [found.start() for found in _BLANK_LINE.finditer(data) if found.start() < len(data)]
    telling = sorted(texts, key=lambda text: (-len(text), text))[:_TELLING_LINES]
    if not alike:
        text = min(telling, key=data.count)
        if data.count(text) > _FEW:
            whole_line = re.compile(rb"(?m)^[ \t\r]*" + re.escape(text) + rb"[ \t\r]*$")
            return [found.start() for found in whole_line.finditer(data)]
        return list(_indexes(data, text))
    pattern = b"".join(_any_of(telling[0][at : at + 1]) for at in range(len(telling[0])))
    return [found.start() for found in re.finditer(pattern, data)]


def _any_of(character: bytes) -> bytes:
    alike = _ANY_OF.get(character)
    return re.escape(character) if alike is None else b"(?:" + re.escape(character) + b"|" + alike + b")"


def _indexes(data: bytes, text: bytes) -> Iterator[int]:
    at = data.find(text)
    while at >= 0:
        yield at
        at = data.find(text, at + len(text))


def _around(data: bytes, hits: Sequence[int], lines: int) -> Iterator[Stretch]:
    begin = end = above = 0
    for at, (first, behind) in enumerate(_bounds(data, hits, lines)):
        if at and first <= end:
            end = max(end, behind)
            continue
        if at:
            yield Stretch(data[begin:end], begin, above)
        above += data.count(b"\n", begin, first)
        begin, end = first, behind
    if hits:
        yield Stretch(data[begin:end], begin, above)


def _bounds(data: bytes, hits: Sequence[int], lines: int) -> Iterator[tuple[int, int]]:
    for hit in hits:
        first = data.rfind(b"\n", 0, hit) + 1
        behind = data.find(b"\n", hit) + 1 or len(data)
        for _ in range(lines):
            first = data.rfind(b"\n", 0, max(first - 1, 0)) + 1
            behind = data.find(b"\n", behind) + 1 or len(data)
        yield first, behind
