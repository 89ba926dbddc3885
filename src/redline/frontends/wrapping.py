"""Break words for a person at a terminal; what may be copied from there, a command or a path, is never broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.render.columns import columns
from redline.render.lines import Line, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_HANGING = 4
_LEAST_WIDTH = 40
_COMMAND = r"`{2,}|`[^`]+`"


def wrapped(lines: Iterable[Line], width: int, whole: Collection[str] = ()) -> Iterator[Line]:
    """Break lines that are too long at blanks, the rest indented below; `whole` names texts with blanks of their own.

    What is longer than a line sticks out: the terminal breaks it where it likes, and still copies it in one piece.
    """
    for line in lines:
        text = "".join(span.text for span in line)
        if width < _LEAST_WIDTH or columns(text) <= width:
            yield line
        else:
            yield from _wrapped(line, text, width, whole)


def _wrapped(line: Line, text: str, width: int, whole: Collection[str]) -> Iterator[Line]:
    margin = len(text) - len(text.lstrip(" "))
    indent: Line = (Span(" " * (margin + _HANGING)),)
    for start, end in _pieces(text, margin, width, whole):
        piece = _part(line, start, end)
        yield piece if start == 0 else (*indent, *piece)


def _pieces(text: str, margin: int, width: int, whole: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where each line of the text begins and ends; the blanks at a break belong to neither."""
    atoms = "|".join([_COMMAND, *map(re.escape, sorted(filter(None, whole), key=len, reverse=True)), r"[^ ]"])
    start, end, used = 0, margin, margin
    for word in re.finditer(rf"(?:{atoms})+", text[margin:]):
        begins, ends = margin + word.start(), margin + word.end()
        size, gap = columns(word[0]), begins - end
        if used + gap + size > width and end > margin:
            yield start, end
            start, used, gap = begins, margin + _HANGING, 0
        used += gap + size
        end = ends
    yield start, end


def _part(line: Line, start: int, end: int) -> Line:
    """The spans of a part of the line's text."""
    parts: list[Span] = []
    position = 0
    for span in line:
        text = span.text[max(start - position, 0) : max(end - position, 0)]
        if text:
            parts.append(span._replace(text=text))
        position += len(span.text)
    return tuple(parts)
