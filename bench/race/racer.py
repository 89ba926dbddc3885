"""The other program: a forked process that writes the raced file once in each trial, at the nanosecond it is told."""

from __future__ import annotations

import mmap
import os
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from bench.race.scene import NAME, RACERS_MODE, token, whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_PREPARE, _READY, _FIRST, _SECOND, _GO, _BEGAN, _DONE = range(7)
_ENOUGH_NS = 60 * 10**9


@dataclass(frozen=True)
class Turn:
    """One write: the racer's token, when to start it, and when a writer that holds the file open writes."""

    mark: bytes
    second_ns: int
    held: int


def rename_over(turn: Turn) -> None:
    """Write a temporary file and rename it over the name, as most editors do."""
    _write(os.open("racer.tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), whole(turn.mark))
    os.rename("racer.tmp", NAME)


def truncate_write(turn: Turn) -> None:
    _write(os.open(NAME, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), whole(turn.mark))


def append(turn: Turn) -> None:
    _write(os.open(NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), turn.mark)


def held(turn: Turn) -> None:
    """Write at the end of the file through a descriptor that was opened before the applier started."""
    os.pwrite(turn.held, turn.mark, os.fstat(turn.held).st_size)
    os.close(turn.held)


def open_then_write(turn: Turn) -> None:
    """Open at one moment of the applier's run, write at a later one."""
    fd = os.open(NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    _spin_until(turn.second_ns)
    _write(fd, turn.mark)


def chmod(_turn: Turn) -> None:
    """Make the file private, its content unchanged; again and again while an applier lets it be absent."""
    while True:
        with suppress(FileNotFoundError):
            os.chmod(NAME, RACERS_MODE)
            return


STYLES: dict[str, Callable[[Turn], None]] = {
    "rename-over": rename_over,
    "truncate-write": truncate_write,
    "append": append,
    "held": held,
    "open-then-write": open_then_write,
    "chmod": chmod,
}


class Racer:
    """The applier's side of the racer. Both spin on shared memory: a wake-up would take longer than the race."""

    def __init__(self, style: str) -> None:
        self._style = style
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)
        self._words = memoryview(self._memory).cast("q")
        self._child = os.fork()
        if self._child == 0:
            self._serve()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._words[_PREPARE] = self._words[_GO] = -1
        os.waitpid(self._child, 0)

    def prepare(self, number: int) -> None:
        """Let the racer make ready for a trial, and wait until it is."""
        self._words[_PREPARE] = number
        self._wait(_READY, number)

    def start(self, number: int, first_ns: int, second_ns: int) -> None:
        """Tell the racer its moments; returns at once."""
        self._words[_FIRST], self._words[_SECOND] = first_ns, second_ns
        self._words[_GO] = number

    def wait(self, number: int) -> int:
        """Wait until the racer has written; the moment at which it really began, in nanoseconds."""
        self._wait(_DONE, number)
        return self._words[_BEGAN]

    def _wait(self, word: int, number: int) -> None:
        """Raises RuntimeError if the racer died or hangs."""
        words = self._words
        deadline = time.perf_counter_ns() + _ENOUGH_NS
        while words[word] < number:
            os.sched_yield()
            if time.perf_counter_ns() > deadline:
                raise RuntimeError(f"the racer hangs in trial {number}")
        if words[word] > number:
            raise RuntimeError(f"the racer died in trial {number}")

    def _serve(self) -> None:
        """The racer's life: never returns."""
        words = self._words
        number = 0
        try:
            while True:
                number += 1
                while 0 <= words[_PREPARE] < number:
                    os.sched_yield()
                if words[_PREPARE] < 0:
                    os._exit(0)
                self._race(number)
        except BaseException:  # noqa: BLE001 -- the process ends here, and the applier must not wait for it
            traceback.print_exc(file=sys.stderr)
            words[_READY] = words[_DONE] = 1 << 60
            os._exit(1)

    def _race(self, number: int) -> None:
        words = self._words
        is_held = self._style == "held"
        fd = os.open(NAME, os.O_WRONLY) if is_held else -1
        words[_READY] = number
        while 0 <= words[_GO] < number:
            pass
        turn = Turn(token(number), words[_SECOND], fd)
        _spin_until(words[_FIRST])
        words[_BEGAN] = time.perf_counter_ns()
        STYLES[self._style](turn)
        words[_DONE] = number


def _spin_until(moment_ns: int) -> None:
    while time.perf_counter_ns() < moment_ns:
        pass


def _write(fd: int, data: bytes) -> None:
    try:
        os.write(fd, data)
    finally:
        os.close(fd)
