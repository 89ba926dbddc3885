"""`.proposals/lock`: one writer at a time, in the journal and in the tree.

`flock` on a file that is never deleted: the kernel frees it when the process dies, however it dies (flock(2)).
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from redline.core.held import Held
from redline.errors import EnvironmentFault, JournalFault, LockHeld

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_NAME = "lock"


class ProposalsLock:
    """The lock of one `.proposals` folder."""

    def __init__(self, folder: str, *, timeout_s: float = 30.0) -> None:
        self._folder = folder
        self._path = os.path.join(folder, LOCK_NAME)
        self._timeout_s = timeout_s

    @contextmanager
    def hold(self) -> Iterator[Held]:
        """Wait for the lock and hold it for the block.

        Raises LockHeld when another process keeps it for longer than the timeout, JournalFault if `.proposals` is
        missing or a link.
        """
        fd = self._open()
        try:
            self._wait(fd)
            yield Held(self._path)
        finally:
            os.close(fd)

    def _open(self) -> int:
        """Open the lock file, never through a link."""
        try:
            folder_fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise JournalFault(
                f"{os.path.dirname(self._folder)} has no redline journal yet",
                code="JOURNAL_MISSING",
                hint="A person runs `redline init` there first.",
            ) from error
        except OSError as error:
            raise JournalFault(
                f"{self._folder} is no folder of its own but a link or a file: this journal is not yours to trust",
                hint="Move .proposals away and run `redline init`; nothing in it counts as approved.",
            ) from error
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.open(LOCK_NAME, flags, 0o600, dir_fd=folder_fd)
        except OSError as error:
            raise self._unusable("opened", error) from error
        finally:
            os.close(folder_fd)

    def _wait(self, fd: int) -> None:
        if self._is_taken(fd):
            return
        # Who asks again and again is overtaken by newcomers; the kernel keeps a queue. A blocking flock has no timeout:
        # a thread stands in the queue, on another descriptor of the same open file, whose lock it is.
        import threading  # noqa: PLC0415 -- start-up: most locks are free

        queued = threading.Thread(target=_stand_in_queue, args=(os.dup(fd),), daemon=True)
        queued.start()
        queued.join(self._timeout_s)
        if queued.is_alive() or not self._is_taken(fd):
            raise LockHeld(
                f"another redline has held {self._path} for {self._timeout_s:.0f} s",
                hint="Wait for it to end, or find it with `fuser`; the lock frees itself when its process ends.",
            )

    def _is_taken(self, fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise self._unusable("locked", error) from error
            return False
        return True

    def _unusable(self, what: str, error: OSError) -> EnvironmentFault:
        return EnvironmentFault(
            f"{self._path} cannot be {what}: {error.strerror}",
            code="LOCK_UNUSABLE",
            hint="Check the permissions of .proposals, and its disk: it must have space and know flock.",
        )


def _stand_in_queue(fd: int) -> None:
    """Wait for the lock; if nobody waits for that any more, closing the descriptor gives it up again."""
    with suppress(OSError):  # the caller asks once more, and says what is wrong
        fcntl.flock(fd, fcntl.LOCK_EX)
    os.close(fd)
