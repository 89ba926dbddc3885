"""`.proposals/lock`: one writer at a time, in the journal and in the tree.

`flock` on a file that is never deleted: the kernel frees it when the process dies, however it dies (flock(2)).
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from redline.core.held import Held
from redline.errors import EnvironmentFault, LockHeld

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_NAME = "lock"
_FIRST_PAUSE_S = 0.001
_LONGEST_PAUSE_S = 0.05


class ProposalsLock:
    """The lock of one `.proposals` folder."""

    def __init__(self, folder: str, *, timeout_s: float = 30.0) -> None:
        self._path = os.path.join(folder, LOCK_NAME)
        self._timeout_s = timeout_s

    @contextmanager
    def hold(self) -> Iterator[Held]:
        """Wait for the lock and hold it for the block.

        Raises LockHeld when another process keeps it for longer than the timeout.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            fd = os.open(self._path, flags, 0o600)
        except OSError as error:
            raise EnvironmentFault(
                f"{self._path} cannot be opened: {error.strerror}",
                code="LOCK_UNUSABLE",
                hint="Check the permissions of .proposals and the space on its disk.",
            ) from error
        try:
            self._wait(fd)
            yield Held(self._path)
        finally:
            os.close(fd)

    def _wait(self, fd: int) -> None:
        deadline = time.monotonic() + self._timeout_s
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                    raise
            else:
                return
            if time.monotonic() > deadline:
                raise LockHeld(
                    f"another redline has held {self._path} for {self._timeout_s:.0f} s",
                    hint="Wait for it to end, or find it with `fuser`; the lock frees itself when its process ends.",
                )
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
