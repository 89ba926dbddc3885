"""The folders in which a guarded write keeps its files: `.proposals/tx/<proposal>/<slot>` and `.proposals/kept/`.

Before the exchange a slot holds the staged *after*; after it, what the path held. Slots are numbered like the plan.
While it is being staged, the folder is called `<proposal>.part`: its slots are nothing but redline's own bytes.
"""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from redline.adapters import durable
from redline.adapters.worktree import walk
from redline.adapters.worktree.exchange import PROBE_NAMES, aside_of
from redline.adapters.worktree.index_lock import PREPARED_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.content import FileState

TX_FOLDER = "tx"
KEPT_FOLDER = "kept"
_TX = re.compile(r"([0-9a-f]{16})(\.part)?\Z")
_SLOT = re.compile(rf"([0-9]{{1,9}})({re.escape(aside_of(''))})?\Z")


class Transactions:
    """The transaction folders of one `.proposals` folder."""

    def __init__(self, proposals: str) -> None:
        self._proposals = proposals

    def names(self) -> tuple[str, ...]:
        """The transactions that have a folder; whatever else lies there is none of ours."""
        folder = os.path.join(self._proposals, TX_FOLDER)
        try:
            found = map(_TX.match, os.listdir(folder))
        except FileNotFoundError:
            return ()
        return tuple(sorted({match[1] for match in found if match is not None}))

    def exists(self, tx: str) -> bool:
        """Tell whether a transaction has a folder; an error is an error, not a no."""
        try:
            os.lstat(os.path.join(self._proposals, TX_FOLDER, tx))
        except FileNotFoundError:
            return False
        return True

    @contextmanager
    def create(self, tx: str) -> Iterator[int]:
        """Open a new folder to stage in; it becomes the transaction's, durable, when the block ends well."""
        if self.exists(tx):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), tx)
        with self._folder(TX_FOLDER) as outer_fd:
            os.mkdir(_part_of(tx), 0o700, dir_fd=outer_fd)
            with self.open(_part_of(tx)) as fd:
                yield fd
                durable.sync(fd)
            os.rename(_part_of(tx), tx, src_dir_fd=outer_fd, dst_dir_fd=outer_fd)
            durable.sync(outer_fd)

    def discard_staging(self, tx: str) -> None:
        """Remove what was staged by halves, if anything was; a stranger's file among it is kept."""
        with suppress(FileNotFoundError), self.open(_part_of(tx)) as fd:
            for file_name in os.listdir(fd):
                if position_of(file_name) is None:
                    self.keep(fd, file_name, tx)
                else:
                    os.unlink(file_name, dir_fd=fd)
            self.remove(_part_of(tx))

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

    @contextmanager
    def beside(self) -> Iterator[int]:
        """Open the folder that holds the journal and the transactions."""
        fd = walk.open_folder(self._proposals)
        try:
            yield fd
        finally:
            os.close(fd)

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
            durable.sync(fd)
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
            try:
                durable.sync(parent)
            finally:
                os.close(parent)
        fd = walk.open_folder(path)
        try:
            yield fd
        finally:
            os.close(fd)


def slot_name(position: int) -> str:
    return str(position)


def _part_of(tx: str) -> str:
    return f"{tx}.part"


def is_scratch(file_name: str) -> bool:
    """Tell whether a file of a transaction was redline's own in all its life, and never a slot."""
    return file_name in {*PROBE_NAMES, PREPARED_NAME}


def position_of(file_name: str) -> int | None:
    """The step that a slot belongs to; None for a file that is no slot."""
    match = _SLOT.match(file_name)
    return int(match[1]) if match is not None else None


def holds(entry: walk.Entry, state: FileState | None) -> bool:
    """Tell whether an entry is in the state that a plan names."""
    if state is None:
        return entry.kind == walk.ABSENT
    return walk.is_at(entry, state.sha256, state.size_bytes, state.mode.is_executable)
