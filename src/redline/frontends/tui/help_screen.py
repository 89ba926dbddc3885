"""All keys and what the signs mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.screen import Screen

from redline.frontends.tui.keys import DECIDING, READING, Key
from redline.frontends.tui.lines_view import LinesView
from redline.render.columns import fit
from redline.render.lines import Line, Role, Span

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from redline.frontends.tui.paint import Paint

_KEY_COLUMNS = 15
_SIGNS = "\u2713 taken  \u2717 left  \u25b6 cursor  \u00b7 blank at a line's end  \u2192 tab  \u2503 the model's words"
_RULE = (
    "Nothing is written before you type the code on the next screen. Nothing that you decide is lost when you leave."
)


class HelpScreen(Screen[None]):
    """Any of its keys leads back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,question_mark,enter,space", "dismiss", ""),
        ("j,down", "scroll(1)", ""),
        ("k,up", "scroll(-1)", ""),
        ("pagedown", "scroll(20)", ""),
        ("pageup", "scroll(-20)", ""),
    ]

    def __init__(self, paint: Paint) -> None:
        super().__init__()
        self._paint = paint

    def compose(self) -> ComposeResult:
        yield LinesView(self._paint, id="help")

    def on_mount(self) -> None:
        lines: list[Line] = [
            (Span("Deciding", Role.STRONG), Span("     q: back to the review", Role.FAINT)),
            *_table(DECIDING),
        ]
        lines += [(Span("Reading", Role.STRONG),), *_table(READING)]
        lines += [(Span(_SIGNS, Role.FAINT),), (Span(_RULE, Role.FAINT),)]
        self.query_one(LinesView).show([lines])

    def action_scroll(self, by: int) -> None:
        self.query_one(LinesView).scroll_rows(by)


def _table(keys: tuple[Key, ...]) -> list[Line]:
    return [(Span(f"  {fit(key.shown, _KEY_COLUMNS)}", Role.HUNK), Span(key.words)) for key in keys if key.words]
