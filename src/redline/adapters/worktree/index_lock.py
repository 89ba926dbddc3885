"""git's own lock, held while files move: no `git commit`, `add` or `checkout` can catch a half-written tree.

`index.lock` appears complete, naming its transaction, by a link that replaces nothing: so whoever finds it after a
crash knows whose it is (git's lockfile API; gitrepository-layout(5)). Another program's lock is never removed.
"""

from __future__ import annotations

import errno
import os
import time

from redline.adapters import durable
from redline.adapters.worktree import walk
from redline.core.protection import Protection, Strength
from redline.errors import LockHeld

_NAME = "index.lock"
_OURS = b"redline "
PREPARED_NAME = "index-lock"
_TIMEOUT_S = 2.0
_PAUSE_S = 0.02
_NO_LINK = frozenset({errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class IndexLock:
    """The index lock of one git folder."""

    def __init__(self, git_dir: str) -> None:
        self._git_dir = git_dir
        self._path = os.path.join(git_dir, _NAME)

    def acquire(self, tx: str, tx_fd: int) -> None:
        """Take the lock, waiting some seconds for a git that is at work.

        A lock that a dead redline left is taken over: we hold `.proposals/lock`. Raises LockHeld if it stays taken.
        """
        self.release()
        _create(PREPARED_NAME, tx_fd, tx)
        deadline = time.monotonic() + _TIMEOUT_S
        folder_fd = walk.open_folder(self._git_dir)
        try:
            while True:
                try:
                    _put(tx, tx_fd, folder_fd)
                except FileExistsError as error:
                    if time.monotonic() > deadline:
                        raise self._taken() from error
                    time.sleep(_PAUSE_S)
                else:
                    return
        finally:
            os.close(folder_fd)

    def release(self) -> None:
        """Remove the lock if it is redline's; called under `.proposals/lock`, so no other redline is at work."""
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        try:
            is_ours = os.read(fd, len(_OURS)) == _OURS
        finally:
            os.close(fd)
        if is_ours:
            os.unlink(self._path)

    def protection(self) -> Protection:
        """Whether git will be held off while files move."""
        if os.path.lexists(self._path):
            text = f"{self._path} exists: git is at work, or was cut off, and a confirmation would wait for it in vain"
            return Protection("index", Strength.WEAK, text, "If no git is running, remove that file.")
        return Protection("index", Strength.HOLDS, "git commits and checkouts wait while files change")

    def _taken(self) -> LockHeld:
        return LockHeld(
            f"git is at work, or was cut off: {self._path} exists; nothing was written",
            code="INDEX_LOCKED",
            hint="Wait for git to end and confirm again; if no git is running, remove that file.",
            details={"path": self._path},
        )


def _put(tx: str, tx_fd: int, folder_fd: int) -> None:
    """Link the prepared file in; where that cannot be, on another file system for one, make it there."""
    try:
        os.link(PREPARED_NAME, _NAME, src_dir_fd=tx_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        _create(_NAME, folder_fd, tx)
    os.unlink(PREPARED_NAME, dir_fd=tx_fd)


def _create(name: str, folder_fd: int, tx: str) -> None:
    fd = os.open(name, _CREATE_FLAGS, 0o644, dir_fd=folder_fd)
    try:
        os.write(fd, _OURS + tx.encode() + b"\n")
        durable.sync(fd)
    except OSError:
        os.unlink(name, dir_fd=folder_fd)  # nobody would know whose it is
        raise
    finally:
        os.close(fd)
