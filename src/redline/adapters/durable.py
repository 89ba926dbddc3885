"""Make an open file or folder outlast a power cut.

fsync(2) does that on Linux. On macOS it leaves the bytes in the drive's cache; F_FULLFSYNC does not (fcntl(2) there).
"""

from __future__ import annotations

import fcntl
import os

_FULL = getattr(fcntl, "F_FULLFSYNC", None)


def sync(fd: int) -> None:
    """Raises OSError: what was written before may be lost then, and a second try proves nothing."""
    if _FULL is None:
        os.fsync(fd)
    else:
        fcntl.fcntl(fd, _FULL)
