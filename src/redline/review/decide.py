"""UserPort: a person confirms or declines what was displayed. The order of the checks is DESIGN's, and tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.core.canonical import format_instant
from redline.core.decision import Decision, Level
from redline.core.displayed import displayed, mismatches
from redline.core.drift import compare_all
from redline.core.lifecycle import Act, Outcome, end
from redline.core.plan import WritePlan, steps_of
from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.core.receipt import FiledReceipt, Receipt, ReceiptLine
from redline.errors import (
    ConfirmationMismatch,
    DecisionRefused,
    DriftFound,
    JournalFault,
    RecoveryIncomplete,
    UsageFault,
    WriteFailed,
)
from redline.review.lookup import find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        Reader,
        TreeView,
        Writer,
    )
    from redline.review.recovery import Recovery


@dataclass(frozen=True, slots=True)
class Ended:
    """A proposal's receipt; `replayed` if it was filed before, `kept` names foreign bytes met on the way."""

    filed: FiledReceipt
    replayed: bool
    kept: tuple[Kept, ...] = ()


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

        `shown` is the digest of what was displayed, or the document itself. Repeating it returns the filed
        receipt and writes nothing. Raises DecisionRefused and ConfirmationMismatch, the proposal staying
        pending; RecoveryIncomplete if a person must look.
        """
        with self._lock.hold() as held:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                proposal = find(appender, prefix, self._person.uid)
                self._refuse_mismatch(appender, proposal, shown)
                filed = appender.receipt(proposal.id)
                if filed is not None:
                    return Ended(filed, replayed=True)
                policy = self._policy()
                if level.strength < policy.level.strength:
                    raise _level_not_met(policy.level)
                decision = self._decision(proposal, level)
                lapsed = self._lapse(appender, proposal, decision, policy)
                return lapsed or self._write(held, appender, proposal, decision)

    def lapse(self, prefix: str) -> Ended | None:
        """End a pending proposal that nothing could apply any more; None if it can still be decided.

        For a front-end that would otherwise ask a person for a word that has no effect.
        """
        with self._lock.hold() as held:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                proposal = find(appender, prefix, self._person.uid)
                filed = appender.receipt(proposal.id)
                if filed is not None:
                    return Ended(filed, replayed=True)
                decision = self._decision(proposal, Level.NONE)
                return self._lapse(appender, proposal, decision, self._policy())

    def decline(self, prefix: str, reason: str) -> Ended:
        """End a proposal with a no; the model is told the reason."""
        if len(reason) > MAX_REASON_CHARACTERS:
            raise UsageFault(
                f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARACTERS} are kept",
                code="LIMIT_REASON",
                hint="Say it shorter.",
            )
        with self._lock.hold() as held:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                proposal = find(appender, prefix, self._person.uid)
                filed = appender.receipt(proposal.id)
                if filed is not None:
                    return Ended(filed, replayed=True)
                decision = self._decision(proposal, Level.NONE, reason)
                outcome = end(Act.DECLINE, Outcome.DECLINED)
                return Ended(self._file(appender, proposal, decision, outcome, ""), replayed=False)

    def _refuse_mismatch(self, reader: Reader, proposal: Proposal, shown: str | Mapping[str, object]) -> None:
        if isinstance(shown, str):
            wrong: tuple[str, ...] = () if shown == proposal.digest else ("digest",)
        else:
            diffs = self._differ.compare(proposal.changes, reader.content)
            hunks = {path: diff.hunks() for path, diff in diffs.items()}
            wrong = mismatches(shown, displayed(proposal, hunks))
        if wrong:
            raise ConfirmationMismatch(
                f"what was displayed is not what is stored for {proposal.id}: {', '.join(wrong[:5])} differs",
                hint=f"Nothing was written. Look again with `redline show {proposal.id[:7]}`.",
                details={"fields": list(wrong)},
            )

    def _decision(self, proposal: Proposal, level: Level, reason: str = "") -> Decision:
        return Decision(self._person, level, self._clock(), proposal.digest, reason)

    def _lapse(self, appender: Appender, proposal: Proposal, decision: Decision, policy: Policy) -> Ended | None:
        denied = [change.path for change in proposal.changes if policy.denial(change.path) is not None]
        if denied:
            detail = f"policy denies changes to {', '.join(denied)} now"
            return self._end(appender, proposal, decision, Outcome.PERMISSION_REVOKED, detail)
        if proposal.is_expired(self._clock()):
            detail = f"it was open until {format_instant(proposal.expires_at)}"
            return self._end(appender, proposal, decision, Outcome.EXPIRED, detail)
        now = {change.path: self._tree.look(change.path) for change in proposal.changes}
        drifts = compare_all(proposal.changes, now)
        if drifts:
            detail = "; ".join(f"{drift.path} {drift.text}" for drift in drifts)
            return self._end(appender, proposal, decision, Outcome.STALE, detail)
        return None

    def _write(self, held: Held, appender: Appender, proposal: Proposal, decision: Decision) -> Ended:
        plan = WritePlan(
            proposal.id,
            proposal.id,
            steps_of(proposal.changes),
            self._writer.missing_folders(change.path for change in proposal.changes if change.after is not None),
        )
        try:
            self._writer.stage(held, plan, appender.content)
        except WriteFailed as failure:
            return self._end(appender, proposal, decision, Outcome.FAILED_BEFORE_COMMIT, failure.message)
        with self._writer.held_back() as interrupted:
            appender.open_intent(plan, _intent_record(decision), self._clock())
            try:
                self._writer.write(held, plan, interrupted)
            except DriftFound as drift:
                return self._undo(held, appender, proposal, plan, decision, Outcome.STALE, drift.message)
            except WriteFailed as failure:
                failed = Outcome.FAILED_BEFORE_COMMIT
                return self._undo(held, appender, proposal, plan, decision, failed, failure.message)
            except KeyboardInterrupt:
                self._abandon(held, appender, plan)
                raise
            return self._commit(held, appender, proposal, plan, decision)

    def _commit(self, held: Held, appender: Appender, proposal: Proposal, plan: WritePlan, decision: Decision) -> Ended:
        """File the receipt; where the answer to that is an error, the journal read anew decides, not the error."""
        try:
            filed = self._file(appender, proposal, decision, end(Act.CONFIRM, Outcome.APPLIED), "")
        except JournalFault as fault:
            with self._journal.reading() as reader:
                found = reader.receipt(proposal.id)
            if found is None:
                failed = Outcome.FAILED_BEFORE_COMMIT
                return self._undo(held, appender, proposal, plan, decision, failed, fault.message)
            filed = found
        return Ended(filed, replayed=False, kept=self._writer.tidy(held, plan))

    def _undo(
        self,
        held: Held,
        appender: Appender,
        proposal: Proposal,
        plan: WritePlan,
        decision: Decision,
        outcome: Outcome,
        detail: str,
    ) -> Ended:
        kept = self._roll_back(held, plan)
        detail = "; ".join([detail, *(item.text for item in kept)])
        filed = self._file(appender, proposal, decision, end(Act.CONFIRM, outcome), detail)
        return Ended(filed, replayed=False, kept=(*kept, *self._writer.tidy(held, plan)))

    def _abandon(self, held: Held, appender: Appender, plan: WritePlan) -> None:
        self._roll_back(held, plan)
        appender.drop_intent(plan, "interrupted by the person", self._clock(), self._person.record)
        self._writer.tidy(held, plan)

    def _roll_back(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:
        try:
            return self._writer.roll_back(held, plan)
        except WriteFailed as failure:
            raise RecoveryIncomplete(
                f"{failure.message}; the tree is part-way between before and after",
                hint="Put right what the message names, then run `redline recover`.",
            ) from failure

    def _end(self, appender: Appender, proposal: Proposal, decision: Decision, outcome: Outcome, detail: str) -> Ended:
        filed = self._file(appender, proposal, decision, end(Act.CONFIRM, outcome), detail)
        return Ended(filed, replayed=False)

    def _file(
        self, appender: Appender, proposal: Proposal, decision: Decision, outcome: Outcome, detail: str
    ) -> FiledReceipt:
        receipt = Receipt(
            proposal.id,
            proposal.digest,
            outcome,
            decision.decided_by,
            decision.decided_at,
            self._clock(),
            decision.reason,
            tuple(ReceiptLine(change.path, change.before, change.after) for change in proposal.changes),
            detail,
        )
        return appender.file(receipt, self._person.record)


def _intent_record(decision: Decision) -> Record:
    return {
        "digest": decision.digest,
        "decided_by": decision.decided_by,
        "decided_at": format_instant(decision.decided_at),
    }


def _level_not_met(level: Level) -> DecisionRefused:
    return DecisionRefused(
        f"this confirmation is weaker than the level {level.value!r} that holds here",
        code="CONFIRM_LEVEL",
        hint="Confirm on a terminal; only your own configuration can lower the level, a repository never can.",
    )
