"""An end to waiting, before the agent stops waiting and lets the write through."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def deadline(limit_s: float) -> Iterator[None]:
    """Stop the block after that long, in the main thread only. Raises EnvironmentFault."""

    def stop(*_: object) -> None:
        raise EnvironmentFault(
            f"redline was not done within {limit_s:g} s, for another redline or the disk is busy",
            code="HOOK_TIMEOUT",
            hint="`redline list` shows whether it was recorded after all",
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
