"""Whether a session has anything to hear or to seal: a hook asks all the time, and the answer is mostly no."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import NamedTuple

from redline.adapters.journal.files import open_checked, unreadable
from redline.adapters.journal.schema import JOURNAL_NAME, stored


class SessionGlance(NamedTuple):
    """`has_ended` is a receipt that the session was not told of, if it is to be told of it at all."""

    has_ended: bool
    has_open: bool


def glance_at_session(folder: str, session: str) -> SessionGlance:
    """Look without the core. Raises JournalFault."""
    name = stored(session)
    with closing(open_checked(folder, writable=False)) as connection:
        try:
            ended = connection.execute(
                "SELECT 1 FROM receipts JOIN proposals ON proposals.id = receipts.proposal WHERE proposals.session = ?"
                " AND receipts.seq > coalesce((SELECT seq FROM deliveries WHERE session = ?), 0) LIMIT 1",
                (name, name),
            ).fetchone()
            opened = connection.execute("SELECT 1 FROM opened WHERE session = ?", (name,)).fetchone()
        except sqlite3.Error as error:
            raise unreadable(os.path.join(folder, JOURNAL_NAME), error) from error
    return SessionGlance(ended is not None, opened is not None)
