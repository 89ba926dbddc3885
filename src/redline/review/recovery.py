"""Settle what a crash left: an intent without a receipt is rolled back, leftovers of settled writes are removed.

Idempotent, and safe to be killed itself: each step leaves a state that this module reads again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from redline.core.canonical import parse_instant
from redline.core.kept import kept_details
from redline.core.lifecycle import Act, Outcome, end
from redline.core.plan import PUT_BACK, WritePlan, steps_of
from redline.core.receipt import Receipt
from redline.errors import RecoveryIncomplete
from redline.review.dependencies import cascade

if TYPE_CHECKING:
    from redline.core.canonical import Record
    from redline.core.held import Held
    from redline.core.kept import Kept
    from redline.review.ports import Appender, Clock, Journal, Writer

_CUT_OFF = "the write was cut off: redline, or the computer, stopped in the middle of it"


@dataclass(frozen=True, slots=True)
class Recovered:
    """The proposals whose write was rolled back, and the bytes that are neither before nor after.

    `pending` are those among them that have not ended: what was cut off was the return to their before.
    """

    rolled_back: tuple[str, ...]
    kept: tuple[Kept, ...]
    pending: frozenset[str] = frozenset()


class Recovery:
    """Runs before every command of a person that writes."""

    def __init__(self, journal: Journal, writer: Writer, clock: Clock) -> None:
        self._journal = journal
        self._writer = writer
        self._clock = clock

    def run(self, held: Held) -> Recovered:
        """Settle everything that is unfinished.

        Raises WriteFailed or JournalFault if that is not possible now.
        """
        with self._journal.writing(held) as appender:
            rolled_back: list[str] = []
            kept: list[Kept] = []
            pending: set[str] = set()
            for plan, decision in appender.unfinished():
                if PUT_BACK in decision:
                    kept += self._abandon(held, appender, plan)
                    pending.add(plan.proposal)
                else:
                    kept += self._roll_back(held, appender, plan, decision)
                rolled_back.append(plan.proposal)
            for tx in self._writer.unsettled(held):
                kept += self._writer.tidy(held, _settled_plan(appender, tx))
        return Recovered(tuple(rolled_back), tuple(kept), frozenset(pending))

    def run_or_stop(self, held: Held) -> Recovered:
        """Settle everything, and stop the command if a person must look first.

        Raises RecoveryIncomplete naming what was kept.
        """
        recovered = self.run(held)
        if recovered.kept:
            raise RecoveryIncomplete(
                f"{_what_came(recovered)}: " + "; ".join(kept.text for kept in recovered.kept),
                hint="Look at the files named, then repeat the command.",
                details=kept_details(recovered.kept),
            )
        return recovered

    def _roll_back(self, held: Held, appender: Appender, plan: WritePlan, decision: Record) -> tuple[Kept, ...]:
        kept = self._writer.roll_back(held, plan)
        receipt = Receipt(
            plan.proposal,
            cast("str", decision["digest"]),
            end(Act.RECOVER, Outcome.FAILED_BEFORE_COMMIT),
            cast("Record", decision["decided_by"]),
            parse_instant(cast("str", decision["decided_at"])),
            self._clock(),
            "",
            plan.steps,
            "; ".join([_CUT_OFF, *(item.text for item in kept)]),
        )
        appender.file(receipt, {"role": "recovery"}, also=tuple(cascade(appender, receipt, self._clock())))
        return (*kept, *self._writer.tidy(held, plan))

    def _abandon(self, held: Held, appender: Appender, plan: WritePlan) -> tuple[Kept, ...]:
        """A capture that was cut off: the tree holds all of its proposal again, which stays pending."""
        kept = self._writer.roll_back(held, plan)
        what = "; ".join([_CUT_OFF, *(item.text for item in kept)])
        appender.drop_intent(plan, what, self._clock(), {"role": "recovery"})
        return (*kept, *self._writer.tidy(held, plan))


def _what_came(recovered: Recovered) -> str:
    if not recovered.rolled_back:
        return "an earlier write has ended, but somebody else wrote to its files meanwhile"
    if any(item.place is None for item in recovered.kept):
        return "an interrupted write was taken back, but not everything is as before"
    return "an interrupted write was taken back, but somebody else wrote to its files meanwhile"


def _settled_plan(appender: Appender, tx: str) -> WritePlan:
    """The plan of a transaction that has no intent any more: it is named after its proposal.

    If the journal has no such proposal the folder is somebody else's, and no file in it belongs to a step.
    """
    known = tx in appender.find(tx)
    return WritePlan(tx, tx, steps_of(appender.proposal(tx).changes) if known else (), ())
