"""`redline review`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.lifecycle import Outcome
from redline.errors import DecisionRefused, UsageFault
from redline.frontends.cli.each import decide_each
from redline.frontends.cli.recovered import settle
from redline.frontends.cli.terminal import own_terminal
from redline.frontends.word import left_pending

if TYPE_CHECKING:
    from redline.app import Ended, PersonApp
    from redline.frontends.cli.group import Invocation


@click.command(
    "review",
    short_help="Decide part by part: take, leave, edit, comment.",
    epilog="Example: redline review 9f3c",
)
@click.argument("prefix", metavar="[ID]", required=False)
@click.option("--plain", is_flag=True, help="Ask in plain prompts, as `git add -p` does.")
@click.pass_obj
def command(invocation: Invocation, prefix: str | None, plain: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Decide part by part: take, leave, split, edit, comment; then confirm what you took.

    Without ID, choose from those that are pending.
    """
    if plain and prefix is None:
        raise UsageFault("--plain needs the ID of a proposal", hint="`redline list` shows them.")
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline, (prefix,) if prefix is not None else ())
        if prefix is None:
            _choose(invocation, redline)
            return

        def decide(prefix: str) -> Ended:
            return _plainly(invocation, redline, prefix) if plain else _in_full(invocation, redline, prefix)

        decide_each(invocation, (prefix,), decide, Outcome.APPLIED, as_json=False)


def _plainly(invocation: Invocation, redline: PersonApp, prefix: str) -> Ended:
    from redline.frontends.cli.plain_review import PlainReview

    view = redline.viewer.preview(prefix)
    with own_terminal(invocation.color) as terminal:
        ended = redline.desk.lapse(view.proposal.id) if not view.waits_for else None
        if ended is not None:
            return ended
        review = PlainReview(invocation, redline, terminal, view, redline.viewer.draft(view))
        try:
            return review.run()
        finally:
            redline.desk.keep_draft(view.proposal.id, review.draft)


def _in_full(invocation: Invocation, redline: PersonApp, prefix: str) -> Ended:
    with own_terminal(invocation.color) as terminal:
        _refuse_dumb(f"redline review {prefix} --plain")
        from redline.frontends.tui.application import Answer, carry_out, open_review, show
        from redline.frontends.tui.review import Review

        opened = open_review(redline, prefix)
        if not isinstance(opened, Review):
            return opened
        answer = show(redline, invocation.world.clock, opened, terminal.fd, color=terminal.screen.color)
        if not isinstance(answer, Answer):
            raise left_pending(opened.view.proposal.id)
        return carry_out(redline, answer)


def _choose(invocation: Invocation, redline: PersonApp) -> None:
    """Show the list again after each decision, until the person leaves it."""
    with own_terminal(invocation.color) as terminal:
        _refuse_dumb("redline review ID --plain")
        from redline.frontends.tui.application import Answer, carry_out, show

        while True:
            chosen = show(redline, invocation.world.clock, None, terminal.fd, color=terminal.screen.color)
            if chosen is None:
                return

            def decide(_: str, chosen: Answer | Ended = chosen) -> Ended:
                return carry_out(redline, chosen) if isinstance(chosen, Answer) else chosen

            decided = chosen.review.view.proposal.id if isinstance(chosen, Answer) else chosen.filed.receipt.proposal
            decide_each(invocation, (decided,), decide, Outcome.APPLIED, as_json=False)


def _refuse_dumb(instead: str) -> None:
    if os.environ.get("TERM", "dumb") == "dumb":
        raise DecisionRefused(
            "this terminal cannot show a full screen: its TERM is dumb, or not set",
            code="CONFIRM_NO_TTY",
            hint=f"`{instead}` asks in plain prompts.",
        )
