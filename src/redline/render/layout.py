"""Rows laid out to a width: line numbers in a gutter, long lines on as many lines as they take, nothing cut."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from redline.core.hunks import LineKind
from redline.render.drawn import drawn_columns, drawn_sizes
from redline.render.lines import Line, Role, Span, Tone
from redline.render.rows import HeaderRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from redline.core.hunks import Hunk
    from redline.render.rows import Cell, Row

_LEAST_TEXT = 20
_HANGING = "    "
_BETWEEN = " \u2502 "
_TONES = {LineKind.ADDED: Tone.ADDED, LineKind.REMOVED: Tone.REMOVED}


class Page(NamedTuple):
    """The columns there are, and how many of them a line number of the file takes."""

    width: int
    digits: int

    @property
    def side(self) -> int:
        """The columns of one of two sides."""
        return (self.width - len(_BETWEEN)) // 2


def page(width: int, hunks: Sequence[Hunk]) -> Page:
    """Fit the gutter to the highest line number of the file's hunks, which are in order."""
    last = max((max(hunk.before_start, hunk.after_start) + hunk.body.count(b"\n") for hunk in hunks[-1:]), default=0)
    return Page(width, len(str(last)))


def lay_out(rows: Iterable[Row], page: Page) -> Iterator[Line]:
    """One line, or several where it does not fit, for each row."""
    for row in rows:
        if isinstance(row, HeaderRow):
            name: Line = (Span(f"  #{row.hunk.id}", Role.FAINT),) if row.hunk.id else ()
            yield from hanging((Span(row.hunk.header, Role.HUNK), *name), page.width)
        elif len(row.cells) == 1:
            yield from _unified(row.cells[0], page)
        else:
            yield from _beside(row.cells[0], row.cells[1], page)


def hanging(line: Line, width: int) -> Iterator[Line]:
    """Break a line of words and paths; what goes on is indented, so that no text of others begins a line."""
    if sum(map(drawn_columns, line)) <= width:
        yield line
        return
    first, *rest = fold(line, width - len(_HANGING))
    yield first
    yield from ((Span(_HANGING), *piece) for piece in rest)


def _unified(cell: Cell | None, page: Page) -> Iterator[Line]:
    assert cell is not None  # noqa: S101 -- a row has a cell
    line = cell.line
    numbers = f"{_number(line.before_number):>{page.digits}} {_number(line.after_number):>{page.digits}} "
    for index, piece in enumerate(fold(cell.spans, page.width - len(numbers) - 1)):
        yield (*_gutter(cell, numbers, index), *piece)


def _beside(before: Cell | None, after: Cell | None, page: Page) -> Iterator[Line]:
    space = page.side - page.digits - 2
    lefts = _half(before, before.line.before_number if before is not None else None, page, space)
    rights = _half(after, after.line.after_number if after is not None else None, page, space)
    for left, right in zip_longest(lefts, rights):
        shown = left if left is not None else ()
        gap = " " * (page.side - sum(map(drawn_columns, shown)))
        yield (*shown, Span(gap), Span(_BETWEEN.rstrip() if right is None else _BETWEEN, Role.FAINT), *(right or ()))


def _half(cell: Cell | None, number: int | None, page: Page, space: int) -> Iterator[Line]:
    if cell is not None:
        for index, piece in enumerate(fold(cell.spans, space)):
            yield (*_gutter(cell, f"{_number(number):>{page.digits}} ", index), *piece)


def _gutter(cell: Cell, numbers: str, index: int) -> Line:
    """The numbers stand before a line's first piece only, its mark before each."""
    shown = numbers if index == 0 else " " * len(numbers)
    return (Span(shown, Role.NUMBER), Span(cell.line.kind.value, Role.PLAIN, _TONES.get(cell.line.kind, Tone.NONE)))


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def fold(spans: Line, width: int) -> Iterator[Line]:
    """Break a line wherever it reaches the width, though never below some columns; an empty one is one line too."""
    space = max(width, _LEAST_TEXT)
    if sum(map(drawn_columns, spans)) <= space:
        yield spans
        return
    line: list[Span] = []
    used = 0
    for span in spans:
        start = 0
        for index, taken in enumerate(drawn_sizes(span)):
            if used + taken > space and (line or index > start):
                yield (*line, span._replace(text=span.text[start:index])) if index > start else tuple(line)
                line, start, used = [], index, 0
            used += taken
        rest = span._replace(text=span.text[start:])
        if not span.text and used + drawn_columns(span) > space:
            yield tuple(line)
            line, used = [], drawn_columns(span)
        line.append(rest)
    yield tuple(line)
