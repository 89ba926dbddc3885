"""One proposal: its files, its differences, and the keys that answer them.

Keys become methods of the draft, nothing more; what is confirmed or declined leaves the screen as an `Act`.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen

from redline.core.draft import Verdict
from redline.core.parts import first_changed_line, pieces
from redline.core.reviewed import MAX_COMMENTS, Comment
from redline.errors import RedlineError
from redline.frontends.tui.confirm_screen import ConfirmScreen
from redline.frontends.tui.diff_view import DiffView
from redline.frontends.tui.document import Document, Place
from redline.frontends.tui.file_list import FileRow, file_rows
from redline.frontends.tui.help_screen import HelpScreen
from redline.frontends.tui.keys import DECIDING, READING, bindings
from redline.frontends.tui.lines_view import LinesView
from redline.frontends.tui.prompts import CommentPrompt, DecisionPrompt, Prompt
from redline.frontends.tui.search import next_match
from redline.render.columns import columns, cut
from redline.render.lines import Line, Role, Span
from redline.render.names import path_words
from redline.render.progress import draft_words
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from redline.app import PersonApp, Preview
    from redline.core.draft import Draft
    from redline.core.parts import Part
    from redline.core.paths import RepoPath
    from redline.frontends.tui.paint import Paint
    from redline.frontends.tui.review import Review

TREE_COLUMNS = 100
_WATCH_S = 1.0
_HINTS = "space: next  y/n: take/leave  c: comment  e: edit  Enter: confirm  ?: all keys"
_DONE = "You have seen all of it: Enter says what would be applied and asks for the code."
_LAYOUTS = {0: None, 1: True, 2: False}


class Act(Enum):
    """How a person ends a review."""

    CONFIRM = "confirm"
    DECLINE = "decline"
    STOP = "stop"


class ReviewScreen(Screen[None]):
    """`ended` is told how the review ends and the person's reason; `edit` lets them write a text in their editor."""

    CSS = """
    ReviewScreen #title { height: 1; overflow-y: hidden; }
    ReviewScreen #status { height: auto; max-height: 5; overflow-y: hidden; }
    ReviewScreen #files { width: 34; border-right: solid ansi_default; }
    ReviewScreen Horizontal { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(READING), *bindings(DECIDING)]

    class Compared(Message):
        """The tree was looked at."""

        def __init__(self, view: Preview) -> None:
            self.view = view
            super().__init__()

    def __init__(
        self,
        paint: Paint,
        review: Review,
        redline: PersonApp,
        clock: Callable[[], datetime],
        edit: Callable[[bytes, str, int], bytes | None],
        ended: Callable[[Act, str], None],
    ) -> None:
        super().__init__()
        self._paint = paint
        self._review = review
        self._redline = redline
        self._edit = edit
        self._ended = ended
        self._document = Document(
            review, paint, lambda path: redline.viewer.sides(review.view, review.draft, path), clock
        )
        self._diff = DiffView(review, self._document, paint)
        self._files = LinesView(paint, id="files", can_choose=True)
        self._file_rows: list[FileRow] = []
        self._wants_files: bool | None = None
        self._is_comparing = False
        self._wanted: re.Pattern[str] | None = None
        self._said = ("", self._diff.cursor)
        self._progress: tuple[Draft | None, str] = (None, "")

    def compose(self) -> ComposeResult:
        yield LinesView(self._paint, id="title")
        with Horizontal():
            yield self._files
            yield self._diff
        yield LinesView(self._paint, id="status")

    def on_mount(self) -> None:
        self._files.display = self.size.width >= TREE_COLUMNS
        self._diff.focus()
        self.set_interval(_WATCH_S, self._watch)

    def on_resize(self, event: events.Resize) -> None:
        wide = event.size.width >= TREE_COLUMNS
        self._files.display = wide if self._wants_files is None else self._wants_files
        self._draw()

    # What is read.

    def action_move(self, by: int) -> None:
        self._diff.move(by)

    def action_page(self, share: float) -> None:
        self._diff.page(share)

    def action_end(self, is_last: bool) -> None:  # noqa: FBT001 -- a binding names no argument
        self._diff.go_to_end(is_last=is_last)

    def action_part(self, step: int) -> None:
        if not self._diff.go_to_part(step):
            self._say("There is no other part that way.")

    def action_file(self, step: int) -> None:
        if not self._diff.go_to_file(step):
            self._say("There is no other file that way.")

    def action_tree(self) -> None:
        self._wants_files = not self._files.display
        self._files.display = self._wants_files
        self._draw()

    def action_layout(self, layout: int) -> None:
        self._diff.choose(is_split=_LAYOUTS[layout])

    def action_search(self) -> None:
        self.app.push_screen(Prompt(self._paint, "Search for (a regular expression)"), self._search)

    def action_search_again(self, is_back: bool) -> None:  # noqa: FBT001 -- a binding names no argument
        parts, part = self._review.draft.parts, self._diff.part
        if self._wanted is None:
            self._say("Nothing was searched for yet: / asks for it.")
            return
        here = parts.index(part) if part in parts else -1
        found = next_match(parts, self._wanted, here, self._diff.row.places, is_back=is_back)
        if found is None:
            self._say(f"No line has {self._wanted.pattern!a}.")
        else:
            self._diff.go_to_place(parts[found.part], found.place)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(self._paint))

    # What is decided.

    def action_review(self) -> None:
        """Fold a part away, its rest having been shown first; unfold what is folded."""
        parts = self._at_cursor()
        names = [part.name for part in parts]
        if not names:
            self._next()
        elif self._diff.go_to_rest(parts):
            self._say("Here is what you had not seen yet.")
        elif all(name in self._review.draft.reviewed for name in names):
            self._answer(self._review.draft.mark(names, reviewed=False))
        else:
            self._answer(self._review.draft.mark(names, reviewed=True))
            self._next()

    def action_decide(self, word: str) -> None:
        if self._diff.part is not None:
            names = [part.name for part in self._at_cursor()]
            self._answer(self._review.draft.decide(names, Verdict(word)))
            self._next()

    def action_decide_file(self, word: str) -> None:
        if self._diff.path is not None:
            self._answer(self._review.draft.decide_path(self._diff.path, Verdict(word)))
            self._next()

    def action_split(self) -> None:
        part = self._diff.part
        count = len(pieces(part)) if part is not None else 0
        if part is None or count < 2:
            self._say("It cannot be split: no unchanged line has changes on both sides.")
            return
        self._answer(self._review.draft.split_up(part))
        self._say(f"Split into {count} parts.")

    def action_comment(self) -> None:
        path, row, part = self._diff.path, self._diff.row, self._diff.part
        if path is None or (not row.places and part is None):
            self._say("Go to a line of a file to comment on it.")
            return
        if len(self._review.draft.comments) >= MAX_COMMENTS:
            self._say(f"There are {MAX_COMMENTS} comments already.")
            return
        place = row.places[0] if part is None or row.places else Place(first_changed_line(part), is_before=False)
        side = " of the text before" if place.is_before else ""
        prompt = CommentPrompt(self._paint, f"Comment on {path_words(path)}, line {place.line}{side}")

        def made(text: str | None) -> None:
            if text:
                comment = Comment(path, place.line, prompt.kind, text, place.is_before)
                self._answer(self._review.draft.comment(comment))

        self.app.push_screen(prompt, made)

    def action_uncomment(self) -> None:
        comment = self._diff.row.comment
        if comment is None:
            self._say("The cursor is on no comment.")
        else:
            self._answer(self._review.draft.uncomment(comment))

    def action_edit(self) -> None:
        path = self._diff.path
        if path is None:
            self._say("Go to a file to edit it.")
            return
        review, viewer = self._review, self._redline.viewer
        try:
            before = viewer.text_after(review.view, review.draft, path)
            data = self._edit(before, path, self._line_after())
            if data is None or data == before:
                self._say("Nothing was changed.")
                return
            draft = review.draft.edit(path, data, viewer.edited(review.view, path, data))
        except RedlineError as error:
            self._say(error.message)
            return
        self._document.forget(path)
        self._answer(draft)

    def action_confirm(self) -> None:
        if not self._review.draft.taken:
            self._say("Every part is left: x declines the proposal, with a reason.")
        else:
            self.app.push_screen(ConfirmScreen(self._paint, self._review), self._confirmed)

    def action_decline(self) -> None:
        question = "Decline all of it. Why? The model is told (Enter for no reason)"
        self.app.push_screen(DecisionPrompt(self._paint, question), self._declined)

    def action_leave(self) -> None:
        self._ended(Act.STOP, "")

    # What comes back.

    def on_diff_view_displayed(self, event: DiffView.Displayed) -> None:
        self._review.draft = self._review.draft.see([event.name])
        self._draw_status()

    def on_diff_view_begun(self) -> None:
        if not self._review.draft.is_blank:
            self._say("This review goes on where you left it.")

    def on_diff_view_moved(self) -> None:
        self._draw_place()
        self._draw_status()

    def on_lines_view_clicked(self, event: LinesView.Clicked) -> None:
        if event.view is self._files:
            self._diff.go_to_path(self._file_rows[event.item].path)

    def on_review_screen_compared(self, event: Compared) -> None:
        self._is_comparing = False
        view, now = self._review.view, event.view
        if (view.drifts, view.is_in_place) != (now.drifts, now.is_in_place):
            self._review.compared(now)
            self._diff.changed()
            self._draw()
            if isinstance(self.app.screen, ConfirmScreen):
                self.app.screen.compared()

    def _watch(self) -> None:
        """Look whether a file has drifted, beside what the person does."""
        if not self._is_comparing:
            self._is_comparing = True
            self.run_worker(self._compare, thread=True)

    def _compare(self) -> None:
        self.post_message(self.Compared(self._redline.viewer.anew(self._review.view)))

    def _search(self, text: str | None) -> None:
        if text is None:
            return
        if text:
            try:
                self._wanted = re.compile(text)
            except re.error as error:
                self._say(f"{text!a} is no regular expression: {error}")
                return
        self.action_search_again(is_back=False)

    def _confirmed(self, is_confirmed: bool | None) -> None:  # noqa: FBT001 -- Textual gives the result so
        if not is_confirmed:
            self._say("Nothing was confirmed, nothing was written.")
        elif self._review.draft.left:
            question = "Why is the rest left? The model is told (Enter for no reason)"
            self.app.push_screen(Prompt(self._paint, question), self._reasoned)
        else:
            self._ended(Act.CONFIRM, "")

    def _reasoned(self, reason: str | None) -> None:
        if reason is None:
            self._say("Nothing was confirmed, nothing was written.")
        else:
            self._ended(Act.CONFIRM, reason)

    def _declined(self, reason: str | None) -> None:
        if reason is not None:
            self._ended(Act.DECLINE, reason)

    def _at_cursor(self) -> tuple[Part, ...]:
        """The part at the cursor; on the title of a file all of its parts."""
        path, part = self._diff.path, self._diff.part
        if path is not None and self._diff.is_on_title:
            return self._review.parts_by_path()[path]
        return (part,) if part is not None else ()

    def _line_after(self) -> int:
        """The line of the text after at the cursor, or the nearest one below it."""
        places = self._diff.row.places
        after = (place.line for place in places if not place.is_before)
        part = self._diff.part
        start = part.hunk.after_start if part is not None and part.hunk is not None else 1
        return next(after, start)

    def _answer(self, draft: Draft) -> None:
        self._review.draft = draft
        self._diff.changed()
        self._draw()

    def _next(self) -> None:
        if not self._diff.go_to_open():
            self._diff.go_to_end(is_last=True)
            self._say(_DONE)

    def _say(self, text: str) -> None:
        self._said = (text, self._diff.cursor)
        self._draw_status()

    # What is drawn.

    def _draw(self) -> None:
        if self._files.display:
            self._file_rows = list(file_rows(self._review, self._files.size.width - 4))
            self._files.show([[row.line] for row in self._file_rows])
        self._draw_place()
        self._draw_status()

    def _draw_place(self) -> None:
        path, paths = self._diff.path, self._review.paths
        here = (index for index, row in enumerate(self._file_rows) if row.path == path and not row.is_folder)
        self._files.choose(next(here, 0))
        self.query_one("#title", LinesView).show([[self._title(path, paths)]])

    def _title(self, path: RepoPath | None, paths: tuple[RepoPath, ...]) -> Line:
        proposal = self._review.view.proposal
        head = f"{proposal.id[:SHORT_ID]}  "
        if path is None:
            return (Span(head, Role.STRONG), Span(f"{len(paths)} {'file' if len(paths) == 1 else 'files'}"))
        tail = f"  {paths.index(path) + 1}/{len(paths)}"
        drift = next((f"  {drift.text}" for drift in self._review.view.drifts if drift.path == path), "")
        space = self.size.width - columns(head) - columns(tail) - columns(drift)
        shown = cut(path_words(path), max(space, 10))
        return (Span(head, Role.STRONG), Span(shown), Span(tail, Role.FAINT), Span(drift, Role.ALARM))

    def _progress_words(self) -> str:
        draft = self._review.draft
        done = sum(not self._review.is_open(part) for part in draft.parts)
        return f"{done} of {len(draft.parts)} looked at; {draft_words(draft)}"

    def _draw_status(self) -> None:
        if self._progress[0] is not self._review.draft:
            self._progress = (self._review.draft, self._progress_words())
        progress = self._progress[1]
        text, cursor = self._said
        is_said = bool(text) and cursor == self._diff.cursor  # until the person goes elsewhere
        said: Line = (Span(text, Role.WARNING),) if is_said else (Span(_HINTS, Role.FAINT),)
        self.query_one("#status", LinesView).show([[(Span(progress, Role.STRONG),), said]])
