"""Questions at the bottom of the screen that are answered with words."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from redline.core.reviewed import MAX_COMMENT_CHARACTERS, CommentKind
from redline.frontends.tui.deciding import Deciding
from redline.frontends.tui.lines_view import LinesView
from redline.render.lines import Role, Span

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from redline.frontends.tui.paint import Paint
    from redline.render.lines import Line


class OneLine(Input):
    """A line of words; what could act on the terminal becomes a blank, whether typed or pasted."""

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace("".join(sign if sign.isprintable() else " " for sign in text), start, end)


class Prompt(ModalScreen[str | None]):
    """Asks for a line of words; None if the person thinks better of it."""

    DEFAULT_CSS = """
    Prompt { align: left bottom; background: ansi_default; }
    Prompt Vertical { height: auto; max-height: 50%; border-top: solid ansi_default; }
    Prompt LinesView { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "give_up", "")]

    def __init__(self, paint: Paint, question: str) -> None:
        super().__init__()
        self._paint = paint
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical():
            yield LinesView(self._paint, id="question")
            yield OneLine(id="answer", max_length=MAX_COMMENT_CHARACTERS, compact=True)

    def on_mount(self) -> None:
        self.query_one("#question", LinesView).show([self.lines()])

    def lines(self) -> list[Line]:
        return [(Span(self._question, Role.STRONG),), (Span("Enter: done   Esc: back", Role.FAINT),)]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    def action_give_up(self) -> None:
        self.dismiss(None)


class DecisionPrompt(Deciding, Prompt):
    """A prompt whose answer decides."""

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self.now_drawn)


class CommentPrompt(Prompt):
    """Asks for a comment; `kind` is the one that the person chose."""

    BINDINGS: ClassVar[list[BindingType]] = [("tab,down", "kind(1)", ""), ("shift+tab,up", "kind(-1)", "")]

    def __init__(self, paint: Paint, question: str) -> None:
        super().__init__(paint, question)
        self.kind = CommentKind.ISSUE

    def lines(self) -> list[Line]:
        return [
            (Span(self._question, Role.STRONG),),
            tuple(
                Span(f"[{kind.value}]  ", Role.STRONG) if kind is self.kind else Span(f" {kind.value}   ", Role.FAINT)
                for kind in CommentKind
            ),
            (Span("Tab: another kind   Enter: done   Esc: back", Role.FAINT),),
        ]

    def action_kind(self, step: int) -> None:
        kinds = list(CommentKind)
        self.kind = kinds[(kinds.index(self.kind) + step) % len(kinds)]
        self.query_one("#question", LinesView).show([self.lines()])
