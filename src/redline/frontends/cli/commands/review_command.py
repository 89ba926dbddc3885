"""`redline review`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.lifecycle import Outcome
from redline.frontends.cli.each import decide_each
from redline.frontends.cli.recovered import settle
from redline.frontends.cli.terminal import own_terminal

if TYPE_CHECKING:
    from redline.app import Ended, PersonApp
    from redline.frontends.cli.group import Invocation


@click.command(
    "review",
    short_help="Decide part by part: take, leave, edit, comment.",
    epilog="Example: redline review 9f3c",
)
@click.argument("prefix", metavar="ID")
@click.option("--plain", is_flag=True, help="Ask in plain prompts, as `git add -p` does.")
@click.pass_obj
def command(invocation: Invocation, prefix: str, plain: bool) -> None:  # noqa: ARG001, FBT001 -- click passes flags so
    """Decide part by part: take, leave, split, edit, comment; then confirm what you took."""
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline, (prefix,))

        def decide(prefix: str) -> Ended:
            return _plainly(invocation, redline, prefix)

        decide_each(invocation, (prefix,), decide, Outcome.APPLIED, as_json=False)


def _plainly(invocation: Invocation, redline: PersonApp, prefix: str) -> Ended:
    from redline.frontends.cli.plain_review import PlainReview

    view = redline.viewer.preview(prefix)
    with own_terminal(invocation.color) as terminal:
        ended = redline.desk.lapse(view.proposal.id)
        if ended is not None:
            return ended
        review = PlainReview(invocation, redline, terminal, view, redline.viewer.draft(view))
        try:
            return review.run()
        finally:
            redline.desk.keep_draft(view.proposal.id, review.draft)
