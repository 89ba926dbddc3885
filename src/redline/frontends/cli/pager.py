"""Long output on a terminal: through `less` in its secure mode, or the pager of the person's own git configuration.

Either gets text that is already safe, and no options, filters or programs from the environment: `less` could be made
to run a command by them (less(1), SECURITY).
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from redline.frontends.screen import Screen, wants_color

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from redline.app import OwnPager
    from redline.render.lines import Line

_PLACES = ("/usr/bin/less", "/bin/less", "/usr/local/bin/less", "/opt/homebrew/bin/less")
# -F: do not wait when all fits; -R: our own colours; -X: leave the text on the screen; -K: Ctrl-C ends it.
_OPTIONS = ("-F", "-R", "-X", "-K")
_DIFF_FILTER = re.compile(r"delta|diff-so-fancy")
_NO_PAGER = frozenset({"", "cat"})


def paged(
    lines: Callable[[], Iterable[Line]],
    patch: Callable[[], Iterable[Line]],
    color: str,
    own_pager: Callable[[], OwnPager | None],
) -> None:
    """Show the lines, a screenful at a time where there are more than fit; they are made as they are read.

    `patch` is the same change as a git diff, for a pager that draws diffs itself. Where a pager cannot be run or
    fails, everything is shown without it.
    """
    coming = iter(lines())
    first = list(islice(coming, shutil.get_terminal_size().lines))
    if len(first) < shutil.get_terminal_size().lines:
        _show(first, color)
        return
    own = own_pager()
    command = _command(own)
    if command is None:
        _show(chain(first, coming), color)
    elif own is not None and _DIFF_FILTER.search(own.command):
        if not _piped(command, _environment(own), patch(), "never"):
            _show(lines(), color)
    elif not _piped(command, _environment(own), chain(first, coming), color):
        _show(lines(), color)


def _command(own: OwnPager | None) -> list[str] | None:
    if own is not None:
        return None if own.command.strip() in _NO_PAGER else ["/bin/sh", "-c", own.command]
    less = next((place for place in _PLACES if os.access(place, os.X_OK)), None)
    return [less, *_OPTIONS] if less is not None else None


def _environment(own: OwnPager | None) -> dict[str, str]:
    """For `less` nothing but the terminal; a program of the person's keeps what has nothing to say to `less`."""
    plain = {"LESSSECURE": "1", "TERM": os.environ.get("TERM", "dumb"), "LESSCHARSET": "utf-8"}
    if own is None:
        return plain
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LESS")}
    return {**kept, **plain, "LESS": "FRX", "LV": "-c", "PATH": own.search_path}


def _piped(command: list[str], environment: dict[str, str], lines: Iterable[Line], color: str) -> bool:
    """Whether the pager took the text; one that was quit before the end did."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    assert process.stdin is not None  # noqa: S101 -- a pipe was asked for
    try:
        with (
            suppress(BrokenPipeError),
            io.TextIOWrapper(process.stdin, encoding="utf-8", errors="backslashreplace") as stream,
        ):
            Screen(stream, color=wants_color(sys.stdout, color)).show(lines)
    finally:
        process.wait()
    return process.returncode == 0


def _show(lines: Iterable[Line], color: str) -> None:
    Screen(sys.stdout, color=wants_color(sys.stdout, color)).show(lines)
