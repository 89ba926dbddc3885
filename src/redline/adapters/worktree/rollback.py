"""Take a guarded write back, by the states of name and slot alone: the table is in `guard`."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.adapters.worktree.exchange import aside_of
from redline.adapters.worktree.transaction import holds, position_of, slot_name
from redline.core.kept import Kept

if TYPE_CHECKING:
    from redline.adapters.worktree.exchange import Exchange
    from redline.adapters.worktree.transaction import Transactions
    from redline.core.plan import Step, WritePlan

_MOST_RACERS = 1000
_NOT_EMPTY = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR})


def put_back(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str, exchange: Exchange) -> None:
    """Return what an exchange displaced, though third parties may rename over the name meanwhile.

    Ends with our own file back in the slot and the newest foreign version under the name. Raises OSError
    (EBUSY) if the name never settles.
    """
    if step.before is None or step.after is None:
        try:
            exchange.rename_new(tx_fd, slot, folder_fd, name)
        except FileExistsError:
            return
        return
    ours = _identity(folder_fd, name)
    for _ in range(_MOST_RACERS):
        wanted = _identity(tx_fd, slot)
        try:
            exchange.swap(tx_fd, slot, folder_fd, name)
        except FileNotFoundError:
            return
        if _identity(tx_fd, slot) == ours:
            return
        ours = wanted
    raise OSError(errno.EBUSY, "another program keeps replacing the file", step.path)


def roll_back(plan: WritePlan, root_fd: int, tx_fd: int, exchange: Exchange) -> tuple[Kept, ...]:
    """Undo the plan's steps in reverse, remove the folders it made, sync what was touched."""
    kept: list[Kept] = []
    touched: dict[tuple[int, int], int] = {}
    try:
        for position in reversed(range(len(plan.steps))):
            step = plan.steps[position]
            parent = walk.open_parent(root_fd, step.path)
            if isinstance(parent, str):
                continue
            folder_fd, name = parent
            _remember(touched, folder_fd)
            if not _undo_one(step, slot_name(position), tx_fd, folder_fd, name, exchange):
                kept.append(Kept(step.path, None))
        for folder in reversed(plan.new_folders):
            _remove_folder(root_fd, folder, touched)
        for fd in touched.values():
            os.fsync(fd)
        os.fsync(tx_fd)
    finally:
        for fd in touched.values():
            os.close(fd)
    return tuple(kept)


def tidy(plan: WritePlan, transactions: Transactions) -> tuple[Kept, ...]:
    """Delete the slots that hold before or after; move any other file to `kept`."""
    kept: list[Kept] = []
    try:
        with transactions.open(plan.tx) as tx_fd:
            for file_name in sorted(os.listdir(tx_fd)):
                step = plan.steps[position_of(file_name)]
                entry = walk.look_at(tx_fd, file_name)
                if holds(entry, step.before) or holds(entry, step.after):
                    os.unlink(file_name, dir_fd=tx_fd)
                else:
                    kept.append(Kept(step.path, transactions.keep(tx_fd, file_name, plan.tx)))
        transactions.remove(plan.tx)
    except FileNotFoundError:
        return tuple(kept)
    return tuple(kept)


def _undo_one(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str, exchange: Exchange) -> bool:
    """Undo one step; False if the name holds bytes that are neither before nor after."""
    _finish_aside(step, slot, tx_fd, folder_fd, name)
    if step.before is None:
        return _undo_creation(step, slot, tx_fd, folder_fd, name, exchange)
    in_slot = walk.look_at(tx_fd, slot)
    if in_slot.kind == walk.ABSENT:
        return True
    if step.after is None:
        put_back(step, slot, tx_fd, folder_fd, name, exchange)
        return walk.look_at(tx_fd, slot).kind == walk.ABSENT
    if holds(in_slot, step.after):
        return True
    if not holds(walk.look_at(folder_fd, name), step.after):
        return False
    put_back(step, slot, tx_fd, folder_fd, name, exchange)
    return True


def _undo_creation(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str, exchange: Exchange) -> bool:
    now = walk.look_at(folder_fd, name)
    if now.kind == walk.ABSENT or walk.look_at(tx_fd, slot).kind != walk.ABSENT:
        return True
    if not holds(now, step.after):
        return False
    exchange.rename_new(folder_fd, name, tx_fd, slot)
    if holds(walk.look_at(tx_fd, slot), step.after):
        return True
    put_back(step, slot, tx_fd, folder_fd, name, exchange)
    return False


def _finish_aside(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str) -> None:
    """Put right what a crash inside the move-aside fallback left, so that the two-state table holds."""
    aside = aside_of(slot)
    if walk.look_at(tx_fd, aside).kind == walk.ABSENT:
        return
    now = walk.look_at(folder_fd, name)
    if now.kind == walk.ABSENT:
        os.link(aside, name, src_dir_fd=tx_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
        os.unlink(aside, dir_fd=tx_fd)
    elif holds(now, step.after):
        os.rename(aside, slot, src_dir_fd=tx_fd, dst_dir_fd=tx_fd)


def _remember(touched: dict[tuple[int, int], int], fd: int) -> None:
    status = os.fstat(fd)
    key = (status.st_dev, status.st_ino)
    if key in touched:
        os.close(touched[key])
    touched[key] = fd


def _remove_folder(root_fd: int, folder: str, touched: dict[tuple[int, int], int]) -> None:
    parent = walk.open_parent(root_fd, folder)
    if isinstance(parent, str):
        return
    fd, name = parent
    _remember(touched, fd)
    try:
        os.rmdir(name, dir_fd=fd)
    except OSError as error:
        if error.errno not in _NOT_EMPTY:
            raise


def _identity(folder_fd: int, name: str) -> tuple[int, int] | None:
    try:
        status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
