"""Make a proposal from an older one: its inverse, or the same on the present tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redline.core.change import Change
from redline.core.lifecycle import Outcome
from redline.core.notes import Finding, Severity
from redline.core.proposal import MAX_REASON_CHARACTERS, REFRESH, UNDO, Derivation, Origin
from redline.core.renames import renames
from redline.errors import UsageFault
from redline.review.admission import Admission, hard_links
from redline.review.lookup import find
from redline.review.offer import offer
from redline.review.rebase import Rebase

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.decision import Person
    from redline.core.merge import Conflict
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt
    from redline.review.offer import Prepared
    from redline.review.ports import Appender, Clock, Differ, Journal, Lock, Merger, Repository, TreeView
    from redline.review.rebase import Rebased
    from redline.review.recovery import Recovery

_FINAL = {
    Outcome.APPLIED: "it was applied; `redline undo {id}` takes it back",
    Outcome.SUPERSEDED: "it was applied in another form, as {successor}",
}


@dataclass(frozen=True, slots=True)
class Derived:
    """A stored proposal; `merged` paths keep what was written to them since, `settled` ones needed nothing."""

    prepared: Prepared
    merged: tuple[RepoPath, ...]
    settled: tuple[RepoPath, ...]


class DerivationDesk:
    """The person's port for undo and refresh: a new pending proposal each; the tree is not touched."""

    def __init__(  # noqa: PLR0913 -- the desk's whole world, by keyword
        self,
        *,
        lock: Lock,
        journal: Journal,
        tree: TreeView,
        repository: Repository,
        differ: Differ,
        merger: Merger,
        recovery: Recovery,
        policy: Callable[[], Policy],
        clock: Clock,
        person: Person,
    ) -> None:
        self._lock = lock
        self._journal = journal
        self._tree = tree
        self._repository = repository
        self._differ = differ
        self._merger = merger
        self._recovery = recovery
        self._policy = policy
        self._clock = clock
        self._person = person

    def undo(self, prefix: str) -> Derived | tuple[Conflict, ...]:
        """The inverse of what was applied, pending; what was written to its files since stays.

        Raises UsageFault if it was not applied, or nothing of it is there any more, and IntakeError.
        """
        with self._lock.hold() as held:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                applied = find(appender, prefix, self._person.uid)
                _refuse_unapplied(applied, appender.receipt(applied.id))
                reason = f"undo of {applied.id}: {applied.reason}"[:MAX_REASON_CHARACTERS]
                author = self._person.name or f"uid {self._person.uid}"
                origin = Origin(author, applied.origin.session, applied.origin.task)
                inverse = replace(applied, origin=origin, reason=reason, leniencies=())
                return self._derive(appender, inverse, _inverse(applied.changes), Derivation(applied.id, UNDO))

    def refresh(self, prefix: str) -> Derived | tuple[Conflict, ...]:
        """The same edit on the present tree, pending, by a three-way merge in memory.

        Raises UsageFault if there is nothing to refresh, and IntakeError.
        """
        with self._lock.hold() as held:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                older = find(appender, prefix, self._person.uid)
                filed = appender.receipt(older.id)
                _refuse_final(older, filed)
                is_open = filed is None and not older.is_expired(self._clock())
                return self._derive(appender, older, older.changes, Derivation(older.id, REFRESH), is_open=is_open)

    def _derive(
        self,
        appender: Appender,
        older: Proposal,
        changes: tuple[Change, ...],
        derived: Derivation,
        *,
        is_open: bool = False,
    ) -> Derived | tuple[Conflict, ...]:
        """`older` gives what the new proposal shares with it; `is_open` if it could still be confirmed itself."""
        policy = self._policy()
        admission = Admission(self._tree, self._repository, policy)
        footings = admission.admit([change.path for change in changes])
        rebased = Rebase(self._merger, appender.content, admission.read).run(changes)
        if rebased.conflicts:
            return tuple(rebased.conflicts)
        _refuse_needless(rebased, derived, is_open=is_open)
        results = tuple(rebased.changes)
        admission.refuse_results(results, footings)
        now = self._clock()
        proposal = replace(
            older,
            base=self._repository.base(),
            created_at=now,
            expires_at=now + policy.lifetime,
            changes=tuple(result.identify(self._repository.object_format) for result in results),
            findings=(),
            leniencies=tuple(note for note in older.leniencies if note.path in {result.path for result in results}),
            derived=derived,
            depends_on=(),
        )
        findings = (*map(_merged, rebased.merged), *hard_links(results, footings))
        prepared = offer(appender, self._differ, proposal, results, self._person.record, findings)
        return Derived(prepared, tuple(rebased.merged), tuple(rebased.settled))


def _inverse(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Each change the other way round; a rename goes back to its old name."""
    new_names = {source.path: path for path, source in renames(changes).items()}
    return tuple(Change(change.path, change.after, change.before, new_names.get(change.path)) for change in changes)


def _merged(path: RepoPath) -> Finding:
    return Finding("MERGED", Severity.INFO, "was changed since: this is made on its present text", path)


def _refuse_unapplied(proposal: Proposal, filed: FiledReceipt | None) -> None:
    outcome = filed.receipt.outcome if filed is not None else None
    if filed is None or outcome is not Outcome.APPLIED:
        successor = filed.receipt.successor if filed is not None else None
        raise UsageFault(
            f"{proposal.id[:7]} was not applied: there is nothing to undo",
            code="NOT_APPLIED",
            hint=f"What was applied of it is {successor[:7]}." if successor else "",
        )


def _refuse_final(proposal: Proposal, filed: FiledReceipt | None) -> None:
    if filed is not None and filed.receipt.outcome in _FINAL:
        why = _FINAL[filed.receipt.outcome].format(id=proposal.id[:7], successor=(filed.receipt.successor or "")[:7])
        raise UsageFault(f"{proposal.id[:7]} has no use for a refresh: {why}", code="NOTHING_TO_REFRESH")


def _refuse_needless(rebased: Rebased, derived: Derivation, *, is_open: bool) -> None:
    short = derived.origin_id[:7]
    if not rebased.changes and derived.how == UNDO:
        raise UsageFault(f"nothing of {short} is in the files any more", code="ALREADY_IN_PLACE")
    if not rebased.changes:
        raise UsageFault(
            f"the files hold all of {short} already",
            code="ALREADY_IN_PLACE",
            hint=f"`redline confirm {short} --in-place` records that, without a write." if is_open else "",
        )
    if is_open and not rebased.merged and not rebased.settled:
        raise UsageFault(
            f"{short} fits the files as they are: nothing is to be refreshed",
            code="NOTHING_TO_REFRESH",
            hint=f"`redline confirm {short}` to decide.",
        )
