"""Aider's udiff: fenced diffs whose hunks have no line numbers, or none that count.

A hunk is found by its own lines, which must stand in the file once. Every line in a `diff` fence is part of a hunk or
of a header, and nothing that looks like either may stand outside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.edits import Reading, Replace
from redline.intake.fences import closes
from redline.intake.markup import fault_at

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "udiff"
LOOKS_FOR: Final = "```diff fences with `---`, `+++` and hunks below `@@ ... @@`"

_NULL = b"/dev/null"
_OPENER = re.compile(rb"(`{3,})[ \t]*(?:diff|udiff)[ \t]*\r?\Z")
_FENCE = re.compile(rb"(`{3,}+|~{3,}+)[^`]*+\Z")
_UNNUMBERED = re.compile(rb"(?m)^@@(?! -[0-9])")


@dataclass(frozen=True, slots=True)
class _Fence:
    """The lines between an opening fence and its end, by their indexes in the text."""

    first: int
    end: int


def recognises(text: bytes) -> bool:
    if b"@@" not in text:
        return False
    lines = text.split(b"\n")
    opens = [at for at, line in enumerate(lines) if _OPENER.match(line)]
    return any(_starts_header(lines, at + 1) for at in opens) and _UNNUMBERED.search(text) is not None


def parse(text: bytes) -> Reading:
    """Read every hunk. Raises MalformedEdit naming the line, UnsafePath."""
    lines = text.split(b"\n")
    edits: list[Replace] = []
    prose: list[bytes] = []
    behind = 0
    for fence in _fences(lines):
        edits += _edits(lines, fence)
        prose += lines[behind : fence.first]
        behind = fence.end
    if not edits:
        raise MalformedEdit(
            "no ```diff fence was found",
            code="NO_FILES",
            hint="Put each file's `---` and `+++` line and its hunks, each below `@@ ... @@`, in a ```diff fence.",
        )
    return Reading(NAME, "", tuple(edits), (), b"\n".join([*prose, *lines[behind:]]))


def _fences(lines: list[bytes]) -> Iterator[_Fence]:
    """Give the diff fences; refuse what looks like a diff elsewhere, but in fences of other languages."""
    at = 0
    while at < len(lines):
        opener, fence = _OPENER.match(lines[at]), _FENCE.match(lines[at])
        if fence is None:
            _refuse_part_of_diff(lines, at)
            at += 1
            continue
        end = next((end for end in range(at + 1, len(lines)) if closes(lines[end], fence[1])), None)
        if end is None:
            raise fault_at(at, "a fence never ends; the answer may be cut off", "FENCE_OPEN", _SEND_WHOLE)
        if opener is not None:
            yield _Fence(at + 1, end)
        elif any(_starts_header(lines, inside) for inside in range(at + 1, end)):
            raise fault_at(at, "a diff stands in a fence that is not marked as `diff`", "FENCE_NOT_DIFF", _MARK_IT)
        at = end + 1


def _refuse_part_of_diff(lines: list[bytes], at: int) -> None:
    if lines[at].startswith(b"@@") or _starts_header(lines, at):
        raise fault_at(at, "part of a diff stands outside the ```diff fences", "LEFT_OVER", _MARK_IT)


def _starts_header(lines: list[bytes], at: int) -> bool:
    return at + 1 < len(lines) and lines[at].startswith(b"--- ") and lines[at + 1].startswith(b"+++ ")


def _edits(lines: list[bytes], fence: _Fence) -> Iterator[Replace]:
    path: RepoPath | None = None
    at = fence.first
    while at < fence.end:
        if not lines[at].strip():
            at += 1
        elif _starts_header(lines, at):
            path = _path(lines, at)
            at += 2
            if at >= fence.end or not lines[at].startswith(b"@@"):
                raise fault_at(at - 2, "a file's section has no hunk below its names", "SECTION_EMPTY", _HUNKS)
        elif not lines[at].startswith(b"@@"):
            raise fault_at(at, "a line belongs to no hunk", "LEFT_OVER", _HUNKS)
        elif path is None:
            raise fault_at(at, "a hunk belongs to no file", "HUNK_WITHOUT_FILE", _HUNKS)
        else:
            end = _hunk_end(lines, at + 1, fence.end)
            yield _edit(lines, at, end, path)
            at = end


def _path(lines: list[bytes], at: int) -> RepoPath:
    old, new = (_name(lines[at + below]) for below in (0, 1))
    if new == _NULL:
        raise fault_at(at, "a udiff cannot delete a file", "DELETION", "Send a diff as `git diff` prints it.")
    prefixed = old.startswith(b"a/") and new.startswith(b"b/")
    if prefixed or (old == _NULL and new.startswith(b"b/")):
        old, new = old.removeprefix(b"a/"), new.removeprefix(b"b/")
    if old not in {new, _NULL}:
        raise fault_at(at, "the `---` and the `+++` line name different files", "NAMES_DIFFER", _HUNKS)
    return RepoPath(new.decode("utf-8", "surrogateescape"))


def _name(line: bytes) -> bytes:
    """Return what stands behind `---` or `+++`, without a time stamp."""
    return line[4:].split(b"\t", 1)[0].strip(b" \r")


def _hunk_end(lines: list[bytes], begin: int, end: int) -> int:
    for at in range(begin, end):
        if lines[at].startswith(b"@@"):
            return at
        if _starts_header(lines, at):
            if at + 2 < end and lines[at + 2].startswith(b"@@"):
                return at
            raise fault_at(at, "`---` and `+++` may name a file, or be lines of the hunk", "HEADER_AMBIGUOUS", _HUNKS)
    return end


def _edit(lines: list[bytes], header: int, end: int, path: RepoPath) -> Replace:
    last = end
    while last > header + 1 and not lines[last - 1].strip(b"\r"):
        last -= 1  # what separates the hunk from the next header is not its context
    before: list[bytes] = []
    after: list[bytes] = []
    for at in range(header + 1, last):
        line = lines[at]
        if line[:1] not in {b" ", b"-", b"+", b"", b"\r"}:
            raise fault_at(at, "a line of a hunk begins with neither blank, - nor +", "HUNK_LINE", _HUNKS)
        text = (line[1:] if line[:1] in {b" ", b"-", b"+"} else line) + b"\n"
        before += [text] if line[:1] != b"+" else []
        after += [text] if line[:1] != b"-" else []
    if before == after:
        raise fault_at(header, "a hunk changes nothing", "HUNK_EMPTY", _HUNKS)
    return Replace(path, b"".join(before), b"".join(after), 1, whole_lines=True, exactly=False)


_SEND_WHOLE: Final = "Send the whole answer, with every closing fence."
_MARK_IT: Final = "Put every part of the change into fences opened by ```diff."
_HUNKS: Final = "Write `--- path`, `+++ path`, then hunks: `@@ ... @@` and lines that begin with a blank, - or +."
