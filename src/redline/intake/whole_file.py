"""Whole files: the text is one file's content, or holds fenced blocks with a path line above each.

Content is taken byte for byte. A fence that could end a block at two places is refused, never guessed
(fences as in CommonMark 0.31, section 4.5, at the start of a line only).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.edits import Reading, Write

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "whole-file"
LOOKS_FOR: Final = "a path line above each fenced whole file"

_FENCE = re.compile(rb"(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*\r?\Z")
_PATH_LINE = re.compile(
    rb"(?:\#{1,6}[ \t]+)?(?P<bold>\*\*)?(?P<tick>`)?(?P<path>[^`*\s](?:[^`*]*[^`*\s])?)"
    rb"(?(tick)`):?(?(bold)\*\*):?[ \t]*\r?\Z"
)
_INSIDE_A_PATH = re.compile(rb"[^.][./][^.]")
_DIFF_LANGUAGES = frozenset({b"diff", b"patch", b"udiff"})


@dataclass(frozen=True, slots=True)
class _Block:
    fence: bytes
    path: bytes | None
    diff: bool
    opens_at: int
    closes_at: int | None
    tight: bool


def recognises(text: bytes) -> bool:
    if b"```" not in text and b"~~~" not in text:
        return False
    return any(block.path is not None and not block.diff for block in _blocks(text.split(b"\n")))


def parse(text: bytes, *, path: RepoPath | None = None) -> Reading:
    """Take the text as the content of `path`, or read path lines with fenced blocks."""
    if path is not None:
        return Reading(NAME, "", (Write(path, text, None, None),), ())
    lines = text.split(b"\n")
    writes: dict[RepoPath, Write] = {}
    for block in _blocks(lines):
        write = _write(block, lines)
        if write.path in writes:
            raise _fault(f"{write.path} has two contents", "PATH_TWICE", block, "Give each file one block.")
        writes[write.path] = write
    if not writes:
        raise MalformedEdit(
            "no path line with a fenced block below it was found",
            code="NO_FILES",
            hint="Write the path on a line of its own and the whole content in a fence below it.",
        )
    return Reading(NAME, "", tuple(writes.values()), ())


def _blocks(lines: list[bytes]) -> Iterator[_Block]:
    at, previous_end = 0, -1
    while at < len(lines):
        opener = _FENCE.match(lines[at])
        if opener is None:
            at += 1
            continue
        closes_at = _closing(lines, at, opener[1])
        path, path_at = _path_above(lines, at, previous_end)
        diff = opener[2].lower() in _DIFF_LANGUAGES and not (path or b"").endswith((b".diff", b".patch"))
        tight = path is not None and path_at == previous_end + 1 and previous_end >= 0
        yield _Block(opener[1], path, diff, at, closes_at, tight)
        if closes_at is None:
            return
        at, previous_end = closes_at + 1, closes_at


def _closing(lines: list[bytes], opens_at: int, fence: bytes) -> int | None:
    for at in range(opens_at + 1, len(lines)):
        found = lines[at].rstrip(b" \t\r") if lines[at].startswith(fence) else b""
        if found and not found.strip(fence[:1]):
            return at
    return None


def _path_above(lines: list[bytes], fence_at: int, previous_end: int) -> tuple[bytes | None, int]:
    at = fence_at - 1
    if at > previous_end and not lines[at].strip():
        at -= 1
    if at <= previous_end:
        return None, at
    found = _PATH_LINE.match(lines[at])
    if found is None:
        return None, at
    decorated = found["tick"] or found["bold"]
    path = found["path"].removesuffix(b":")
    is_bare = len(path.split()) == 1 and _INSIDE_A_PATH.search(path) is not None
    return (path if decorated or is_bare else None), at


def _write(block: _Block, lines: list[bytes]) -> Write:
    if block.path is None:
        raise _fault("a fenced block has no path line above it", "FENCE_WITHOUT_PATH", block, _NAME_IT)
    if block.diff:
        raise _fault("a fenced block holds a diff, not a file", "FENCE_IS_DIFF", block, "Use --format diff.")
    if block.closes_at is None:
        raise _fault("a fenced block never ends", "FENCE_OPEN", block, "The answer may be cut off.")
    if block.tight:
        raise _fault(
            "a path line follows a closing fence at once, so that the fence may belong to the content",
            "FENCE_AMBIGUOUS",
            block,
            _LONGER_FENCE,
        )
    content = lines[block.opens_at + 1 : block.closes_at]
    for line in content:
        inner = _FENCE.match(line) if line.startswith(block.fence) else None
        if inner is not None:
            raise _fault("a fenced block holds a fence of its own", "FENCE_AMBIGUOUS", block, _LONGER_FENCE)
    path = RepoPath(block.path.decode("utf-8", "surrogateescape"))
    return Write(path, b"".join([line + b"\n" for line in content]), None, None)


_NAME_IT: Final = "Put the file's path on a line of its own above each fence."
_LONGER_FENCE: Final = "Open and close the block with a fence longer than any fence in the content."


def _fault(what: str, code: str, block: _Block, hint: str) -> MalformedEdit:
    line = block.opens_at + 1
    return MalformedEdit(f"line {line}: {what}", code=code, hint=hint, details={"line": line})
