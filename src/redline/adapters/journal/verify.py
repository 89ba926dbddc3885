"""Check the whole journal: the chain, each proposal against its digest, each receipt and content against its key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from redline.adapters.journal.chain import GENESIS, holds
from redline.adapters.journal.reader import stored
from redline.core.lifecycle import Outcome
from redline.errors import JournalFault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from redline.adapters.journal.reader import JournalReader
    from redline.core.change import Change
    from redline.core.proposal import Proposal

_PATHS = (
    "SELECT path, ifnull(before_sha256, ''), ifnull(before_mode, ''), ifnull(before_size, -1)"
    " FROM paths WHERE proposal = ?"
)
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
    receipts = connection.execute("SELECT seq, proposal, outcome FROM receipts")
    filed = {seq: (proposal, outcome) for seq, proposal, outcome in receipts}
    for event in reader.events():
        if not holds(event, previous):
            yield f"event {event.seq} was altered, or one before it is missing"
        previous = (event.seq, event.hash)
        if filed.pop(event.seq, None) != ((event.proposal, event.kind) if event.kind in _OUTCOMES else None):
            yield f"event {event.seq} ({event.kind}) and the receipts disagree"
    for seq in filed:
        yield f"a receipt names event {seq}, which does not exist"


def _proposal_faults(reader: JournalReader, connection: sqlite3.Connection) -> Iterator[str]:
    proposed = {
        proposal: (seq, _digest_in(body))
        for seq, proposal, body in connection.execute("SELECT seq, proposal, body FROM events WHERE kind = 'proposed'")
    }
    pending = dict(connection.execute("SELECT proposal, seq FROM pending"))
    ended = {row[0] for row in connection.execute("SELECT proposal FROM receipts")}
    known = {row[0] for row in connection.execute("SELECT sha256 FROM contents")}
    rows = connection.execute("SELECT id, digest, seq, session, changes_digest FROM proposals").fetchall()
    for proposal_id, digest, seq, *columns in rows:
        if proposed.pop(proposal_id, None) != (seq, digest):
            yield f"proposal {proposal_id} is not the one that its event records"
        if (proposal_id in pending) == (proposal_id in ended) or pending.get(proposal_id, seq) != seq:
            yield f"proposal {proposal_id} is both pending and ended, or neither"
        try:
            proposal = reader.proposal(proposal_id)
        except JournalFault as fault:
            yield fault.message
            continue
        if columns != [stored(proposal.origin.session), proposal.changes_digest]:
            yield f"proposal {proposal_id} is listed as something that its record is not"
        if sorted(connection.execute(_PATHS, (proposal_id,))) != sorted(map(_path_row, proposal.changes)):
            yield f"the path index of proposal {proposal_id} is not that of its changes"
        if proposal_id in pending and not known.issuperset(_contents_of(proposal)):
            yield f"proposal {proposal_id} is pending and a content that it names is missing"
    for proposal_id in proposed:
        yield f"proposal {proposal_id} was recorded and is gone"


def _digest_in(body: str) -> object:
    """The digest that an event records; None where the body is not what redline writes."""
    try:
        return json.loads(body)["digest"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _path_row(change: Change) -> tuple[str, str, str, int]:
    before = change.before
    if before is None:
        return str(change.path), "", "", -1
    return str(change.path), before.sha256, before.mode.value, before.size_bytes


def _contents_of(proposal: Proposal) -> Iterator[str]:
    for change in proposal.changes:
        for state in (change.before, change.after):
            if state is not None:
                yield state.sha256
