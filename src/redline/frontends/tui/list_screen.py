"""The proposals that wait, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.screen import Screen

from redline.frontends.tui.lines_view import LinesView
from redline.render.lines import Line, Role, Span
from redline.render.table import ListRow, list_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from redline.frontends.tui.paint import Paint

_KEYS = "Enter: open   j k: choose   q: quit"
_NONE = "No proposal is pending. `redline list --status all` shows those decided."


class ListScreen(Screen[None]):
    """`rows` gives the proposals; `chosen` is told the id of the one that is opened."""

    CSS = "ListScreen #heading { height: 2; } ListScreen #keys { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("j,down", "choose(1)", ""),
        ("k,up", "choose(-1)", ""),
        ("pagedown,ctrl+d", "choose(10)", ""),
        ("pageup,ctrl+u", "choose(-10)", ""),
        ("g,home", "choose(-1000000)", ""),
        ("G,end", "choose(1000000)", ""),
        ("enter,space", "open", ""),
        ("q,escape", "app.stop", ""),
    ]

    def __init__(
        self,
        paint: Paint,
        rows: Callable[[], list[ListRow]],
        clock: Callable[[], datetime],
        chosen: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._paint = paint
        self._get_rows = rows
        self._clock = clock
        self._chosen = chosen
        self._rows: list[ListRow] = []

    def compose(self) -> ComposeResult:
        yield LinesView(self._paint, id="heading")
        yield LinesView(self._paint, id="rows", can_choose=True)
        yield LinesView(self._paint, id="keys")

    def on_mount(self) -> None:
        self.query_one("#keys", LinesView).show([[(Span(_KEYS, Role.FAINT),)]])

    def on_screen_resume(self) -> None:
        self._rows = self._get_rows()
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def action_choose(self, by: int) -> None:
        view = self.query_one("#rows", LinesView)
        view.choose(view.chosen + by)

    def action_open(self) -> None:
        if self._rows:
            self._chosen(self._rows[self.query_one("#rows", LinesView).chosen].listed.proposal.id)

    def on_lines_view_clicked(self, event: LinesView.Clicked) -> None:
        if event.view.id == "rows":
            event.view.choose(event.item)
            self.action_open()

    def _draw(self) -> None:
        count = len(self._rows)
        words = f"{count} {'proposal waits' if count == 1 else 'proposals wait'} for you" if count else _NONE
        self.query_one("#heading", LinesView).show([[(Span(words, Role.STRONG),), ()]])
        width = max(self.size.width - 4, 40)
        self.query_one("#rows", LinesView).show(self._items(width))

    def _items(self, width: int) -> list[list[Line]]:
        """A row with what stands below it, for each; their columns are those of the whole table."""
        items: list[list[Line]] = []
        for line in list_lines(self._rows, self._clock(), width):
            if line[0].text.startswith(" "):
                items[-1].append(line)
            else:
                items.append([line])
        return items
