"""The text around a patch: a byte order mark, one Markdown fence, a shell command with a here-document.

Nothing is expanded: a patch is data, whatever a shell would make of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from redline.errors import MalformedEdit

BLANKS: Final = b" \t\r\n\x0b\x0c"

_BOM = b"\xef\xbb\xbf"
_FENCE = re.compile(rb"(`{3,}|~{3,})[ \t]*[^\s`]*[ \t\r]*\Z")
_SCRIPT = re.compile(rb"(?:bash|zsh|sh)[ \t]+-l?c[ \t]+'(.*)'[ \t\r\n]*\Z", re.DOTALL)
_QUOTE_IN_QUOTES = b"'\\''"
_FOLDER = rb"([\w./+@%,:=~\x80-\xff-]+)|'([^']+)'|\"([^\"$`\\!]+)\""
_COMMAND = re.compile(
    rb"(?:(?:cd[ \t]+(?:" + _FOLDER + rb")[ \t]+&&[ \t]+)?apply_?patch[ \t]*)?"
    rb"<<[ \t]*(?P<quote>['\"]?)(?P<mark>\w[\w.-]*)(?P=quote)\Z"
)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The patch's lines, without LF, the number of the first, and what its paths are to begin with."""

    lines: tuple[bytes, ...]
    first: int
    prefix: bytes


def unwrap(text: bytes) -> Unwrapped:
    """Peel what may stand around a patch. Raises MalformedEdit if a fence or a here-document is left open."""
    lines, first = _trimmed(text.removeprefix(_BOM).split(b"\n"), 1)
    fence = _FENCE.match(lines[0]) if lines else None
    if fence is not None:
        closing = lines[-1].rstrip(BLANKS)
        if len(lines) == 1 or not closing.startswith(fence[1]) or closing.strip(fence[1][:1]):
            raise _fault(first, "the fence is not closed by the text's last line", "FENCE_OPEN")
        lines, first = _trimmed(lines[1:-1], first + 1)
    script = _SCRIPT.match(b"\n".join(lines))
    if script is not None and b"'" not in script[1].replace(_QUOTE_IN_QUOTES, b""):
        lines, first = _trimmed(script[1].replace(_QUOTE_IN_QUOTES, b"'").split(b"\n"), first)
    command = _COMMAND.match(lines[0].strip(BLANKS)) if lines else None
    if command is None:
        return Unwrapped(tuple(lines), first, b"")
    lines, first = _here_document(lines, first, command["mark"])
    folder = command[1] or command[2] or command[3]
    return Unwrapped(tuple(lines), first, folder.removesuffix(b"/") + b"/" if folder else b"")


def _trimmed(lines: list[bytes], first: int) -> tuple[list[bytes], int]:
    """Leave blank lines out at both ends."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip(BLANKS):
        start += 1
    while end > start and not lines[end - 1].strip(BLANKS):
        end -= 1
    return lines[start:end], first + start


def _here_document(lines: list[bytes], first: int, mark: bytes) -> tuple[list[bytes], int]:
    for at, line in enumerate(lines):
        if line.rstrip(BLANKS) != mark:
            continue
        if at + 1 < len(lines):
            raise _fault(first + at + 1, "more follows behind the here-document", "PATCH_NOT_ALONE")
        return _trimmed(lines[1:at], first + 1)
    raise _fault(first, f"the here-document has no closing line {mark.decode('utf-8', 'replace')!a}", "PATCH_OPEN")


def _fault(number: int, what: str, code: str) -> MalformedEdit:
    return MalformedEdit(
        f"line {number}: {what}",
        code=code,
        hint="Send the patch alone, from `*** Begin Patch` to `*** End Patch`, or in one complete here-document.",
        details={"line": number},
    )
