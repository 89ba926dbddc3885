"""`redline verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.errors import JournalFault
from redline.frontends.options import json_option
from redline.render.document import spell

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command("verify", short_help="Check the journal against its own digests.", epilog="Example: redline verify")
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Check the journal: schema, hash chain, and every content, proposal and receipt against its digest."""
    with app.person(invocation.folder, invocation.world) as redline:
        faults = redline.verify()
    if faults:
        raise JournalFault(
            "the journal was altered: " + "; ".join(faults[:10]),
            code="JOURNAL_TAMPERED",
            hint="Restore .proposals from a backup; what it says now proves nothing.",
            details={"faults": list(faults)},
        )
    if as_json:
        invocation.out.put(spell({"ok": True}))
    else:
        invocation.out.say("the journal is whole: chain, proposals, receipts and contents agree")
