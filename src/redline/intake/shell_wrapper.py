"""The text around a patch: a byte order mark, one Markdown fence, a shell command with a here-document.

Nothing is expanded: a patch is data, whatever a shell would make of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from redline.intake.fences import OPENER, closes, fences
from redline.intake.markup import BOM, fault_at

BLANKS: Final = b" \t\r\n\x0b\x0c"

_BEGIN = re.compile(rb"\*\*\* Begin Patch[ \t\r]*\Z")
_END = b"*** End Patch"
_SCRIPT = re.compile(rb"(?:bash|zsh|sh)[ \t]+-l?c[ \t]+'(.*)'[ \t\r\n]*\Z", re.DOTALL)
_SCRIPT_STARTS = re.compile(rb"(?:bash|zsh|sh)[ \t]+-l?c[ \t]+'")
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
    lines, first = _trimmed(text.removeprefix(BOM).split(b"\n"), 1)
    fence = OPENER.match(lines[0]) if lines else None
    if fence is not None:
        if len(lines) == 1 or not closes(lines[-1].rstrip(BLANKS), fence[1]):
            raise fault_at(first - 1, "the fence is not closed by the text's last line", "FENCE_OPEN", _ALONE)
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


@dataclass(frozen=True, slots=True)
class Isolated:
    """A patch, behind as many empty lines as the text has lines before it, and the prose around it.

    `named` is the path that stands above its fence or behind it: then the fence may hold a file that shows a patch.
    """

    patch: bytes
    prose: bytes
    named: bool


def isolate(text: bytes) -> Isolated | None:
    """Cut the patch out of an answer: with its fence, with its here-document, or from its first line to its last.

    None is a text without a patch's first line. Raises MalformedEdit for a second patch.
    """
    lines = text.removeprefix(BOM).split(b"\n")
    begin = next((at for at, line in enumerate(lines) if _BEGIN.match(line)), None)
    if begin is None:
        return None
    last = next((at for at in range(begin, len(lines)) if lines[at].rstrip(BLANKS) == _END), len(lines) - 1)
    fence = next((found for found in fences(lines[:begin]) if found.closes_at is None), None)
    if fence is not None:
        start = fence.opens_at
        end = next((at for at in range(last, len(lines)) if closes(lines[at], fence.mark)), len(lines) - 1)
    else:
        start, end = _with_command(lines, begin, last)
    prose = [*lines[:start], *lines[end + 1 :]]
    second = next((at for at in range(end + 1, len(lines)) if _BEGIN.match(lines[at])), None)
    if second is not None:
        what = f"a second patch begins; the first one begins in line {begin + 1}"
        raise fault_at(second, what, "SEVERAL_PATCHES", "Put all sections into one patch.")
    patch = b"\n" * start + b"\n".join(lines[start : end + 1])
    return Isolated(patch, b"\n".join(prose), fence is not None and bool(fence.paths))


def _with_command(lines: list[bytes], begin: int, last: int) -> tuple[int, int]:
    """Take the line of a shell's command above the patch along, and what follows the patch without an empty line.

    What belongs to the patch's own text is for its parser to judge.
    """
    above = lines[begin - 1].strip(BLANKS) if begin else b""
    command = _COMMAND.match(above)
    end = last
    if command is not None:
        end = next((at for at in range(last, len(lines)) if lines[at].rstrip(BLANKS) == command["mark"]), last)
    while end + 1 < len(lines) and lines[end + 1].strip(BLANKS):
        end += 1
    return begin - (command is not None or _SCRIPT_STARTS.match(above) is not None), end


def relative(patch: bytes, root: str) -> tuple[bytes, frozenset[bytes]]:
    """Write the patch's absolute paths below the root as relative ones, and give these.

    Only headers begin with asterisks: each line of content has its tag before it.
    """
    base = re.escape(root.rstrip("/").encode("utf-8", "surrogateescape") + b"/")
    headers = re.compile(rb"(?m)^(\*\*\* (?:(?:Add|Delete|Update) File|Move to): )" + base + rb"(?=([^\r\n]+))")
    folder = re.compile(rb"(?m)^(cd[ \t]+)" + base[:-1] + rb"/?(?:[ \t]+&&[ \t]+(?=apply_?patch)|(?<=/)(?=[^\s]))")
    named = frozenset(found[2].rstrip(BLANKS) for found in headers.finditer(patch))
    patch = folder.sub(lambda found: found[1] if found[0].endswith(b"/") else b"", patch, count=1)
    return headers.sub(rb"\1", patch), named


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
            raise fault_at(first + at, "more follows behind the here-document", "PATCH_NOT_ALONE", _ALONE)
        return _trimmed(lines[1:at], first + 1)
    what = f"the here-document has no closing line {mark.decode('utf-8', 'replace')!a}"
    raise fault_at(first - 1, what, "PATCH_OPEN", _ALONE)


_ALONE: Final = (
    "Send the patch from `*** Begin Patch` to `*** End Patch`, alone or in a fence, or in one complete here-document."
)
