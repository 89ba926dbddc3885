"""Edits: instructions in the words of some format, not yet compared with any file.

Everything here is bytes; a line ends at LF and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.change import ContentChange
    from redline.core.content import Mode
    from redline.core.notes import Leniency
    from redline.core.paths import RepoPath

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Replace:
    """Put `after` in place of exactly `count` occurrences of `before`."""

    path: RepoPath
    before: bytes
    after: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Write:
    """Make `data` the whole content.

    `executable` None keeps the mode that the file has; `base` is the SHA-256 that it must have, or "absent".
    """

    path: RepoPath
    data: bytes
    executable: bool | None
    base: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    path: RepoPath


@dataclass(frozen=True, slots=True)
class Move:
    path: RepoPath
    to: RepoPath


class Relation(Enum):
    """What a section of a diff says about its two paths."""

    PLAIN = "plain"
    RENAME = "rename"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk; each line is its tag (blank, `-`, `+`), its text and, unless the file ends there, LF.

    `line` is where its header stands in the edit text.
    """

    old_start: int
    new_start: int
    lines: tuple[bytes, ...]
    line: int

    @property
    def before(self) -> bytes:
        return b"".join([line[1:] for line in self.lines if line[0] != 0x2B])

    @property
    def after(self) -> bytes:
        return b"".join([line[1:] for line in self.lines if line[0] != 0x2D])


class BinaryKind(Enum):
    """How a binary patch states the new content (git's diff.c, emit_binary_diff_body)."""

    LITERAL = "literal"
    DELTA = "delta"


@dataclass(frozen=True, slots=True)
class BinaryPatch:
    """The forward half of a `GIT binary patch`, inflated."""

    kind: BinaryKind
    data: bytes


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One file's section of a diff.

    `source` None is a creation, `target` None a deletion. `before_oid` and `after_oid` are as stated, perhaps
    abbreviated, "" when not stated. `is_git` tells that a `diff --git` line heads it. Sections of one
    `series` rename and copy from one common state.
    """

    source: RepoPath | None
    target: RepoPath | None
    relation: Relation
    old_mode: Mode | None
    new_mode: Mode | None
    hunks: tuple[Hunk, ...]
    binary: BinaryPatch | None
    before_oid: str
    after_oid: str
    is_git: bool
    series: int
    line: int

    @property
    def path(self) -> RepoPath:
        named = self.target if self.target is not None else self.source
        if named is None:
            raise ValueError("a section names at least one path")
        return named


Edit = Replace | Write | Delete | Move | FilePatch


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text means in one format, before any file was looked at."""

    format: str
    reason: str
    edits: tuple[Edit, ...]
    leniencies: tuple[Leniency, ...]

    @property
    def paths(self) -> tuple[RepoPath, ...]:
        """Every path whose present content `resolve` needs, sorted."""
        return tuple(sorted({path for edit in self.edits for path in _paths_of(edit)}))


@dataclass(frozen=True, slots=True)
class Resolved:
    """The net change of a reading, one change a path, sorted by path."""

    changes: tuple[ContentChange, ...]
    leniencies: tuple[Leniency, ...]


def _paths_of(edit: Edit) -> tuple[RepoPath, ...]:
    match edit:
        case Move(path, to):
            return path, to
        case FilePatch(source, target):
            return tuple(path for path in (source, target) if path is not None)
        case Replace(path) | Write(path) | Delete(path):
            return (path,)
