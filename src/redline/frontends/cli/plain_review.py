"""A review in plain prompts, one part after the other, with the answers of `git add -p` (git-add(1), "patch")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.core.decision import Level
from redline.core.draft import Draft, Verdict
from redline.core.parts import PartKind, first_changed_line, pieces
from redline.core.reviewed import Comment, CommentKind, Reviewed
from redline.errors import RedlineError
from redline.frontends.editor import edit
from redline.frontends.word import left_pending, word
from redline.render.drawing import Drawing
from redline.render.preview import header, part_lines, warnings
from redline.render.progress import draft_words

if TYPE_CHECKING:
    from redline.app import Ended, PersonApp, Preview
    from redline.core.parts import Part
    from redline.frontends.cli.group import Invocation
    from redline.frontends.cli.terminal import Terminal

_HELP = """\
y - take this part          n - leave it
a - take it and all that follow of this file
d - leave it and all that follow of this file
j - decide later, go to the next undecided one
k - go back to the undecided one before
g - go to a part by its number
/ - go to the next part with a text (a regular expression)
s - split this part         e - edit the text after it in your editor
c - comment on a line       x - decline the whole proposal
q - stop; what you decided is kept, nothing is written
? - this list"""
_KINDS = {kind.value[0]: kind for kind in CommentKind}
_VERDICTS = {"y": Verdict.TAKE, "a": Verdict.TAKE, "n": Verdict.LEAVE, "d": Verdict.LEAVE}
_WORDS = {Verdict.TAKE: "taken", Verdict.LEAVE: "left"}


@dataclass
class PlainReview:
    """One review; `draft` is what was answered so far, kept by the caller however this ends."""

    invocation: Invocation
    redline: PersonApp
    terminal: Terminal
    view: Preview
    draft: Draft
    position: int = 0

    def run(self) -> Ended:
        """Ask about each part, then about the whole.

        Raises DecisionRefused (NOT_CONFIRMED) if the person stops.
        """
        proposal, screen = self.view.proposal, self.terminal.screen
        screen.show(header(proposal, self.view.hunks, self.view.status, self.invocation.world.clock(), screen.width))
        if self.draft.verdicts:
            screen.say("\nThis review goes on where you left it.")
        self.position = self._next(-1)
        while True:
            while self.position < len(self.draft.parts):
                ended = self._ask_part()
                if ended is not None:
                    return ended
            ended = self._ask_whole()
            if ended is not None:
                return ended

    def _ask_part(self) -> Ended | None:
        part = self.draft.parts[self.position]
        screen = self.terminal.screen
        drawing = Drawing(
            screen.width,
            has_syntax=screen.color,
            content=self.view.content,
            mentions=self.redline.mentions,
        )
        screen.show(((), *part_lines(self.view.proposal, self.view.diffs, part, drawing)))
        if not self._is_blind(part):
            self.draft = self.draft.see([part.name])
        verdict = self.draft.verdict(part.name)
        now = f" [{_WORDS[verdict]}]" if verdict in _WORDS else ""
        what = "hunk" if part.kind is PartKind.HUNK else part.kind.value
        letters = "y,n,q,a,d,j,k,g,/,s,e,c,x,?" if len(pieces(part)) > 1 else "y,n,q,a,d,j,k,g,/,e,c,x,?"
        question = f"({self.position + 1}/{len(self.draft.parts)}){now} Take this {what} [{letters}]? "
        return self._answer(part, self.terminal.ask(question))

    def _answer(self, part: Part, answer: str) -> Ended | None:
        if answer == "q":
            raise left_pending(self.view.proposal.id)
        if answer == "x":
            return self._decline()
        if answer.startswith("/"):
            self._search(answer[1:] or self.terminal.ask("Search for: "))
        elif answer.startswith("g"):
            self._go(answer[1:].strip() or self.terminal.ask("Go to part number: "))
        elif answer in _VERDICTS:
            self._decide(self._rest(part) if answer in {"a", "d"} else [part], _VERDICTS[answer])
        else:
            self._turn(part, answer)
        return None

    def _turn(self, part: Part, answer: str) -> None:
        """An answer that decides nothing."""
        if answer == "j":
            self.position = self._next(self.position)
        elif answer == "k":
            self._back()
        elif answer == "s":
            self._split(part)
        elif answer == "e":
            self._edit(part)
        elif answer == "c":
            self._comment(part)
        else:
            self.terminal.screen.say(_HELP)

    def _ask_whole(self) -> Ended | None:
        draft, screen = self.draft, self.terminal.screen
        if not draft.taken:
            answer = self.terminal.ask("\nEvery part is left. Decline the proposal? [y,r,q] (r: look again) ")
            if answer == "y":
                return self._decline()
        else:
            screen.show(warnings(self.view.proposal))
            screen.say(f"\n{draft_words(draft)}. Confirm?")
            code = word(self.view.proposal.id, unseen=bool(draft.unseen))
            answer = self.terminal.ask(f"Type {code} to apply, r to look again, x to decline it, q to stop: ")
            if answer == code:
                return self._confirm()
            if answer == "x":
                return self._decline()
        if answer != "r":
            raise left_pending(self.view.proposal.id)
        self.position = 0
        return None

    def _confirm(self) -> Ended:
        draft = self.draft
        reason = (
            self.terminal.ask("Why is the rest left? The model is told (Enter for no reason): ") if draft.left else ""
        )
        return self.redline.desk.confirm(
            self.view.proposal.id,
            self.view.displayed,
            Level.TTY,
            draft.selection,
            Reviewed(draft.coverage, draft.comments),
            reason,
            in_place=self.view.is_in_place,
        )

    def _decline(self) -> Ended:
        reason = self.terminal.ask("Why? The model is told (Enter for no reason): ")
        reviewed = Reviewed(comments=self.draft.comments)
        return self.redline.desk.decline(self.view.proposal.id, reason, Level.TTY, reviewed)

    def _decide(self, parts: list[Part], verdict: Verdict) -> None:
        self.draft = self.draft.decide([part.name for part in parts], verdict)
        self.position = self._next(self.position)

    def _rest(self, part: Part) -> list[Part]:
        return [other for other in self.draft.parts[self.position :] if other.path == part.path]

    def _next(self, after: int) -> int:
        """The next undecided part, or the end."""
        numbers = range(after + 1, len(self.draft.parts))
        is_open = (n for n in numbers if self.draft.verdict(self.draft.parts[n].name) is Verdict.UNDECIDED)
        return next(is_open, len(self.draft.parts))

    def _back(self) -> None:
        numbers = range(self.position - 1, -1, -1)
        is_open = (n for n in numbers if self.draft.verdict(self.draft.parts[n].name) is Verdict.UNDECIDED)
        self.position = next(is_open, max(self.position - 1, 0))

    def _go(self, number: str) -> None:
        if number.isdecimal() and 1 <= int(number) <= len(self.draft.parts):
            self.position = int(number) - 1
        else:
            self.terminal.screen.say(f"There is no part {number!a}: they are numbered 1 to {len(self.draft.parts)}.")

    def _search(self, text: str) -> None:
        try:
            wanted = re.compile(text.encode())
        except re.error as error:
            self.terminal.screen.say(f"{text!a} is no regular expression: {error}")
            return
        parts = self.draft.parts
        order = [*range(self.position + 1, len(parts)), *range(self.position)]
        found = (n for n in order if wanted.search(b"\n".join(_texts(parts[n]))))
        position = next(found, None)
        if position is None:
            self.terminal.screen.say(f"No other part has {text!a}.")
        else:
            self.position = position

    def _split(self, part: Part) -> None:
        count = len(pieces(part))
        if count < 2:
            self.terminal.screen.say("It cannot be split: no unchanged line has changes on both sides.")
            return
        self.draft = self.draft.split_up(part)
        self.terminal.screen.say(f"Split into {count} parts.")

    def _edit(self, part: Part) -> None:
        try:
            before = self.redline.viewer.text_after(self.view, self.draft, part.path)
            data = edit(before, part.path, first_changed_line(part))
            if data is None or data == before:
                self.terminal.screen.say("Nothing was changed.")
                return
            self.draft = self.draft.edit(part.path, data, self.redline.viewer.edited(self.view, part.path, data))
        except RedlineError as error:
            self.terminal.screen.say(error.message)
            return
        mine = {written.name for written in self.draft.written(part.path)}
        places = (n for n, other in enumerate(self.draft.parts) if other.name in mine)
        self.position = next(places, self._next(-1))

    def _comment(self, part: Part) -> None:
        usual = first_changed_line(part)
        line = self.terminal.ask(f"Which line of the text after (Enter for {usual})? ") or str(usual)
        kind = self.terminal.ask("[i]ssue, [s]uggestion, [q]uestion or [n]ote (Enter for issue)? ") or "i"
        text = self.terminal.ask("Comment: ")
        if not line.isdecimal() or kind[:1] not in _KINDS or not text:
            self.terminal.screen.say("No comment was made.")
            return
        self.draft = self.draft.comment(Comment(part.path, int(line), _KINDS[kind[:1]], text))

    def _is_blind(self, part: Part) -> bool:
        return part.kind is PartKind.CONTENT and self.view.diffs[part.path].is_binary


def _texts(part: Part) -> list[bytes]:
    return [str(part.path).encode(), *([line.data for line in part.hunk.lines] if part.hunk is not None else [])]
