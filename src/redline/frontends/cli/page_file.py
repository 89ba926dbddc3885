"""Put a page into a file: whole or not at all, never through a link, never over what redline did not make.

A page can be made again from the journal at any time; nothing says so of any other file.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from redline.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def write_page(path: str, pieces: Iterable[str], mark: str) -> None:
    """Write the pieces, of which the first begins with the mark.

    Raises UsageFault if the path holds anything but such a page (PAGE_EXISTS), or cannot be written.
    """
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        is_ours = _is_page(path, mark)
        fd = os.open(temporary, _NEW, 0o666)
        try:
            with os.fdopen(fd, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
            if is_ours:
                os.replace(temporary, path)
            else:
                os.link(temporary, path)
        finally:
            if os.path.lexists(temporary):
                os.unlink(temporary)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise UsageFault(f"{path} cannot be written: {error.strerror}", hint="Name another file.") from error


def _is_page(path: str, mark: str) -> bool:
    """Whether a page stands there; False where nothing does."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(status.st_mode):
        raise _exists(path)
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if file.read(len(mark)) != mark.encode():
            raise _exists(path)
    return True


def _exists(path: str) -> UsageFault:
    return UsageFault(
        f"{path} exists, and is no page of redline's: it was left as it is",
        code="PAGE_EXISTS",
        hint="Name another file, or move that one away.",
    )
