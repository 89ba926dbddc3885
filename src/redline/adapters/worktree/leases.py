"""Read leases: the kernel tells whether another program has a file open for writing, and holds off who wants to.

Linux only (fcntl(2), "Leases"). A lease is refused while anybody has the file open or mapped for writing; while it is
held, an open for writing waits, and the lease shows that somebody tried. Held from before the comparison until after
the commit. Where a lease cannot be had (another owner's file, another system, no descriptor left), the displaced file
is compared again before it is removed, which is later but loses nothing either.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.errors import LockHeld

if TYPE_CHECKING:
    from redline.core.paths import RepoPath

_SET, _GET = 1024, 1025  # F_SETLEASE, F_GETLEASE: the fcntl module has them on Linux only
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SCRATCH_NAME = "probe-lease"


class Leases:
    """The leases of one write, by path."""

    def __init__(self) -> None:
        self._held: dict[RepoPath, tuple[int, tuple[int, int]]] = {}

    def take(self, path: RepoPath, folder_fd: int, name: str) -> None:
        """Lease the file, if that is possible here.

        Raises LockHeld if another program has it open for writing; FileNotFoundError if there is none.
        """
        if not _is_possible():
            return
        fd = os.open(name, _OPEN_FLAGS, dir_fd=folder_fd)
        try:
            fcntl.fcntl(fd, _SET, fcntl.F_RDLCK)
        except OSError as error:
            os.close(fd)
            if error.errno == errno.EAGAIN:
                raise LockHeld(
                    f"{path} is open for writing in another program: nothing was written",
                    code="FILE_IN_USE",
                    hint="Close it there, or wait until it is done, and confirm again.",
                    details={"path": str(path)},
                ) from error
            return
        self._held[path] = (fd, walk.identity(fd))

    def covers(self, path: RepoPath, entry: walk.Entry) -> bool:
        """Tell whether the entry is the very file that was leased; any file is, where none could be leased."""
        held = self._held.get(path)
        return held is None or held[1] == (entry.device, entry.inode)

    def broken(self) -> RepoPath | None:
        """A path that somebody has tried to open for writing since it was leased."""
        return next(filter(self.is_broken, self._held), None)

    def is_broken(self, path: RepoPath) -> bool:
        """Tell whether somebody waits to open the leased file for writing."""
        held = self._held.get(path)
        return held is not None and fcntl.fcntl(held[0], _GET) != fcntl.F_RDLCK

    def release(self) -> None:
        """Let the writers in."""
        for fd, _ in self._held.values():
            os.close(fd)
        self._held.clear()


def can_lease(folder_fd: int) -> bool:
    """Try a lease on a scratch file."""
    if not _is_possible():
        return False
    fd = os.open(_SCRATCH_NAME, _OPEN_FLAGS | os.O_CREAT, 0o600, dir_fd=folder_fd)
    try:
        fcntl.fcntl(fd, _SET, fcntl.F_RDLCK)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(fd)
        os.unlink(_SCRATCH_NAME, dir_fd=folder_fd)


def _is_possible() -> bool:
    """A lease that is broken raises SIGIO, which kills a process that does not ignore it (signal(7))."""
    return hasattr(fcntl, "F_SETLEASE") and signal.getsignal(signal.SIGIO) is signal.SIG_IGN
