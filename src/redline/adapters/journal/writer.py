"""Append to the journal: every method is one transaction, durable when it returns."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from redline.adapters.journal.chain import GENESIS, Event, link
from redline.adapters.journal.files import unreadable
from redline.adapters.journal.reader import JournalReader, stored
from redline.adapters.journal.schema import create_tables
from redline.core.canonical import encode, format_instant
from redline.core.lifecycle import Outcome
from redline.core.plan import step_record
from redline.core.receipt import FiledReceipt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from redline.core.canonical import Json, Record
    from redline.core.content import FileState
    from redline.core.hunks import Hunk
    from redline.core.paths import RepoPath
    from redline.core.plan import WritePlan
    from redline.core.proposal import Proposal
    from redline.core.receipt import Receipt

_SMALL_BYTES = 128
_LEAVE_NO_DRAFT = frozenset({Outcome.APPLIED, Outcome.SUPERSEDED})


class JournalWriter(JournalReader):
    """The journal under the held lock: it can be read and appended to.

    Every method raises JournalFault if the transaction failed. After an I/O error in the commit itself the
    transaction may stand nevertheless: read the journal anew before believing either.
    """

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        super().__init__(connection)
        self._path = path

    def initialise(self, repo_id: str, actor: Record, at: datetime) -> None:
        """Make the tables of an empty database and write the chain's first event."""
        with self._transaction():
            create_tables(self._connection, repo_id)
            self._append(format_instant(at), "init", "", actor, {})

    def add(
        self,
        proposal: Proposal,
        contents: Mapping[str, bytes],
        hunks: Mapping[RepoPath, tuple[Hunk, ...]],
        actor: Record,
        *,
        also: Iterable[Receipt] = (),
        call: str | None = None,
        opens: bool = False,
    ) -> None:
        """Store a pending proposal with both sides of its changes; storing it again changes nothing.

        `hunks` has an entry for each path. The receipts of what it takes the place of are filed with it, the agent's
        call is noted, and if it `opens`, further edits of its session join it.
        """
        with self._transaction():
            if self._connection.execute("SELECT 1 FROM proposals WHERE id = ?", (proposal.id,)).fetchone():
                return
            event = self._append(
                format_instant(proposal.created_at),
                "proposed",
                proposal.id,
                actor,
                {"digest": proposal.digest},
            )
            self._connection.execute(
                "INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?)",
                (
                    proposal.id,
                    proposal.digest,
                    encode(proposal.record),
                    proposal.changes_digest,
                    stored(proposal.origin.session),
                    event.seq,
                ),
            )
            self._connection.execute("INSERT INTO pending VALUES (?, ?)", (event.seq, proposal.id))
            self._add_paths(proposal, hunks)
            self._add_contents(contents)
            self._connection.executemany(
                "INSERT INTO dependencies VALUES (?, ?)", ((proposal.id, parent) for parent in proposal.depends_on)
            )
            for receipt in also:
                self._end(receipt, actor)
            if call is not None:
                self._connection.execute("INSERT INTO calls VALUES (?, ?)", (call, proposal.id))
            if opens:
                self._connection.execute(
                    "INSERT OR REPLACE INTO opened VALUES (?, ?)", (stored(proposal.origin.session), proposal.id)
                )

    def open_intent(self, plan: WritePlan, decision: Record, at: datetime) -> None:
        """Record what is about to be written, before the first byte moves."""
        with self._transaction():
            opened_at = format_instant(at)
            self._connection.execute(
                "INSERT INTO intents VALUES (?, ?, ?, ?, ?)",
                (plan.tx, plan.proposal, opened_at, encode(plan.record), encode(decision)),
            )
            self._append(opened_at, "intent", plan.proposal, decision, {"tx": plan.tx})

    def drop_intent(self, plan: WritePlan, why: str, at: datetime, actor: Record) -> None:
        """End an interrupted write that was rolled back; its proposal stays pending."""
        with self._transaction():
            self._connection.execute("DELETE FROM intents WHERE tx = ?", (plan.tx,))
            self._append(format_instant(at), "interrupted", plan.proposal, actor, {"detail": why})

    def record_put_back(self, plan: WritePlan, at: datetime, actor: Record) -> None:
        """End a write that brought the tree to a proposal's before; the proposal stays pending."""
        with self._transaction():
            self._connection.execute("DELETE FROM intents WHERE tx = ?", (plan.tx,))
            changes: list[Json] = [step_record(step) for step in plan.steps]
            self._append(format_instant(at), "put_back", plan.proposal, actor, {"changes": changes})

    def file(
        self, receipt: Receipt, actor: Record, *, also: Iterable[Receipt] = (), declined: Iterable[str] = ()
    ) -> FiledReceipt:
        """End the proposal: receipt, end of intent and end of pending in one transaction, the commit point.

        The receipts of others that end with it are filed too, and the keys of the parts that were declined: they are
        parts of the first one that it supersedes, if there is any.
        """
        with self._transaction():
            filed = self._end(receipt, actor)
            others = [self._end(other, actor) for other in also]
            superseded = (other for other in others if other.receipt.outcome is Outcome.SUPERSEDED)
            whole = next(superseded, filed)
            self._connection.executemany(
                "INSERT OR IGNORE INTO declined VALUES (?, ?)", ((key, whole.seq) for key in declined)
            )
        return filed

    def keep_draft(self, proposal_id: str, record: Record | None) -> None:
        """Keep an unfinished review of a pending proposal; None forgets it."""
        with self._transaction():
            self._connection.execute("DELETE FROM drafts WHERE proposal = ?", (proposal_id,))
            if record is not None:
                self._connection.execute(
                    "INSERT INTO drafts SELECT proposal, ? FROM pending WHERE proposal = ?",
                    (encode(record), proposal_id),
                )

    def seal(self, session: str) -> None:
        """Let no further edit of the session join what it has proposed so far."""
        with self._transaction():
            self._connection.execute("DELETE FROM opened WHERE session = ?", (stored(session),))

    def mark_told(self, session: str, seq: int) -> None:
        with self._transaction():
            self._connection.execute(
                "INSERT INTO deliveries VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET seq = max(seq, excluded.seq)",
                (stored(session), seq),
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._abandon()
            raise unreadable(self._path, error) from error
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Roll back; where even that fails, closing the file leaves it to SQLite's own recovery."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _end(self, receipt: Receipt, actor: Record) -> FiledReceipt:
        event = self._append(
            format_instant(receipt.committed_at), receipt.outcome.value, receipt.proposal, actor, receipt.record
        )
        self._connection.execute(
            "INSERT INTO receipts VALUES (?, ?, ?)", (receipt.proposal, event.seq, receipt.outcome.value)
        )
        over = ("drafts",) if receipt.outcome in _LEAVE_NO_DRAFT else ()  # any other can be refreshed
        for table in ("pending", "intents", *over):
            self._connection.execute(f"DELETE FROM {table} WHERE proposal = ?", (receipt.proposal,))
        return FiledReceipt(receipt, event.seq, event.hash)

    def _append(self, at: str, kind: str, proposal: str, actor: Record, body: Record) -> Event:
        row = self._connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        event = link(row or (0, GENESIS), at, kind, proposal, encode(actor), encode(body))
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", event)
        return event

    def _add_paths(self, proposal: Proposal, hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> None:
        self._connection.executemany(
            "INSERT INTO paths VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (proposal.id, change.path, *_before_columns(change.before), *_hunk_columns(hunks[change.path]))
                for change in proposal.changes
            ),
        )

    def _add_contents(self, contents: Mapping[str, bytes]) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO contents VALUES (?, ?, ?, ?)",
            ((sha256, len(data), *_pack(data)) for sha256, data in contents.items()),
        )


def _pack(data: bytes) -> tuple[str, bytes]:
    """Compress where it pays: level 1 costs less time than the bytes it saves cost on disk."""
    if len(data) < _SMALL_BYTES:
        return "raw", data
    packed = zlib.compress(data, 1)
    return ("zlib", packed) if len(packed) < len(data) else ("raw", data)


def _hunk_columns(hunks: tuple[Hunk, ...]) -> tuple[int, int, str]:
    insertions, deletions = sum(hunk.insertions for hunk in hunks), sum(hunk.deletions for hunk in hunks)
    return insertions, deletions, " ".join(hunk.id for hunk in hunks)


def _before_columns(before: FileState | None) -> tuple[str | None, str | None, int | None]:
    return (before.sha256, before.mode.value, before.size_bytes) if before is not None else (None, None, None)
