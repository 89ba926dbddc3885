"""Let a person change a text in their own editor; which one is theirs to say, never a repository's."""

from __future__ import annotations

import os
import shlex
import subprocess
from tempfile import TemporaryDirectory

from redline.errors import UsageFault

_USUAL = "vi"
# Those that open a file at a line by `+LINE` before its name.
_BY_PLUS = frozenset(
    {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "mg", "ne"}
)


def edit(data: bytes, path: str, line: int) -> bytes | None:
    """The text as the person left it, in a private copy called as the file is; None if the editor says it failed.

    Raises UsageFault (NO_EDITOR) if it cannot be started.
    """
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or _USUAL)
    with TemporaryDirectory(prefix="redline-") as folder:
        copy = os.path.join(folder, os.path.basename(path))
        with open(copy, "xb") as file:
            file.write(data)
        at_line = [f"+{line}"] if os.path.basename(command[0]) in _BY_PLUS else []
        try:
            with open("/dev/tty", "r+b", buffering=0) as terminal:
                ended = subprocess.run(
                    [*command, *at_line, copy], stdin=terminal, stdout=terminal, stderr=terminal, check=False
                )
        except OSError as error:
            raise UsageFault(
                f"the editor {command[0]!a} cannot be started: {error.strerror}",
                code="NO_EDITOR",
                hint="Name yours in EDITOR.",
            ) from error
        if ended.returncode != 0:
            return None
        with open(copy, "rb") as file:
            return file.read()
