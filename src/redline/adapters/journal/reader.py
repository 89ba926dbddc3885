"""Read the journal."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import TYPE_CHECKING, Any, cast

from redline.adapters.journal.chain import Event
from redline.core.canonical import digest_text
from redline.core.lifecycle import Outcome
from redline.core.listing import EventEntry, Listed
from redline.core.plan import plan_from
from redline.core.receipt import FiledReceipt, receipt_from
from redline.core.records import proposal_from
from redline.errors import JournalFault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from redline.core.canonical import Record
    from redline.core.plan import WritePlan
    from redline.core.proposal import Proposal

_EVENT_COLUMNS = "seq, at, kind, proposal, actor, body, prev_hash, hash"


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
            raise _tampered(f"proposal {proposal_id} is not what its digest says")
        return proposal_from(json.loads(row[1]))

    def content(self, sha256: str) -> bytes:
        row = self._connection.execute("SELECT encoding, bytes FROM contents WHERE sha256 = ?", (sha256,)).fetchone()
        data: bytes | None = None
        if row is not None:
            data = zlib.decompress(row[1]) if row[0] == "zlib" else bytes(row[1])
        if data is None or hashlib.sha256(data).hexdigest() != sha256:
            raise _tampered(f"content {sha256[:12]} is missing or not what its digest says")
        return data

    def receipt(self, proposal_id: str) -> FiledReceipt | None:
        row = self._connection.execute(
            "SELECT events.body, events.seq, events.hash FROM receipts JOIN events USING (seq)"
            " WHERE receipts.proposal = ?",
            (proposal_id,),
        ).fetchone()
        return _filed(row) if row is not None else None

    def receipts(self, *, since: str, proposal_id: str | None) -> Iterator[FiledReceipt]:
        """The receipts, newest first; `since` is an instant's canonical spelling."""
        query = "SELECT events.body, events.seq, events.hash FROM receipts JOIN events USING (seq) WHERE events.at >= ?"
        values: list[str] = [since]
        if proposal_id is not None:
            query += " AND receipts.proposal = ?"
            values.append(proposal_id)
        for row in self._connection.execute(f"{query} ORDER BY seq DESC", values):
            yield _filed(row)

    def told_after(self, seq: int, session: str | None) -> Iterator[FiledReceipt]:
        """The receipts filed after an event, oldest first; of one session, or of all."""
        query = (
            "SELECT events.body, events.seq, events.hash FROM receipts JOIN events USING (seq)"
            " JOIN proposals ON proposals.id = receipts.proposal WHERE receipts.seq > ?"
        )
        values: list[int | str] = [seq]
        if session is not None:
            query += " AND proposals.session = ?"
            values.append(session)
        for row in self._connection.execute(f"{query} ORDER BY receipts.seq", values):
            yield _filed(row)

    def told(self, session: str) -> int:
        """Up to which event the session has been told."""
        row = self._connection.execute("SELECT seq FROM deliveries WHERE session = ?", (session,)).fetchone()
        return int(row[0]) if row is not None else 0

    def declined_before(self, changes_digest: str) -> FiledReceipt | None:
        """The latest decline of exactly these changes."""
        row = self._connection.execute(
            """
            SELECT events.body, events.seq, events.hash FROM proposals
            JOIN receipts ON receipts.proposal = proposals.id JOIN events ON events.seq = receipts.seq
            WHERE proposals.changes_digest = ? AND receipts.outcome = ? ORDER BY receipts.seq DESC LIMIT 1
            """,
            (changes_digest, Outcome.DECLINED.value),
        ).fetchone()
        return _filed(row) if row is not None else None

    def listed(self, *, pending_only: bool) -> Iterator[Listed]:
        """Proposals, newest first."""
        source = (
            "pending JOIN proposals ON proposals.id = pending.proposal LEFT JOIN receipts USING (proposal)"
            if pending_only
            else "proposals LEFT JOIN receipts ON receipts.proposal = proposals.id"
        )
        order = "pending.seq" if pending_only else "proposals.seq"
        rows = self._connection.execute(
            "SELECT proposals.id, proposals.insertions, proposals.deletions, receipts.outcome"
            f" FROM {source} ORDER BY {order} DESC"
        )
        for proposal_id, insertions, deletions, outcome in rows.fetchall():
            yield Listed(self.proposal(proposal_id), insertions, deletions, Outcome(outcome) if outcome else None)

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
        return tuple((plan_from(json.loads(plan)), json.loads(decision)) for plan, decision in rows)

    def _one(self, query: str, *values: str) -> tuple[Any, ...]:
        row = self._connection.execute(query, values).fetchone()
        if row is None:
            raise _tampered("a row that every journal has is missing")
        return cast("tuple[Any, ...]", row)


def _filed(row: tuple[str, int, str]) -> FiledReceipt:
    return FiledReceipt(receipt_from(json.loads(row[0])), row[1], row[2])


def _tampered(what: str) -> JournalFault:
    return JournalFault(
        f"the journal contradicts itself: {what}",
        code="JOURNAL_TAMPERED",
        hint="Run `redline verify`; nothing was written.",
    )
