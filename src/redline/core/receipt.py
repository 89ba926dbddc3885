"""The record of how a proposal ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from redline.core.canonical import format_instant, parse_instant
from redline.core.lifecycle import Outcome
from redline.core.plan import step_from, step_record
from redline.core.reviewed import NOT_REVIEWED, reviewed_from

if TYPE_CHECKING:
    from datetime import datetime

    from redline.core.canonical import Record
    from redline.core.plan import Step
    from redline.core.reviewed import Reviewed


@dataclass(frozen=True, slots=True)
class Receipt:
    """How one proposal ended; there is at most one for each.

    `steps` are the paths' sides as proposed; for `applied`, what was replaced and what was written. `decided_by` is
    None where no person decided. `reason` is the person's; `detail` is redline's own account. `successor` is the
    proposal that took the place of a superseded one.
    """

    proposal: str
    digest: str
    outcome: Outcome
    decided_by: Record | None
    decided_at: datetime | None
    committed_at: datetime
    reason: str
    steps: tuple[Step, ...]
    detail: str
    reviewed: Reviewed = NOT_REVIEWED
    successor: str | None = None

    @property
    def record(self) -> Record:
        return {
            "proposal": self.proposal,
            "digest": self.digest,
            "outcome": self.outcome.value,
            "decided_by": self.decided_by,
            "decided_at": format_instant(self.decided_at) if self.decided_at is not None else None,
            "committed_at": format_instant(self.committed_at),
            "reason": self.reason,
            "changes": [step_record(step) for step in self.steps],
            "detail": self.detail,
            "review": self.reviewed.record,
            "successor": self.successor,
        }


@dataclass(frozen=True, slots=True)
class FiledReceipt:
    """A receipt with its place in the journal's hash chain."""

    receipt: Receipt
    seq: int
    chain: str

    @property
    def record(self) -> Record:
        return {**self.receipt.record, "seq": self.seq, "chain": self.chain}


def receipt_from(record: Record) -> Receipt:
    """Rebuild a receipt from its record.

    Raises KeyError, TypeError or ValueError if the record is not one of ours.
    """
    fields = cast("dict[str, Any]", record)
    return Receipt(
        proposal=fields["proposal"],
        digest=fields["digest"],
        outcome=Outcome(fields["outcome"]),
        decided_by=_decider(fields["decided_by"]),
        decided_at=parse_instant(fields["decided_at"]) if fields["decided_at"] is not None else None,
        committed_at=parse_instant(fields["committed_at"]),
        reason=fields["reason"],
        steps=tuple(step_from(step) for step in fields["changes"]),
        detail=fields["detail"],
        reviewed=reviewed_from(fields["review"]),
        successor=fields["successor"],
    )


def _decider(fields: dict[str, Any] | None) -> Record | None:
    """Give the keys the order that a new receipt has, so that a replay is the same document byte for byte."""
    return {key: fields[key] for key in ("name", "email", "uid", "level")} if fields is not None else None
