"""Check the whole journal: the chain, each proposal against its digest, each receipt and content against its key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from redline.adapters.journal.chain import GENESIS, holds
from redline.core.lifecycle import Outcome
from redline.errors import JournalFault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from redline.adapters.journal.reader import JournalReader

_OUTCOMES = frozenset(outcome.value for outcome in Outcome)


def faults(reader: JournalReader, connection: sqlite3.Connection) -> Iterator[str]:
    """Describe every contradiction found; none means that the journal is what it was when written."""
    for (line,) in connection.execute("PRAGMA quick_check(20)"):
        if line != "ok":
            yield f"database: {line}"
    yield from _chain_faults(reader, connection)
    yield from _proposal_faults(reader, connection)
    for (sha256,) in connection.execute("SELECT sha256 FROM contents"):
        try:
            reader.content(sha256)
        except JournalFault as fault:
            yield fault.message


def _chain_faults(reader: JournalReader, connection: sqlite3.Connection) -> Iterator[str]:
    previous = (0, GENESIS)
    filed = dict(connection.execute("SELECT seq, outcome FROM receipts"))
    for event in reader.events():
        if not holds(event, previous):
            yield f"event {event.seq} was altered, or one before it is missing"
        previous = (event.seq, event.hash)
        outcome = filed.pop(event.seq, None)
        if outcome != (event.kind if event.kind in _OUTCOMES else None):
            yield f"event {event.seq} ({event.kind}) and the receipts disagree"
    for seq in filed:
        yield f"a receipt names event {seq}, which does not exist"


def _proposal_faults(reader: JournalReader, connection: sqlite3.Connection) -> Iterator[str]:
    proposed = {
        proposal: json.loads(body)["digest"]
        for proposal, body in connection.execute("SELECT proposal, body FROM events WHERE kind = 'proposed'")
    }
    pending = {row[0] for row in connection.execute("SELECT proposal FROM pending")}
    ended = {row[0] for row in connection.execute("SELECT proposal FROM receipts")}
    rows = connection.execute("SELECT id, digest FROM proposals").fetchall()
    for proposal_id, digest in rows:
        try:
            proposal = reader.proposal(proposal_id)
        except JournalFault as fault:
            yield fault.message
            continue
        if proposed.pop(proposal_id, None) != digest:
            yield f"proposal {proposal_id} is not the one that its event records"
        if (proposal_id in pending) == (proposal_id in ended):
            yield f"proposal {proposal_id} is both pending and ended, or neither"
        paths = {row[0] for row in connection.execute("SELECT path FROM paths WHERE proposal = ?", (proposal_id,))}
        if paths != {str(change.path) for change in proposal.changes}:
            yield f"the path index of proposal {proposal_id} is not that of its changes"
    for proposal_id in proposed:
        yield f"proposal {proposal_id} was recorded and is gone"
