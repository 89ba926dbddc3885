"""Write the after-contents beside the tree, complete and durable, before anything in the tree moves."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from redline.adapters import durable
from redline.adapters.worktree import metadata
from redline.adapters.worktree.descriptors import make_room
from redline.adapters.worktree.transaction import slot_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.adapters.worktree.folders import Folders
    from redline.core.content import FileState
    from redline.core.paths import RepoPath
    from redline.core.plan import Step, WritePlan

Copied: TypeAlias = "dict[RepoPath, tuple[int, int, int]]"

_SYNC_THREADS = 16
_FEW_FILES = 8
_BATCH_FILES = 1024


def stage(plan: WritePlan, contents: Callable[[str], bytes], folders: Folders, tx_fd: int) -> Copied:
    """Write one slot for each step that leaves a file, with the metadata of the file it will replace.

    Returns that metadata by path. `contents` maps SHA-256 to bytes. Each file is synced; the folder is the caller's.
    """
    umask = _umask()
    copied: Copied = {}
    room = max(1, make_room(_BATCH_FILES))
    steps = [
        (slot_name(position), step, step.after) for position, step in enumerate(plan.steps) if step.after is not None
    ]
    for start in range(0, len(steps), room):
        batch = steps[start : start + room]
        with ExitStack() as stack:
            fds: list[int] = []
            for slot, step, after in batch:
                fd = _create(slot, tx_fd)
                stack.callback(os.close, fd)
                fds.append(fd)
                _write_all(fd, contents(after.sha256))
                _set_metadata(step, after, folders, fd, umask, copied)
            _sync_all(fds)
    return copied


def _create(name: str, folder_fd: int) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o600, dir_fd=folder_fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _set_metadata(step: Step, after: FileState, folders: Folders, fd: int, umask: int, copied: Copied) -> None:
    if step.before is None:
        metadata.inherit(folders.nearest(step.path), fd, after.mode, umask)
        return
    found = folders.holding(step.path)
    if isinstance(found, str):
        return  # the write itself will meet the drift
    folder_fd, name = found
    with suppress(FileNotFoundError):
        copied[step.path] = metadata.copy(folder_fd, name, fd, after.mode)


def _sync_all(fds: list[int]) -> None:
    """On a busy disk 16 threads take a tenth of the time of one; for a few files a pool only costs."""
    faults: list[OSError] = []
    if len(fds) <= _FEW_FILES:
        _sync_in_turn(fds, faults)
    else:
        _sync_in_threads(fds, faults)
    if faults:
        raise faults[0]


def _sync_in_threads(fds: list[int], faults: list[OSError]) -> None:
    """What no thread can be had for is synced here."""
    threads: list[Thread] = []
    for first in range(_SYNC_THREADS):
        part = fds[first::_SYNC_THREADS]
        thread = Thread(target=_sync_in_turn, args=(part, faults))
        try:
            thread.start()
        except RuntimeError:
            _sync_in_turn(part, faults)
        else:
            threads.append(thread)
    for thread in threads:
        thread.join()


def _sync_in_turn(fds: list[int], faults: list[OSError]) -> None:
    try:
        for fd in fds:
            durable.sync(fd)
    except OSError as error:
        faults.append(error)


def _umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
