"""The text around a diff: byte order mark, CRLF envelope, one Markdown fence, mails of `git format-patch`."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from operator import itemgetter

from redline.errors import MalformedEdit
from redline.intake.fences import closes
from redline.intake.markup import BOM

_FENCE = re.compile(rb"(`{3,}|~{3,})[ \t]*[^\s`]*[ \t]*\r?\n\Z")
_MAIL = re.compile(rb"From [0-9a-f]{40}(?:[0-9a-f]{24})? ")
_SECTION = re.compile(rb"(?m)^(?:diff --(?:git|cc|combined) |--- [^\n]*\n\+\+\+ )")
_ANYTHING_OF_A_DIFF = re.compile(
    rb"(?m)^(?:diff --(?:git|cc|combined) |--- [^\n]*\n\+\+\+ |@@+ -[0-9]"
    rb"|GIT binary patch|Binary files .* differ)"
)
_TAGS = frozenset(b" +-\\")
_VERSION = re.compile(rb"[0-9][0-9A-Za-z.() -]*\Z")


@dataclass(slots=True)
class Cursor:
    """The lines of a diff, each with its LF, and the next one to read.

    `crlf` tells that every line ended CRLF; `terminated` that the last one ended at all; `is_fenced` that a closing
    fence stands behind it. `tags` are the first bytes of all lines.
    """

    lines: list[bytes]
    first: int
    crlf: bool
    terminated: bool
    is_fenced: bool = False
    at: int = 0
    prose: list[bytes] = field(default_factory=list)
    tags: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.tags = bytes(map(itemgetter(0), self.lines))

    def peek(self, ahead: int = 0) -> bytes | None:
        """Return a line as a header: without the envelope's CR. None is the end."""
        index = self.at + ahead
        if index >= len(self.lines):
            return None
        line = self.lines[index].removesuffix(b"\n")
        return line.removesuffix(b"\r") if self.crlf else line

    @property
    def number(self) -> int:
        """The next line's number in the text, from 1."""
        return self.first + self.at

    @property
    def at_section(self) -> bool:
        line = self.peek()
        if line is None:
            return False
        if line.startswith((b"diff --git ", b"diff --cc ", b"diff --combined ")):
            return True
        return line.startswith(b"--- ") and (self.peek(1) or b"").startswith(b"+++ ")

    @property
    def at_signature(self) -> bool:
        return self.at < len(self.lines) and ends_mail(self.lines[self.at], (self.peek(1) or b"") + b"\n")

    @property
    def at_part_of_hunk(self) -> bool:
        """Whether a line stands here that could be a hunk's, and nothing else that is known."""
        if self.at == len(self.lines) or self.lines[self.at][0] not in _TAGS:
            return False
        return not self.at_section and not self.at_signature

    @property
    def at_mail(self) -> bool:
        return _MAIL.match(self.lines[self.at]) is not None

    def skip_mail(self) -> None:
        """Go behind a mail's `---` line: its message may quote a diff."""
        ahead = 1
        while (line := self.peek(ahead)) is not None and not _MAIL.match(line):
            if line == b"---":
                break
            ahead += 1
        else:
            ahead = 0
        self.at += ahead + 1

    def skip_signature(self) -> bool:
        """Go behind the signature that `git format-patch` ends a mail with, if it stands here."""
        if not self.at_signature:
            return False
        ahead = 2
        while (line := self.peek(ahead)) is not None and not line.strip():
            ahead += 1
        if line is not None and not _MAIL.match(line):
            return False
        self.at += ahead
        return True


def ends_mail(line: bytes, following: bytes) -> bool:
    """Whether two lines are the signature of `git format-patch`: dashes, and git's version."""
    return line.rstrip(b"\r\n") in {b"-- ", b"--"} and _VERSION.match(following.rstrip(b"\r\n")) is not None


def recognises(text: bytes) -> bool:
    return _ANYTHING_OF_A_DIFF.search(text.removeprefix(BOM)) is not None


def open_text(text: bytes) -> Cursor:
    """Peel what surrounds the diff. Raises MalformedEdit if part of a diff would be left outside."""
    peeled = text.removeprefix(BOM)
    first = peeled.find(b"\n")
    crlf = first > 0 and peeled[first - 1] == 0x0D and peeled.count(b"\n") == peeled.count(b"\r\n")
    terminated = peeled.endswith(b"\n")
    lines = io.BytesIO(peeled).readlines()
    if lines and not terminated:
        lines[-1] += b"\n"
    found = _SECTION.search(peeled)
    fence = _open_fence(lines, peeled.count(b"\n", 0, found.start())) if found else None
    if fence is None:
        return Cursor(lines, 1, crlf, terminated)
    opens_at, mark = fence
    closes_at = _closing(lines, opens_at, mark)
    outside = b"".join(lines[:opens_at]) + b"\n" + b"".join(lines[closes_at + 1 :])
    if _ANYTHING_OF_A_DIFF.search(outside):
        raise MalformedEdit(
            f"the text holds a diff in the fence of line {opens_at + 1} and more of a diff outside it",
            code="SEVERAL_DIFFS",
            hint="Put the whole change into one diff in one fence.",
            details={"line": opens_at + 1},
        )
    return Cursor(lines[opens_at + 1 : closes_at], opens_at + 2, crlf, terminated=True, is_fenced=True, prose=[outside])


def _open_fence(lines: list[bytes], before: int) -> tuple[int, bytes] | None:
    fence: tuple[int, bytes] | None = None
    for at, line in enumerate(lines[:before]):
        if fence is None:
            opener = _FENCE.match(line)
            fence = (at, opener[1]) if opener else None
        elif closes(line.removesuffix(b"\n"), fence[1]):
            fence = None
    return fence


def _closing(lines: list[bytes], opens_at: int, mark: bytes) -> int:
    for at in range(opens_at + 1, len(lines)):
        if closes(lines[at].removesuffix(b"\n"), mark):
            return at
    raise MalformedEdit(
        f"the fence of line {opens_at + 1} never ends; the answer may be cut off",
        code="FENCE_OPEN",
        hint="Send the whole diff, with its closing fence.",
        details={"line": opens_at + 1},
    )
