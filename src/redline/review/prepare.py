"""ModelPort: a model hands over a text, hears what became of it, takes it back. It cannot decide or write."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from redline.core.canonical import digest
from redline.core.lifecycle import PENDING, Act, Outcome, end
from redline.core.plan import steps_of
from redline.core.proposal import EXTEND, MAX_REASON_CHARACTERS, Derivation, Proposal
from redline.core.receipt import FiledReceipt, Receipt
from redline.errors import EditMismatch, RecoveryIncomplete
from redline.review.admission import Admission, hard_links, refuse_long, too_large, too_many
from redline.review.answers import answer, is_told
from redline.review.dependencies import cascade
from redline.review.differences import differences
from redline.review.lookup import find
from redline.review.offer import Joining, offer
from redline.review.offer import Prepared as Prepared
from redline.review.sessions import pending

if TYPE_CHECKING:
    from datetime import timedelta

    from redline.core.answer import Answer
    from redline.core.canonical import Json, Record
    from redline.core.change import ContentChange
    from redline.core.content import Content
    from redline.core.drift import Footing
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.core.proposal import Origin
    from redline.review.ports import (
        Appender,
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
    from redline.review.sessions import Pending

_MOST_LATEST = 50
_MOST_OWN = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A text and what its caller, not the text, says about it.

    If it `opens`, it joins what its session has open, and further edits join it, until the session seals.
    """

    text: bytes
    origin: Origin
    format: str | None = None
    path: RepoPath | None = None
    strip: int | None = None
    reason: str = ""
    lifetime: timedelta | None = None
    opens: bool = False


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
        refuse_long(reason)
        footings = self._admission.admit(reading.paths)
        call = _call_of(request)
        with self._lock.hold() as held, self._journal.writing(held) as writer:
            if writer.unfinished():
                raise RecoveryIncomplete(
                    "a write was interrupted here and is not settled yet",
                    hint="A person runs `redline recover` first; then propose again.",
                )
            known = writer.call(call) if call is not None else None
            if known is not None:
                return self._known(writer, known)
            held_open = pending(writer, request.origin.session, self._uid, opens=request.opens)
            contents = {path: self._believed(held_open, path) for path in reading.paths}
            resolved = self._intake.resolve(reading, contents)
            self._admission.refuse_results(resolved.changes, footings)
            return self._offer(writer, request, reason, resolved, footings, held_open, call)

    def seal(self, session: str) -> Proposal | None:
        """Let no further edit join what the session has open; that proposal, if it is still pending."""
        with self._lock.hold() as held, self._journal.writing(held) as writer:
            opened = pending(writer, session, self._uid, opens=True).opened
            writer.seal(session)
            return opened

    def status(self, prefix: str | None) -> tuple[Standing, ...]:
        """How the proposal that the prefix names stands; without one, all that are pending, newest first."""
        with self._journal.reading() as reader:
            if prefix is not None:
                proposal = find(reader, prefix, self._uid)
                return (Standing(proposal, reader.receipt(proposal.id)),)
            pending = (listed.proposal for listed in reader.listed(pending_only=True))
            return tuple(Standing(proposal, None) for proposal in pending if proposal.owner_uid == self._uid)

    def own(self, session: str) -> tuple[Standing, ...]:
        """What the session has proposed, the latest 100, newest first; edits that were joined count as one."""
        with self._journal.reading() as reader:
            standings = (Standing(made, reader.receipt(made.id)) for made in reader.proposed_by(session))
            mine = (standing for standing in standings if standing.proposal.owner_uid == self._uid)
            told = (standing for standing in mine if standing.filed is None or is_told(reader, standing.filed))
            return tuple(islice(told, _MOST_OWN))

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
            receipt = self._ended(proposal, Act.WITHDRAW, Outcome.WITHDRAWN, "taken back by the model's side")
            also = tuple(cascade(writer, receipt, self._clock()))
            return writer.file(receipt, self._actor(proposal.origin.author), also=also), False

    def _believed(self, held_open: Pending, path: RepoPath) -> Content | None:
        """What the model's edit is meant for: what its session has pending, else what is on disk."""
        after = held_open.after(path)
        return after[0] if after is not None else self._admission.read(path)

    def _known(self, reader: Reader, proposal_id: str) -> Prepared:
        """The proposal of a call that was made before, or what took its place."""
        filed = reader.receipt(proposal_id)
        while filed is not None and filed.receipt.successor is not None:
            proposal_id = filed.receipt.successor
            filed = reader.receipt(proposal_id)
        proposal = reader.proposal(proposal_id)
        diffs = differences(self._differ, proposal.changes, reader.content)
        return Prepared(proposal, {path: diff.hunks() for path, diff in diffs.items()}, is_known=True)

    def _offer(
        self,
        writer: Appender,
        request: Request,
        reason: str,
        resolved: Resolved,
        footings: dict[RepoPath, Footing],
        held_open: Pending,
        call: str | None,
    ) -> Prepared:
        opened = held_open.opened
        changes = held_open.joined(resolved.changes)
        if not changes:
            raise EditMismatch(
                "this edit takes back all that the session has proposed",
                code="NO_CHANGE",
                hint="Withdraw that proposal instead: `redline-agent withdraw ID`.",
                details={"proposal": opened.id if opened is not None else None},
            )
        if len(changes) > self._policy.limits.files:
            raise too_many(len(changes), self._policy.limits.files)
        proposal = self._build(request, reason, resolved, changes, held_open, writer.repo_id)
        also: tuple[Receipt, ...] = ()
        if opened is not None:
            also = (self._ended(opened, Act.REPLACE, Outcome.SUPERSEDED, "further edits of its session joined it"),)
        links = hard_links(resolved.changes, footings)
        actor = self._actor(request.origin.author)
        return offer(writer, self._differ, proposal, changes, actor, links, Joining(also, call, request.opens))

    def _ended(self, proposal: Proposal, act: Act, outcome: Outcome, detail: str) -> Receipt:
        steps = steps_of(proposal.changes)
        return Receipt(proposal.id, proposal.digest, end(act, outcome), None, None, self._clock(), "", steps, detail)

    def _actor(self, author: str) -> Record:
        return {"role": "model", "author": author, "uid": self._uid}

    def _build(
        self,
        request: Request,
        reason: str,
        resolved: Resolved,
        changes: tuple[ContentChange, ...],
        held_open: Pending,
        repo_id: str,
    ) -> Proposal:
        now, opened = self._clock(), held_open.opened
        lifetime = min(request.lifetime or self._policy.lifetime, self._policy.longest_lifetime)
        paths = {change.path for change in changes}
        notes = (*(opened.leniencies if opened is not None else ()), *resolved.leniencies)
        return Proposal(
            repo_id=repo_id,
            owner_uid=self._uid,
            origin=request.origin,
            reason=_both(opened.reason, reason) if opened is not None else reason,
            base=self._repository.base(),
            created_at=now,
            expires_at=now + lifetime,
            changes=tuple(change.identify(self._repository.object_format) for change in changes),
            leniencies=tuple(note for note in notes if note.path in paths),
            derived=Derivation(opened.id, EXTEND) if opened is not None else None,
            depends_on=held_open.parents(resolved.changes),
        )


def _both(earlier: str, later: str) -> str:
    """What was said of the edits so far, and of this one where that is news and there is room."""
    said = earlier.split("\n")
    joined = "\n".join([*filter(None, said), later])
    return earlier if not later or later in said or len(joined) > MAX_REASON_CHARACTERS else joined


def _call_of(request: Request) -> str | None:
    """Name an agent's call by session, call and text, so that one that is made twice is one proposal."""
    origin = request.origin
    if origin.session is None or origin.tool_call is None:
        return None
    named: list[Json] = [origin.session, origin.tool_call, hashlib.sha256(request.text).hexdigest()]
    return digest(named)
