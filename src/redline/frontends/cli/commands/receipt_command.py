"""`redline receipt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.errors import UsageFault
from redline.frontends.options import json_option
from redline.render.document import ended_document, spell
from redline.render.sentences import receipt_lines

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command(
    "receipt",
    short_help="Show how a proposal ended, by whom, over which bytes.",
    epilog="Example: redline receipt 9f3c",
)
@click.argument("prefix", metavar="ID")
@json_option
@click.pass_obj
def command(invocation: Invocation, prefix: str, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Show a proposal's receipt: how it ended, by whom, over which bytes."""
    with app.person(invocation.folder, invocation.world) as redline:
        filed = redline.viewer.receipt(prefix)
    if filed is None:
        raise UsageFault(
            f"{prefix} has no receipt: it is still pending",
            code="NO_RECEIPT",
            hint=f"Decide with `redline confirm {prefix}` or `redline decline {prefix}`.",
        )
    if as_json:
        invocation.out.put(spell(ended_document(filed, replayed=True)))
    else:
        invocation.out.show(receipt_lines(filed))
