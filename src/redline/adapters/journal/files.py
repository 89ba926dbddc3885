"""The journal's files on disk: made private before SQLite opens them, checked before they are read."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat

from redline.adapters import durable
from redline.adapters.journal.schema import (
    JOURNAL_NAME,
    SIDE_FILES,
    check_schema,
    connect,
)
from redline.errors import JournalFault

_NEW_NAME = f"{JOURNAL_NAME}.new"


def make_folder(folder: str) -> None:
    """Make `.proposals`, readable by its owner alone.

    Raises JournalFault if the folder cannot be made.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except OSError as error:
        raise _unusable(folder, error) from error


def exists(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, JOURNAL_NAME))


def build(folder: str) -> sqlite3.Connection:
    """Open a new, private, empty database beside the journal's place; `install` puts it there.

    Raises JournalFault if it cannot be written.
    """
    path = os.path.join(folder, _NEW_NAME)
    try:
        for leftover in (path, *(path + suffix for suffix in SIDE_FILES)):
            if os.path.lexists(leftover):
                os.unlink(leftover)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        return connect(folder, _NEW_NAME, writable=True)
    except sqlite3.Error as error:
        raise unreadable(path, error) from error


def install(folder: str) -> None:
    """Put the finished database in the journal's place, durably, and the folder in its own."""
    try:
        os.rename(os.path.join(folder, _NEW_NAME), os.path.join(folder, JOURNAL_NAME))
        for synced in (folder, os.path.dirname(folder)):
            fd = os.open(synced, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                durable.sync(fd)
            finally:
                os.close(fd)
    except OSError as error:
        raise _unusable(folder, error) from error


def check_folder(folder: str) -> None:
    """Refuse a `.proposals` that is no private folder of this account.

    Raises JournalFault (JOURNAL_MISSING, JOURNAL_UNTRUSTED, JOURNAL_PERMS).
    """
    try:
        status = os.lstat(folder)
    except FileNotFoundError as error:
        raise _missing(folder) from error
    if not stat.S_ISDIR(status.st_mode):
        raise _untrusted(f"{folder} is no folder of its own but a link or a file")
    _check_owner(folder, status)


def check(folder: str) -> None:
    """Refuse a folder or a file that somebody else could have made or could change.

    Raises JournalFault (JOURNAL_MISSING, JOURNAL_UNTRUSTED, JOURNAL_PERMS).
    """
    check_folder(folder)
    path = os.path.join(folder, JOURNAL_NAME)
    if not os.path.lexists(path):
        raise _missing(folder)
    for name in (path, *(path + suffix for suffix in SIDE_FILES)):
        try:
            status = os.lstat(name)
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:  # 0: a side file that is just being removed
            raise _untrusted(f"{name} is a link or no regular file")
        _check_owner(name, status)


def open_checked(folder: str, *, writable: bool) -> sqlite3.Connection:
    """Check the files and the schema, then hand out a connection.

    Raises JournalFault.
    """
    check(folder)
    if not writable:
        _settle_hot_journal(folder)
    return _open(folder, writable=writable)


def _open(folder: str, *, writable: bool) -> sqlite3.Connection:
    path = os.path.join(folder, JOURNAL_NAME)
    connection: sqlite3.Connection | None = None
    try:
        connection = connect(folder, JOURNAL_NAME, writable=writable)
        check_schema(connection, path)
    except (sqlite3.DatabaseError, JournalFault) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.Error):
            raise unreadable(path, error) from error
        raise
    return connection


def _settle_hot_journal(folder: str) -> None:
    """Let SQLite roll back what a crash left: it cannot read past a hot rollback journal without writing."""
    if os.path.lexists(os.path.join(folder, JOURNAL_NAME + SIDE_FILES[0])):
        _open(folder, writable=True).close()


def unreadable(path: str, error: sqlite3.Error) -> JournalFault:
    """Say what SQLite met, in words that lead on."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL"):
        return JournalFault(
            f"the disk that holds {path} is full: nothing was recorded",
            code="JOURNAL_FULL",
            hint="Free some space and repeat the command.",
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return JournalFault(
            f"{path} is locked by another program",
            code="JOURNAL_LOCKED",
            hint="Close the program that has the database open and repeat the command.",
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT")):
        return JournalFault(
            f"{path} is damaged: {error}",
            code="JOURNAL_CORRUPT",
            hint="Restore .proposals from a backup, or move it away and run `redline init`; the files of the"
            " repository are not touched by either.",
        )
    return JournalFault(
        f"{path} cannot be used: {error}",
        code="JOURNAL_UNWRITABLE" if name.startswith(("SQLITE_READONLY", "SQLITE_IOERR")) else "JOURNAL_UNREADABLE",
        hint="Check the permissions of .proposals and the state of its disk.",
    )


def tampered(what: str) -> JournalFault:
    return JournalFault(
        f"the journal contradicts itself: {what}",
        code="JOURNAL_TAMPERED",
        hint="Run `redline verify`; nothing was written.",
    )


def _check_owner(path: str, status: os.stat_result) -> None:
    if status.st_uid != os.getuid():
        raise _untrusted(f"{path} belongs to another account (uid {status.st_uid})")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise JournalFault(
            f"{path} can be reached by other accounts (mode {stat.S_IMODE(status.st_mode):o})",
            code="JOURNAL_PERMS",
            hint="If you are sure that nobody changed it: `chmod -R go-rwx .proposals`.",
        )


def _missing(folder: str) -> JournalFault:
    return JournalFault(
        f"{os.path.dirname(folder)} has no redline journal yet",
        code="JOURNAL_MISSING",
        hint="A person runs `redline init` there first.",
    )


def _untrusted(what: str) -> JournalFault:
    return JournalFault(
        f"{what}: this journal is not yours to trust",
        hint="Move .proposals away and run `redline init`; nothing in it counts as approved.",
    )


def _unusable(folder: str, error: OSError) -> JournalFault:
    return JournalFault(
        f"{folder} cannot be used: {error.strerror}",
        code="JOURNAL_FULL" if error.errno == errno.ENOSPC else "JOURNAL_UNWRITABLE",
        hint="Check the space and the permissions of the disk that holds it.",
    )
