"""Textual's driver on the person's own terminal, whatever the standard streams are connected to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App
    from textual.driver import Driver


def on_terminal(fd: int) -> type[Driver]:
    """The driver for one open terminal."""

    class TerminalDriver(LinuxDriver):
        def __init__(
            self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
        ) -> None:
            super().__init__(app, debug=debug, mouse=mouse, size=size)
            self.fileno = fd
            self.input_tty = True
            self._file = os.fdopen(os.dup(fd), "w", encoding="utf-8", errors="backslashreplace")

        def _get_terminal_size(self) -> tuple[int, int]:
            columns, rows = os.get_terminal_size(fd)
            return columns or 80, rows or 24

    return TerminalDriver
