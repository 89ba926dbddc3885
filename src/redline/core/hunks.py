"""The hunk model of preview, review and partial confirmation.

It reads only diffs that redline's own engine made; `unidiff` keeps the lines, this module names the hunks.
Diff text is held as Latin-1, a one-to-one picture of the bytes, so that any byte survives and LF alone ends a line.
"""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unidiff.patch import Hunk as PatchedHunk

    from redline.core.paths import RepoPath

HUNK_ID_LENGTH = 10
_HEADER = "--- a/file\n+++ b/file\n"


class LineKind(Enum):
    CONTEXT = " "
    ADDED = "+"
    REMOVED = "-"
    NO_NEWLINE = "\\"


_KINDS = {kind.value.encode(): kind for kind in LineKind}
_BEFORE_KINDS = frozenset({LineKind.CONTEXT, LineKind.REMOVED})
_AFTER_KINDS = frozenset({LineKind.CONTEXT, LineKind.ADDED})


@dataclass(frozen=True, slots=True)
class HunkLine:
    """One line without its mark and its LF; numbers count from 1, None on the side that lacks the line."""

    kind: LineKind
    data: bytes
    before_number: int | None
    after_number: int | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """`id` comes from path, content and context, never from line numbers. `body` is the lines with their marks."""

    id: str
    header: str
    before_start: int
    after_start: int
    insertions: int
    deletions: int
    body: bytes

    @property
    def lines(self) -> tuple[HunkLine, ...]:
        return tuple(self._numbered())

    def _numbered(self) -> Iterator[HunkLine]:
        before, after = self.before_start, self.after_start
        for marked in self.body.split(b"\n"):
            kind = _KINDS[marked[:1]]
            in_before = kind in _BEFORE_KINDS
            in_after = kind in _AFTER_KINDS
            yield HunkLine(kind, marked[1:], before if in_before else None, after if in_after else None)
            before += in_before
            after += in_after


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One path's difference: `body` is hunks, or git's binary patch, or empty where only mode or presence differ."""

    path: RepoPath
    body: bytes
    is_binary: bool

    def hunks(self) -> tuple[Hunk, ...]:
        """Read the body's hunks in order; a binary difference has none."""
        if self.is_binary or not self.body:
            return ()
        from unidiff.patch import PatchSet  # noqa: PLC0415 -- start-up: most commands read no hunks

        text = io.StringIO(_HEADER + self.body.decode("latin-1"), newline="\n")
        patched = PatchSet(text)[0]
        seen: Counter[str] = Counter()
        return tuple(self._hunk(hunk, seen) for hunk in patched)

    def _hunk(self, hunk: PatchedHunk, seen: Counter[str]) -> Hunk:
        body = "".join(f"{line.line_type}{line.value}" for line in hunk).removesuffix("\n").encode("latin-1")
        name = hashlib.sha256(self.path.encode() + b"\0" + body).hexdigest()[:HUNK_ID_LENGTH]
        seen[name] += 1
        hunk_id = name if seen[name] == 1 else f"{name}-{seen[name]}"
        return Hunk(hunk_id, _header(hunk), hunk.source_start, hunk.target_start, hunk.added, hunk.removed, body)


def selectors(hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> tuple[str, ...]:
    """Name every hunk as `PATH#HUNK`, and a change without hunks by its path."""
    return tuple(
        name for path, of_path in hunks.items() for name in ([f"{path}#{hunk.id}" for hunk in of_path] or [str(path)])
    )


def count(hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> tuple[int, int]:
    """Count the lines inserted and deleted."""
    flat = [hunk for of_path in hunks.values() for hunk in of_path]
    return sum(hunk.insertions for hunk in flat), sum(hunk.deletions for hunk in flat)


def _header(hunk: PatchedHunk) -> str:
    before = _range("-", hunk.source_start, hunk.source_length)
    after = _range("+", hunk.target_start, hunk.target_length)
    section = hunk.section_header.encode("latin-1").decode("utf-8", "replace")
    return f"@@ {before} {after} @@" + (f" {section}" if section else "")


def _range(mark: str, start: int, length: int) -> str:
    """Spell a side as git does: a length of 1 goes without saying."""
    return f"{mark}{start}" if length == 1 else f"{mark}{start},{length}"
