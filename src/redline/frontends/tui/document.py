"""The rows that a review shows, one below the other: the header, then each file with its parts.

A block's rows are made as far as they come into sight; until all of them are, its height is an estimate.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from redline.core.parts import PartKind
from redline.frontends.tui.lazy_rows import LazyRows
from redline.render.drawing import Drawing
from redline.render.layout import lay_out, page
from redline.render.lines import Line, Role, Span
from redline.render.preview import header, part_lines
from redline.render.rows import HeaderRow, side_by_side, unified
from redline.render.syntax import Syntax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from textual.strip import Strip

    from redline.core.hunks import HunkLine
    from redline.core.parts import Part
    from redline.core.paths import RepoPath
    from redline.core.reviewed import Comment
    from redline.frontends.tui.paint import Paint
    from redline.frontends.tui.review import Review
    from redline.render.rows import LineRow

COMMENT_MARK = "  \u2506 "
_END = "That is all of it.  Enter: confirm  x: decline it all  q: leave it pending"


class Place(NamedTuple):
    """A line of a file: numbers count from 1."""

    line: int
    is_before: bool


class ScreenRow(NamedTuple):
    """One row of the screen, the lines of the file that it shows, and the comment that it tells, if any.

    Of two lines beside each other the one after the change comes first.
    """

    strip: Strip
    places: tuple[Place, ...] = ()
    comment: Comment | None = None


class Position(NamedTuple):
    """A row: which block, and which of its rows."""

    block: int
    row: int


@dataclass(slots=True)
class Block:
    """Rows that belong together; `rows` is None until one is asked for, and `height` an estimate until all are made."""

    path: RepoPath | None
    part: Part | None
    height: int
    rows: LazyRows[ScreenRow] | None = None


class Document:
    """All rows of one review at one width, as its draft is now."""

    def __init__(
        self,
        review: Review,
        paint: Paint,
        sides: Callable[[RepoPath], tuple[bytes, bytes]],
        clock: Callable[[], datetime],
    ) -> None:
        self._review = review
        self._paint = paint
        self._sides = sides
        self._clock = clock
        self._width = 80
        self._is_split = False
        self._bodies: dict[str, LazyRows[ScreenRow]] = {}
        self._syntax: dict[RepoPath, tuple[Syntax, Syntax]] = {}
        self._starts: list[int] = []
        self.blocks: list[Block] = []
        self.update()

    def fit(self, width: int, *, is_split: bool) -> bool:
        """Lay out anew for a width; False if it is laid out so already."""
        if (width, is_split) == (self._width, self._is_split):
            return False
        self._width, self._is_split = width, is_split
        self._bodies.clear()
        self.update()
        return True

    def forget(self, path: RepoPath) -> None:
        """Make the rows of a path anew: its text has changed."""
        self._syntax.pop(path, None)
        self._bodies = {name: rows for name, rows in self._bodies.items() if not name.startswith(f"{path}#")}

    def update(self) -> None:
        """Take over the draft and the drifts as they are now."""
        review = self._review
        self._titles = review.titles()
        self.blocks = [Block(None, None, 0)]
        for path, parts in review.parts_by_path().items():
            self.blocks.append(Block(path, None, 2))
            if not self.is_collapsed(parts):
                self.blocks += [Block(path, part, self._estimate(part)) for part in parts]
        self.blocks.append(Block(None, None, 2))
        self._starts = []

    def is_collapsed(self, parts: tuple[Part, ...]) -> bool:
        """Whether a file is only its title: all of it was reviewed."""
        return bool(parts) and all(part.name in self._review.draft.reviewed for part in parts)

    @property
    def height(self) -> int:
        return self.start(len(self.blocks) - 1) + self.blocks[-1].height

    def start(self, block: int) -> int:
        """The rows above a block."""
        if not self._starts:
            self._starts = [0, *accumulate(block.height for block in self.blocks)]
        return self._starts[block]

    def at(self, row: int) -> Position:
        """The position of a row that is counted from the top."""
        self.start(0)
        block = min(max(bisect_right(self._starts, row) - 1, 0), len(self.blocks) - 1)
        return self.nearest(Position(block, row - self._starts[block]))

    def nearest(self, position: Position) -> Position:
        """The position, or the last one of its block if that is not as long."""
        row = max(position.row, 0)
        return position._replace(row=row if self._reaches(position.block, row) else self.size(position.block) - 1)

    def size(self, block: int) -> int:
        """How many rows a block has: all of them are made for it."""
        rows = len(self._lazy(block).whole())
        self._measure(block, rows)
        return rows

    def is_last_row(self, position: Position) -> bool:
        return not self._reaches(position.block, position.row + 1)

    def rows(self, block: int) -> Iterator[ScreenRow]:
        """The rows of a block, made as they are asked for."""
        return iter(self._lazy(block))

    def body(self, part: Part) -> LazyRows[ScreenRow]:
        """The rows of a part's own content; the same ones until the width or the text changes."""
        if part.name not in self._bodies:
            self._bodies[part.name] = LazyRows(self._body(part))
        return self._bodies[part.name]

    def row(self, position: Position) -> ScreenRow:
        self._reaches(position.block, position.row)
        return self._lazy(position.block).made[position.row]

    def moved(self, position: Position, by: int) -> Position:
        """The position some rows further down, or up; the first or the last one where there are not as many."""
        block, row = position.block, position.row + by
        while row < 0 and block > 0:
            block -= 1
            row += self.size(block)
        while block < len(self.blocks) - 1 and not self._reaches(block, row):
            row -= self.size(block)
            block += 1
        return self.nearest(Position(block, row))

    def window(self, top: Position, height: int) -> list[Position]:
        """The positions that fill a window; fewer where the document ends."""
        found: list[Position] = []
        for block in range(top.block, len(self.blocks)):
            row = top.row if block == top.block else 0
            while len(found) < height and self._reaches(block, row):
                found.append(Position(block, row))
                row += 1
            if len(found) == height:
                break
        return found

    def _lazy(self, block: int) -> LazyRows[ScreenRow]:
        found = self.blocks[block]
        if found.rows is None:
            found.rows = LazyRows(self._rows(found, block))
        return found.rows

    def _reaches(self, block: int, row: int) -> bool:
        """Make the rows of a block up to this one; False if there are not as many."""
        rows = self._lazy(block)
        reaches = rows.reaches(row)
        self._measure(block, len(rows.made) if rows.is_whole else max(self.blocks[block].height, len(rows.made)))
        return reaches

    def _measure(self, block: int, height: int) -> None:
        if self.blocks[block].height != height:
            self.blocks[block].height = height
            self._starts = []

    def _estimate(self, part: Part) -> int:
        if part.name in self._review.draft.reviewed or part.hunk is None:
            return 1
        return 1 + part.hunk.body.count(b"\n") + 1

    def _rows(self, block: Block, index: int) -> Iterator[ScreenRow]:
        if block.part is not None:
            yield from self._part_rows(block.part)
        elif block.path is not None:
            yield from self._painted(())
            yield from self._file_rows(block.path)
        elif index == 0:
            proposal, view = self._review.view.proposal, self._review.view
            for line in header(proposal, view.hunks, view.status, self._clock(), self._width):
                yield from self._painted(line)
        else:
            yield from self._painted(())
            yield from self._painted((Span(_END, Role.STRONG),))

    def _file_rows(self, path: RepoPath) -> Iterator[ScreenRow]:
        parts = self._review.parts_by_path()[path]
        title = self._titles[path]
        is_collapsed = self.is_collapsed(parts)
        word: Line = (Span("  reviewed", Role.GOOD),) if is_collapsed else ()
        word = word if parts else (Span("  nothing of the change is left"),)
        yield from self._painted(title + word)
        told = {place for part in parts for place in _places(part)} if not is_collapsed else set()
        for comment in self._review.draft.comments:
            if comment.path == path and (comment.line, comment.is_before) not in told:
                yield from self._comment_rows(comment, where=f"line {comment.line}, ")

    def _part_rows(self, part: Part) -> Iterator[ScreenRow]:
        is_reviewed = part.name in self._review.draft.reviewed
        yield from self._painted(self._part_line(part, is_reviewed=is_reviewed))
        if is_reviewed:
            return
        comments = [comment for comment in self._review.draft.comments if comment.path == part.path]
        for row, below in pairwise(chain(self.body(part), (None,))):
            assert row is not None  # noqa: S101 -- only the last one is, and it is below
            yield row
            if row.places and (below is None or below.places != row.places):
                for comment in comments:
                    if (comment.line, comment.is_before) in row.places:
                        yield from self._comment_rows(comment, where="")

    def _part_line(self, part: Part, *, is_reviewed: bool) -> Line:
        verdict = self._review.draft.verdict(part.name).value
        words = {"take": Span("  taken", Role.GOOD), "leave": Span("  left", Role.ALARM)}
        state: Line = (words[verdict],) if verdict in words else ()
        if is_reviewed:
            state = (*state, Span("  reviewed", Role.GOOD))
        if part.hunk is None:
            return (Span(part.kind.value, Role.HUNK), *state)
        return (Span(part.hunk.header, Role.HUNK), Span(f"  #{part.hunk.id}", Role.FAINT), *state)

    def _body(self, part: Part) -> Iterator[ScreenRow]:
        if part.hunk is None:
            view = self._review.view
            _, *lines = part_lines(view.proposal, view.diffs, part, Drawing(self._width, content=view.content))
            if part.kind is PartKind.RENAME:
                lines = [(Span("  the file gets this name"),)]
            for line in lines:
                yield from self._painted(line)
            return
        if part.path not in self._syntax:
            before, after = self._sides(part.path)
            self._syntax[part.path] = (Syntax(part.path, before), Syntax(part.path, after))
        arrange = side_by_side if self._is_split else unified
        sheet = page(self._width, [other.hunk for other in self._of_path(part.path) if other.hunk is not None])
        for row in arrange([part.hunk], *self._syntax[part.path]):
            if not isinstance(row, HeaderRow):
                places = tuple(_row_places(row))
                for line in lay_out([row], sheet):
                    for strip in self._paint.strips(line, self._width):
                        yield ScreenRow(strip, places)

    def _of_path(self, path: RepoPath) -> tuple[Part, ...]:
        draft = self._review.draft
        return draft.anew[path] if path in draft.anew else tuple(part for part in draft.offered if part.path == path)

    def _comment_rows(self, comment: Comment, where: str) -> Iterator[ScreenRow]:
        space = self._width - len(COMMENT_MARK)
        line: Line = (Span(f"{where}{comment.kind.value}: ", Role.STRONG), Span(comment.text))
        mark = self._paint.segment(Span(COMMENT_MARK, Role.WARNING))
        for strip in self._paint.strips(line, space):
            shown = type(strip)([mark, *strip])
            yield ScreenRow(shown, (Place(comment.line, comment.is_before),), comment)

    def _painted(self, line: Line) -> Iterator[ScreenRow]:
        for strip in self._paint.strips(line, self._width):
            yield ScreenRow(strip)


def _row_places(row: LineRow) -> Iterator[Place]:
    for cell in reversed(row.cells):
        if cell is not None:
            yield from line_places(cell.line)


def _places(part: Part) -> Iterator[Place]:
    for line in part.hunk.lines if part.hunk is not None else ():
        yield from line_places(line)


def line_places(line: HunkLine) -> Iterator[Place]:
    """Where a line is commented on: an unchanged one in the text after."""
    if line.after_number is not None:
        yield Place(line.after_number, is_before=False)
    elif line.before_number is not None:
        yield Place(line.before_number, is_before=True)
