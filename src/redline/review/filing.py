"""File how a proposal ended; what it supersedes ends with it, in one transaction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from redline.core.lifecycle import Act, Outcome, end
from redline.core.plan import steps_of
from redline.core.proposal import AMEND, REFRESH
from redline.core.receipt import Receipt
from redline.core.reviewed import NOT_REVIEWED
from redline.review.dependencies import cascade

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from redline.core.canonical import Record
    from redline.core.decision import Decision
    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt
    from redline.review.case import Case
    from redline.review.ports import Clock, Reader

_SHORT_ID = 7


class Filing:
    """Receipts of a person's decisions."""

    def __init__(self, clock: Clock, actor: Record) -> None:
        self._clock = clock
        self.actor = actor

    def file(
        self, case: Case, decision: Decision, outcome: Outcome, detail: str, declined: Iterable[str] = ()
    ) -> FiledReceipt:
        """`declined` are the memory keys of the parts that the person declined."""
        receipt = self._receipt(case.proposal, decision, outcome, detail)
        superseded = self._superseded(case.appender, case.proposal, decision) if outcome is Outcome.APPLIED else ()
        also = (*superseded, *cascade(case.appender, receipt, self._clock()))
        return case.appender.file(receipt, self.actor, also=also, declined=declined)

    def _superseded(self, reader: Reader, applied: Proposal, decision: Decision) -> Iterator[Receipt]:
        """The pending proposals that the applied one was made from, nearest first."""
        derived = applied.derived
        while derived is not None and derived.how in {AMEND, REFRESH}:
            older = reader.proposal(derived.origin_id)
            if reader.receipt(older.id) is None:
                is_parent = derived is applied.derived
                said = decision if is_parent else replace(decision, reviewed=NOT_REVIEWED)
                detail = f"applied in another form, as {applied.id[:_SHORT_ID]}"
                receipt = self._receipt(older, said, end(Act.REPLACE, Outcome.SUPERSEDED), detail)
                yield replace(receipt, successor=applied.id)
            derived = older.derived

    def _receipt(self, proposal: Proposal, decision: Decision, outcome: Outcome, detail: str) -> Receipt:
        return Receipt(
            proposal.id,
            proposal.digest,
            outcome,
            decision.decided_by,
            decision.decided_at,
            self._clock(),
            decision.reason,
            steps_of(proposal.changes),
            detail,
            decision.reviewed,
        )
