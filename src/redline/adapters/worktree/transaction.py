"""The folders in which a guarded write keeps its files: `.proposals/tx/<proposal>/<slot>` and `.proposals/kept/`.

Before the exchange a slot holds the staged *after*; after it, what the path held. Slots are numbered like the plan.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.adapters.worktree.exchange import aside_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.content import FileState

TX_FOLDER = "tx"
KEPT_FOLDER = "kept"


class Transactions:
    """The transaction folders of one `.proposals` folder."""

    def __init__(self, proposals: str) -> None:
        self._proposals = proposals

    def names(self) -> tuple[str, ...]:
        try:
            return tuple(sorted(os.listdir(os.path.join(self._proposals, TX_FOLDER))))
        except FileNotFoundError:
            return ()

    def create(self, tx: str) -> None:
        with self._folder(TX_FOLDER) as fd:
            os.mkdir(tx, 0o700, dir_fd=fd)

    @contextmanager
    def open(self, tx: str) -> Iterator[int]:
        """Open a transaction's folder.

        Raises FileNotFoundError if there is none.
        """
        fd = walk.open_folder(os.path.join(self._proposals, TX_FOLDER, tx))
        try:
            yield fd
        finally:
            os.close(fd)

    def sync(self, tx: str) -> None:
        """Make the transaction's entries durable: its folder, then the folder that names it."""
        with self.open(tx) as fd:
            os.fsync(fd)
        with self._folder(TX_FOLDER) as fd:
            os.fsync(fd)

    def remove(self, tx: str) -> None:
        with self._folder(TX_FOLDER) as fd:
            os.rmdir(tx, dir_fd=fd)

    def keep(self, tx_fd: int, slot: str, tx: str) -> str:
        """Move a slot's file where redline never deletes anything; its new place below the repository."""
        with self._folder(KEPT_FOLDER) as fd:
            taken = set(os.listdir(fd))
            number = next(n for n in range(len(taken) + 1) if f"{tx}-{slot}-{n}" not in taken)
            name = f"{tx}-{slot}-{number}"
            os.rename(slot, name, src_dir_fd=tx_fd, dst_dir_fd=fd)
            os.fsync(fd)
        return f"{os.path.basename(self._proposals)}/{KEPT_FOLDER}/{name}"

    @contextmanager
    def _folder(self, name: str) -> Iterator[int]:
        path = os.path.join(self._proposals, name)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        else:
            parent = walk.open_folder(self._proposals)
            os.fsync(parent)
            os.close(parent)
        fd = walk.open_folder(path)
        try:
            yield fd
        finally:
            os.close(fd)


def slot_name(position: int) -> str:
    return str(position)


def position_of(file_name: str) -> int:
    return int(file_name.removesuffix(aside_of("")))


def holds(entry: walk.Entry, state: FileState | None) -> bool:
    """Tell whether an entry is in the state that a plan names."""
    if state is None:
        return entry.kind == walk.ABSENT
    return walk.is_at(entry, state.sha256, state.size_bytes, state.mode.is_executable)
