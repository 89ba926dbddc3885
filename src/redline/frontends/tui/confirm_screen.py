"""The last look: what would be applied, what not, and the code that says yes. Anything else says no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from redline.frontends.tui.deciding import Deciding
from redline.frontends.tui.lines_view import LinesView
from redline.frontends.word import word
from redline.render.lines import Line, Role, Span, plain
from redline.render.names import path_words
from redline.render.preview import warnings
from redline.render.progress import draft_words
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual import events
    from textual.app import ComposeResult

    from redline.frontends.tui.paint import Paint
    from redline.frontends.tui.review import Review

_BACK = frozenset(("escape", "q"))
_SCROLL = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}
_MOST_CHARACTERS = 20


class ConfirmScreen(Deciding, Screen[bool]):
    """True if the person typed the code; what came before the question was drawn, or by a paste, does not count."""

    CSS = "ConfirmScreen #asked { height: 3; }"

    def __init__(self, paint: Paint, review: Review) -> None:
        super().__init__()
        self._paint = paint
        self._review = review
        self._word = word(review.view.proposal.id, unseen=bool(review.draft.unseen))
        self._typed = ""
        self._said = ""

    def compose(self) -> ComposeResult:
        yield LinesView(self._paint, id="summary")
        yield LinesView(self._paint, id="asked")

    def on_mount(self) -> None:
        self.query_one("#summary", LinesView).show([list(_summary(self._review))])
        self._ask()
        self.call_after_refresh(self.now_drawn)

    def compared(self) -> None:
        """The tree was looked at again."""
        self.query_one("#summary", LinesView).show([list(_summary(self._review))])
        self._ask()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._say("A paste does not confirm: type it.")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in _BACK and not (event.key == "q" and self._typed):
            self.dismiss(result=False)
        elif event.key in _SCROLL:
            self.query_one("#summary", LinesView).scroll_rows(_SCROLL[event.key])
        elif event.key == "enter":
            self._answer()
        elif event.key == "backspace":
            self._type(self._typed[:-1])
        elif event.character is not None and event.is_printable:
            self._type((self._typed + event.character)[:_MOST_CHARACTERS])

    def _answer(self) -> None:
        typed = self._typed.strip()
        if not typed:
            self.dismiss(result=False)
        elif self._review.drifted_taken:
            self._say("It cannot be confirmed as it is.")
        elif typed == self._word:
            self.dismiss(result=True)
        elif f"{typed} unseen" == self._word:
            self._say(f"Something was never shown in full: its word is {self._word!a}.")
        else:
            self._say(f"{typed!a} is not its code.")

    def _type(self, typed: str) -> None:
        self._typed, self._said = typed, ""
        self._ask()

    def _say(self, said: str) -> None:
        self._typed, self._said = "", said
        self._ask()

    def _ask(self) -> None:
        if self._review.drifted_taken:
            asked = "It cannot be confirmed as it is. Esc: back"
        else:
            asked = f"Type {self._word} to apply; Enter alone or Esc goes back: "
        said: Line = (Span(self._said, Role.WARNING),)
        self.query_one("#asked", LinesView).show(
            [[said, (Span(asked, Role.STRONG), Span(self._typed), Span("\u2588"))]]
        )


def _summary(review: Review) -> Iterator[Line]:
    view, draft = review.view, review.draft
    yield (Span("Confirm ", Role.FAINT), Span(view.proposal.id, Role.STRONG), Span(f"  {draft_words(draft)}"))
    yield from _drift(review)
    if view.is_in_place:
        yield plain("The files hold all of this already: confirming records it, and writes nothing.")
    yield from warnings(view.proposal)
    yield from _listed("Not shown in full, and taken", Role.WARNING, [part.name for part in draft.unseen])
    yield from _listed("Left: not applied, and the model is told so", Role.STRONG, [part.name for part in draft.left])
    yield from _listed("Edited by you", Role.STRONG, [path_words(path) for path in draft.edited])
    said = [f"{path_words(c.path)}:{c.line}  {c.kind.value}: {c.text}" for c in draft.comments]
    yield from _listed("Comments", Role.STRONG, said)
    taken: dict[str, int] = {}
    for part in draft.taken:
        taken[path_words(part.path)] = taken.get(path_words(part.path), 0) + 1
    rows = [f"{path}  {number} {'part' if number == 1 else 'parts'}" for path, number in taken.items()]
    yield from _listed("Applied", Role.GOOD, rows)


def _drift(review: Review) -> Iterator[Line]:
    """What stands in the way, and what to do about it."""
    paths = review.drifted_taken
    if not paths:
        return
    drifts = {drift.path: drift.text for drift in review.view.drifts}
    yield from _listed("Changed under it", Role.ALARM, [f"{path_words(path)}  {drifts[path]}" for path in paths])
    short = review.view.proposal.id[:SHORT_ID]
    yield plain("Leave what is in these files (d in the review), or bring it to them as they are:")
    yield plain(f"  `redline refresh {short}`")


def _listed(title: str, role: Role, rows: Iterable[str]) -> Iterator[Line]:
    found = list(rows)
    if found:
        yield ()
        yield (Span(f"{title}: {len(found)}", role),)
        yield from (plain(f"  {row}") for row in found)
