"""Room for open files: one folder of the plan, one descriptor (getrlimit(2); macOS starts with 256)."""

from __future__ import annotations

import resource
from contextlib import suppress

_ELSEWHERE = 128


def make_room(count: int) -> int:
    """Raise the process's soft limit so that `count` more files can be open, as far as its hard limit allows.

    Returns how many of them can.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _ELSEWHERE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return count
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        soft = max(soft, wanted)
    return max(0, soft - _ELSEWHERE)
