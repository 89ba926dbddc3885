"""A program on a pseudo-terminal of its own, and a person who types."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_PATIENCE_S = 30.0


@dataclass(frozen=True)
class Transcript:
    code: int
    text: str


def converse(arguments: Sequence[str], folder: Path, dialogue: Sequence[tuple[str, str]], **env: str) -> Transcript:
    """Run the program; at each text of the dialogue, once it is asked and waits, type what belongs to it.

    What belongs to the empty text is typed ahead, before the program asks anything.
    """
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(arguments[0], list(arguments), {**os.environ, **env})  # noqa: S606 -- arguments of the tests
    shown = b""
    try:
        for question, typed in dialogue:
            while question.encode() not in shown:
                more = _read(terminal)
                if not more:
                    return Transcript(_code(child), shown.decode())
                shown += more
            if question:
                _wait_until_it_reads(child)
            os.write(terminal, typed.encode() + b"\n")
        while more := _read(terminal):
            shown += more
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(terminal)
    return Transcript(_code(child), shown.decode().replace("\r\n", "\n"))


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], _PATIENCE_S)
    if not ready:
        raise TimeoutError("the program neither asks nor ends")
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""  # EIO: the program ended and closed its side (pty(7))


def _wait_until_it_reads(child: int) -> None:
    """What is typed before a question stands is thrown away: type once the program sleeps in its read."""
    asleep, deadline = 0, time.monotonic() + _PATIENCE_S
    while asleep < 3:
        if time.monotonic() > deadline:
            raise TimeoutError("the program neither reads nor ends")
        time.sleep(0.02)
        with open(f"/proc/{child}/stat", encoding="ascii", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state in {"S", "Z"} else 0


def _code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
