"""The guarded write of a decision: from the intent on, every way out files a receipt or ends the intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.canonical import format_instant
from redline.core.kept import kept_details
from redline.core.lifecycle import Act, Outcome, end
from redline.core.plan import PUT_BACK, Step, WritePlan, steps_of
from redline.errors import DriftFound, JournalFault, LockHeld, RecoveryIncomplete, WriteFailed
from redline.review.case import Ended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.core.canonical import Record
    from redline.core.decision import Decision
    from redline.core.kept import Kept
    from redline.core.proposal import Proposal
    from redline.review.case import Case
    from redline.review.filing import Filing
    from redline.review.ports import Clock, Journal, Writer


class Execution:
    """Stages, writes and commits one case, or takes it back."""

    def __init__(self, writer: Writer, journal: Journal, filing: Filing, clock: Clock) -> None:
        self._writer = writer
        self._journal = journal
        self._filing = filing
        self._clock = clock

    def run(self, case: Case, decision: Decision, note: str = "", declined: Iterable[str] = ()) -> Ended:
        """Write what the case's proposal says and file how that ended.

        `note` goes into the receipt of what was applied; `declined` are the memory keys of the parts that were left.
        Raises WriteFailed if it could not even be laid ready, LockHeld and KeyboardInterrupt if it was taken back: then
        the proposal is still pending; RecoveryIncomplete if a person must look.
        """
        plan = self._plan(case.proposal.id, steps_of(case.proposal.changes))
        try:
            self._writer.stage(case.held, plan, case.content)
        except WriteFailed as failure:
            case.heed_interrupt()
            raise _not_begun(failure, case.proposal) from failure
        case.appender.open_intent(plan, _intent_record(decision), self._clock())
        try:
            self._writer.write(case.held, plan, case.interrupted)
        except DriftFound as drift:
            return self._undo(case, plan, decision, Outcome.STALE, drift.message)
        except WriteFailed as failure:
            return self._undo(case, plan, decision, Outcome.FAILED_BEFORE_COMMIT, failure.message)
        except (KeyboardInterrupt, LockHeld) as stop:
            self._abandon(case, plan, str(stop) or "interrupted by the person", stop)
            case.heed_interrupt()
            raise
        return self._commit(case, plan, decision, note, declined)

    def put_back(self, case: Case) -> tuple[Kept, ...]:
        """Bring the tree from the proposal's after to its before, so that confirming it does what was done already.

        It stays pending either way. Raises WriteFailed, DriftFound, LockHeld and KeyboardInterrupt, the tree being as
        before; RecoveryIncomplete if a person must look.
        """
        steps = tuple(Step(step.path, step.after, step.before) for step in steps_of(case.proposal.changes))
        plan = self._plan(case.proposal.id, steps)
        try:
            self._writer.stage(case.held, plan, case.content)
        except WriteFailed:
            case.heed_interrupt()
            raise
        case.appender.open_intent(plan, {PUT_BACK: case.proposal.digest, "by": self._filing.actor}, self._clock())
        try:
            self._writer.write(case.held, plan, case.interrupted)
            self._record_put_back(case, plan)
        except (DriftFound, WriteFailed, LockHeld, JournalFault, KeyboardInterrupt) as stop:
            self._abandon(case, plan, str(stop) or "interrupted by the person", stop)
            case.heed_interrupt()
            raise
        return self._writer.tidy(case.held, plan)

    def _record_put_back(self, case: Case, plan: WritePlan) -> None:
        """The commit point; as in `_commit`, the journal read anew decides."""
        try:
            case.appender.record_put_back(plan, self._clock(), self._filing.actor)
        except JournalFault:
            with self._journal.reading() as reader:
                if any(unfinished.tx == plan.tx for unfinished, _ in reader.unfinished()):
                    raise

    def _plan(self, proposal_id: str, steps: tuple[Step, ...]) -> WritePlan:
        new_folders = self._writer.missing_folders(step.path for step in steps if step.after is not None)
        return WritePlan(proposal_id, proposal_id, steps, new_folders)

    def _commit(self, case: Case, plan: WritePlan, decision: Decision, note: str, declined: Iterable[str]) -> Ended:
        """File the receipt; where the answer to that is an error, the journal read anew decides, not the error."""
        detail = "; ".join(filter(None, (note, self._writer.weakness)))
        try:
            filed = self._filing.file(case, decision, end(Act.CONFIRM, Outcome.APPLIED), detail, declined)
        except JournalFault as fault:
            with self._journal.reading() as reader:
                found = reader.receipt(plan.proposal)
            if found is None:
                return self._undo(case, plan, decision, Outcome.FAILED_BEFORE_COMMIT, fault.message)
            filed = found
        return Ended(filed, replayed=False, kept=self._writer.tidy(case.held, plan))

    def _undo(self, case: Case, plan: WritePlan, decision: Decision, outcome: Outcome, detail: str) -> Ended:
        kept = self._roll_back(case, plan)
        detail = "; ".join([detail, *(item.text for item in kept)])
        filed = self._filing.file(case, decision, end(Act.CONFIRM, outcome), detail)
        return Ended(filed, replayed=False, kept=(*kept, *self._writer.tidy(case.held, plan)))

    def _abandon(self, case: Case, plan: WritePlan, why: str, stop: BaseException) -> None:
        """Take the write back and leave the proposal pending: nothing is wrong with it.

        Raises RecoveryIncomplete if somebody else's bytes were met on the way: a person must look.
        """
        kept = self._roll_back(case, plan)
        what = "; ".join([why, *(item.text for item in kept)])
        case.appender.drop_intent(plan, what, self._clock(), self._filing.actor)
        kept = (*kept, *self._writer.tidy(case.held, plan))
        if kept:
            differs = any(item.place is None for item in kept)
            state = "not everything is as before" if differs else "another program wrote meanwhile"
            raise RecoveryIncomplete(
                f"{why}; the write was taken back, but {state}: " + "; ".join(item.text for item in kept),
                hint="Look at the files named; the proposal is still pending.",
                details=kept_details(kept),
            ) from stop

    def _roll_back(self, case: Case, plan: WritePlan) -> tuple[Kept, ...]:
        try:
            return self._writer.roll_back(case.held, plan)
        except WriteFailed as failure:
            raise RecoveryIncomplete(
                f"{failure.message}; the tree is part-way between before and after",
                hint="Put right what the message names, then run `redline recover`.",
            ) from failure


def _intent_record(decision: Decision) -> Record:
    return {
        "digest": decision.digest,
        "decided_by": decision.decided_by,
        "decided_at": format_instant(decision.decided_at),
    }


def _not_begun(failure: WriteFailed, proposal: Proposal) -> WriteFailed:
    """Nothing moved yet, so nothing ends: the person mends what is named and confirms again."""
    return WriteFailed(
        f"nothing was written: {failure.message}",
        code=failure.code,
        hint=f"Put that right, then `redline confirm {proposal.id[:7]}` again: it is still pending.",
        details=failure.details,
    )
