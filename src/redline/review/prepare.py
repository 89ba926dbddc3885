"""ModelPort: a model hands over a text, hears what became of it, takes it back. It cannot decide or write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from redline.core.answer import Answer
from redline.core.drift import Irregular
from redline.core.findings import examine
from redline.core.hunks import count, selectors
from redline.core.lifecycle import PENDING, Act, Outcome, end
from redline.core.notes import Finding, Severity
from redline.core.plan import steps_of
from redline.core.proposal import MAX_REASON_CHARACTERS, Proposal
from redline.core.receipt import FiledReceipt, Receipt
from redline.errors import LimitExceeded, PathRefused, RecoveryIncomplete
from redline.review.differences import differences
from redline.review.lookup import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import timedelta

    from redline.core.canonical import Record
    from redline.core.change import Change, ContentChange
    from redline.core.content import Content
    from redline.core.drift import Footing
    from redline.core.hunks import Hunk
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.core.proposal import Origin
    from redline.review.ports import (
        Clock,
        Differ,
        Intake,
        Journal,
        Lock,
        Reader,
        Repository,
        Resolved,
        TreeView,
    )

_OBSTACLE_HINTS = {
    Irregular.FOLDER: "Name a file in it.",
    Irregular.SPECIAL: "Leave it out.",
    Irregular.BELOW_FILE: "Choose another name: a file cannot hold files.",
    Irregular.NESTED_REPOSITORY: "Propose it in that repository.",
}
_MOST_LATEST = 50
_OBSTACLE_CODES = {
    Irregular.SYMLINK: "PATH_SYMLINK",
    Irregular.BELOW_SYMLINK: "PATH_SYMLINK",
    Irregular.NESTED_REPOSITORY: "PATH_SUBMODULE",
    Irregular.FOLDER: "PATH_NOT_REGULAR",
    Irregular.SPECIAL: "PATH_NOT_REGULAR",
    Irregular.BELOW_FILE: "PATH_NOT_REGULAR",
}


@dataclass(frozen=True, slots=True)
class Request:
    """A text and what its caller, not the text, says about it."""

    text: bytes
    origin: Origin
    format: str | None = None
    path: RepoPath | None = None
    strip: int | None = None
    reason: str = ""
    lifetime: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A stored proposal and its hunks: what a preview of it will show."""

    proposal: Proposal
    hunks: dict[RepoPath, tuple[Hunk, ...]]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a proposal stands; `filed` is None while it is pending."""

    proposal: Proposal
    filed: FiledReceipt | None

    @property
    def status(self) -> str:
        return self.filed.receipt.outcome.value if self.filed is not None else PENDING


@dataclass(frozen=True, slots=True)
class Told:
    """Outcomes in the order they were filed; `cursor` is the newest event among all that was told.

    `answers` gives them with the hunks that were decided: each takes a comparison of its own.
    """

    outcomes: tuple[FiledReceipt, ...]
    cursor: int
    answers: Callable[[], tuple[Answer, ...]]


class ModelDesk:
    """The model's port. `uid` is the account whose tree a proposal would change."""

    def __init__(  # noqa: PLR0913 -- the desk's whole world, by keyword
        self,
        *,
        lock: Lock,
        journal: Journal,
        tree: TreeView,
        repository: Repository,
        differ: Differ,
        intake: Intake[Any],
        policy: Policy,
        clock: Clock,
        uid: int,
    ) -> None:
        self._lock = lock
        self._journal = journal
        self._tree = tree
        self._repository = repository
        self._differ = differ
        self._intake = intake
        self._policy = policy
        self._clock = clock
        self._uid = uid

    @property
    def input_limit_bytes(self) -> int:
        return self._policy.limits.input_bytes

    @property
    def root(self) -> str:
        """The folder that paths start from."""
        return self._repository.root

    def prepare(self, request: Request) -> Prepared:
        """Turn the text into a stored, immutable proposal; the tree is not touched.

        Raises IntakeError, with nothing stored, if any part of the text cannot be taken.
        """
        if len(request.text) > self._policy.limits.input_bytes:
            raise _too_large("the text", self._policy.limits.input_bytes, "input_mib")
        reading = self._intake.read(
            request.text,
            format=request.format,
            path=request.path,
            strip=request.strip,
            root=self.root,
        )
        reason = request.reason or reading.reason
        if len(reason) > MAX_REASON_CHARACTERS:
            raise LimitExceeded(
                f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARACTERS} are shown",
                code="LIMIT_REASON",
                hint="Say it shorter.",
            )
        footings = self._admit(reading.paths)
        with self._lock.hold() as held, self._journal.writing(held) as writer:
            if writer.unfinished():
                raise RecoveryIncomplete(
                    "a write was interrupted here and is not settled yet",
                    hint="A person runs `redline recover` first; then propose again.",
                )
            contents = {path: self._read(path) for path in reading.paths}
            resolved = self._intake.resolve(reading, contents)
            proposal = self._build(request, reason, resolved, footings, writer)
            bytes_by_sha = _bytes_by_sha(resolved.changes)
            hunks = self._hunks(proposal.changes, bytes_by_sha.__getitem__)
            actor: Record = {"role": "model", "author": request.origin.author, "uid": self._uid}
            writer.add(proposal, bytes_by_sha, {path: count({path: of_path}) for path, of_path in hunks.items()}, actor)
        return Prepared(proposal, hunks)

    def status(self, prefix: str | None) -> tuple[Standing, ...]:
        """How the proposal that the prefix names stands; without one, all that are pending, newest first."""
        with self._journal.reading() as reader:
            if prefix is not None:
                proposal = find(reader, prefix, self._uid)
                return (Standing(proposal, reader.receipt(proposal.id)),)
            pending = (listed.proposal for listed in reader.listed(pending_only=True))
            return tuple(Standing(proposal, None) for proposal in pending if proposal.owner_uid == self._uid)

    def feedback(self, session: str | None) -> Told:
        """The outcomes that the session has not been told, or, without a session, the latest."""
        with self._journal.reading() as reader:
            since = reader.told(session) if session is not None else 0
            if session is not None:
                found = tuple(reader.told_after(since, session))
            else:
                found = (*islice(reader.receipts(since="", proposal_id=None), _MOST_LATEST),)[::-1]
        return Told(found, found[-1].seq if found else since, partial(self._answers, found))

    def acknowledge(self, session: str, cursor: int) -> None:
        """Note that the session has been told; called after the answer is out, so that it is told at least once."""
        with self._lock.hold() as held, self._journal.writing(held) as writer:
            if cursor > writer.told(session):
                writer.mark_told(session, cursor)

    def withdraw(self, prefix: str) -> tuple[FiledReceipt, bool]:
        """Take a pending proposal back; the receipt, and whether it had ended before."""
        with self._lock.hold() as held, self._journal.writing(held) as writer:
            proposal = find(writer, prefix, self._uid)
            filed = writer.receipt(proposal.id)
            if filed is not None:
                return filed, True
            receipt = Receipt(
                proposal.id,
                proposal.digest,
                end(Act.WITHDRAW, Outcome.WITHDRAWN),
                None,
                None,
                self._clock(),
                "",
                steps_of(proposal.changes),
                "taken back by the model's side",
            )
            return writer.file(receipt, {"role": "model", "uid": self._uid}), False

    def _answers(self, outcomes: tuple[FiledReceipt, ...]) -> tuple[Answer, ...]:
        with self._journal.reading() as reader:
            return tuple(self._answer(reader, filed) for filed in outcomes)

    def _answer(self, reader: Reader, filed: FiledReceipt) -> Answer:
        changes = reader.proposal(filed.receipt.proposal).changes
        hunks = self._hunks(changes, reader.content)
        return Answer(filed, selectors(hunks), *count(hunks))

    def _admit(self, paths: tuple[RepoPath, ...]) -> dict[RepoPath, Footing]:
        """Refuse by name before any content is read, for ignored files often hold secrets; how each path stands."""
        if len(paths) > self._policy.limits.files:
            raise LimitExceeded(
                f"the text names {len(paths)} files; at most {self._policy.limits.files} are taken",
                code="LIMIT_FILES",
                hint="Split it, or raise `[limits] files` in your own configuration.",
            )
        for path in paths:
            pattern = self._policy.denial(path)
            if pattern is not None:
                raise PathRefused(
                    f"policy denies changes to {path} (pattern {pattern!a})",
                    code="POLICY_DENIED",
                    hint="Leave the file out; only a person can change the policy.",
                    details={"path": str(path), "pattern": pattern},
                )
        footings = {path: self._tree.survey(path) for path in paths}
        for path, footing in footings.items():
            if footing.obstacle is not None:
                raise _obstructed(path, footing.obstacle)
        for path in sorted(self._repository.ignored(paths)):
            raise PathRefused(
                f"{path} is ignored by git: redline neither reads nor proposes ignored files",
                code="PATH_IGNORED",
                hint="Leave the file out, or have a person change the ignore rules.",
                details={"path": str(path)},
            )
        return footings

    def _read(self, path: RepoPath) -> Content | None:
        found = self._tree.read(path, max_bytes=self._policy.limits.file_bytes)
        if isinstance(found, Irregular):
            raise _obstructed(path, found)
        return found

    def _build(
        self,
        request: Request,
        reason: str,
        resolved: Resolved,
        footings: dict[RepoPath, Footing],
        reader: Reader,
    ) -> Proposal:
        self._refuse_results(resolved.changes, footings)
        changes = tuple(change.identify(self._repository.object_format) for change in resolved.changes)
        now = self._clock()
        lifetime = min(request.lifetime or self._policy.lifetime, self._policy.longest_lifetime)
        proposal = Proposal(
            repo_id=reader.repo_id,
            owner_uid=self._uid,
            origin=request.origin,
            reason=reason,
            base=self._repository.base(),
            created_at=now,
            expires_at=now + lifetime,
            changes=changes,
            leniencies=resolved.leniencies,
        )
        declined = reader.declined_before(proposal.changes_digest)
        findings = (*_declined_before(declined), *_hard_links(changes, footings), *examine(resolved.changes))
        return replace(proposal, findings=findings)

    def _refuse_results(self, changes: tuple[ContentChange, ...], footings: dict[RepoPath, Footing]) -> None:
        for change in changes:
            if footings[change.path].is_read_only:
                raise PathRefused(
                    f"{change.path} is read-only, or its folder is",
                    code="PATH_READ_ONLY",
                    hint="Leave it alone, or have a person make it writable (`chmod u+w`).",
                    details={"path": str(change.path)},
                )
            size_bytes = len(change.after.data) if change.after is not None else 0
            if size_bytes > self._policy.limits.file_bytes:
                raise _too_large(str(change.path), self._policy.limits.file_bytes, "file_mib")
            fault = change.path.portability_fault if change.before is None else None
            if fault is not None:
                raise PathRefused(
                    f"{change.path} could not be checked out on every system: {fault}",
                    code="PATH_RESERVED",
                    hint="Choose another name for the new file.",
                    details={"path": str(change.path)},
                )

    def _hunks(self, changes: tuple[Change, ...], contents: Callable[[str], bytes]) -> dict[RepoPath, tuple[Hunk, ...]]:
        return {path: diff.hunks() for path, diff in differences(self._differ, changes, contents).items()}


def _hard_links(changes: tuple[Change, ...], footings: dict[RepoPath, Footing]) -> Iterator[Finding]:
    """A write gives the path a file of its own, as git does: other names of the old one keep the old content."""
    for change in changes:
        names = footings[change.path].link_count
        if change.before is not None and names > 1:
            text = f"is one of {names} names of a file (hard links): the others keep the old content"
            yield Finding("HARD_LINK", Severity.SENSITIVE, text, change.path)


def _declined_before(declined: FiledReceipt | None) -> tuple[Finding, ...]:
    if declined is None:
        return ()
    receipt = declined.receipt
    why = f": {receipt.reason}" if receipt.reason else " without a reason"
    text = f"the same edit was declined before (receipt {receipt.proposal[:7]}){why}"
    return (Finding("DECLINED_BEFORE", Severity.SENSITIVE, text),)


def _bytes_by_sha(changes: tuple[ContentChange, ...]) -> dict[str, bytes]:
    sides = (side for change in changes for side in (change.before, change.after) if side is not None)
    return {side.sha256: side.data for side in sides}


def _too_large(what: str, limit_bytes: int, key: str) -> LimitExceeded:
    return LimitExceeded(
        f"{what} is larger than {limit_bytes} bytes",
        hint=f"Split it, or raise `[limits] {key}` in your own configuration.",
        details={"limit_bytes": limit_bytes},
    )


def _obstructed(path: RepoPath, obstacle: Irregular) -> PathRefused:
    return PathRefused(
        f"{path} is {obstacle.value}: only regular files inside this repository can be changed",
        code=_OBSTACLE_CODES[obstacle],
        hint=_OBSTACLE_HINTS.get(obstacle, "Name the real file by its own path."),
        details={"path": str(path)},
    )
