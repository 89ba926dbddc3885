"""What `status` needs, and nothing else: plain tuples, no values of the core, so that it starts fast."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from redline.adapters.journal.files import open_checked, tampered, unreadable
from redline.adapters.journal.schema import JOURNAL_NAME

if TYPE_CHECKING:
    from collections.abc import Callable


class PendingPath(NamedTuple):
    """A path of a pending proposal and its before-state; `sha256` is None where the file was absent."""

    proposal: str
    path: str
    sha256: str | None
    mode: str | None
    size_bytes: int | None


class Glance(NamedTuple):
    pending: int
    unfinished: int
    seq: int
    chain: str
    paths: list[PendingPath]


def glance(folder: str, check: Callable[[str, Callable[[int], str | None]], None]) -> Glance:
    """Read the counts and the paths to look at; `check` is the trust check of the registry.

    Raises JournalFault.
    """
    with closing(open_checked(folder, writable=False)) as connection:
        try:
            connection.execute("BEGIN")

            def event_hash(seq: int) -> str | None:
                row = connection.execute("SELECT hash FROM events WHERE seq = ?", (seq,)).fetchone()
                return str(row[0]) if row is not None else None

            named = connection.execute("SELECT repo_id FROM meta").fetchone()
            newest = connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
            if named is None:
                raise tampered("a row that every journal has is missing")
            check(named[0], event_hash)
            if newest is None:
                raise tampered("a row that every journal has is missing")
            seq, chain = newest
            pending = connection.execute("SELECT count(*) FROM pending").fetchone()[0]
            unfinished = connection.execute("SELECT count(*) FROM intents").fetchone()[0]
            rows = connection.execute(
                "SELECT paths.proposal, path, before_sha256, before_mode, before_size"
                " FROM pending JOIN paths USING (proposal) WHERE proposal NOT IN (SELECT dependencies.proposal"
                " FROM dependencies JOIN pending ON pending.proposal = dependencies.parent)"
            )
            return Glance(pending, unfinished, seq, chain, [PendingPath(*row) for row in rows])
        except sqlite3.Error as error:
            raise unreadable(os.path.join(folder, JOURNAL_NAME), error) from error
