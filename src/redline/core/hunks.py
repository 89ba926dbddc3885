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

    from redline.core.paths import RepoPath

HUNK_ID_LENGTH = 10
_HEADER = "--- a/file\n+++ b/file\n"


class LineKind(Enum):
    CONTEXT = " "
    ADDED = "+"
    REMOVED = "-"
    NO_NEWLINE = "\\"


@dataclass(frozen=True, slots=True)
class HunkLine:
    """One line without its mark and its LF; numbers count from 1, None on the side that lacks the line."""

    kind: LineKind
    data: bytes
    before_number: int | None
    after_number: int | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """`id` comes from path, content and context, never from line numbers."""

    id: str
    header: str
    lines: tuple[HunkLine, ...]

    @property
    def insertions(self) -> int:
        return sum(line.kind is LineKind.ADDED for line in self.lines)

    @property
    def deletions(self) -> int:
        return sum(line.kind is LineKind.REMOVED for line in self.lines)


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

    def _hunk(self, hunk: object, seen: Counter[str]) -> Hunk:
        lines = tuple(_lines(hunk))
        spelled = b"\n".join(line.kind.value.encode() + line.data for line in lines)
        name = hashlib.sha256(self.path.encode() + b"\0" + spelled).hexdigest()[:HUNK_ID_LENGTH]
        seen[name] += 1
        hunk_id = name if seen[name] == 1 else f"{name}-{seen[name]}"
        return Hunk(hunk_id, _header(hunk), lines)


def selectors(hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> tuple[str, ...]:
    """Name every hunk as `PATH#HUNK`, and a change without hunks by its path."""
    return tuple(
        name for path, of_path in hunks.items() for name in ([f"{path}#{hunk.id}" for hunk in of_path] or [str(path)])
    )


def count(hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> tuple[int, int]:
    """Count the lines inserted and deleted."""
    flat = [hunk for of_path in hunks.values() for hunk in of_path]
    return sum(hunk.insertions for hunk in flat), sum(hunk.deletions for hunk in flat)


def _lines(hunk: object) -> Iterator[HunkLine]:
    for line in hunk:  # type: ignore[attr-defined]
        kind = LineKind(line.line_type)
        yield HunkLine(kind, line.value.removesuffix("\n").encode("latin-1"), line.source_line_no, line.target_line_no)


def _header(hunk: object) -> str:
    before = f"-{hunk.source_start},{hunk.source_length}"  # type: ignore[attr-defined]
    after = f"+{hunk.target_start},{hunk.target_length}"  # type: ignore[attr-defined]
    section = hunk.section_header.encode("latin-1").decode("utf-8", "replace")  # type: ignore[attr-defined]
    return f"@@ {before} {after} @@" + (f" {section}" if section else "")
