"""UserPort: a person confirms or declines what was displayed. The order of the checks is DESIGN's, and tested."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redline.core.canonical import format_instant
from redline.core.decision import Decision, Level
from redline.core.displayed import displayed, mismatches
from redline.core.drift import compare_all
from redline.core.kept import kept_details
from redline.core.lifecycle import Act, Outcome, end
from redline.core.plan import WritePlan, steps_of
from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.core.receipt import FiledReceipt, Receipt
from redline.errors import (
    ConfirmationMismatch,
    DecisionRefused,
    DriftFound,
    JournalFault,
    LockHeld,
    RecoveryIncomplete,
    RedlineError,
    UsageFault,
    WriteFailed,
)
from redline.review.differences import differences
from redline.review.lookup import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from redline.core.canonical import Record
    from redline.core.decision import Person
    from redline.core.held import Held
    from redline.core.kept import Kept
    from redline.core.policy import Policy
    from redline.core.proposal import Proposal
    from redline.review.ports import (
        Appender,
        Clock,
        Differ,
        Journal,
        Lock,
        TreeView,
        Writer,
    )
    from redline.review.recovery import Recovery


@dataclass(frozen=True, slots=True)
class Ended:
    """A proposal's receipt; `replayed` if it was filed before, `kept` names foreign bytes met on the way.

    `interrupted` if somebody asked to stop when it was too late for this proposal: no other is to be taken up.
    """

    filed: FiledReceipt
    replayed: bool
    kept: tuple[Kept, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class _Case:
    """One proposal under the held lock, and the journal that its end goes into.

    From before recovery until the journal is closed, interrupts are held back, and `interrupted` tells of them: one
    that comes before anything is filed or written stops the decision, one that comes later is told with its end.
    """

    held: Held
    appender: Appender
    proposal: Proposal
    interrupted: Callable[[], bool]

    def content(self, sha256: str) -> bytes:
        """A content of the proposal. Raises KeyboardInterrupt if the person wants to stop."""
        self.heed_interrupt()
        return self.appender.content(sha256)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """A block in which nothing is filed or written.

        Raises KeyboardInterrupt at its end if the person wants to stop; for an error too, as Ctrl-C also ends git.
        """
        try:
            yield
        except RedlineError:
            self.heed_interrupt()
            raise
        self.heed_interrupt()

    def heed_interrupt(self) -> None:
        """Called where nothing is written, or all of it was taken back. Raises KeyboardInterrupt."""
        if self.interrupted():
            raise KeyboardInterrupt


class UserDesk:
    """The person's port. `policy` is asked anew at every decision."""

    def __init__(  # noqa: PLR0913 -- the desk's whole world, by keyword
        self,
        *,
        lock: Lock,
        journal: Journal,
        tree: TreeView,
        writer: Writer,
        differ: Differ,
        recovery: Recovery,
        policy: Callable[[], Policy],
        clock: Clock,
        person: Person,
    ) -> None:
        self._lock = lock
        self._journal = journal
        self._tree = tree
        self._writer = writer
        self._differ = differ
        self._recovery = recovery
        self._policy = policy
        self._clock = clock
        self._person = person

    def confirm(self, prefix: str, shown: str | Mapping[str, object], level: Level) -> Ended:
        """Apply exactly what was displayed, or say how the proposal ended instead.

        `shown` is the digest of what was displayed, or the document itself. Repeating it returns the filed receipt and
        writes nothing. Raises DecisionRefused, ConfirmationMismatch and, where the change could not even be laid ready,
        WriteFailed, the proposal staying pending, and RecoveryIncomplete if a person must look.
        """
        with self._case(prefix) as case:
            ended = self._confirm(case, shown, level)
        return replace(ended, interrupted=case.interrupted())

    def lapse(self, prefix: str) -> Ended | None:
        """End a pending proposal that nothing could apply any more; None if it can still be decided.

        For a front-end that would otherwise ask a person for a word that has no effect.
        """
        with self._case(prefix) as case:
            with case.looking():
                filed = case.appender.receipt(case.proposal.id)
                lapsed = self._lapsed(case.proposal, self._policy()) if filed is None else None
            if filed is not None:
                return Ended(filed, replayed=True)
            if lapsed is None:
                return None
            ended = self._end(case, self._decision(case, Level.NONE), *lapsed)
        return replace(ended, interrupted=case.interrupted())

    def decline(self, prefix: str, reason: str, level: Level = Level.NONE) -> Ended:
        """End a proposal with a no; the model is told the reason.

        Raises UsageFault (LIMIT_REASON) if the reason is too long to be told.
        """
        if len(reason) > MAX_REASON_CHARACTERS:
            raise UsageFault(
                f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARACTERS} are kept",
                code="LIMIT_REASON",
                hint="Say it shorter.",
            )
        with self._case(prefix) as case:
            with case.looking():
                filed = case.appender.receipt(case.proposal.id)
            if filed is not None:
                return Ended(filed, replayed=True)
            decision = self._decision(case, level, reason)
            ended = Ended(self._file(case, decision, end(Act.DECLINE, Outcome.DECLINED), ""), replayed=False)
        return replace(ended, interrupted=case.interrupted())

    @contextmanager
    def _case(self, prefix: str) -> Iterator[_Case]:
        """Take the lock, settle what a crash left, and find the proposal."""
        with self._lock.hold() as held, self._writer.held_back() as interrupted:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                yield _Case(held, appender, find(appender, prefix, self._person.uid), interrupted)

    def _confirm(self, case: _Case, shown: str | Mapping[str, object], level: Level) -> Ended:
        lapsed: tuple[Outcome, str] | None = None
        with case.looking():
            self._refuse_mismatch(case, shown)
            filed = case.appender.receipt(case.proposal.id)
            if filed is None:
                policy = self._policy()
                if level.strength < policy.level.strength:
                    raise _level_not_met(policy.level)
                lapsed = self._lapsed(case.proposal, policy)
        if filed is not None:
            return Ended(filed, replayed=True)
        decision = self._decision(case, level)
        return self._end(case, decision, *lapsed) if lapsed is not None else self._write(case, decision)

    def _refuse_mismatch(self, case: _Case, shown: str | Mapping[str, object]) -> None:
        proposal = case.proposal
        if isinstance(shown, str):
            wrong: tuple[str, ...] = () if shown == proposal.digest else ("digest",)
        else:
            diffs = differences(self._differ, proposal.changes, case.appender.content)
            hunks = {path: diff.hunks() for path, diff in diffs.items()}
            wrong = mismatches(shown, displayed(proposal, hunks))
        if wrong:
            raise ConfirmationMismatch(
                f"what was displayed is not what is stored for {proposal.id}: {', '.join(wrong[:5])} differs",
                hint=f"Nothing was written. Look again with `redline show {proposal.id[:7]}`.",
                details={"fields": list(wrong)},
            )

    def _decision(self, case: _Case, level: Level, reason: str = "") -> Decision:
        return Decision(self._person, level, self._clock(), case.proposal.digest, reason)

    def _lapsed(self, proposal: Proposal, policy: Policy) -> tuple[Outcome, str] | None:
        """How policy, time or the tree have ended the proposal, in this order, and the detail."""
        changes = proposal.changes
        denied = [change.path for change in changes if policy.denial(change.path) is not None]
        if denied:
            return Outcome.PERMISSION_REVOKED, f"policy denies changes to {', '.join(denied)} now"
        if proposal.is_expired(self._clock()):
            return Outcome.EXPIRED, f"it was open until {proposal.expires_at:%Y-%m-%d %H:%M:%S} UTC"
        drifts = compare_all(changes, {change.path: self._tree.look(change.path) for change in changes})
        if drifts:
            return Outcome.STALE, "; ".join(f"{drift.path} {drift.text}" for drift in drifts)
        return None

    def _write(self, case: _Case, decision: Decision) -> Ended:
        """The guarded write; from the intent on, every way out files a receipt or ends the intent."""
        plan = self._plan(case.proposal)
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
        return self._commit(case, plan, decision)

    def _plan(self, proposal: Proposal) -> WritePlan:
        written = (change.path for change in proposal.changes if change.after is not None)
        new_folders = self._writer.missing_folders(written)
        return WritePlan(proposal.id, proposal.id, steps_of(proposal.changes), new_folders)

    def _commit(self, case: _Case, plan: WritePlan, decision: Decision) -> Ended:
        """File the receipt; where the answer to that is an error, the journal read anew decides, not the error."""
        try:
            filed = self._file(case, decision, end(Act.CONFIRM, Outcome.APPLIED), self._writer.weakness)
        except JournalFault as fault:
            with self._journal.reading() as reader:
                found = reader.receipt(plan.proposal)
            if found is None:
                return self._undo(case, plan, decision, Outcome.FAILED_BEFORE_COMMIT, fault.message)
            filed = found
        return Ended(filed, replayed=False, kept=self._writer.tidy(case.held, plan))

    def _undo(self, case: _Case, plan: WritePlan, decision: Decision, outcome: Outcome, detail: str) -> Ended:
        kept = self._roll_back(case, plan)
        detail = "; ".join([detail, *(item.text for item in kept)])
        filed = self._file(case, decision, end(Act.CONFIRM, outcome), detail)
        return Ended(filed, replayed=False, kept=(*kept, *self._writer.tidy(case.held, plan)))

    def _abandon(self, case: _Case, plan: WritePlan, why: str, stop: BaseException) -> None:
        """Take the write back and leave the proposal pending: nothing is wrong with it.

        Raises RecoveryIncomplete if somebody else's bytes were met on the way: a person must look.
        """
        kept = self._roll_back(case, plan)
        what = "; ".join([why, *(item.text for item in kept)])
        case.appender.drop_intent(plan, what, self._clock(), self._person.record)
        kept = (*kept, *self._writer.tidy(case.held, plan))
        if kept:
            differs = any(item.place is None for item in kept)
            state = "not everything is as before" if differs else "another program wrote meanwhile"
            raise RecoveryIncomplete(
                f"{why}; the write was taken back, but {state}: " + "; ".join(item.text for item in kept),
                hint="Look at the files named; the proposal is still pending.",
                details=kept_details(kept),
            ) from stop

    def _roll_back(self, case: _Case, plan: WritePlan) -> tuple[Kept, ...]:
        try:
            return self._writer.roll_back(case.held, plan)
        except WriteFailed as failure:
            raise RecoveryIncomplete(
                f"{failure.message}; the tree is part-way between before and after",
                hint="Put right what the message names, then run `redline recover`.",
            ) from failure

    def _end(self, case: _Case, decision: Decision, outcome: Outcome, detail: str) -> Ended:
        return Ended(self._file(case, decision, end(Act.CONFIRM, outcome), detail), replayed=False)

    def _file(self, case: _Case, decision: Decision, outcome: Outcome, detail: str) -> FiledReceipt:
        receipt = Receipt(
            case.proposal.id,
            case.proposal.digest,
            outcome,
            decision.decided_by,
            decision.decided_at,
            self._clock(),
            decision.reason,
            steps_of(case.proposal.changes),
            detail,
        )
        return case.appender.file(receipt, self._person.record)


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


def _level_not_met(level: Level) -> DecisionRefused:
    return DecisionRefused(
        f"this confirmation is weaker than the level {level.value!r} that holds here",
        code="CONFIRM_LEVEL",
        hint="Confirm on a terminal; only your own configuration can lower the level, a repository never can.",
    )
