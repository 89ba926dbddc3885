"""Whole files: the text is one file's content, or holds fenced blocks with a path above each or behind its fence.

Content is taken byte for byte. A fence that could end a block at two places is refused, never guessed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.edits import Reading, Write
from redline.intake.fences import OPENER, fences
from redline.intake.markup import BLOCK_HEAD, below, fault_at, relativised
from redline.intake.shell_text import LANGUAGES, SCRIPT_NAME, are_commands

if TYPE_CHECKING:
    from redline.core.notes import Leniency
    from redline.intake.fences import Fence

NAME: Final = "whole-file"
LOOKS_FOR: Final = "a path line above each fenced whole file"

_DIFF_LANGUAGES = frozenset({b"diff", b"patch", b"udiff"})
_EXCERPT = re.compile(rb"\A[0-9]+:|:[0-9]+(?:-|:|\Z)")


def recognises(text: bytes) -> bool:
    if b"```" not in text and b"~~~" not in text:
        return False
    lines = text.split(b"\n")
    return any(fence.paths and not _is_diff(fence) and not _holds_search(fence, lines) for fence in fences(lines))


def parse(text: bytes, *, path: RepoPath | None = None, root: str | None = None) -> Reading:
    """Take the text as the content of `path`, or read path lines with fenced blocks.

    Absolute paths are taken below `root`, which is noted.
    """
    if path is not None:
        return Reading(NAME, "", (Write(path, text, None, None),), ())
    lines = text.split(b"\n")
    writes: dict[RepoPath, Write] = {}
    noted: list[Leniency] = []
    prose: list[bytes] = []
    behind = 0
    for fence in fences(lines):
        if _is_prose(fence, lines):
            continue
        write = _write(fence, lines, root)
        prose += lines[behind : fence.opens_at]
        behind = fence.closes_at + 1 if fence.closes_at is not None else len(lines)
        if write.path in writes:
            raise fault_at(fence.opens_at, f"{write.path} has two contents", "PATH_TWICE", "Give each file one block.")
        writes[write.path] = write
        noted += relativised(write.path, fence.paths[0])
    if not writes:
        raise MalformedEdit(
            "no path line with a fenced block below it was found",
            code="NO_FILES",
            hint="Write the path on a line of its own and the whole content in a fence below it.",
        )
    return Reading(NAME, "", tuple(writes.values()), tuple(noted), b"\n".join([*prose, *lines[behind:]]))


def _is_diff(fence: Fence) -> bool:
    return fence.language in _DIFF_LANGUAGES and not any(path.endswith((b".diff", b".patch")) for path in fence.paths)


def _holds_search(fence: Fence, lines: list[bytes]) -> bool:
    return any(BLOCK_HEAD.match(line) for line in lines[fence.opens_at + 1 : fence.opens_at + 3])


def _is_prose(fence: Fence, lines: list[bytes]) -> bool:
    """Tell whether a block without a path is clearly no file: commands to type, or an edit in another format.

    What is passed over here is looked at again for edits of other formats, and for commands that write files.
    """
    if fence.paths or fence.closes_at is None:
        return False
    if fence.language not in LANGUAGES:
        return _is_diff(fence) or _holds_search(fence, lines)
    above = next((line for line in reversed(lines[max(fence.opens_at - 2, 0) : fence.opens_at]) if line.strip()), b"")
    return are_commands(lines[fence.opens_at + 1 : fence.closes_at]) and not SCRIPT_NAME.search(above)


def _write(fence: Fence, lines: list[bytes], root: str | None) -> Write:
    at = fence.opens_at
    if not fence.paths:
        raise fault_at(at, "a fenced block has no path line above it", "FENCE_WITHOUT_PATH", _NAME_IT)
    if any(_EXCERPT.search(path) for path in fence.paths):
        what = "a fenced block is marked as some lines of a file, not as a whole one"
        raise fault_at(at, what, "FENCE_IS_EXCERPT", "Send the whole file, or only what changes, as a diff.")
    if len(fence.paths) > 1:
        raise fault_at(at, "a fenced block has two paths", "PATH_UNCLEAR", _NAME_IT)
    if _is_diff(fence):
        raise fault_at(at, "a fenced block holds a diff, not a file", "FENCE_IS_DIFF", "Use --format diff.")
    if _holds_search(fence, lines):
        what = "a fenced block holds a SEARCH block, not a file"
        raise fault_at(at, what, "FENCE_IS_BLOCK", "Use --format search-replace.")
    if fence.closes_at is None:
        raise fault_at(at, "a fenced block never ends", "FENCE_OPEN", "The answer may be cut off.")
    if fence.tight:
        what = "a path line follows a closing fence at once, so that the fence may belong to the content"
        raise fault_at(at, what, "FENCE_AMBIGUOUS", _LONGER_FENCE)
    content = lines[at + 1 : fence.closes_at]
    if any(line.startswith(fence.mark) and OPENER.match(line) for line in content):
        raise fault_at(at, "a fenced block holds a fence of its own", "FENCE_AMBIGUOUS", _LONGER_FENCE)
    path = RepoPath(below(fence.paths[0].decode("utf-8", "surrogateescape"), root))
    return Write(path, b"".join([line + b"\n" for line in content]), None, None)


_NAME_IT: Final = "Put the file's path on a line of its own above each fence, and leave out fences that hold no file."
_LONGER_FENCE: Final = "Open and close the block with a fence longer than any fence in the content."
