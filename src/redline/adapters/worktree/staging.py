"""Write the after-contents beside the tree, complete and durable, before anything in the tree moves."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.adapters.worktree.transaction import slot_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.content import Mode
    from redline.core.plan import Step, WritePlan

_SYNC_THREADS = 16
_FEW_FILES = 8
_NOT_PERMITTED = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP})


def stage(plan: WritePlan, contents: Callable[[str], bytes], root_fd: int, tx_fd: int) -> None:
    """Write one slot for each step that leaves a file, with the metadata of the file it will replace.

    `contents` maps SHA-256 to bytes. Each file is synced; the folder is the caller's to sync.
    """
    umask = _umask()
    staged = [
        _stage_one(step, slot_name(position), contents(step.after.sha256), root_fd, tx_fd, umask)
        for position, step in enumerate(plan.steps)
        if step.after is not None
    ]
    try:
        _sync_all(staged)
    finally:
        for fd in staged:
            os.close(fd)


def _stage_one(step: Step, slot: str, data: bytes, root_fd: int, tx_fd: int, umask: int) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(slot, flags, 0o600, dir_fd=tx_fd)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    assert step.after is not None  # noqa: S101 -- the caller stages only steps that leave a file
    if step.before is None:
        os.fchmod(fd, (0o777 if step.after.mode.is_executable else 0o666) & ~umask)
    else:
        _copy_metadata(root_fd, step, fd)
    return fd


def _copy_metadata(root_fd: int, step: Step, fd: int) -> None:
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
        assert step.after is not None  # noqa: S101 -- as above
        os.fchmod(fd, _permissions(status.st_mode, step.after.mode))
    finally:
        os.close(original)


def _copy_attributes(original: int, fd: int) -> None:
    """Linux only: the os module has no extended attributes elsewhere."""
    if not hasattr(os, "listxattr"):
        return
    for name in os.listxattr(original):
        value = os.getxattr(original, name)
        _if_permitted(lambda name=name, value=value: os.setxattr(fd, name, value))  # type: ignore[misc]


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
