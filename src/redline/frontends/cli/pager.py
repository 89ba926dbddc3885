"""Long output on a terminal, through `less` in its secure mode.

`less` gets text that is already safe, no options or filters from the environment, and no way to run a command
(less(1), SECURITY).
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from redline.frontends.screen import Screen, wants_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.render.lines import Line

_PLACES = ("/usr/bin/less", "/bin/less", "/usr/local/bin/less", "/opt/homebrew/bin/less")
# -F: do not wait when all fits; -R: our own colours; -X: leave the text on the screen; -K: Ctrl-C ends it.
_OPTIONS = ("-F", "-R", "-X", "-K")


def paged(lines: Sequence[Line], color: str) -> None:
    """Show the lines, a screenful at a time where there are more than fit."""
    less = next((place for place in _PLACES if os.access(place, os.X_OK)), None)
    height = shutil.get_terminal_size().lines
    if less is None or len(lines) < height:
        Screen(sys.stdout, color=wants_color(sys.stdout, color)).show(lines)
        return
    text = io.StringIO()
    Screen(text, color=wants_color(sys.stdout, color)).show(lines)
    environment = {"LESSSECURE": "1", "TERM": os.environ.get("TERM", "dumb"), "LESSCHARSET": "utf-8"}
    process = subprocess.Popen([less, *_OPTIONS], stdin=subprocess.PIPE, env=environment)
    process.communicate(text.getvalue().encode("utf-8", "backslashreplace"))
