"""`redline decline`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.lifecycle import Outcome
from redline.frontends import exit_codes
from redline.frontends.options import json_option
from redline.render.document import ended_document, spell
from redline.render.sentences import ended

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command("decline", epilog="Example: redline decline 9f3c -m 'keep 3.10 until March'")
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
    results = []
    with app.person(invocation.folder, invocation.world) as redline:
        for prefix in prefixes:
            result = redline.desk.decline(prefix, reason)
            if result.filed.receipt.outcome is not Outcome.DECLINED:
                invocation.end(exit_codes.OUTCOMES[result.filed.receipt.outcome.value])
            results.append(ended_document(result.filed, replayed=result.replayed))
            if not as_json:
                invocation.out.show(ended(result.filed, replayed=result.replayed))
    if as_json:
        invocation.out.say(spell(results[0] if len(results) == 1 else {"results": [*results]}))
