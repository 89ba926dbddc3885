"""Proposals that start from what another one would make: what they wait for, and how they end with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.lifecycle import Act, Outcome, end
from redline.core.plan import steps_of
from redline.core.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from redline.core.proposal import Proposal
    from redline.review.ports import Reader

_SHORT_ID = 7


def cascade(reader: Reader, receipt: Receipt, now: datetime) -> Iterator[Receipt]:
    """The receipts of all that rest on the proposal, each once; none if it was applied, or another took its place."""
    if receipt.outcome in {Outcome.APPLIED, Outcome.SUPERSEDED}:
        return
    ended = {receipt.proposal}
    waiting = [receipt]
    while waiting:
        parent = waiting.pop(0)
        for child in reader.pending_on(parent.proposal):
            if child.id not in ended:
                ended.add(child.id)
                detail = resting_on(parent)
                stale = end(Act.CASCADE, Outcome.STALE)
                steps = steps_of(child.changes)
                filed = Receipt(child.id, child.digest, stale, None, None, now, receipt.reason, steps, detail)
                waiting.append(filed)
                yield filed


def resting_on(parent: Receipt) -> str:
    """Why a proposal cannot be applied, now that the one it starts from ended so."""
    return f"it starts from what {parent.proposal[:_SHORT_ID]} would have made, which is {parent.outcome.value}"


def blocking(reader: Reader, proposal: Proposal) -> tuple[str, ...]:
    """The pending proposals that it waits for."""
    ends = {_latest(reader, parent) for parent in proposal.depends_on}
    return tuple(sorted(parent for parent, outcome in ends if outcome is None))


def _latest(reader: Reader, proposal_id: str) -> tuple[str, Outcome | None]:
    """What took the proposal's place in the end, and how that ended."""
    filed = reader.receipt(proposal_id)
    while filed is not None and filed.receipt.successor is not None:
        proposal_id = filed.receipt.successor
        filed = reader.receipt(proposal_id)
    return proposal_id, filed.receipt.outcome if filed is not None else None
