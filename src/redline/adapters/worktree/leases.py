"""Read leases: the kernel tells whether another program has a file open for writing, and holds off who wants to.

Linux only (fcntl(2), "Leases"). A lease is refused while anybody has the file open or mapped for writing; while it is
held, an open for writing waits, and the lease shows that somebody tried. Held from before the comparison until after
the commit, and anew, on whatever is about to be removed: a writer that found a file before it was displaced is seen
there at the latest. Where there are no leases (another system, another owner's file) a displaced file stays beside
the journal until the next command, which compares it once more.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
from contextlib import contextmanager, suppress
from enum import Enum
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.errors import LockHeld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.paths import RepoPath

_SET_SIGNAL, _SET, _GET = 10, 1024, 1025  # F_SETSIG, F_SETLEASE, F_GETLEASE: the fcntl module has them on Linux only
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_IRREGULAR = frozenset({errno.ELOOP, errno.EMLINK, errno.ENXIO})
_SCRATCH_NAME = "probe-lease"


class Leases:
    """The leases of one write, by path."""

    def __init__(self) -> None:
        self._held: dict[RepoPath, tuple[int, tuple[int, int]]] = {}
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
            self._held[path] = (fd, walk.identity(fd))
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
        return held is None or held[1] == (entry.device, entry.inode)

    def broken(self) -> RepoPath | None:
        """A path that somebody has tried to open for writing since it was leased."""
        return next((path for path, (fd, _) in self._held.items() if not _holds(fd)), None)

    def release(self) -> None:
        """Let the writers in."""
        for fd, _ in self._held.values():
            os.close(fd)
        self._held.clear()


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


def _company(fd: int) -> Company:
    return Company.NONE if _holds(fd) else Company.SOME


def _holds(fd: int) -> bool:
    return fcntl.fcntl(fd, _GET) == fcntl.F_RDLCK
