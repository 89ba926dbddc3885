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
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_S = 20
_REACTION_S = 0.25
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
        """Type a moment after what was shown last: keys that come while a question is drawn are thrown away."""
        time.sleep(_REACTION_S)
        os.write(self._terminal, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until the text was shown. Raises AssertionError if it is not in time."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.text_so_far():
            assert self._read(deadline), f"{text!r} was not shown:\n{self.text_so_far()}"

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


def _become(slave: int, master: int, root: Path, program: list[str], env: dict[str, str]) -> None:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.close(slave)
    os.chdir(root)
    os.execve(program[0], program, env)  # noqa: S606 -- the program under test
