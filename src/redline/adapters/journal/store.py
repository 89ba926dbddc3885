"""The journal of one repository: `.proposals/journal.sqlite3`."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from redline.adapters.journal import files
from redline.adapters.journal.reader import JournalReader
from redline.adapters.journal.schema import JOURNAL_NAME
from redline.adapters.journal.verify import faults
from redline.adapters.journal.writer import JournalWriter
from redline.errors import JournalFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from redline.core.canonical import Record
    from redline.core.held import Held


class Trust(Protocol):
    """Whether a journal is this person's own, beyond what its files show."""

    def check(self, repo_id: str, event_hash: Callable[[int], str | None]) -> None:
        """Raise JournalFault if it is not."""
        ...

    def remember(self, repo_id: str, head: tuple[int, str]) -> None:
        """Note the newest event, so that a journal that lost events is noticed."""
        ...


class Journal:
    """Opens the journal for reading or, under the held lock, for writing."""

    def __init__(self, folder: str, trust: Trust) -> None:
        self._folder = folder
        self._trust = trust

    @contextmanager
    def reading(self) -> Iterator[JournalReader]:
        """Read a consistent state.

        Raises JournalFault.
        """
        connection = files.open_checked(self._folder, writable=False)
        try:
            connection.execute("BEGIN")
            reader = JournalReader(connection)
            self._trust.check(reader.repo_id, reader.event_hash)
            yield reader
        except sqlite3.Error as error:
            raise files.unreadable(self._path, error) from error
        finally:
            connection.close()

    @contextmanager
    def writing(self, held: Held) -> Iterator[JournalWriter]:  # noqa: ARG002 -- the lock is the argument
        """Append under the held lock.

        Raises JournalFault; then nothing of the failed transaction is stored.
        """
        connection = files.open_checked(self._folder, writable=True)
        try:
            writer = JournalWriter(connection, self._path)
            self._trust.check(writer.repo_id, writer.event_hash)
            try:
                yield writer
            finally:
                # What was committed stays so; an anchor that lags behind is still a true one.
                with suppress(JournalFault, sqlite3.Error):
                    self._trust.remember(writer.repo_id, writer.head())
        except sqlite3.Error as error:
            raise files.unreadable(self._path, error) from error
        finally:
            connection.close()

    @property
    def _path(self) -> str:
        return os.path.join(self._folder, JOURNAL_NAME)

    def faults(self) -> tuple[str, ...]:
        """Check everything; the contradictions found, in words. Raises JournalFault if it cannot be read at all."""
        connection = files.open_checked(self._folder, writable=False)
        try:
            connection.execute("BEGIN")
            reader = JournalReader(connection)
            self._trust.check(reader.repo_id, reader.event_hash)
            return tuple(faults(reader, connection))
        except sqlite3.Error as error:
            raise files.unreadable(self._path, error) from error
        finally:
            connection.close()


def create(folder: str, repo_id: str, trust: Trust, actor: Record, at: datetime) -> None:
    """Make a journal with its first event, complete and trusted, or none at all.

    Raises JournalFault if it cannot be written.
    """
    connection = files.build(folder)
    try:
        writer = JournalWriter(connection, os.path.join(folder, JOURNAL_NAME))
        writer.initialise(repo_id, actor, at)
        trust.remember(repo_id, writer.head())
    except sqlite3.Error as error:
        raise files.unreadable(os.path.join(folder, JOURNAL_NAME), error) from error
    finally:
        connection.close()
    files.install(folder)
