"""The differences with a cursor: only rows in sight are made, and what was in sight is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from redline.core.draft import Verdict
from redline.frontends.tui.document import Position
from redline.render.lines import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual import events

    from redline.core.parts import Part
    from redline.core.paths import RepoPath
    from redline.frontends.tui.document import Block, Document, Place, ScreenRow
    from redline.frontends.tui.paint import Paint
    from redline.frontends.tui.review import Review

GUTTER_COLUMNS = 3
SPLIT_COLUMNS = 100
_WHEEL_ROWS = 3
_CURSOR = "\u25b6"
_SIGNS = {
    Verdict.UNDECIDED: (" ", Role.PLAIN),
    Verdict.TAKE: ("\u2713", Role.GOOD),
    Verdict.LEAVE: ("\u2717", Role.ALARM),
}


class DiffView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a document; the cursor is one of its rows."""

    DEFAULT_CSS = "DiffView { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    class Displayed(Message):
        """A part has been on the screen in full."""

        def __init__(self, name: str) -> None:
            self.name = name
            super().__init__()

    class Begun(Message):
        """The first window was laid out."""

    class Moved(Message):
        """The cursor stands elsewhere."""

    def __init__(self, review: Review, document: Document, paint: Paint) -> None:
        super().__init__()
        self._review = review
        self._document = document
        self._paint = paint
        self._layout: bool | None = None
        self._top = Position(0, 0)
        self._window: list[Position] = []
        self._in_sight: dict[str, set[int]] = {}  # by part, the identities of its strips
        self.cursor = Position(0, 0)

    @property
    def row(self) -> ScreenRow:
        """The row under the cursor."""
        return self._document.row(self.cursor)

    @property
    def part(self) -> Part | None:
        """The part at the cursor; on a file's title its first one."""
        block = self._document.blocks[self.cursor.block]
        following = self._document.blocks[min(self.cursor.block + 1, len(self._document.blocks) - 1)]
        return block.part or (following.part if following.path == block.path else None)

    @property
    def path(self) -> RepoPath | None:
        return self._document.blocks[self.cursor.block].path

    @property
    def is_on_title(self) -> bool:
        return self.path is not None and self._document.blocks[self.cursor.block].part is None

    def choose(self, *, is_split: bool | None) -> None:
        """Side by side or not; None lets the width decide."""
        self._layout = is_split
        self._fit()

    def changed(self) -> None:
        """Draw the document as it is after an answer, the cursor in the same block where it is still there."""
        block, row = self._document.blocks[self.cursor.block], self.cursor.row
        offset = self._document.start(self.cursor.block) + row - self._document.start(self._top.block) - self._top.row
        self._document.update()
        self.cursor = self._found(block.path, block.part, row)
        self._show(self._document.moved(self.cursor, -max(offset, 0)))
        self.post_message(self.Moved())

    def _begin(self) -> None:
        """Put the cursor on the first part that waits for the person, if it is in sight."""
        blocks = self._document.blocks
        waiting = (index for index, block in enumerate(blocks) if block.part and self._review.is_open(block.part))
        first = Position(next(waiting, 0), 0)
        if first in self._window:
            self._to(first)

    def move(self, by: int) -> None:
        """Move the cursor some rows."""
        self._to(self._document.moved(self.cursor, by))

    def page(self, share: float) -> None:
        """Move the cursor and what is in sight by a share of the window."""
        by = round(share * self.size.height) or (1 if share > 0 else -1)
        self._show(self._document.moved(self._top, by))
        self.move(by)

    def go_to_end(self, *, is_last: bool) -> None:
        last = len(self._document.blocks) - 1
        self._to(Position(last, self._document.size(last) - 1) if is_last else Position(0, 0))

    def go_to_part(self, step: int) -> bool:
        """Go to the next part, or the one before; False if there is none."""
        return self._go_to_block(step, lambda block: block.part is not None)

    def go_to_file(self, step: int) -> bool:
        return self._go_to_block(step, lambda block: block.part is None and block.path is not None)

    def go_to_open(self) -> bool:
        """Go to the next part that waits for the person, from the top again after the last; False if none does."""
        blocks, here = self._document.blocks, self.cursor.block
        for block in (*range(here + 1, len(blocks)), *range(here + 1)):
            part = blocks[block].part
            if part is not None and self._review.is_open(part):
                self._open(block)
                return True
        return False

    def go_to_path(self, path: RepoPath) -> None:
        self._open(next(index for index, block in enumerate(self._document.blocks) if block.path == path))

    def go_to_place(self, part: Part, place: Place) -> None:
        """Go to a line of a part, or to where the part is folded away."""
        block = self._found(part.path, part, 0).block
        rows = self._document.rows(block)
        found = (index for index, row in enumerate(rows) if place in row.places and row.comment is None)
        self._to(Position(block, next(found, 0)))

    def go_to_rest(self, parts: Iterable[Part]) -> bool:
        """Bring to the top of the window what of these parts was not in sight yet; False if it was all."""
        draft = self._review.draft
        for part in parts:
            if part.name in draft.seen or part.name in draft.reviewed or self._review.is_blind(part):
                continue
            shown = self._in_sight.get(part.name, set())
            waiting = next((row.strip for row in self._document.body(part) if id(row.strip) not in shown), None)
            if waiting is not None:
                block = self._found(part.path, part, 0).block
                row = next(index for index, row in enumerate(self._document.rows(block)) if row.strip is waiting)
                self.cursor = Position(block, row if row > 1 else 0)
                self._show(self.cursor)
                self.post_message(self.Moved())
                return True
        return False

    def render_line(self, y: int) -> Strip:
        if y >= len(self._window):
            return Strip.blank(self._columns)
        position = self._window[y]
        row = self._document.row(position)
        part = self._document.blocks[position.block].part
        if part is not None and self.screen.is_current:
            self._note(part, position)
        sign, role = _SIGNS[self._review.draft.verdict(part.name)] if part is not None else (" ", Role.PLAIN)
        is_cursor = position == self.cursor
        gutter = [
            Segment(_CURSOR if is_cursor else " ", Style(bold=True, reverse=True) if is_cursor else Style()),
            Segment(f"{sign} ", self._paint.style(role)),
        ]
        strip = row.strip.apply_style(Style(underline=True)) if is_cursor else row.strip
        return Strip([*gutter, *strip]).adjust_cell_length(self._columns)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._window and round(new_value) != self._start(self._top):
            self._show(self._document.at(round(new_value)))
            self._follow()

    def on_resize(self) -> None:
        self._fit()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, _WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -_WHEEL_ROWS)

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._window):
            self._to(self._window[event.y])

    @property
    def _columns(self) -> int:
        """What the scroll bar leaves."""
        return self.scrollable_content_region.width

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        event.prevent_default()
        self._show(self._document.moved(self._top, by))
        self._follow()

    def _follow(self) -> None:
        """Keep the cursor in sight."""
        if self._window and self.cursor not in self._window:
            self.cursor = self._window[0] if self.cursor < self._window[0] else self._window[-1]
            self.post_message(self.Moved())

    def _fit(self) -> None:
        width = self._columns - GUTTER_COLUMNS
        if width <= 0:
            return
        is_first = not self._window
        is_split = self._layout if self._layout is not None else width >= SPLIT_COLUMNS
        if self._document.fit(width, is_split=is_split):
            self._in_sight.clear()
            self._top = Position(self._top.block, 0) if self._top.block != self.cursor.block else self._top
            self.cursor = self._document.nearest(self.cursor)
        self._to(self.cursor)
        if is_first:
            self._begin()
            self.post_message(self.Begun())

    def _to(self, position: Position) -> None:
        """Set the cursor; the window moves as little as it must."""
        self.cursor = position
        top = self._document.nearest(self._top)
        height = max(self.size.height, 1)
        if position < top:
            top = position
        elif position not in self._document.window(top, height):
            top = self._document.moved(position, 1 - height)
        self._show(top)
        self.post_message(self.Moved())

    def _open(self, block: int) -> None:
        """Go to the beginning of a block; as much of it comes into sight as there is room for, under its title."""
        start = self._beginning(block)
        above = self._document.blocks[block - 1].part is None and self._document.blocks[block].part is not None
        top = Position(block - 1, self._document.size(block - 1) - 1) if above else start
        self.cursor = start
        window = self._document.window(self._document.nearest(self._top), self.size.height)
        is_whole = start in window and (window[-1].block > block or self._document.is_last_row(window[-1]))
        self._show(self._top if is_whole else top)
        self.post_message(self.Moved())

    def _go_to_block(self, step: int, is_wanted: Callable[[Block], bool]) -> bool:
        blocks, here = self._document.blocks, self.cursor.block
        order = range(here + 1, len(blocks)) if step > 0 else reversed(range(here))
        found = next((block for block in order if is_wanted(blocks[block])), None)
        if found is not None:
            self._open(found)
        return found is not None

    def _found(self, path: RepoPath | None, part: Part | None, row: int) -> Position:
        """Where a block is now: the part's own, else its first piece's, else the title of its file."""
        blocks = self._document.blocks
        if path is None:
            block = 0 if self.cursor.block == 0 else len(blocks) - 1
            return self._document.nearest(Position(block, row))
        of_path = [index for index, block in enumerate(blocks) if block.path == path]
        name = part.name if part is not None else ""
        for index in of_path:
            found = blocks[index].part
            if (found.name if found is not None else "") == name:
                return self._document.nearest(Position(index, row))
        piece = (i for i in of_path if (p := blocks[i].part) is not None and p.name.startswith(f"{name}."))
        return self._beginning(next(piece, of_path[0]))

    def _beginning(self, block: int) -> Position:
        """The first row of a block that says something."""
        is_title = self._document.blocks[block].part is None and block > 0
        return Position(block, 1 if is_title else 0)

    def _show(self, top: Position) -> None:
        """Bring a row to the top of the window, or less far where the document ends."""
        height = max(self.size.height, 1)
        window = self._document.window(top, height)
        if len(window) < height:
            top = self._document.moved(window[-1] if window else top, 1 - height)
            window = self._document.window(top, height)
        self._top, self._window = top, window
        self.virtual_size = Size(self._columns, self._document.height)
        self.scroll_to(y=self._start(top), animate=False, force=True)
        self.refresh()

    def _start(self, position: Position) -> int:
        return self._document.start(position.block) + position.row

    def _note(self, part: Part, position: Position) -> None:
        """Keep what was drawn; once it was every row of the part, tell."""
        name, draft = part.name, self._review.draft
        if name in draft.seen or name in draft.reviewed or self._review.is_blind(part):
            return
        shown = self._in_sight.setdefault(name, set())
        shown.add(id(self._document.row(position).strip))
        body = self._document.body(part)
        if body.is_whole and len(shown) >= len(body.made) and shown.issuperset(id(row.strip) for row in body):
            self.post_message(self.Displayed(name))
