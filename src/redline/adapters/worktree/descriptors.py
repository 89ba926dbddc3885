"""Room for open files: one folder of the plan, one descriptor (getrlimit(2); macOS starts with 256)."""

from __future__ import annotations

import os
import resource
from contextlib import suppress

_ELSEWHERE = 64


def make_room(count: int) -> int:
    """Raise the process's soft limit so that `count` more files can be open, as far as its hard limit allows.

    Returns how many of them can.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = _open_now() + _ELSEWHERE
    wanted = count + taken
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return count
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        soft = max(soft, wanted)
    return max(0, soft - taken)


def _open_now() -> int:
    """How many files the process has open; a guess where the system does not tell."""
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return _ELSEWHERE
