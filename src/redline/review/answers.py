"""What a model is told of a receipt, from the journal alone: no file is read and nothing is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.answer import Answer
from redline.core.lifecycle import Outcome
from redline.core.parts import named_parts
from redline.core.proposal import AMEND, EXTEND

if TYPE_CHECKING:
    from redline.core.paths import RepoPath
    from redline.core.receipt import FiledReceipt, Receipt
    from redline.review.ports import Reader


def is_told(reader: Reader, filed: FiledReceipt) -> bool:
    """Whether the receipt is news: a part is told with the proposal it was taken of, joined edits with the last one."""
    derived, successor = reader.proposal(filed.receipt.proposal).derived, filed.receipt.successor
    if successor is not None:
        took_over = reader.proposal(successor).derived
        if took_over is not None and took_over.how == EXTEND:
            return False
    return derived is None or derived.how != AMEND


def answer(reader: Reader, filed: FiledReceipt) -> Answer:
    """What became of the proposal; of a partial confirmation, what was applied in its place."""
    receipt = filed.receipt
    proposal = reader.proposal(receipt.proposal)
    shares, successor = receipt.reviewed.shares, receipt.successor
    if shares is not None and successor is not None:
        applied, replaced, declined = shares.model, shares.replaced, shares.declined
        written = reader.receipt(successor)
        counts = reader.counts(successor)
    else:
        names = tuple(part.name for part in named_parts(proposal.changes, reader.hunk_ids(proposal.id)))
        is_applied = receipt.outcome is Outcome.APPLIED
        is_left = receipt.outcome is not Outcome.SUPERSEDED and not is_applied
        applied, replaced, declined = names if is_applied else (), (), names if is_left else ()
        written = filed if is_applied else None
        counts = reader.counts(proposal.id)
    return Answer(
        filed,
        proposal.derived,
        applied,
        replaced,
        declined,
        _on_disk(written.receipt) if written is not None else (),
        sum(added for added, _ in counts.values()),
        sum(removed for _, removed in counts.values()),
    )


def _on_disk(receipt: Receipt) -> tuple[tuple[RepoPath, str | None], ...]:
    return tuple((step.path, step.after.sha256 if step.after is not None else None) for step in receipt.steps)
