"""Read leases: the kernel tells whether another program has a file open for writing, and holds off who wants to.

Linux only (fcntl(2), "Leases"). A lease is refused while anybody has the file open or mapped for writing; while it is
held, an open for writing waits, and the lease shows that somebody tried. So a comparison under a lease is true for as
long as the lease stands: from before the exchange until the displaced file is removed. What is removed without one is
leased anew and compared again: a writer that found a file before it was displaced is seen there at the latest. Where
there are no leases (another system, another owner's file) a displaced file stays beside the journal until the next
command, which compares it once more.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
from contextlib import contextmanager, suppress
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from redline.adapters.worktree import walk
from redline.errors import LockHeld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.paths import RepoPath

_SET_SIGNAL, _SET, _GET = 10, 1024, 1025  # F_SETSIG, F_SETLEASE, F_GETLEASE: the fcntl module has them on Linux only
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_IRREGULAR = frozenset({errno.ELOOP, errno.EMLINK, errno.ENXIO})
_SCRATCH_NAME = "probe-lease"


class _Lease(NamedTuple):
    """A lease's open file, and what that file held when it was leased."""

    fd: int
    entry: walk.Entry
    modified_ns: int

    def is_of(self, device: int, inode: int) -> bool:
        return (self.entry.device, self.entry.inode) == (device, inode)

    def stands(self, status: os.stat_result) -> bool:
        """Tell whether the file is as it was when it was leased; a network may go round a lease."""
        is_untouched = (status.st_size, status.st_mtime_ns) == (self.entry.size_bytes, self.modified_ns)
        return is_untouched and _holds(self.fd)

    def has_mode(self, status: os.stat_result) -> bool:
        """Tell whether mode and owner are as they were: chmod(2) and chown(2) break no lease."""
        return walk.attributes_of(status) == self.entry.attributes


class Leases:
    """The leases of one write, by path."""

    def __init__(self) -> None:
        self._held: dict[RepoPath, _Lease] = {}
        self.lacking = 0

    def take(self, path: RepoPath, folder_fd: int, name: str) -> None:
        """Lease the file, if that is possible here; what is no regular file is left to the comparison.

        Raises LockHeld if another program has it open for writing; FileNotFoundError if there is none.
        """
        try:
            fd = os.open(name, _OPEN_FLAGS, dir_fd=folder_fd)
        except OSError as error:
            if error.errno in _IRREGULAR:
                return
            raise
        granted = _lease(fd)
        if granted:
            self._held[path] = _leased(fd)
            return
        os.close(fd)
        if granted is None:
            self.lacking += 1
            return
        raise LockHeld(
            f"{path} is open for writing in another program: nothing was written",
            code="FILE_IN_USE",
            hint="Close it there, or wait until it is done, and confirm again.",
            details={"path": str(path)},
        )

    def covers(self, path: RepoPath, entry: walk.Entry) -> bool:
        """Tell whether the entry is the very file that was leased; any file is, where none could be leased."""
        held = self._held.get(path)
        return held is None or held.is_of(entry.device, entry.inode)

    def look_at(self, path: RepoPath, folder_fd: int, name: str) -> walk.Entry:
        """Identify an entry as `walk.look_at` does, but do not read what the path's lease has kept as it was."""
        held, status = self._seen(path, folder_fd, name)
        if held is None or status is None or not held.stands(status):
            return walk.look_at(folder_fd, name)
        return held.entry._replace(
            is_executable=bool(status.st_mode & stat.S_IXUSR), attributes=walk.attributes_of(status)
        )

    def hold_off(self, path: RepoPath, folder_fd: int, name: str) -> bool:
        """Tell whether the named file is the path's, its lease has kept every writer off, and its mode is as it was."""
        held, status = self._seen(path, folder_fd, name)
        return held is not None and status is not None and held.has_mode(status) and held.stands(status)

    def has_other_mode(self, path: RepoPath, folder_fd: int, name: str) -> bool:
        """Tell whether the named file is the path's, and somebody has given it another mode or owner since."""
        held, status = self._seen(path, folder_fd, name)
        return held is not None and status is not None and not held.has_mode(status)

    def broken(self) -> RepoPath | None:
        """A path that somebody has tried to open for writing since it was leased."""
        return next((path for path, held in self._held.items() if not _holds(held.fd)), None)

    def release(self) -> None:
        """Let the writers in."""
        for held in self._held.values():
            os.close(held.fd)
        self._held.clear()

    def _seen(self, path: RepoPath, folder_fd: int, name: str) -> tuple[_Lease | None, os.stat_result | None]:
        """The path's lease, and the status of the named entry if that is the leased file."""
        held = self._held.get(path)
        if held is None:
            return None, None
        try:
            status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
        except FileNotFoundError:
            return held, None
        return held, status if held.is_of(status.st_dev, status.st_ino) else None


class Company(Enum):
    """Whether another program has a file open for writing, or waits to."""

    NONE = "none"
    SOME = "some"
    UNKNOWN = "unknown"


@contextmanager
def held_off(folder_fd: int, name: str) -> Iterator[Callable[[], Company]]:
    """Hold writers off from a file for the block; yields the question for who is there."""
    try:
        fd = os.open(name, _OPEN_FLAGS, dir_fd=folder_fd)
    except OSError:
        yield lambda: Company.UNKNOWN
        return
    try:
        granted = _lease(fd)
        yield lambda: _company(fd) if granted else (Company.UNKNOWN if granted is None else Company.SOME)
    finally:
        os.close(fd)


def can_lease(folder_fd: int) -> bool:
    """Try a lease on a scratch file."""
    fd = os.open(_SCRATCH_NAME, _OPEN_FLAGS | os.O_CREAT, 0o600, dir_fd=folder_fd)
    try:
        return _lease(fd) is True
    finally:
        os.close(fd)
        with suppress(FileNotFoundError):
            os.unlink(_SCRATCH_NAME, dir_fd=folder_fd)


def _lease(fd: int) -> bool | None:
    """Take a read lease on an open file: False if somebody has it open for writing, None if it cannot be had here.

    A broken lease raises a signal, by default one that kills (SIGIO); SIGURG is ignored unless asked for (signal(7)).
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        fcntl.fcntl(fd, _SET_SIGNAL, signal.SIGURG)
        fcntl.fcntl(fd, _SET, fcntl.F_RDLCK)
    except OSError as error:
        return False if error.errno == errno.EAGAIN else None
    return True


def _leased(fd: int) -> _Lease:
    """Read what has been leased; it is closed if that is not possible."""
    try:
        modified_ns = os.fstat(fd).st_mtime_ns
        return _Lease(fd, walk.look_into(fd), modified_ns)
    except OSError:
        os.close(fd)
        raise


def _company(fd: int) -> Company:
    return Company.NONE if _holds(fd) else Company.SOME


def _holds(fd: int) -> bool:
    return fcntl.fcntl(fd, _GET) == fcntl.F_RDLCK
