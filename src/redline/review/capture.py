"""Changes that files hold already become a proposal: uncommitted ones, and what a command made of a copy."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.committed import EntryKind
from redline.core.content import Content, Mode
from redline.core.moves import with_moves
from redline.core.proposal import Proposal
from redline.errors import PathRefused, UsageFault
from redline.review.admission import Admission, hard_links, refuse_long
from redline.review.case import Case
from redline.review.differences import differences
from redline.review.execution import Execution
from redline.review.filing import Filing
from redline.review.leaving_out import Sieve
from redline.review.offer import Prepared, offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from redline.core.committed import Blob, Candidate
    from redline.core.decision import Person
    from redline.core.held import Held
    from redline.core.kept import Kept
    from redline.core.net import NetChange
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.core.proposal import Origin
    from redline.review.leaving_out import LeftOut
    from redline.review.ports import (
        Appender,
        Clock,
        Differ,
        Journal,
        Lock,
        Repository,
        TreeView,
        Uncommitted,
        Writer,
    )
    from redline.review.recovery import Recovery

_FEW_REFUSALS = 5
_NO_FILE = {EntryKind.SYMLINK: "a symbolic link", EntryKind.SUBMODULE: "a submodule"}


@dataclass(frozen=True, slots=True)
class Captured:
    """A pending proposal of what was uncommitted.

    If it `is_put_back`, the tree holds its before, else still its after. `staged_count` paths of git's index differ
    from HEAD, as they did; `kept` names foreign bytes met on the way.
    """

    prepared: Prepared
    is_put_back: bool
    staged_count: int
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """What a command's net change became: nothing if there was none that could be proposed."""

    prepared: Prepared | None
    left_out: tuple[LeftOut, ...]


class CaptureDesk:
    """The person's port for work that was done without redline; each makes a pending proposal of it."""

    def __init__(  # noqa: PLR0913 -- the desk's whole world, by keyword
        self,
        *,
        lock: Lock,
        journal: Journal,
        tree: TreeView,
        writer: Writer,
        repository: Repository,
        uncommitted: Callable[[], Uncommitted],
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
        self._repository = repository
        self._uncommitted = uncommitted
        self._differ = differ
        self._recovery = recovery
        self._policy = policy
        self._clock = clock
        self._person = person
        self._execution = Execution(writer, journal, Filing(clock, person.record), clock)

    def capture(self, selected: tuple[str, ...], origin: Origin, reason: str, *, keep: bool) -> Captured | None:
        """Propose what is uncommitted and put the tree back to what a checkout of HEAD would give; None if nothing is.

        `selected` are files and folders, from the root; all, if none is named. With `keep` the tree stays as it is.
        The contents are stored before the tree is touched. If that is cut off, the proposal is pending and the tree as
        it was: the same capture goes on with it. git's index is left alone. Raises PathRefused if a path cannot be
        captured, UsageFault if a selected one has no change, and what `Execution.put_back` raises.
        """
        refuse_long(reason)
        with self._open() as (held, appender, interrupted):
            uncommitted = self._uncommitted()
            sieve = Sieve(Admission(self._tree, self._repository, self._policy()))
            changes = self._changes(uncommitted, sieve, selected)
            _refuse(sieve.left_out)
            if interrupted():
                raise KeyboardInterrupt
            if not changes:
                return None
            prepared = self._store(appender, changes, sieve, origin, reason)
            kept = () if keep else self._execution.put_back(Case(held, appender, prepared.proposal, interrupted))
            return Captured(prepared, not keep, uncommitted.staged_count(), kept)

    def propose(self, net: Iterable[NetChange], origin: Origin, reason: str) -> Taken:
        """Propose what can be proposed of a net change, and name the rest; the tree is not touched.

        Raises LimitExceeded if it is more than one proposal may hold.
        """
        with self._open() as (_, appender, _interrupted):
            sieve = Sieve(Admission(self._tree, self._repository, self._policy()))
            by_path = {}
            for change in net:
                if change.fault:
                    sieve.leave_out(change.path, change.fault)
                else:
                    by_path[change.path] = change
            admitted = sieve.admit(by_path)
            found = (ContentChange(path, by_path[name].before, by_path[name].after) for name, path in admitted.items())
            changes = sieve.results(with_moves(found))
            prepared = self._store(appender, changes, sieve, origin, reason) if changes else None
            return Taken(prepared, tuple(sieve.left_out))

    @contextmanager
    def _open(self) -> Iterator[tuple[Held, Appender, Callable[[], bool]]]:
        with self._lock.hold() as held, self._writer.held_back() as interrupted:
            self._recovery.run_or_stop(held)
            with self._journal.writing(held) as appender:
                yield held, appender, interrupted

    def _changes(self, uncommitted: Uncommitted, sieve: Sieve, selected: tuple[str, ...]) -> tuple[ContentChange, ...]:
        candidates = _select(uncommitted.candidates(), selected)
        files = {candidate.path: candidate for candidate in candidates if _is_file(candidate, sieve)}
        admitted = sieve.admit(files)
        blobs = uncommitted.blobs([(path, found.committed) for path in admitted if (found := files[path]).committed])
        changes = (self._change(sieve, path, files[name], blobs.get(name)) for name, path in admitted.items())
        return sieve.results(with_moves(change for change in changes if change is not None))

    def _change(self, sieve: Sieve, path: RepoPath, candidate: Candidate, blob: Blob | None) -> ContentChange | None:
        after, is_readable = sieve.read(path)
        before = None
        if candidate.committed is not None and blob is not None:
            before = Content(blob.data, Mode(candidate.committed.kind.value))
        if not is_readable or before == after:
            return None
        if blob is not None and blob.conversion:
            sieve.leave_out(path, f"{path} is not checked out as it is committed: {blob.conversion} applies to it")
            return None
        return ContentChange(path, before, after)

    def _store(
        self, appender: Appender, changes: tuple[ContentChange, ...], sieve: Sieve, origin: Origin, reason: str
    ) -> Prepared:
        """Store the proposal, or find the same one pending: what was cut off is gone on with."""
        now, policy = self._clock(), self._policy()
        proposal = Proposal(
            repo_id=appender.repo_id,
            owner_uid=self._person.uid,
            origin=origin,
            reason=reason,
            base=self._repository.base(),
            created_at=now,
            expires_at=now + policy.lifetime,
            changes=tuple(change.identify(self._repository.object_format) for change in changes),
        )
        for listed in appender.listed(pending_only=True):
            if _is_same(listed.proposal, proposal):
                diffs = differences(self._differ, listed.proposal.changes, appender.content)
                return Prepared(listed.proposal, {path: diff.hunks() for path, diff in diffs.items()}, is_known=True)
        findings = hard_links(changes, sieve.footings)
        return offer(appender, self._differ, proposal, changes, self._person.record, findings)


def _is_same(pending: Proposal, proposal: Proposal) -> bool:
    is_open = not pending.is_expired(proposal.created_at)
    said = [(one.owner_uid, one.origin, one.reason, one.changes_digest) for one in (pending, proposal)]
    return is_open and said[0] == said[1]


def _select(candidates: tuple[Candidate, ...], selected: tuple[str, ...]) -> list[Candidate]:
    """The candidates at or below the selected paths."""
    if not selected:
        return [*candidates]
    chosen: list[Candidate] = []
    for path in selected:
        found = [one for one in candidates if path in {"", one.path} or one.path.startswith(f"{path}/")]
        if not found:
            raise UsageFault(
                f"{path} has no uncommitted change",
                code="NOTHING_UNCOMMITTED",
                hint="`git status` names what has; ignored files are never captured.",
                details={"path": path},
            )
        chosen += found
    return [*dict.fromkeys(chosen)]


def _is_file(candidate: Candidate, sieve: Sieve) -> bool:
    """Leave out what is no file in HEAD, what is a whole repository, and what git has not merged."""
    path, committed = candidate.path, candidate.committed
    if candidate.is_unmerged:
        sieve.leave_out(path, f"{path} is in the middle of a merge")
    elif path.endswith("/"):
        sieve.leave_out(path, f"{path} is another repository")
    elif committed is not None and committed.kind in _NO_FILE:
        sieve.leave_out(path, f"{path} is {_NO_FILE[committed.kind]} in HEAD")
    else:
        return True
    return False


def _refuse(left_out: list[LeftOut]) -> None:
    if left_out:
        few = "; ".join(one.why for one in left_out[:_FEW_REFUSALS])
        more = f"; and {len(left_out) - _FEW_REFUSALS} more" if len(left_out) > _FEW_REFUSALS else ""
        raise PathRefused(
            f"nothing was captured: {few}{more}",
            code="CAPTURE_REFUSED",
            hint="Name the others: `redline capture PATH...` takes files and folders.",
            details={"paths": [one.path for one in left_out]},
        )
