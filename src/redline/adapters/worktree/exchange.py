"""Swap two directory entries in one step, and rename without replacing.

Linux: renameat2(2), RENAME_EXCHANGE and RENAME_NOREPLACE. macOS: renameatx_np(2), RENAME_SWAP and RENAME_EXCL.
A file system may lack them (EINVAL), or take the flag and do a plain rename, so `probe` tries them on scratch files.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from redline.adapters import durable

if TYPE_CHECKING:
    from collections.abc import Callable

_LINUX_NOREPLACE, _LINUX_EXCHANGE = 1, 2
_MACOS_SWAP, _MACOS_EXCL = 2, 4
_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})
_ARGUMENTS = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347, "armv7l": 382, "i686": 353}
PROBE_NAMES = ("probe-a", "probe-b")


class Exchange(Protocol):
    """How one file system lets two entries trade places."""

    weakness: str

    def swap(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        """Put the slot's file under the name and the name's file into the slot.

        Raises FileNotFoundError if the name is gone, FileExistsError if another file came under it meanwhile.
        """
        ...

    def rename_new(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        """Put the slot's file under the name; raises FileExistsError rather than replace anything."""
        ...

    def take(self, folder_fd: int, name: str, slot_fd: int, slot: str) -> None:
        """Move the name's file into an empty slot.

        Raises FileNotFoundError if the name is gone, FileExistsError if the slot is not empty.
        """
        ...


class AtomicExchange:
    """The kernel swaps both entries at once: the name is never absent and never half a file."""

    weakness = ""

    def __init__(self) -> None:
        """Raises AttributeError or KeyError where the system has no such call."""
        library = ctypes.CDLL(None, use_errno=True)
        on_linux = sys.platform.startswith("linux")
        self._rename = _renameat2(library) if on_linux else _typed(library.renameatx_np)
        self._swap_flag = _LINUX_EXCHANGE if on_linux else _MACOS_SWAP
        self._new_flag = _LINUX_NOREPLACE if on_linux else _MACOS_EXCL

    def swap(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        self._call(slot_fd, slot, folder_fd, name, self._swap_flag)

    def rename_new(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        self._call(slot_fd, slot, folder_fd, name, self._new_flag)

    def take(self, folder_fd: int, name: str, slot_fd: int, slot: str) -> None:
        self._call(folder_fd, name, slot_fd, slot, self._new_flag)

    def _call(self, from_fd: int, old: str, to_fd: int, new: str, flag: int) -> None:
        if self._rename(from_fd, os.fsencode(old), to_fd, os.fsencode(new), flag) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), old, None, new)


def _renameat2(library: ctypes.CDLL) -> Callable[..., int]:
    """The C library's wrapper, or, where it has none (older musl), the system call by its number (syscalls(2))."""
    if hasattr(library, "renameat2"):
        return _typed(library.renameat2)
    call, number = library.syscall, _RENAMEAT2[os.uname().machine]
    call.restype = ctypes.c_long
    call.argtypes = (ctypes.c_long, *_ARGUMENTS)
    return partial(call, number)


def _typed(call: Any) -> Callable[..., int]:
    call.argtypes = _ARGUMENTS
    return cast("Callable[..., int]", call)


class MoveAside:
    """The fallback: move the old file aside, link the new one in. The name is absent for some microseconds.

    A crash in between, or somebody else's file under the name, leaves the old file as `SLOT.aside`. What a link has
    given a name loses its old name only when the new one is durable: a disk may keep the later of two changes alone.
    """

    weakness = "this file system has no atomic exchange: each file's name was absent for some microseconds"

    def swap(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        os.rename(name, aside_of(slot), src_dir_fd=folder_fd, dst_dir_fd=slot_fd)
        _link_or_move(slot_fd, slot, folder_fd, name)
        durable.sync(folder_fd)
        settle_aside(slot_fd, slot)

    def rename_new(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        _link_or_move(slot_fd, slot, folder_fd, name)
        durable.sync(folder_fd)
        _unlink(slot_fd, slot)

    def take(self, folder_fd: int, name: str, slot_fd: int, slot: str) -> None:
        """One plain rename: only redline makes slots, so nobody can fill one between the look and the rename."""
        try:
            os.stat(slot, dir_fd=slot_fd, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(name, slot, src_dir_fd=folder_fd, dst_dir_fd=slot_fd)
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), slot)


def _link_or_move(slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
    """A folder, which only somebody else can have put under the name, cannot be linked: it moves, onto nothing."""
    try:
        os.link(slot, name, src_dir_fd=slot_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
    except PermissionError:
        if not stat.S_ISDIR(os.stat(slot, dir_fd=slot_fd, follow_symlinks=False).st_mode):
            raise
        try:
            os.rename(slot, name, src_dir_fd=slot_fd, dst_dir_fd=folder_fd)
        except OSError as error:
            if error.errno not in {errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST}:
                raise
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error


def settle_aside(slot_fd: int, slot: str) -> None:
    """Put what was moved aside into the slot, whose own file has its place under the name by now."""
    _unlink(slot_fd, slot)
    os.rename(aside_of(slot), slot, src_dir_fd=slot_fd, dst_dir_fd=slot_fd)


def _unlink(folder_fd: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder_fd)
    except FileNotFoundError:
        return


def aside_of(slot: str) -> str:
    return f"{slot}.aside"


def probe(folder_fd: int) -> Exchange:
    """Choose the strongest way that the folder's file system really carries out."""
    first, second = PROBE_NAMES
    try:
        atomic = AtomicExchange()
    except (AttributeError, KeyError):
        return MoveAside()
    try:
        for name in PROBE_NAMES:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(name, flags, 0o600, dir_fd=folder_fd))
        before = [os.stat(name, dir_fd=folder_fd).st_ino for name in PROBE_NAMES]
        atomic.swap(folder_fd, first, folder_fd, second)
        after = [os.stat(name, dir_fd=folder_fd).st_ino for name in PROBE_NAMES]
    except OSError as error:
        if error.errno not in _UNSUPPORTED | {errno.ENOENT}:
            raise
        return MoveAside()
    finally:
        for name in PROBE_NAMES:
            _unlink(folder_fd, name)
    return atomic if after == before[::-1] else MoveAside()
