"""Read the journal."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import TYPE_CHECKING, Any, TypeVar, cast

from redline.adapters.journal.chain import Event, holds
from redline.adapters.journal.files import tampered
from redline.adapters.journal.schema import stored as stored
from redline.core.canonical import digest_text
from redline.core.lifecycle import Outcome
from redline.core.listing import EventEntry, Listed
from redline.core.plan import plan_from
from redline.core.receipt import FiledReceipt, receipt_from
from redline.core.records import proposal_from
from redline.errors import RedlineError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from redline.core.canonical import Record
    from redline.core.plan import WritePlan
    from redline.core.proposal import Proposal

_T = TypeVar("_T")
_EVENT_COLUMNS = "seq, at, kind, proposal, actor, body, prev_hash, hash"
_FILED_COLUMNS = (
    "receipts.proposal, events.seq, events.at, events.kind, events.proposal, events.actor, events.body,"
    " events.prev_hash, events.hash"
)


class JournalReader:
    """Queries on an open, checked journal. Raises JournalFault where a stored value contradicts its digest."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def repo_id(self) -> str:
        return str(self._one("SELECT repo_id FROM meta")[0])

    def find(self, prefix: str) -> tuple[str, ...]:
        """The ids that begin with the prefix, at most ten, sorted."""
        rows = self._connection.execute(
            "SELECT id FROM proposals WHERE id >= ? AND id < ? ORDER BY id LIMIT 10", (prefix, prefix + "g")
        )
        return tuple(row[0] for row in rows)

    def proposal(self, proposal_id: str) -> Proposal:
        row = self._connection.execute("SELECT digest, record FROM proposals WHERE id = ?", (proposal_id,)).fetchone()
        if row is None or not row[0].startswith(proposal_id) or digest_text(row[1]) != row[0]:
            raise tampered(f"proposal {proposal_id} is not what its digest says")
        return _rebuilt(proposal_from, row[1], f"the record of proposal {proposal_id}")

    def content(self, sha256: str) -> bytes:
        row = self._connection.execute(
            "SELECT encoding, size_bytes, bytes FROM contents WHERE sha256 = ?", (sha256,)
        ).fetchone()
        data = _unpacked(*row) if row is not None else None
        if data is None or hashlib.sha256(data).hexdigest() != sha256:
            raise tampered(f"content {sha256[:12]} is missing or not what its digest says")
        return data

    def receipt(self, proposal_id: str) -> FiledReceipt | None:
        row = self._connection.execute(
            f"SELECT {_FILED_COLUMNS} FROM receipts JOIN events USING (seq) WHERE receipts.proposal = ?",
            (proposal_id,),
        ).fetchone()
        return _filed(row) if row is not None else None

    def receipts(self, *, since: str, proposal_id: str | None) -> Iterator[FiledReceipt]:
        """The receipts, newest first; `since` is an instant's canonical spelling."""
        query = f"SELECT {_FILED_COLUMNS} FROM receipts JOIN events USING (seq) WHERE events.at >= ?"
        values: list[str] = [since]
        if proposal_id is not None:
            query += " AND receipts.proposal = ?"
            values.append(proposal_id)
        for row in self._connection.execute(f"{query} ORDER BY seq DESC", values):
            yield _filed(row)

    def told_after(self, seq: int, session: str | None) -> Iterator[FiledReceipt]:
        """The receipts filed after an event, oldest first; of one session, or of all."""
        query = (
            f"SELECT {_FILED_COLUMNS} FROM receipts JOIN events USING (seq)"
            " JOIN proposals ON proposals.id = receipts.proposal WHERE receipts.seq > ?"
        )
        values: list[int | str] = [seq]
        if session is not None:
            query += " AND proposals.session = ?"
            values.append(str(stored(session)))
        for row in self._connection.execute(f"{query} ORDER BY receipts.seq", values):
            yield _filed(row)

    def told(self, session: str) -> int:
        """Up to which event the session has been told."""
        row = self._connection.execute("SELECT seq FROM deliveries WHERE session = ?", (stored(session),)).fetchone()
        return int(row[0]) if row is not None else 0

    def declined_before(self, changes_digest: str) -> FiledReceipt | None:
        """The latest decline of exactly these changes."""
        row = self._connection.execute(
            f"""
            SELECT {_FILED_COLUMNS} FROM proposals
            JOIN receipts ON receipts.proposal = proposals.id JOIN events ON events.seq = receipts.seq
            WHERE proposals.changes_digest = ? AND receipts.outcome = ? ORDER BY receipts.seq DESC LIMIT 1
            """,
            (changes_digest, Outcome.DECLINED.value),
        ).fetchone()
        return _filed(row) if row is not None else None

    def declined_parts(self, keys: Iterable[str]) -> dict[str, FiledReceipt]:
        """The latest decline of each part that was declined before, by its key."""
        if self._connection.execute("SELECT 1 FROM declined LIMIT 1").fetchone() is None:
            return {}
        found: dict[str, FiledReceipt] = {}
        for key in keys:
            row = self._connection.execute(
                f"SELECT {_FILED_COLUMNS} FROM receipts JOIN events USING (seq)"
                " WHERE seq = (SELECT max(seq) FROM declined WHERE part = ?)",
                (key,),
            ).fetchone()
            if row is not None:
                found[key] = _filed(row)
        return found

    def hunk_ids(self, proposal_id: str) -> dict[str, list[str]]:
        """The ids of each path's hunks, in order."""
        rows = self._connection.execute("SELECT path, hunks FROM paths WHERE proposal = ?", (proposal_id,))
        return {path: ids.split() for path, ids in rows}

    def call(self, call: str) -> str | None:
        """The proposal that an agent's call was taken as."""
        row = self._connection.execute("SELECT proposal FROM calls WHERE call = ?", (call,)).fetchone()
        return str(row[0]) if row is not None else None

    def opened(self, session: str) -> str | None:
        """The proposal that further edits of the session join."""
        row = self._connection.execute("SELECT proposal FROM opened WHERE session = ?", (stored(session),)).fetchone()
        return str(row[0]) if row is not None else None

    def pending_of(self, session: str) -> Iterator[Proposal]:
        """The pending proposals of a session, oldest first."""
        rows = self._connection.execute(
            "SELECT id FROM pending JOIN proposals ON id = pending.proposal WHERE session = ? ORDER BY pending.seq",
            (stored(session),),
        )
        for (proposal_id,) in rows.fetchall():
            yield self.proposal(proposal_id)

    def proposed_by(self, session: str) -> Iterator[Proposal]:
        """The proposals of a session, newest first."""
        rows = self._connection.execute(
            "SELECT id FROM proposals WHERE session = ? ORDER BY seq DESC", (stored(session),)
        )
        for (proposal_id,) in rows.fetchall():
            yield self.proposal(proposal_id)

    def pending_on(self, parent: str) -> Iterator[Proposal]:
        """The pending proposals that start from what the parent makes."""
        rows = self._connection.execute(
            "SELECT proposal FROM dependencies JOIN pending USING (proposal) WHERE parent = ? ORDER BY seq", (parent,)
        )
        for (proposal_id,) in rows.fetchall():
            yield self.proposal(proposal_id)

    def counts(self, proposal_id: str) -> dict[str, tuple[int, int]]:
        """Each path's lines inserted and deleted."""
        rows = self._connection.execute(
            "SELECT path, insertions, deletions FROM paths WHERE proposal = ?", (proposal_id,)
        )
        return {path: (insertions, deletions) for path, insertions, deletions in rows}

    def draft(self, proposal_id: str) -> Record | None:
        """The unfinished review of a proposal, as it was kept."""
        row = self._connection.execute("SELECT record FROM drafts WHERE proposal = ?", (proposal_id,)).fetchone()
        return _rebuilt(dict, row[0], "an unfinished review") if row is not None else None

    def listed(self, *, pending_only: bool) -> Iterator[Listed]:
        """Proposals, newest first."""
        source = (
            "pending JOIN proposals ON proposals.id = pending.proposal LEFT JOIN receipts USING (proposal)"
            if pending_only
            else "proposals LEFT JOIN receipts ON receipts.proposal = proposals.id"
        )
        order = "pending.seq" if pending_only else "proposals.seq"
        rows = self._connection.execute(f"SELECT proposals.id, receipts.outcome FROM {source} ORDER BY {order} DESC")
        for proposal_id, outcome in rows.fetchall():
            counts = self.counts(proposal_id)
            yield Listed(self.proposal(proposal_id), counts, Outcome(outcome) if outcome else None)

    def events(self, after_seq: int = 0) -> Iterator[Event]:
        rows = self._connection.execute(f"SELECT {_EVENT_COLUMNS} FROM events WHERE seq > ? ORDER BY seq", (after_seq,))
        for row in rows:
            yield Event(*row)

    def entries(self, proposal_id: str) -> Iterator[EventEntry]:
        """What happened to one proposal, in order."""
        rows = self._connection.execute(
            "SELECT seq, at, kind FROM events WHERE proposal = ? ORDER BY seq", (proposal_id,)
        )
        for row in rows:
            yield EventEntry(*row)

    def head(self) -> tuple[int, str]:
        """The newest event's seq and hash."""
        seq, chain = self._one("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        return seq, chain

    def event_hash(self, seq: int) -> str | None:
        row = self._connection.execute("SELECT hash FROM events WHERE seq = ?", (seq,)).fetchone()
        return str(row[0]) if row is not None else None

    def unfinished(self) -> tuple[tuple[WritePlan, Record], ...]:
        """The writes whose receipt is missing: each plan with the decision that began it."""
        rows = self._connection.execute("SELECT plan, decision FROM intents ORDER BY opened_at").fetchall()
        return tuple(
            (_rebuilt(plan_from, plan, "the plan of a write"), _rebuilt(dict, decision, "the decision of a write"))
            for plan, decision in rows
        )

    def _one(self, query: str, *values: str) -> tuple[Any, ...]:
        row = self._connection.execute(query, values).fetchone()
        if row is None:
            raise tampered("a row that every journal has is missing")
        return cast("tuple[Any, ...]", row)


def _filed(row: tuple[Any, ...]) -> FiledReceipt:
    proposal_id, event = row[0], Event(*row[1:])
    if not holds(event, (event.seq - 1, event.prev_hash)):
        raise tampered(f"event {event.seq} was altered")
    receipt = _rebuilt(receipt_from, event.body, f"the receipt in event {event.seq}")
    if not proposal_id == event.proposal == receipt.proposal:
        raise tampered(f"the receipt in event {event.seq} is not that of proposal {proposal_id}")
    return FiledReceipt(receipt, event.seq, event.hash)


def _rebuilt(build: Callable[[Record], _T], text: str, what: str) -> _T:
    try:
        return build(json.loads(text))
    except (KeyError, TypeError, ValueError, RecursionError, RedlineError) as error:
        raise tampered(f"{what} is none of redline's") from error


def _unpacked(encoding: str, size_bytes: int, packed: bytes) -> bytes | None:
    """Unpack at most as much as was stored, whatever the bytes would swell to; None if they do not unpack."""
    if encoding != "zlib":
        return bytes(packed)
    try:
        return zlib.decompressobj().decompress(packed, max(size_bytes, 0) + 1)
    except zlib.error:
        return None
