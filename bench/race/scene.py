"""What is raced for: one file, its content before and after, and what it may hold when both parties are done."""

from __future__ import annotations

import difflib
import os
import stat
from dataclasses import dataclass, field
from enum import Enum

NAME = "f.txt"
RACERS_MODE = 0o600
OTHER_NAME = "z.txt"  # sorts after NAME: a plan reaches it second
_LINES = [b"line %03d of the base file, some filler text here\n" % number for number in range(200)]
BASE = b"".join(_LINES)


def _with(change: bytes, at: int) -> bytes:
    return b"".join([*_LINES[:at], change, *_LINES[at + 1 :]])


CHANGED = _with(b"line 009 as the approved change has it, no more\n", 9)


class Kind(Enum):
    """What the applier does to the file."""

    EDIT = "edit"
    CREATION = "creation"
    DELETION = "deletion"

    @property
    def before(self) -> bytes | None:
        return None if self is Kind.CREATION else BASE

    @property
    def after(self) -> bytes | None:
        return None if self is Kind.DELETION else CHANGED

    @property
    def patch(self) -> bytes:
        """The change as git and GNU patch take it."""
        old = [] if self.before is None else self.before.decode().splitlines(keepends=True)
        new = [] if self.after is None else self.after.decode().splitlines(keepends=True)
        from_name = "/dev/null" if self.before is None else f"a/{NAME}"
        to_name = "/dev/null" if self.after is None else f"b/{NAME}"
        mode = {Kind.CREATION: "new file mode 100644\n", Kind.DELETION: "deleted file mode 100644\n"}.get(self, "")
        body = "".join(difflib.unified_diff(old, new, from_name, to_name))
        return f"diff --git a/{NAME} b/{NAME}\n{mode}{body}".encode()


def token(number: int) -> bytes:
    """The line that only the racer of this trial writes."""
    return b"RACER %d\n" % number


def whole(mark: bytes) -> bytes:
    """The file as a racer that writes it whole wants it."""
    return _with(mark, 149)


@dataclass
class Verdict:
    """How an applier ended: `kept` holds the files it names as kept, `stays` that it named the file itself."""

    applied: bool
    reason: str = ""
    kept: list[str] = field(default_factory=list)
    stays: bool = False


def legal(kind: Kind, mark: bytes, verdict: Verdict) -> set[bytes | None]:
    """Each state that follows from the applier and the racer having acted one after the other."""
    racers = {whole(mark), (kind.before or b"") + mark}
    after = kind.after or b""
    merged = after.replace(_LINES[149], mark)
    if verdict.applied:
        return {kind.after, after + mark, merged, whole(mark), *(racers if kind.after is None else ())}
    left = {after + mark} if verdict.stays else set()
    return {kind.before, *racers, *left}


class Scene:
    """The folder of one trial after another."""

    def __init__(self, root: str, kind: Kind, style: str) -> None:
        self.root = root
        self.kind = kind
        self.style = style

    def reset(self) -> None:
        """Put the file back as it was, and remove what an applier or the racer left beside it."""
        for name in os.listdir(self.root):
            if name not in {".git", ".proposals", NAME, OTHER_NAME}:
                os.unlink(os.path.join(self.root, name))
        self._put(NAME, self.kind.before)

    def read(self) -> bytes | None:
        """What the file holds now; None if there is none."""
        return self._read(NAME)

    def carries(self, place: str, mark: bytes) -> bool:
        """Tell whether a file carries what the racer did: its token, or its mode."""
        if self.style == "chmod":
            path = os.path.join(self.root, place)
            return os.path.exists(path) and stat.S_IMODE(os.stat(path).st_mode) == RACERS_MODE
        return mark in (self._read(place) or b"")

    def is_seen(self, mark: bytes) -> bool:
        """Tell whether the file carries it, or one that a tool left beside it, as `patch` its `.orig`."""
        names = set(os.listdir(self.root)) - {".git", ".proposals", OTHER_NAME}
        return any(self.carries(name, mark) for name in names)

    def _put(self, name: str, data: bytes | None) -> None:
        path = os.path.join(self.root, name)
        if data is None:
            if os.path.lexists(path):
                os.unlink(path)
            return
        with open(f"{path}.new", "wb") as file:
            file.write(data)
        os.rename(f"{path}.new", path)

    def _read(self, name: str) -> bytes | None:
        try:
            with open(os.path.join(self.root, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
