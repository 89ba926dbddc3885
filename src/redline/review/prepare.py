"""ModelPort: a model hands over a text, hears what became of it, takes it back. It cannot decide or write."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from redline.core.lifecycle import PENDING, Act, Outcome, end
from redline.core.plan import steps_of
from redline.core.proposal import MAX_REASON_CHARACTERS, Proposal
from redline.core.receipt import FiledReceipt, Receipt
from redline.errors import LimitExceeded, RecoveryIncomplete
from redline.review.admission import Admission, hard_links, too_large
from redline.review.answers import answer, is_told
from redline.review.lookup import find
from redline.review.offer import Prepared as Prepared
from redline.review.offer import offer

if TYPE_CHECKING:
    from datetime import timedelta

    from redline.core.answer import Answer
    from redline.core.canonical import Record
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.core.proposal import Origin
    from redline.review.ports import Clock, Differ, Intake, Journal, Lock, Repository, Resolved, TreeView

_MOST_LATEST = 50


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
class Standing:
    """How a proposal stands; `filed` is None while it is pending."""

    proposal: Proposal
    filed: FiledReceipt | None

    @property
    def status(self) -> str:
        return self.filed.receipt.outcome.value if self.filed is not None else PENDING


@dataclass(frozen=True, slots=True)
class Told:
    """Answers in the order their receipts were filed; `cursor` is the newest event among all that were looked at."""

    answers: tuple[Answer, ...]
    cursor: int


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
        self._repository = repository
        self._differ = differ
        self._intake = intake
        self._policy = policy
        self._admission = Admission(tree, repository, policy)
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
            raise too_large("the text", self._policy.limits.input_bytes, "input_mib")
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
        footings = self._admission.admit(reading.paths)
        with self._lock.hold() as held, self._journal.writing(held) as writer:
            if writer.unfinished():
                raise RecoveryIncomplete(
                    "a write was interrupted here and is not settled yet",
                    hint="A person runs `redline recover` first; then propose again.",
                )
            contents = {path: self._admission.read(path) for path in reading.paths}
            resolved = self._intake.resolve(reading, contents)
            self._admission.refuse_results(resolved.changes, footings)
            proposal = self._build(request, reason, resolved, writer.repo_id)
            actor: Record = {"role": "model", "author": request.origin.author, "uid": self._uid}
            links = hard_links(resolved.changes, footings)
            return offer(writer, self._differ, proposal, resolved.changes, actor, links)

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
            told = tuple(answer(reader, filed) for filed in found if is_told(reader, filed))
        return Told(told, found[-1].seq if found else since)

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

    def _build(self, request: Request, reason: str, resolved: Resolved, repo_id: str) -> Proposal:
        now = self._clock()
        lifetime = min(request.lifetime or self._policy.lifetime, self._policy.longest_lifetime)
        return Proposal(
            repo_id=repo_id,
            owner_uid=self._uid,
            origin=request.origin,
            reason=reason,
            base=self._repository.base(),
            created_at=now,
            expires_at=now + lifetime,
            changes=tuple(change.identify(self._repository.object_format) for change in resolved.changes),
            leniencies=resolved.leniencies,
        )
