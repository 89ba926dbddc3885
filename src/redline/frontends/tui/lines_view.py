"""Lines that scroll, of which some can be chosen: for everything but the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from redline.frontends.tui.paint import Paint
    from redline.render.lines import Line

_CHOSEN = Style(reverse=True)


class LinesView(ScrollView, can_focus=False):
    """`items` are groups of lines; the chosen one is marked, if any can be chosen."""

    DEFAULT_CSS = """
    LinesView { overflow-x: hidden; overflow-y: auto; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    """

    class Clicked(Message):
        """A person pointed at an item."""

        def __init__(self, view: LinesView, item: int) -> None:
            self.view = view
            self.item = item
            super().__init__()

    def __init__(self, paint: Paint, *, id: str, can_choose: bool = False) -> None:  # noqa: A002 -- Textual's word
        super().__init__(id=id)
        self._paint = paint
        self._can_choose = can_choose
        self._items: Sequence[Sequence[Line]] = ()
        self._rows: list[tuple[int, Strip]] = []
        self._fitted = 0
        self.chosen = 0

    def show(self, items: Sequence[Sequence[Line]]) -> None:
        self._items = items
        self.chosen = min(self.chosen, max(len(items) - 1, 0))
        self._fit()

    def choose(self, item: int) -> None:
        """Mark an item and bring it into sight."""
        self.chosen = min(max(item, 0), max(len(self._items) - 1, 0))
        rows = [row for row, (of, _) in enumerate(self._rows) if of == self.chosen]
        if rows:
            top, height = round(self.scroll_y), max(self.size.height, 1)
            wanted = min(max(top, rows[-1] + 1 - height), rows[0])
            self.scroll_to(y=wanted, animate=False, force=True)
        self.refresh()

    def scroll_rows(self, by: int) -> None:
        self.scroll_to(y=self.scroll_y + by, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        row = round(self.scroll_y) + y
        width = self.scrollable_content_region.width
        if row >= len(self._rows):
            return Strip.blank(width)
        item, strip = self._rows[row]
        if not self._can_choose:
            return strip.adjust_cell_length(width)
        is_chosen = item == self.chosen
        mark = Segment("\u25b6 " if is_chosen else "  ", _CHOSEN if is_chosen else Style())
        shown = strip.apply_style(Style(underline=True)) if is_chosen else strip
        return Strip([mark, *shown]).adjust_cell_length(width)

    def on_resize(self) -> None:
        if self._columns != self._fitted:
            self._fit()

    def on_click(self, event: events.Click) -> None:
        row = round(self.scroll_y) + event.y
        if row < len(self._rows):
            self.post_message(self.Clicked(self, self._rows[row][0]))

    @property
    def _columns(self) -> int:
        """What the scroll bar and the mark of the chosen item leave."""
        return self.scrollable_content_region.width - 2 * self._can_choose

    def _fit(self) -> None:
        width = self._fitted = self._columns
        if width > 0:
            self._rows = [
                (item, strip)
                for item, lines in enumerate(self._items)
                for line in lines
                for strip in self._paint.strips(line, width)
            ]
            grows = self.virtual_size.height != len(self._rows)
            self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))
            self.refresh(layout=grows and self.styles.is_auto_height)
