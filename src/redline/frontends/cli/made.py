"""Commands that make a proposal: the journal they need, and what they tell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline import app
from redline.core.displayed import displayed
from redline.core.lifecycle import PENDING
from redline.render.document import proposal_document, spell
from redline.render.preview import header

if TYPE_CHECKING:
    from redline.app import Prepared
    from redline.frontends.cli.group import Invocation


def need_journal(invocation: Invocation, *, as_json: bool) -> None:
    """Make the journal where there is none yet, and say so."""
    if not app.is_initialised(invocation.folder):
        made = app.initialise(invocation.folder, invocation.world, adopt=False)
        if not as_json:
            invocation.err.say(f"made the journal {made.folder}")


def tell_document(invocation: Invocation, prepared: Prepared) -> None:
    """The proposal as one JSON document."""
    document = displayed(prepared.proposal, prepared.hunks)
    invocation.out.put(spell(proposal_document(document, PENDING, frozenset())))


def tell_header(invocation: Invocation, prepared: Prepared) -> None:
    """The proposal in words, without its changes."""
    out = invocation.out
    out.show(header(prepared.proposal, prepared.hunks, PENDING, invocation.world.clock(), out.width))
