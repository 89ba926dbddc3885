"""Take a guarded write back, by the states of name and slot alone: the table is in `guard`."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from redline.adapters import durable
from redline.adapters.worktree import metadata, walk
from redline.adapters.worktree.exchange import aside_of, settle_aside
from redline.adapters.worktree.folders import Folders
from redline.adapters.worktree.leases import Company, held_off
from redline.adapters.worktree.transaction import holds, is_scratch, position_of, slot_name
from redline.core.kept import Kept

if TYPE_CHECKING:
    from redline.adapters.worktree.exchange import Exchange
    from redline.adapters.worktree.leases import Leases
    from redline.adapters.worktree.staging import Copied
    from redline.adapters.worktree.transaction import Transactions
    from redline.core.paths import RepoPath
    from redline.core.plan import Step, WritePlan

Identity: TypeAlias = tuple[int, int]
Keep: TypeAlias = Callable[[int, str], str]

_MOST_RACERS = 1000
_NOT_EMPTY = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR})


def put_back(
    step: Step, slot: str, tx_fd: int, folder_fd: int, name: str, exchange: Exchange, ours: Identity | None
) -> None:
    """Return what an exchange displaced, though third parties may rename over the name meanwhile.

    `ours` is the file that the exchange put under the name.
    Ends with our own file back in the slot and the newest foreign version under the name, or with the displaced file
    still in the slot where somebody else took or removed the name. Raises OSError (EBUSY) if the name never settles.
    """
    try:
        if step.before is None or step.after is None:
            exchange.rename_new(tx_fd, slot, folder_fd, name)
            return
        for _ in range(_MOST_RACERS):
            wanted = walk.identity_at(tx_fd, slot)
            exchange.swap(tx_fd, slot, folder_fd, name)
            if walk.identity_at(tx_fd, slot) == ours:
                return
            ours = wanted
    except (FileNotFoundError, FileExistsError):
        return
    raise OSError(errno.EBUSY, "another program keeps replacing the file", step.path)


def roll_back(
    plan: WritePlan, root_fd: int, tx_fd: int, exchange: Exchange, keep: Keep, copied: Copied
) -> tuple[Kept, ...]:
    """Undo the plan's steps in reverse, remove the folders it made, sync what was touched.

    `keep` moves a slot's file to where nothing is deleted: for what cannot go back under its name. `copied` is what
    staging returned, where this process has staged: a mode that somebody gave to the new file is given to the old one.
    """
    kept: list[Kept] = []
    with Folders(root_fd) as folders:
        for position in reversed(range(len(plan.steps))):
            step, slot = plan.steps[position], slot_name(position)
            found = folders.holding(step.path)
            if isinstance(found, str):
                undone = not _displaced(step, slot, tx_fd)
            else:
                undone = _undo_one(step, slot, tx_fd, *found, exchange, copied)
            if not undone:
                kept.append(Kept(step.path, None))
                kept += (Kept(step.path, keep(tx_fd, file_name)) for file_name in _displaced(step, slot, tx_fd))
        for folder in reversed(plan.new_folders):
            _remove_folder(folder, folders)
        folders.sync()
        durable.sync(tx_fd)
    return tuple(kept)


def tidy(plan: WritePlan, transactions: Transactions, leases: Leases, *, is_fresh: bool) -> tuple[Kept, ...]:
    """Delete the slots that hold before or after; move any other file, and one that somebody writes, to `kept`.

    `leases` are those under which this process displaced files. Never fails: what cannot be removed now is left to the
    next call, and so is, while the write is fresh, a file that somebody may be writing unseen.
    """
    kept: list[Kept] = []
    with suppress(OSError):
        transactions.discard_staging(plan.tx)
    with suppress(OSError), transactions.open(plan.tx) as tx_fd:
        for file_name in sorted(os.listdir(tx_fd)):
            with suppress(OSError):
                kept += _tidy_one(plan, file_name, tx_fd, transactions, leases, is_fresh=is_fresh)
        transactions.remove(plan.tx)
    return tuple(kept)


def _tidy_one(
    plan: WritePlan,
    file_name: str,
    tx_fd: int,
    transactions: Transactions,
    leases: Leases,
    *,
    is_fresh: bool,
) -> tuple[Kept, ...]:
    """What is no slot of the plan was put there by a stranger: it is moved as well, but belongs to no path."""
    if is_scratch(file_name):
        os.unlink(file_name, dir_fd=tx_fd)
        return ()
    position = position_of(file_name)
    if position is None or position >= len(plan.steps):
        transactions.keep(tx_fd, file_name, plan.tx)
        return ()
    step = plan.steps[position]
    if leases.hold_off(step.path, tx_fd, file_name):
        os.unlink(file_name, dir_fd=tx_fd)
        return ()
    with held_off(tx_fd, file_name) as company:
        entry = walk.look_at(tx_fd, file_name)
        there = company()
        is_known = holds(entry, step.before) or holds(entry, step.after)
        if there is not Company.SOME and is_known and not leases.has_other_mode(step.path, tx_fd, file_name):
            if there is Company.NONE or not is_fresh:
                os.unlink(file_name, dir_fd=tx_fd)
            return ()
    return (Kept(step.path, transactions.keep(tx_fd, file_name, plan.tx)),)


def _displaced(step: Step, slot: str, tx_fd: int) -> tuple[str, ...]:
    """The slot's files that came from the tree: all but those that hold *after*."""
    entries = ((file_name, _look_at(tx_fd, file_name)) for file_name in (slot, aside_of(slot)))
    return tuple(name for name, entry in entries if entry.kind != walk.ABSENT and not holds(entry, step.after))


def _undo_one(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str, exchange: Exchange, copied: Copied) -> bool:
    """Undo one step; False if the name does not hold its *before* again because somebody else wrote or removed it."""
    if not _finish_aside(step, slot, tx_fd, folder_fd, name):
        return False
    if step.before is None:
        return _undo_creation(step, slot, tx_fd, folder_fd, name, exchange)
    in_slot = _look_at(tx_fd, slot)
    if holds(in_slot, step.after):
        return True
    now = _look_at(folder_fd, name)
    if holds(now, step.before):
        return True
    if in_slot.kind == walk.ABSENT or not holds(now, step.after):
        return False
    put_back(step, slot, tx_fd, folder_fd, name, exchange, (now.device, now.inode))
    if _displaced(step, slot, tx_fd):
        return False
    if step.after is not None and step.path in copied:
        metadata.carry_over(_look_at(tx_fd, slot), copied[step.path], step.after.mode, folder_fd, name)
    return True


def _undo_creation(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str, exchange: Exchange) -> bool:
    now, staged = _look_at(folder_fd, name), _look_at(tx_fd, slot)
    target = slot
    if staged.kind != walk.ABSENT:
        if not _is_same_file(now, staged):
            return True
        target = aside_of(slot)  # the move-aside fallback was cut off between its link and its unlink
    if now.kind == walk.ABSENT:
        return True
    if not holds(now, step.after):
        return False
    try:
        exchange.take(folder_fd, name, tx_fd, target)
    except FileNotFoundError:
        return True
    if holds(_look_at(tx_fd, target), step.after):
        return True
    put_back(step, target, tx_fd, folder_fd, name, exchange, None)
    return False


def _finish_aside(step: Step, slot: str, tx_fd: int, folder_fd: int, name: str) -> bool:
    """Put right what a crash inside the move-aside fallback left, so that the two-state table holds.

    False if a file of the tree was moved aside and another took its name.
    """
    aside = aside_of(slot)
    displaced = _look_at(tx_fd, aside)
    if displaced.kind == walk.ABSENT:
        return True
    now = _look_at(folder_fd, name)
    if now.kind == walk.ABSENT and not (step.before is None and holds(displaced, step.after)):
        os.link(aside, name, src_dir_fd=tx_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
        durable.sync(folder_fd)
        os.unlink(aside, dir_fd=tx_fd)
    elif _is_same_file(now, displaced):
        os.unlink(aside, dir_fd=tx_fd)
    elif step.before is not None and holds(now, step.after):
        settle_aside(tx_fd, slot)
    else:
        return holds(now, step.before) or holds(displaced, step.after)
    return True


def _look_at(folder_fd: int, name: str) -> walk.Entry:
    """What this account may not read is none of ours: redline's own files it may."""
    try:
        return walk.look_at(folder_fd, name)
    except PermissionError:
        return walk.Entry(walk.SPECIAL)


def _is_same_file(one: walk.Entry, other: walk.Entry) -> bool:
    return one.kind == other.kind == walk.FILE and (one.device, one.inode) == (other.device, other.inode)


def _remove_folder(folder: RepoPath, folders: Folders) -> None:
    found = folders.holding(folder)
    if isinstance(found, str):
        return
    fd, name = found
    try:
        os.rmdir(name, dir_fd=fd)
    except OSError as error:
        if error.errno not in _NOT_EMPTY:
            raise
