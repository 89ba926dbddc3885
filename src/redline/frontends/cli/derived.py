"""Tell of a proposal that was made from an older one, or of what stands in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.displayed import displayed
from redline.core.hunks import count
from redline.core.lifecycle import PENDING
from redline.frontends import exit_codes
from redline.render.conflicts import conflict_lines, conflicts_document
from redline.render.document import diffstat, proposal_document, spell
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from redline.app import Derived
    from redline.core.merge import Conflict
    from redline.frontends.cli.group import Invocation


def tell(invocation: Invocation, result: Derived | tuple[Conflict, ...], *, as_json: bool) -> None:
    """Conflicts are told as such, with the code of a proposal that the tree has drifted from."""
    if isinstance(result, tuple):
        invocation.end(exit_codes.OUTCOMES["stale"])
        if as_json:
            invocation.out.put(spell(conflicts_document(result)))
        else:
            invocation.err.show(conflict_lines(result))
        return
    proposal, hunks = result.prepared.proposal, result.prepared.hunks
    if as_json:
        invocation.out.put(spell(proposal_document(displayed(proposal, hunks), PENDING, frozenset())))
        return
    out, short = invocation.out, proposal.id[:SHORT_ID]
    out.say(f"{short}  pending  {diffstat(len(proposal.changes), *count(hunks))}")
    for path in result.merged:
        out.say(f"  {path} was changed since: what was written to it stays", [str(path)])
    for path in result.settled:
        out.say(f"  {path} needs nothing: it is that way already", [str(path)])
    out.say(f"  Next: `redline review {short}` or `redline confirm {short}` to decide.")
