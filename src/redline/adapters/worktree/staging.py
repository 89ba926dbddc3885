"""Write the after-contents beside the tree, complete and durable, before anything in the tree moves."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.adapters.worktree.descriptors import make_room
from redline.adapters.worktree.transaction import part_of, slot_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.content import FileState, Mode
    from redline.core.plan import Step, WritePlan

_SYNC_THREADS = 16
_FEW_FILES = 8
_BATCH_FILES = 128
_NOT_PERMITTED = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP})


def stage(plan: WritePlan, contents: Callable[[str], bytes], root_fd: int, tx_fd: int) -> None:
    """Write one slot for each step that leaves a file, with the metadata of the file it will replace.

    `contents` maps SHA-256 to bytes. Each file is synced, and named as a slot only then: what a crash leaves
    half-written has a name that says so. The folder is the caller's to sync.
    """
    umask = _umask()
    make_room(_BATCH_FILES)
    steps = [
        (slot_name(position), step, step.after) for position, step in enumerate(plan.steps) if step.after is not None
    ]
    for start in range(0, len(steps), _BATCH_FILES):
        batch = steps[start : start + _BATCH_FILES]
        with ExitStack() as stack:
            fds: list[int] = []
            for slot, step, after in batch:
                fd = _create(part_of(slot), tx_fd)
                stack.callback(os.close, fd)
                fds.append(fd)
                _write_all(fd, contents(after.sha256))
                _set_metadata(step, after, root_fd, fd, umask)
            _sync_all(fds)
        for slot, _, _ in batch:
            os.rename(part_of(slot), slot, src_dir_fd=tx_fd, dst_dir_fd=tx_fd)


def _create(name: str, folder_fd: int) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o600, dir_fd=folder_fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _set_metadata(step: Step, after: FileState, root_fd: int, fd: int, umask: int) -> None:
    if step.before is None:
        os.fchmod(fd, (0o777 if after.mode.is_executable else 0o666) & ~umask)
    else:
        _copy_metadata(root_fd, step, after.mode, fd)


def _copy_metadata(root_fd: int, step: Step, mode: Mode, fd: int) -> None:
    """Owner, then extended attributes, then mode: each of the first two can change the mode (chown(2), acl(5))."""
    parent = walk.open_parent(root_fd, step.path)
    if isinstance(parent, str):
        return
    folder_fd, name = parent
    try:
        original = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder_fd)
    except FileNotFoundError:
        return
    finally:
        os.close(folder_fd)
    try:
        status = os.fstat(original)
        mine = os.fstat(fd)
        if (status.st_uid, status.st_gid) != (mine.st_uid, mine.st_gid):
            _if_permitted(lambda: os.fchown(fd, status.st_uid, status.st_gid))
        _copy_attributes(original, fd)
        os.fchmod(fd, _permissions(status.st_mode, mode))
    finally:
        os.close(original)


def _copy_attributes(original: int, fd: int) -> None:
    """Linux only: the os module has no extended attributes elsewhere, nor has every file system."""
    if not hasattr(os, "listxattr"):
        return
    names: list[str] = []
    _if_permitted(lambda: names.extend(os.listxattr(original)))
    for name in names:
        _if_permitted(lambda name=name: os.setxattr(fd, name, os.getxattr(original, name)))  # type: ignore[misc]


def _if_permitted(act: Callable[[], None]) -> None:
    try:
        act()
    except OSError as error:
        if error.errno not in _NOT_PERMITTED:
            raise


def _permissions(status_mode: int, mode: Mode) -> int:
    """Keep the file's own bits; executable means: whoever may read may run."""
    bits = stat.S_IMODE(status_mode)
    if mode.is_executable:
        return bits if bits & stat.S_IXUSR else bits | (bits & 0o444) >> 2
    return bits & ~0o111 if bits & stat.S_IXUSR else bits


def _sync_all(fds: list[int]) -> None:
    """On a busy disk 16 threads take a tenth of the time of one; for a few files a pool only costs."""
    if len(fds) <= _FEW_FILES:
        for fd in fds:
            os.fsync(fd)
        return
    with ThreadPoolExecutor(_SYNC_THREADS) as pool:
        for _ in pool.map(os.fsync, fds):
            pass


def _umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
