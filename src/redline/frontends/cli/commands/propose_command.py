"""`redline propose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from redline import app
from redline.core.displayed import displayed
from redline.core.lifecycle import PENDING
from redline.frontends.cli.recovered import settle
from redline.frontends.options import propose_options
from redline.frontends.request import ProposeOptions, request_of
from redline.render.document import proposal_document, spell
from redline.render.preview import header
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
    if not app.is_initialised(invocation.folder):
        made = app.initialise(invocation.folder, invocation.world, adopt=False)
        if not options["as_json"]:
            invocation.err.say(f"made the journal {made.folder}")
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline)
        prepared = redline.model.prepare(request_of(options, redline.model))
    proposal, hunks = prepared.proposal, prepared.hunks
    if options["as_json"]:
        invocation.out.put(spell(proposal_document(displayed(proposal, hunks), PENDING, frozenset())))
        return
    out = invocation.out
    out.show(header(proposal, hunks, PENDING, invocation.world.clock(), out.width))
    short = proposal.id[:SHORT_ID]
    out.say(f"  Next: `redline show {short}` to read it, `redline confirm {short}` to decide.")
