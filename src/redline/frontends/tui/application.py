"""The full-screen program: the list, or one proposal, until the person decides or leaves."""

from __future__ import annotations

import asyncio
import gc
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.worker import WorkerFailed

from redline.core.decision import Level
from redline.core.reviewed import Reviewed
from redline.frontends.editor import edit
from redline.frontends.tui.confirm_screen import ConfirmScreen
from redline.frontends.tui.driver import on_terminal
from redline.frontends.tui.list_screen import ListScreen
from redline.frontends.tui.paint import Paint
from redline.frontends.tui.prompts import DecisionPrompt
from redline.frontends.tui.review import Review
from redline.frontends.tui.review_screen import Act, ReviewScreen
from redline.render.table import ListRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from rich.console import RenderableType
    from textual.binding import BindingType
    from textual.driver import Driver

    from redline.app import Ended, PersonApp

_STACK_OF_ONE = 2  # Textual's own first screen is below
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Answer(NamedTuple):
    """What the person decided of which review, and their reason."""

    act: Act
    review: Review
    reason: str


class ReviewApp(App["Answer | Ended"]):
    """Shows one proposal, or the list of those that wait.

    Exits with what was decided or with how a proposal had ended already; with None if the person leaves.
    """

    TITLE = "redline"
    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { background: ansi_default; color: ansi_default; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "stop", show=False, priority=True)]

    def __init__(
        self,
        redline: PersonApp,
        clock: Callable[[], datetime],
        review: Review | None,
        *,
        color: bool,
        driver: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver, ansi_color=True)
        self.theme = "ansi-dark"
        self.animation_level = "none"
        self.review = review
        self.failure: BaseException | None = None
        self._redline = redline
        self._clock = clock
        self._paint = Paint(color=color)

    def on_mount(self) -> None:
        for number in _STOPPING:
            asyncio.get_running_loop().add_signal_handler(number, self._interrupt, number)
        if self.review is None:
            self.push_screen(ListScreen(self._paint, self._rows, self._clock, self._open))
        else:
            self._push(self.review)

    async def on_event(self, event: events.Event) -> None:
        """Drop what was typed or pasted before the question was drawn that it would answer."""
        screen = self.screen if self.screen_stack else None
        since = screen.answers_from if isinstance(screen, ConfirmScreen | DecisionPrompt) else 0.0
        if not isinstance(event, events.Key | events.Paste) or event.time >= since:
            await super().on_event(event)

    def action_stop(self) -> None:
        self.exit()

    def keep(self) -> None:
        """Keep the draft of the review that is open."""
        if self.review is not None:
            self._redline.desk.keep_draft(self.review.view.proposal.id, self.review.draft)

    def panic(self, *renderables: RenderableType) -> None:  # noqa: ARG002 -- Textual's signature
        """End without a word on the screen: what went wrong is raised again once the terminal is the person's."""
        self.failure = self.failure or RuntimeError("the terminal could not be read")
        self._close_messages_no_wait()

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or (error.error if isinstance(error, WorkerFailed) else error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """As `panic`: a traceback of Textual's would show what the variables hold."""
        self._close_messages_no_wait()

    def _interrupt(self, number: int) -> None:
        if number == signal.SIGHUP:  # there is no terminal any more that could be put in order
            self.keep()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self.failure = KeyboardInterrupt()
        self.exit()

    def _rows(self) -> list[ListRow]:
        rows = self._redline.viewer.rows(pending_only=True, wanted=lambda _: True)
        return [ListRow(row.listed, row.drifts, row.filed, row.waits_for) for row in rows]

    def _open(self, proposal_id: str) -> None:
        opened = open_review(self._redline, proposal_id)
        if isinstance(opened, Review):
            self.review = opened
            self._push(opened)
        else:
            self.exit(opened)

    def _push(self, review: Review) -> None:
        self.push_screen(ReviewScreen(self._paint, review, self._redline, self._clock, self._edit, self._ended))

    def _ended(self, act: Act, reason: str) -> None:
        assert self.review is not None  # noqa: S101 -- one is open
        if act is not Act.STOP:
            self.exit(Answer(act, self.review, reason))
        elif len(self.screen_stack) > _STACK_OF_ONE:
            self.keep()
            self.review = None
            self.pop_screen()
        else:
            self.exit()

    def _edit(self, data: bytes, path: str, line: int) -> bytes | None:
        with self.suspend():
            return edit(data, path, line)


def open_review(redline: PersonApp, prefix: str) -> Review | Ended:
    """Open a proposal, or say how it ended; one that only drifted, or waits for another, can still be declined."""
    with _without_collector():
        view = redline.viewer.preview(prefix)
    ended = redline.desk.lapse(view.proposal.id) if not view.drifts and not view.waits_for else None
    return ended if ended is not None else Review(view, redline.viewer.draft(view))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Make many values that all stay: looking among them for garbage, also later, costs a tenth of a second a time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


def show(
    redline: PersonApp, clock: Callable[[], datetime], review: Review | None, terminal: int, *, color: bool
) -> Answer | Ended | None:
    """Let a person review one proposal, or choose one; the draft is kept however it ends.

    Raises KeyboardInterrupt if they, or a signal, stop it.
    """
    app = ReviewApp(redline, clock, review, color=color, driver=on_terminal(terminal))
    try:
        answer = app.run()
    finally:
        app.keep()
    if app.failure is not None:
        raise app.failure
    return answer


def carry_out(redline: PersonApp, answer: Answer) -> Ended:
    """Hand the person's decision to the desk."""
    view, draft = answer.review.view, answer.review.draft
    if answer.act is Act.DECLINE:
        reviewed = Reviewed(comments=draft.comments)
        return redline.desk.decline(view.proposal.id, answer.reason, Level.TTY, reviewed)
    return redline.desk.confirm(
        view.proposal.id,
        view.displayed,
        Level.TTY,
        draft.selection,
        Reviewed(draft.coverage, draft.comments),
        answer.reason,
        in_place=view.is_in_place,
    )
