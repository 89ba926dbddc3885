"""`redline decline`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.lifecycle import Outcome
from redline.frontends.cli.each import decide_each
from redline.frontends.cli.recovered import settle
from redline.frontends.options import json_option

if TYPE_CHECKING:
    from redline.app import Ended
    from redline.frontends.cli.group import Invocation


@click.command(
    "decline",
    short_help="Say no; the model is told the reason.",
    epilog="Example: redline decline 9f3c -m 'keep 3.10 until March'",
)
@click.argument("prefixes", metavar="ID...", nargs=-1, required=True)
@click.option("-m", "--reason", metavar="REASON", default="", help="Why; the model is told.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    prefixes: tuple[str, ...],
    reason: str,
    as_json: bool,  # noqa: FBT001 -- click passes flags so
) -> None:
    """Say no. Nothing is written, and the model is told the reason."""
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline, prefixes)

        def decide(prefix: str) -> Ended:
            return redline.desk.decline(prefix, reason)

        decide_each(invocation, prefixes, decide, Outcome.DECLINED, as_json=as_json)
