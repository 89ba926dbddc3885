"""Redline with one part replaced, in a process of the tests that ends soon after.

BROKEN names ways to get the protocol wrong that the checks of this folder must notice: without that, their silence
about the real code says nothing. Each replaces what stands at a border: a call of the system, a method of a port.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from redline.adapters.journal import files
from redline.adapters.journal.writer import JournalWriter
from redline.adapters.worktree.exchange import AtomicExchange
from redline.adapters.worktree.guard import Guard
from redline.adapters.worktree.transaction import TX_FOLDER, Transactions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator


MOVE_ASIDE = "move aside"


def _as_it_is() -> None:
    """Nothing replaced."""


def _move_aside() -> None:
    """A file system without the atomic exchange: redline has to move files aside and link. This is no mistake."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    AtomicExchange.swap = refuse  # type: ignore[assignment,method-assign]


def _without_sync(is_meant: Callable[[str, bool], bool]) -> Callable[[], None]:
    """Do not sync what is meant: asked with the path, and whether it is a folder."""

    def replace() -> None:
        real = os.fsync

        def fsync(fd: int) -> None:
            path = os.readlink(f"/proc/self/fd/{fd}")
            if not is_meant(path, stat.S_ISDIR(os.fstat(fd).st_mode)):
                real(fd)

        os.fsync = fsync  # type: ignore[assignment]

    return replace


def _is_staged_file(path: str, is_folder: bool) -> bool:
    return not is_folder and "/.proposals/tx/" in path and not path.endswith("index-lock")


def _receipt_first() -> None:
    """The receipt is filed, then the files are exchanged."""
    write, file = Guard.write, JournalWriter.file
    left: list[tuple[Any, ...]] = []

    def file_then_write(*arguments: Any) -> Any:
        filed = file(*arguments)
        for write_arguments in left:
            write(*write_arguments)
        return filed

    Guard.write = lambda *arguments: left.append(arguments)  # type: ignore[method-assign]
    JournalWriter.file = file_then_write  # type: ignore[assignment,method-assign]


def _intent_late() -> None:
    """The files are exchanged, then the intent is recorded."""
    write, open_intent = Guard.write, JournalWriter.open_intent
    left: list[tuple[Any, ...]] = []

    def write_then_open(*arguments: Any) -> None:
        write(*arguments)
        for intent_arguments in left:
            open_intent(*intent_arguments)

    Guard.write = write_then_open  # type: ignore[assignment,method-assign]
    JournalWriter.open_intent = lambda *arguments: left.append(arguments)  # type: ignore[method-assign]


def _synchronous_full() -> None:
    """SQLite leaves the folder of its rollback journal unsynced."""
    connect = files.connect  # type: ignore[attr-defined]

    def connect_weakly(folder: str, name: str, *, writable: bool) -> sqlite3.Connection:
        connection = connect(folder, name, writable=writable)
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    files.connect = connect_weakly  # type: ignore[attr-defined]


def _named_early() -> None:
    """A transaction's folder has its final name before its slots are complete."""

    @contextmanager
    def create(self: Transactions, tx: str) -> Iterator[int]:
        with self._folder(TX_FOLDER) as outer_fd:
            os.mkdir(tx, 0o700, dir_fd=outer_fd)
            os.fsync(outer_fd)
        with self.open(tx) as fd:
            yield fd
            os.fsync(fd)

    Transactions.create = create  # type: ignore[method-assign]


BROKEN: dict[str, Callable[[], None]] = {
    "staged files not synced": _without_sync(_is_staged_file),
    "folders of the tree not synced": _without_sync(lambda path, is_folder: is_folder and "/.proposals" not in path),
    "folders of the transaction not synced": _without_sync(lambda path, is_folder: is_folder and "/.proposals" in path),
    "no folder synced": _without_sync(lambda _, is_folder: is_folder),
    "index lock not synced": _without_sync(lambda path, _: path.endswith("index-lock")),
    "anchor not synced": _without_sync(lambda path, _: "/redline/journals/" in path),
    "receipt before the exchange": _receipt_first,
    "intent after the exchange": _intent_late,
    "synchronous=FULL": _synchronous_full,
    "transaction named early": _named_early,
}

VARIANTS = {"": _as_it_is, MOVE_ASIDE: _move_aside, **BROKEN}
