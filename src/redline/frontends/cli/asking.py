"""Show a person one proposal, ask for their word, and hand it to the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from redline.core.decision import Level
from redline.core.displayed import mismatches
from redline.core.parts import Selection, parts_of, select
from redline.core.reviewed import Coverage, Reviewed
from redline.errors import DecisionRefused
from redline.frontends.cli.terminal import Terminal, own_terminal
from redline.frontends.word import CODE_LENGTH, UNSEEN_WORD, word
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from redline.app import Ended, PersonApp, Preview
    from redline.core.paths import RepoPath
    from redline.frontends.cli.group import Invocation


class Asked(NamedTuple):
    """What a command line asks to be confirmed: `shown` is what the person says they saw, None if redline shows it."""

    shown: str | Mapping[str, object] | None
    selectors: tuple[str, ...]
    reason: str
    in_place: bool


def confirm_one(invocation: Invocation, redline: PersonApp, asked: Asked, prefix: str) -> Ended:
    """Show, ask and confirm.

    Raises DecisionRefused (NOT_CONFIRMED) where the person gives another answer than yes or no.
    """
    is_told = asked.shown is not None and redline.policy().level is Level.NONE
    if is_told and asked.shown is not None and not asked.selectors:
        return redline.desk.confirm(prefix, asked.shown, Level.NONE, in_place=asked.in_place)
    view = redline.viewer.preview(prefix)
    proposal_id = view.proposal.id
    selection = _selection(view, asked.selectors)
    shown = asked.shown if asked.shown is not None else view.displayed

    def confirm(level: Level, reviewed: Reviewed, *, in_place: bool) -> Ended:
        return redline.desk.confirm(proposal_id, shown, level, selection, reviewed, asked.reason, in_place=in_place)

    if is_told or view.filed is not None or not _is_of(asked.shown, view):
        return confirm(Level.NONE, Reviewed(), in_place=asked.in_place)
    with own_terminal(invocation.color) as terminal:
        lapsed = redline.desk.lapse(proposal_id) if selection is None else None
        if lapsed is not None:
            return lapsed
        offered = view if selection is None else redline.viewer.selected(view, selection)
        unseen = _unseen(offered)
        answer = _ask(terminal, invocation, view, offered, unseen, redline.mentions)
        if answer == "n":
            reason = terminal.ask("Why? The model is told (Enter for no reason): ")
            return redline.desk.decline(proposal_id, reason, Level.TTY)
        if answer != word(view.proposal.id, unseen=bool(unseen)):
            raise _not_confirmed(proposal_id, answer, unseen)
        coverage = Coverage(len(parts_of(offered.proposal.changes, offered.hunks)), unseen)
        return confirm(Level.TTY, Reviewed(coverage), in_place=asked.in_place or view.is_in_place)


def _selection(view: Preview, selectors: tuple[str, ...]) -> Selection | None:
    if not selectors:
        return None
    changes = view.proposal.changes
    return Selection(select(selectors, changes, parts_of(changes, view.hunks)))


def _is_of(shown: str | Mapping[str, object] | None, view: Preview) -> bool:
    """Whether a question makes sense: anything but what is stored is refused whatever is answered."""
    if isinstance(shown, str):
        return shown == view.proposal.digest
    return shown is None or not mismatches(shown, view.displayed)


def _unseen(view: Preview) -> tuple[str, ...]:
    """The parts whose bytes the preview does not spell out."""
    parts = parts_of(view.proposal.changes, view.hunks)
    return tuple(part.name for part in parts if view.diffs[part.path].is_binary and part.hunk is None)


def _not_confirmed(proposal_id: str, answer: str, unseen: tuple[str, ...]) -> DecisionRefused:
    is_short = bool(unseen) and answer == proposal_id[:CODE_LENGTH]
    was = "" if answer in {"", "q"} or is_short else f"{answer!a} is not its code: "
    was = f"the word {UNSEEN_WORD!r} was missing: " if is_short else was
    return DecisionRefused(
        f"{was}{proposal_id[:SHORT_ID]} is left pending; nothing was written",
        code="NOT_CONFIRMED",
        hint=f"`redline confirm {proposal_id[:SHORT_ID]}` asks again.",
    )


def _ask(
    terminal: Terminal,
    invocation: Invocation,
    view: Preview,
    offered: Preview,
    unseen: tuple[str, ...],
    mentions: Callable[[RepoPath], Sequence[str] | None],
) -> str:
    from redline.render.drawing import Drawing
    from redline.render.preview import preview, warnings

    proposal, screen = offered.proposal, terminal.screen
    now = invocation.world.clock()
    drawing = Drawing(screen.width, has_syntax=screen.color, content=offered.content, mentions=mentions)
    screen.show(preview(proposal, offered.hunks, offered.diffs, view.status, {}, now, screen.width, drawing))
    screen.show(warnings(proposal))
    files, hunks = len(proposal.changes), sum(map(len, offered.hunks.values()))
    counts = f"{files} {'file' if files == 1 else 'files'}, {hunks} {'hunk' if hunks == 1 else 'hunks'}"
    left = len(parts_of(view.proposal.changes, view.hunks)) - len(parts_of(proposal.changes, offered.hunks))
    rest = f"; {left} {'part' if left == 1 else 'parts'} of {view.proposal.id[:SHORT_ID]} declined" if left > 0 else ""
    but = f" but the bytes of {len(unseen)} binary {'file' if len(unseen) == 1 else 'files'}" if unseen else ""
    screen.say(f"\n{counts}, all shown{but}{rest}. Confirm?")
    if view.is_in_place:
        screen.say("The files hold all of this already: confirming records it, and writes nothing.")
    return terminal.ask(
        f"Type {word(view.proposal.id, unseen=bool(unseen))} to apply, n to decline, q to leave it pending: "
    )
