"""`redline undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.cli.derived import tell
from redline.frontends.options import json_option

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command(
    "undo",
    short_help="Propose the inverse of what was applied.",
    epilog="Example: redline undo 9f3c",
)
@click.argument("prefix", metavar="ID")
@json_option
@click.pass_obj
def command(invocation: Invocation, prefix: str, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Propose the inverse of what was applied.

    What was written to its files since stays. You confirm the new proposal like any other; its receipt is your proof.
    """
    with app.person(invocation.folder, invocation.world) as redline:
        tell(invocation, redline.derivations.undo(prefix), as_json=as_json)
