"""What a file has beside its bytes: owner, mode, ACL and other extended attributes (inode(7), acl(5), xattr(7)).

What this account may not set is left as it is: the bytes are what was approved.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.content import Mode

_NOT_PERMITTED = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENODATA})
_SET_ID = stat.S_ISUID | stat.S_ISGID
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DEFAULT_ACL, _ACCESS_ACL = "system.posix_acl_default", "system.posix_acl_access"


def copy(folder_fd: int, name: str, fd: int, mode: Mode) -> tuple[int, int, int]:
    """Give an open file what the named file has, but for an executable bit that is to be as `mode` says.

    Returns what was copied: permission bits, user and group. Owner first, then extended attributes, then mode: each of
    the first two can change the mode. Raises FileNotFoundError if there is no such file.
    """
    original = os.open(name, _OPEN_FLAGS, dir_fd=folder_fd)
    try:
        status, mine = os.fstat(original), os.fstat(fd)
        if (status.st_uid, status.st_gid) != (mine.st_uid, mine.st_gid):
            _if_permitted(lambda: os.fchown(fd, status.st_uid, status.st_gid))
        for attribute in _attributes(original):
            _if_permitted(lambda attribute=attribute: _copy_attribute(original, attribute, fd, attribute))  # type: ignore[misc]
        bits = _permissions(status.st_mode, mode)
        owned = os.fstat(fd)
        if (owned.st_uid, owned.st_gid) != (status.st_uid, status.st_gid):
            bits &= ~_SET_ID  # another account's file must not run as this one
        os.fchmod(fd, bits)
        return walk.attributes_of(status)
    finally:
        os.close(original)


def inherit(folder_fd: int, fd: int, mode: Mode, umask: int) -> None:
    """Give a new file what creating it in that folder would have given it: mode, and the folder's group and ACL."""
    status = os.fstat(folder_fd)
    if status.st_mode & stat.S_ISGID and status.st_gid != os.fstat(fd).st_gid:
        _if_permitted(lambda: os.fchown(fd, -1, status.st_gid))
    bits = 0o777 if mode.is_executable else 0o666
    if _DEFAULT_ACL in _attributes(folder_fd):
        _if_permitted(lambda: _copy_attribute(folder_fd, _DEFAULT_ACL, fd, _ACCESS_ACL))
        os.fchmod(fd, stat.S_IMODE(os.fstat(fd).st_mode) & bits)
    else:
        os.fchmod(fd, bits & ~umask)


def carry_over(entry: walk.Entry, copied: tuple[int, int, int], mode: Mode, folder_fd: int, name: str) -> None:
    """Repeat on the named file the change of permission bits that somebody has made on its copy since."""
    changed = (entry.attributes[0] ^ _permissions(copied[0], mode)) & ~_SET_ID
    if not changed:
        return
    fd = os.open(name, _OPEN_FLAGS, dir_fd=folder_fd)
    try:
        _if_permitted(lambda: os.fchmod(fd, stat.S_IMODE(os.fstat(fd).st_mode) ^ changed))
    finally:
        os.close(fd)


def _attributes(fd: int) -> list[str]:
    """Linux only: the os module has no extended attributes elsewhere, nor has every file system."""
    names: list[str] = []
    if hasattr(os, "listxattr"):
        _if_permitted(lambda: names.extend(os.listxattr(fd)))
    return names


def _copy_attribute(source: int, name: str, target: int, new_name: str) -> None:
    os.setxattr(target, new_name, os.getxattr(source, name))


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
