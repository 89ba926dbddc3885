"""Which journals this person made, and the newest event seen in each: `$XDG_STATE_HOME/redline/journals/<repo_id>`.

One text file for each journal: `seq hash device inode`, then the path of its `.proposals` folder. It is what a clone or
an archive cannot bring along, so a journal without one was made by somebody else.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from redline.adapters import durable
from redline.errors import JournalFault

if TYPE_CHECKING:
    from collections.abc import Callable

_FOLDER = "journals"
_REPO_ID = re.compile(r"[0-9A-Za-z]{1,64}\Z")


class Anchor(NamedTuple):
    """The newest event seen, and the folder it was seen in."""

    seq: int
    chain: str
    device: int
    inode: int
    folder: str


class Registry:
    """The journals that are trusted, for one `.proposals` folder."""

    def __init__(self, state_home: str, folder: str) -> None:
        self._anchors = os.path.join(state_home, "redline", _FOLDER)
        self._folder = folder

    def check(self, repo_id: str, event_hash: Callable[[int], str | None]) -> None:
        """Refuse a journal that this person did not make here, or that lost events it had.

        Raises JournalFault (JOURNAL_UNTRUSTED, JOURNAL_ROLLBACK).
        """
        anchor = self.anchor(repo_id)
        if anchor is not None and not self._is_here(anchor):
            raise JournalFault(
                f"{self._folder} is a copy: its journal is the one of {anchor.folder}",
                hint="Work there; or, if this is the one to go on with, `redline init --adopt` here.",
            )
        if anchor is None:
            raise JournalFault(
                f"{self._folder} was not made by you here: it came with a clone, a copy or an archive",
                hint="Nothing in it counts as approved. If it is your own copy: `redline init --adopt`; else move"
                " .proposals away and run `redline init`.",
            )
        if event_hash(anchor.seq) != anchor.chain:
            raise JournalFault(
                f"{self._folder} lacks events that it had (last seen: number {anchor.seq})",
                code="JOURNAL_ROLLBACK",
                hint="It was replaced by an older copy or altered. Restore the newest one, or accept the loss with"
                " `redline init --adopt`.",
            )

    def remember(self, repo_id: str, head: tuple[int, str]) -> None:
        """Note the newest event. Raises JournalFault if the person's state folder cannot be written."""
        status = os.stat(self._folder)
        text = f"{head[0]} {head[1]} {status.st_dev} {status.st_ino}\n{self._folder}"
        path = os.path.join(self._anchors, repo_id)
        try:
            os.makedirs(self._anchors, mode=0o700, exist_ok=True)
            with open(f"{path}.{os.getpid()}", "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
                file.flush()
                durable.sync(file.fileno())
            os.replace(f"{path}.{os.getpid()}", path)
        except OSError as error:
            raise JournalFault(
                f"{path} cannot be written: {error.strerror}",
                code="REGISTRY_UNWRITABLE",
                hint="redline keeps what it trusts there; check the folder's permissions and space.",
            ) from error

    def anchor(self, repo_id: str) -> Anchor | None:
        if not _REPO_ID.match(repo_id):
            return None
        try:
            with open(os.path.join(self._anchors, repo_id), encoding="utf-8", errors="surrogateescape") as file:
                first, _, folder = file.read().partition("\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JournalFault(
                f"{os.path.join(self._anchors, repo_id)} cannot be read: {error.strerror}",
                code="REGISTRY_UNREADABLE",
                hint="redline keeps what it trusts there; check the folder's permissions.",
            ) from error
        try:
            seq, chain, device, inode = first.split(" ")
            return Anchor(int(seq), chain, int(device), int(inode), folder)
        except ValueError as error:
            raise JournalFault(
                f"{os.path.join(self._anchors, repo_id)} is damaged",
                code="REGISTRY_CORRUPT",
                hint="If nobody else changed .proposals: `redline init --adopt` checks the journal and notes it anew.",
            ) from error

    def _is_here(self, anchor: Anchor) -> bool:
        """The same folder, or the same place: a repository may be moved, or restored where it was."""
        status = os.stat(self._folder)
        same_folder = (anchor.device, anchor.inode) == (status.st_dev, status.st_ino)
        return same_folder or anchor.folder == self._folder


class OwnershipOnly:
    """The model's side: it decides nothing and may run under another home, so the files' owner is enough."""

    def check(self, repo_id: str, event_hash: Callable[[int], str | None]) -> None:
        """Take any journal whose files and schema passed."""

    def remember(self, repo_id: str, head: tuple[int, str]) -> None:
        """Leave the registry to the person's side."""


def state_home() -> str:
    return os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
