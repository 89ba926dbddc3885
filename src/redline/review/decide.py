"""UserPort: a person confirms or declines what was displayed. The order of the checks is DESIGN's, and tested."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from redline.core.decision import Decision, Level
from redline.core.displayed import displayed, mismatches
from redline.core.drift import compare_all, is_in_place
from redline.core.lifecycle import Act, Outcome, end
from redline.core.memory import memory_key
from redline.core.parts import named_parts
from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.core.reviewed import NOT_REVIEWED
from redline.errors import ConfirmationMismatch, DecisionRefused, UsageFault
from redline.review.amend import amend
from redline.review.case import Case, Ended
from redline.review.dependencies import blocking
from redline.review.differences import differences
from redline.review.execution import Execution
from redline.review.filing import Filing
from redline.review.lookup import find
from redline.review.offer import offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from redline.core.decision import Person
    from redline.core.draft import Draft
    from redline.core.parts import Selection
    from redline.core.policy import Policy
    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt
    from redline.core.reviewed import Reviewed
    from redline.review.amend import Amendment
    from redline.review.ports import Clock, Differ, Journal, Lock, TreeView, Writer
    from redline.review.recovery import Recovery


IN_PLACE = "every file held this already: nothing was written"


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
        self._filing = Filing(clock, person.record)
        self._execution = Execution(writer, journal, self._filing, clock)

    def confirm(
        self,
        prefix: str,
        shown: str | Mapping[str, object],
        level: Level,
        selection: Selection | None = None,
        reviewed: Reviewed = NOT_REVIEWED,
        reason: str = "",
        *,
        in_place: bool = False,
    ) -> Ended:
        """Apply exactly what was displayed, or say how the proposal ended instead.

        `shown` is the digest of what was displayed, or the document itself. With a `selection` only that is applied, as
        a proposal of its own that supersedes this one, and `reason` is what the model is told of the rest. `in_place`
        records, without a write, that the tree holds all of it already. Repeating it returns the filed receipt and
        writes nothing. Raises DecisionRefused, ConfirmationMismatch, UsageFault for a
        selection that has no meaning and, where the change could not even be laid ready, WriteFailed, the proposal
        staying pending, and RecoveryIncomplete if a person must look.
        """
        _refuse_long(reason)
        with self._case(prefix) as case:
            decision = self._decision(case.proposal, level, reason, reviewed)
            ended = self._confirm(case, shown, decision, selection, in_place=in_place)
        return replace(ended, interrupted=case.interrupted())

    def lapse(self, prefix: str) -> Ended | None:
        """End a pending proposal that nothing could apply any more; None if it can still be decided.

        For a front-end that would otherwise ask a person for a word that has no effect. Raises DecisionRefused
        (BLOCKED) if another one must be decided first.
        """
        with self._case(prefix) as case:
            with case.looking():
                filed = case.appender.receipt(case.proposal.id)
                if filed is None:
                    _refuse_blocked(case)
                lapsed = self._lapsed(case.proposal, self._policy(), in_place=True) if filed is None else None
            if filed is not None:
                return Ended(filed, replayed=True)
            if lapsed is None or lapsed[0] is Outcome.APPLIED:
                return None
            ended = self._end(case, self._decision(case.proposal, Level.NONE), *lapsed)
        return replace(ended, interrupted=case.interrupted())

    def decline(self, prefix: str, reason: str, level: Level = Level.NONE, reviewed: Reviewed = NOT_REVIEWED) -> Ended:
        """End a proposal with a no; the model is told the reason.

        Raises UsageFault (LIMIT_REASON) if the reason is too long to be told.
        """
        _refuse_long(reason)
        with self._case(prefix) as case:
            with case.looking():
                filed = case.appender.receipt(case.proposal.id)
            if filed is not None:
                return Ended(filed, replayed=True)
            changes = {change.path: change for change in case.proposal.changes}
            parts = named_parts(case.proposal.changes, case.appender.hunk_ids(case.proposal.id))
            keys = [memory_key(part, changes[part.path]) for part in parts]
            decision = self._decision(case.proposal, level, reason, reviewed)
            filed = self._filing.file(case, decision, end(Act.DECLINE, Outcome.DECLINED), "", keys)
            ended = Ended(filed, replayed=False)
        return replace(ended, interrupted=case.interrupted())

    def keep_draft(self, proposal_id: str, draft: Draft) -> None:
        """Keep an unfinished review, so that it can be gone on with; a blank one is forgotten."""
        with self._lock.hold() as held, self._journal.writing(held) as appender:
            appender.keep_draft(proposal_id, None if draft.is_blank else draft.record)

    @contextmanager
    def _case(self, prefix: str) -> Iterator[Case]:
        """Take the lock, settle what a crash left, and find the proposal."""
        with self._lock.hold() as held, self._writer.held_back() as interrupted:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                yield Case(held, appender, find(appender, prefix, self._person.uid), interrupted)

    def _confirm(
        self,
        case: Case,
        shown: str | Mapping[str, object],
        decision: Decision,
        selection: Selection | None,
        *,
        in_place: bool,
    ) -> Ended:
        lapsed: tuple[Outcome, str] | None = None
        with case.looking():
            self._refuse_mismatch(case, shown)
            amendment = self._amendment(case, selection)
            filed = self._filed(case, amendment)
            if filed is None:
                _refuse_blocked(case)
                policy = self._policy()
                if decision.level.strength < policy.level.strength:
                    raise _level_not_met(policy.level)
                proposal = amendment.proposal if amendment is not None else case.proposal
                lapsed = self._lapsed(proposal, policy, in_place=in_place)
                if in_place and lapsed is None:
                    raise _not_in_place(proposal)
        if filed is not None:
            return Ended(filed, replayed=True)
        if lapsed is not None:
            return self._end(case, decision, *lapsed)
        return self._amend(case, decision, amendment) if amendment is not None else self._execution.run(case, decision)

    def _amendment(self, case: Case, selection: Selection | None) -> Amendment | None:
        if selection is None:
            return None
        return amend(self._differ, case.proposal, case.appender.content, selection, self._clock())

    def _filed(self, case: Case, amendment: Amendment | None) -> FiledReceipt | None:
        """The receipt of what is confirmed, if there is one: of the same selection, what was applied in its place."""
        filed = case.appender.receipt(case.proposal.id)
        if filed is None or filed.receipt.successor is None or amendment is None:
            return filed
        successor = case.appender.proposal(filed.receipt.successor)
        is_same = successor.changes_digest == amendment.proposal.changes_digest
        return case.appender.receipt(successor.id) if is_same else filed

    def _amend(self, case: Case, decision: Decision, amendment: Amendment) -> Ended:
        """Store what the person took as a proposal of its own, and carry that out."""
        prepared = offer(case.appender, self._differ, amendment.proposal, amendment.changes, self._person.record)
        decided = replace(
            decision,
            digest=prepared.proposal.digest,
            reviewed=replace(decision.reviewed, shares=amendment.shares),
        )
        amended = replace(case, proposal=prepared.proposal)
        return self._execution.run(amended, decided, amendment.note, amendment.declined)

    def _refuse_mismatch(self, case: Case, shown: str | Mapping[str, object]) -> None:
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

    def _decision(
        self, proposal: Proposal, level: Level, reason: str = "", reviewed: Reviewed = NOT_REVIEWED
    ) -> Decision:
        return Decision(self._person, level, self._clock(), proposal.digest, reason, reviewed)

    def _lapsed(self, proposal: Proposal, policy: Policy, *, in_place: bool) -> tuple[Outcome, str] | None:
        """How policy, time or the tree have ended the proposal, in this order, and the detail.

        With `in_place` a tree that holds all of it already has ended it as applied: there is nothing to write.
        """
        changes = proposal.changes
        denied = [change.path for change in changes if policy.denial(change.path) is not None]
        if denied:
            return Outcome.PERMISSION_REVOKED, f"policy denies changes to {', '.join(denied)} now"
        if proposal.is_expired(self._clock()):
            return Outcome.EXPIRED, f"it was open until {proposal.expires_at:%Y-%m-%d %H:%M:%S} UTC"
        now = {change.path: self._tree.look(change.path) for change in changes}
        drifts = compare_all(changes, now)
        if drifts and in_place and is_in_place(changes, now):
            return Outcome.APPLIED, IN_PLACE
        if drifts:
            return Outcome.STALE, "; ".join(f"{drift.path} {drift.text}" for drift in drifts)
        return None

    def _end(self, case: Case, decision: Decision, outcome: Outcome, detail: str) -> Ended:
        return Ended(self._filing.file(case, decision, end(Act.CONFIRM, outcome), detail), replayed=False)


def _refuse_blocked(case: Case) -> None:
    waiting = blocking(case.appender, case.proposal)
    if waiting:
        first = waiting[0][:7]
        raise DecisionRefused(
            f"{case.proposal.id[:7]} starts from what {', '.join(parent[:7] for parent in waiting)} would make",
            code="BLOCKED",
            hint=f"Decide {first} first: `redline review {first}`.",
            details={"waits_for": [*waiting]},
        )


def _refuse_long(reason: str) -> None:
    if len(reason) > MAX_REASON_CHARACTERS:
        raise UsageFault(
            f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARACTERS} are kept",
            code="LIMIT_REASON",
            hint="Say it shorter.",
        )


def _not_in_place(proposal: Proposal) -> UsageFault:
    return UsageFault(
        f"the files are as {proposal.id[:7]} expects to find them: it is not in place yet",
        code="NOT_IN_PLACE",
        hint=f"`redline confirm {proposal.id[:7]}` applies it.",
    )


def _level_not_met(level: Level) -> DecisionRefused:
    return DecisionRefused(
        f"this confirmation is weaker than the level {level.value!r} that holds here",
        code="CONFIRM_LEVEL",
        hint="Confirm on a terminal; only your own configuration can lower the level, a repository never can.",
    )
