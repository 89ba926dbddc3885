"""The hash chain over the journal's events: each hash covers its row and the hash before it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

GENESIS = "0" * 64


class Event(NamedTuple):
    """One row of the chain; `actor` and `body` are canonical JSON texts."""

    seq: int
    at: str
    kind: str
    proposal: str
    actor: str
    body: str
    prev_hash: str
    hash: str


def link(previous: tuple[int, str], at: str, kind: str, proposal: str, actor: str, body: str) -> Event:
    """Make the event that follows `previous` (its seq and hash)."""
    seq, prev_hash = previous[0] + 1, previous[1]
    return Event(
        seq,
        at,
        kind,
        proposal,
        actor,
        body,
        prev_hash,
        _hash(seq, at, kind, proposal, actor, body, prev_hash),
    )


def holds(event: Event, previous: tuple[int, str]) -> bool:
    """Tell whether the event is unaltered and follows `previous`."""
    return event == link(previous, event.at, event.kind, event.proposal, event.actor, event.body)


def _hash(*fields: int | str) -> str:
    """Each field goes in with its length before it, so that no two rows spell the same bytes."""
    digest = hashlib.sha256()
    for field in fields:
        data = str(field).encode("utf-8")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()
