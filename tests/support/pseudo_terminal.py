"""A program on a terminal of its own: a new session, so that /dev/tty is that terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.sandbox import BIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PATIENCE_S = 20
_REACTION_S = 0.5
_PAUSE_S = 0.02
_ASLEEP_IN_A_ROW = 4
_SGR = re.compile(rb"\x1b\[[0-9;]*m")


class Dialogue:
    """What was said on one terminal; `shown` is every byte that reached it."""

    def __init__(self, process: int, terminal: int) -> None:
        self._process = process
        self._terminal = terminal
        self.shown = b""
        self.code: int | None = None

    @property
    def text(self) -> str:
        """What was shown, without colours, with plain line ends."""
        return _SGR.sub(b"", self.shown).replace(b"\r\n", b"\n").decode()

    def type(self, keys: str) -> None:
        """Type once the program waits in its read: keys that come while a question is drawn are thrown away."""
        _wait_until_it_sleeps(self._process)
        os.write(self._terminal, keys.encode())

    def type_ahead(self, keys: str) -> None:
        """Type at once, whatever the program does."""
        os.write(self._terminal, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until the text was shown. Raises AssertionError if it is not in time."""
        assert self.comes_to(text), f"{text!r} was not shown:\n{self.text_so_far()}"

    def comes_to(self, text: str) -> bool:
        """Read until the text was shown; False if the program ended without it."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.text_so_far():
            if not self._read(deadline):
                return False
        return True

    def text_so_far(self) -> str:
        return _SGR.sub(b"", self.shown).replace(b"\r\n", b"\n").decode("utf-8", "replace")

    def finish(self) -> int:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        if self.code is None:
            _, status = os.waitpid(self._process, 0)
            self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def kill(self) -> None:
        if self.code is None:
            os.kill(self._process, signal.SIGKILL)
            self.finish()

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"nothing more was shown in time:\n{self.text_so_far()}"
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # Linux answers EIO once nobody has the terminal open
            return False
        self.shown += data
        return bool(data)


def converse(program: Sequence[str], root: Path, dialogue: Sequence[tuple[str, str]], **env: str) -> Dialogue:
    """Run a program to its end; at each text of the dialogue, once it is shown, type the line that belongs to it.

    The line of an empty text is typed ahead, before the program asks anything; what is never asked is not answered.
    """
    with on_terminal(root, *program, size=(24, 80), keys_before="", **env) as terminal:
        for question, line in dialogue:
            if not question:
                terminal.type_ahead(f"{line}\n")
            elif terminal.comes_to(question):
                terminal.type(f"{line}\n")
        terminal.finish()
    return terminal


@contextmanager
def on_terminal(
    root: Path, *command: str, size: tuple[int, int] = (24, 80), keys_before: str = "", **env: str
) -> Iterator[Dialogue]:
    """Run a program, `redline` unless it is an absolute path, on a terminal of `size` rows and columns."""
    program = [command[0], *command[1:]] if os.path.isabs(command[0]) else [os.path.join(BIN, "redline"), *command]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    os.write(master, keys_before.encode())
    process = os.fork()
    if process == 0:
        try:
            _become(slave, master, root, program, {**os.environ, **env})
        finally:
            os._exit(127)
    os.close(slave)
    dialogue = Dialogue(process, master)
    try:
        yield dialogue
    finally:
        dialogue.kill()
        os.close(master)


def _wait_until_it_sleeps(process: int) -> None:
    """Wait until the process blocks; where there is no /proc, as long as a person needs."""
    status = f"/proc/{process}/stat"
    if not os.path.exists(status):
        time.sleep(_REACTION_S)
        return
    asleep, deadline = 0, time.monotonic() + PATIENCE_S
    while asleep < _ASLEEP_IN_A_ROW:
        assert time.monotonic() < deadline, "the program neither asks nor ends"
        time.sleep(_PAUSE_S)
        with open(status, encoding="ascii", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state in {"S", "Z"} else 0


def _become(slave: int, master: int, root: Path, program: list[str], env: dict[str, str]) -> None:
    os.close(master)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # a terminal's program ignores none of them, whoever runs the tests
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.close(slave)
    os.chdir(root)
    os.execve(program[0], program, env)  # noqa: S606 -- the program under test
