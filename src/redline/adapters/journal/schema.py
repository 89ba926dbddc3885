"""The journal's tables, and how its file is opened.

Sources: SQLite's "Defense Against The Dark Arts" (sqlite.org/security.html), PRAGMA reference, "Atomic Commit".

- `meta`       one row: the random name of this journal.
- `contents`   SHA-256 of the raw bytes → the bytes, compressed where it pays; shared between proposals.
- `proposals`  insert-only; `record` is canonical, its SHA-256 is `digest`.
- `paths`      one row for each change: what `status` and `list` need of it without the records and the diffs; `hunks`
               is the ids of its hunks with blanks between.
- `pending`    the proposals without a receipt; `seq` is that of their `proposed` event.
- `events`     append-only; each row's `hash` covers the row and the hash before it.
- `receipts`   primary key proposal: a proposal ends once, by the database's own rule; the record is the event's body.
- `intents`    the plan of the write in progress; a row without a receipt is what `recover` looks for.
- `declined`   the parts that a person declined, by what they do, so that the same one is known again.
- `calls`      the agents' calls that were taken, so that one that is made twice is one proposal.
- `opened`     the proposal of each session that its further edits join.
- `dependencies` which proposals start from what another one makes.
- `drafts`     the review of a pending proposal that its person has not finished.
- `deliveries` up to which event each agent session has been told.
"""

from __future__ import annotations

import os
import sqlite3

from redline.errors import JournalFault

APPLICATION_ID = 0x7265646C  # "redl"
VERSION = 2
JOURNAL_NAME = "journal.sqlite3"
SIDE_FILES = ("-journal", "-wal", "-shm")
BUSY_TIMEOUT_S = 10.0
MAX_VALUE_BYTES = 64 * 1024 * 1024

TABLES = (
    "CREATE TABLE meta (repo_id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID",
    (
        "CREATE TABLE contents (sha256 TEXT NOT NULL PRIMARY KEY, size_bytes INTEGER NOT NULL,"
        " encoding TEXT NOT NULL, bytes BLOB NOT NULL) STRICT"
    ),
    (
        "CREATE TABLE proposals (id TEXT NOT NULL PRIMARY KEY, digest TEXT NOT NULL UNIQUE, record TEXT NOT NULL,"
        " changes_digest TEXT NOT NULL, session TEXT, seq INTEGER NOT NULL) STRICT"
    ),
    "CREATE INDEX proposals_by_changes ON proposals (changes_digest)",
    "CREATE INDEX proposals_by_seq ON proposals (seq)",
    (
        "CREATE TABLE paths (proposal TEXT NOT NULL, path TEXT NOT NULL, before_sha256 TEXT, before_mode TEXT,"
        " before_size INTEGER, insertions INTEGER NOT NULL, deletions INTEGER NOT NULL, hunks TEXT NOT NULL,"
        " PRIMARY KEY (proposal, path)) STRICT, WITHOUT ROWID"
    ),
    "CREATE TABLE pending (seq INTEGER NOT NULL PRIMARY KEY, proposal TEXT NOT NULL UNIQUE) STRICT",
    (
        "CREATE TABLE events (seq INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL,"
        " proposal TEXT NOT NULL, actor TEXT NOT NULL, body TEXT NOT NULL, prev_hash TEXT NOT NULL,"
        " hash TEXT NOT NULL) STRICT"
    ),
    (
        "CREATE TABLE receipts (proposal TEXT NOT NULL PRIMARY KEY, seq INTEGER NOT NULL UNIQUE,"
        " outcome TEXT NOT NULL) STRICT"
    ),
    (
        "CREATE TABLE intents (tx TEXT NOT NULL PRIMARY KEY, proposal TEXT NOT NULL UNIQUE, opened_at TEXT NOT NULL,"
        " plan TEXT NOT NULL, decision TEXT NOT NULL) STRICT"
    ),
    "CREATE TABLE calls (call TEXT NOT NULL PRIMARY KEY, proposal TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE opened (session TEXT NOT NULL PRIMARY KEY, proposal TEXT NOT NULL) STRICT, WITHOUT ROWID",
    (
        "CREATE TABLE dependencies (proposal TEXT NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (proposal, parent))"
        " STRICT, WITHOUT ROWID"
    ),
    "CREATE INDEX dependencies_by_parent ON dependencies (parent)",
    "CREATE TABLE declined (part TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (part, seq)) STRICT, WITHOUT ROWID",
    "CREATE TABLE drafts (proposal TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL) STRICT",
    "CREATE TABLE deliveries (session TEXT NOT NULL PRIMARY KEY, seq INTEGER NOT NULL) STRICT",
)


def connect(folder: str, name: str, *, writable: bool) -> sqlite3.Connection:
    """Open the file with the settings that durability and untrusted files ask for.

    `synchronous=EXTRA` syncs the folder after the rollback journal is unlinked: without it a power cut can undo a
    commit that was reported.
    """
    escaped = os.path.join(folder, name).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(
        f"file:{escaped}?mode={'rw' if writable else 'ro'}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_TIMEOUT_S,
    )
    try:
        _configure(connection, writable=writable)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _configure(connection: sqlite3.Connection, *, writable: bool) -> None:
    for category, limit in (
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 50),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ):
        connection.setlimit(category, limit)
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    if writable:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("PRAGMA fullfsync=ON")  # macOS; without a meaning elsewhere
    else:
        connection.execute("PRAGMA query_only=ON")


def create_tables(connection: sqlite3.Connection, repo_id: str) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES (?)", (repo_id,))


def check_schema(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a database that is not exactly ours: a trigger in a file from elsewhere could approve things.

    Raises JournalFault (JOURNAL_CORRUPT, JOURNAL_VERSION, JOURNAL_SCHEMA).
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise JournalFault(
            f"{path} is no redline journal",
            code="JOURNAL_CORRUPT",
            hint="Move the folder .proposals away and run `redline init`.",
        )
    if version != VERSION:
        raise JournalFault(
            f"{path} has schema version {version}; this redline reads version {VERSION}",
            code="JOURNAL_VERSION",
            hint="Use the redline release that wrote it, or a newer one.",
        )
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    if sorted(str(row[0]) for row in rows) != sorted(TABLES):
        raise JournalFault(
            f"{path} has tables, views or triggers that redline did not make",
            code="JOURNAL_SCHEMA",
            hint="Do not trust it: move the folder .proposals away and run `redline init`.",
        )


def stored(session: str | None) -> str | None:
    """Spell a session's name as a column can hold it: one that came as bytes may be no UTF-8."""
    return session.encode("utf-8", "backslashreplace").decode("utf-8") if session is not None else None
