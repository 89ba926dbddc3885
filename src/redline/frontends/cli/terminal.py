"""The person's own terminal: where a decision is asked for, whatever the standard streams are connected to."""

from __future__ import annotations

import os
import termios
from contextlib import contextmanager
from typing import TYPE_CHECKING

from redline.errors import DecisionRefused
from redline.frontends.screen import Screen, wants_color
from redline.render.lines import Line, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_ANSWER_BYTES = 4096


class Terminal:
    """Shows and asks on one open terminal."""

    def __init__(self, fd: int, screen: Screen) -> None:
        self.fd = fd
        self.screen = screen

    def ask(self, question: str) -> str:
        """Ask for one line; what was typed before the question was drawn is thrown away (tcflush(3)).

        The end of input is an empty answer.
        """
        line: Line = (Span(question),)
        self.screen.ask(line)
        termios.tcdrain(self.fd)
        termios.tcflush(self.fd, termios.TCIFLUSH)
        answer = os.read(self.fd, _MAX_ANSWER_BYTES)
        if not answer.endswith(b"\n"):
            self.screen.say("")
        return answer.decode("utf-8", "replace").strip()


@contextmanager
def own_terminal(color: str) -> Iterator[Terminal]:
    """Open the controlling terminal.

    Raises DecisionRefused (CONFIRM_NO_TTY) if the process has none.
    """
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise DecisionRefused(
            "there is no terminal on which a person could be shown the change and asked",
            code="CONFIRM_NO_TTY",
            hint="Run `redline confirm` yourself in a terminal. Without one it takes --digest or --intent, and your own"
            ' configuration saying [confirm] level = "none".',
        ) from error
    with os.fdopen(os.dup(fd), "w", encoding="utf-8", errors="backslashreplace") as stream:
        try:
            yield Terminal(fd, Screen(stream, color=wants_color(stream, color)))
        finally:
            os.close(fd)
