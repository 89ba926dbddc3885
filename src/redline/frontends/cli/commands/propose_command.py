"""`redline propose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from redline import app
from redline.frontends.cli.made import need_journal, tell_document, tell_header
from redline.frontends.cli.recovered import settle
from redline.frontends.options import propose_options
from redline.frontends.request import ProposeOptions, request_of
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command(
    "propose",
    short_help="Hand over a model's edit; no file is changed.",
    epilog="Example: redline propose fix.patch --reason 'retry on 429'",
)
@propose_options
@click.pass_obj
def command(invocation: Invocation, **options: Unpack[ProposeOptions]) -> None:
    """Hand over a model's edit: it is stored as a proposal, and no file is changed."""
    need_journal(invocation, as_json=options["as_json"])
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline)
        prepared = redline.model.prepare(request_of(options, redline.model))
    if options["as_json"]:
        tell_document(invocation, prepared)
        return
    tell_header(invocation, prepared)
    short = prepared.proposal.id[:SHORT_ID]
    invocation.out.say(f"  Next: `redline show {short}` to read it, `redline confirm {short}` to decide.")
