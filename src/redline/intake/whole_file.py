"""Whole files: the text is one file's content, or holds fenced blocks with a path above each or behind its fence.

Content is taken byte for byte. A fence that could end a block at two places is refused, never guessed
(fences as in CommonMark 0.31, section 4.5, at the start of a line only).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.edits import Reading, Write
from redline.intake.markup import BLOCK_HEAD, FENCE, path_behind_fence, path_on

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "whole-file"
LOOKS_FOR: Final = "a path line above each fenced whole file"

_DIFF_LANGUAGES = frozenset({b"diff", b"patch", b"udiff"})


@dataclass(frozen=True, slots=True)
class _Block:
    """A fenced block; `paths` are the different ones that stand above it and behind its fence."""

    fence: bytes
    paths: tuple[bytes, ...]
    diff: bool
    search: bool
    opens_at: int
    closes_at: int | None
    tight: bool


def recognises(text: bytes) -> bool:
    if b"```" not in text and b"~~~" not in text:
        return False
    return any(block.paths and not block.diff and not block.search for block in _blocks(text.split(b"\n")))


def parse(text: bytes, *, path: RepoPath | None = None) -> Reading:
    """Take the text as the content of `path`, or read path lines with fenced blocks."""
    if path is not None:
        return Reading(NAME, "", (Write(path, text, None, None),), ())
    lines = text.split(b"\n")
    writes: dict[RepoPath, Write] = {}
    prose: list[bytes] = []
    behind = 0
    for block in _blocks(lines):
        write = _write(block, lines)
        prose += lines[behind : block.opens_at]
        behind = block.closes_at + 1 if block.closes_at is not None else len(lines)
        if write.path in writes:
            raise _fault(f"{write.path} has two contents", "PATH_TWICE", block, "Give each file one block.")
        writes[write.path] = write
    if not writes:
        raise MalformedEdit(
            "no path line with a fenced block below it was found",
            code="NO_FILES",
            hint="Write the path on a line of its own and the whole content in a fence below it.",
        )
    return Reading(NAME, "", tuple(writes.values()), (), b"\n".join([*prose, *lines[behind:]]))


def _blocks(lines: list[bytes]) -> Iterator[_Block]:
    at, previous_end = 0, -1
    while at < len(lines):
        opener = FENCE.match(lines[at])
        if opener is None:
            at += 1
            continue
        closes_at = _closing(lines, at, opener[1])
        above, path_at = _path_above(lines, at, previous_end)
        paths = tuple(sorted({path for path in (above, path_behind_fence(lines[at])) if path is not None}))
        diff = opener[2].lower() in _DIFF_LANGUAGES and not any(path.endswith((b".diff", b".patch")) for path in paths)
        search = any(BLOCK_HEAD.match(line) for line in lines[at + 1 : at + 3])
        tight = above is not None and path_at == previous_end + 1 and previous_end >= 0
        yield _Block(opener[1], paths, diff, search, at, closes_at, tight)
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
    return path_on(lines[at]), at


def _write(block: _Block, lines: list[bytes]) -> Write:
    if not block.paths:
        raise _fault("a fenced block has no path line above it", "FENCE_WITHOUT_PATH", block, _NAME_IT)
    if len(block.paths) > 1:
        raise _fault("a fenced block has two paths", "PATH_UNCLEAR", block, _NAME_IT)
    if block.diff:
        raise _fault("a fenced block holds a diff, not a file", "FENCE_IS_DIFF", block, "Use --format diff.")
    if block.search:
        what = "a fenced block holds a SEARCH block, not a file"
        raise _fault(what, "FENCE_IS_BLOCK", block, "Use --format search-replace.")
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
        inner = FENCE.match(line) if line.startswith(block.fence) else None
        if inner is not None:
            raise _fault("a fenced block holds a fence of its own", "FENCE_AMBIGUOUS", block, _LONGER_FENCE)
    path = RepoPath(block.paths[0].decode("utf-8", "surrogateescape"))
    return Write(path, b"".join([line + b"\n" for line in content]), None, None)


_NAME_IT: Final = "Put the file's path on a line of its own above each fence."
_LONGER_FENCE: Final = "Open and close the block with a fence longer than any fence in the content."


def _fault(what: str, code: str, block: _Block, hint: str) -> MalformedEdit:
    line = block.opens_at + 1
    return MalformedEdit(f"line {line}: {what}", code=code, hint=hint, details={"line": line})
