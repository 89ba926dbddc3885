"""Hold back interrupts while a write must not be torn: handlers only set a flag (signal-safety(7))."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HELD_BACK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back() -> Iterator[Callable[[], bool]]:
    """Yield a question: has somebody asked us to stop? Outside the main thread the answer is always no.

    A signal that is ignored stays so: under nohup a hang-up is nobody's wish to stop.
    """
    arrived: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    handlers = {number: signal.getsignal(number) for number in _HELD_BACK}
    previous = {number: handler for number, handler in handlers.items() if handler not in {signal.SIG_IGN, None}}
    for number in previous:
        signal.signal(number, lambda received, _frame: arrived.append(received))
    try:
        yield lambda: bool(arrived)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
