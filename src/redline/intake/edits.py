"""Edits: instructions in the words of some format, not yet compared with any file.

Everything here is bytes; a line ends at LF and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    """Put `after` in place of exactly `count` occurrences of `before`; None is every one, and at least one.

    `whole_lines` lets it stand only where lines begin and end. Unless `exactly`, a text that does not occur may be
    found under one of the listed tiers of `matching`, which is then noted. `with_line_end` takes the line end behind
    the text along where the text is deleted: Claude Code's Edit does so. `line`, from 1, is where the text is said to
    begin: it chooses among several exact places, and no place that only looks alike.
    """

    path: RepoPath
    before: bytes
    after: bytes
    count: int | None
    whole_lines: bool = False
    exactly: bool = True
    with_line_end: bool = False
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Insert:
    """Put `data` behind line number `line`; 0 is the top of the file, None its end."""

    path: RepoPath
    line: int | None
    data: bytes


@dataclass(frozen=True, slots=True)
class Write:
    """Make `data` the whole content.

    `executable` None keeps the mode that the file has; `base` is the SHA-256 that it must have, or "absent".
    `as_new` tells that the text speaks of a new file: over an existing one that is taken, and noted.
    """

    path: RepoPath
    data: bytes
    executable: bool | None
    base: str | None
    as_new: bool = False


@dataclass(frozen=True, slots=True)
class Delete:
    path: RepoPath


@dataclass(frozen=True, slots=True)
class Move:
    """Give the file another path; `replaces` lets it take the place of an existing file, which is noted."""

    path: RepoPath
    to: RepoPath
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines to be found below the chunk before, and below a line equal to `anchor` if there is one.

    Each line is its tag (blank, `-`, `+`) and its text, without a line end. `at_end` places it at the file's end.
    `line` is where it stands in the edit text.
    """

    anchor: bytes | None
    lines: tuple[bytes, ...]
    at_end: bool
    line: int


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of one file in the order in which they are to be found."""

    path: RepoPath
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Text in place of what stands between two positions: lines from 0, characters in UTF-16 units; the end is out."""

    start_line: int
    start_character: int
    end_line: int
    end_character: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of one file, all of them of its content before any of them was replaced."""

    path: RepoPath
    ranges: tuple[Range, ...]


class CellAct(Enum):
    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a Jupyter notebook; without `cell_id` an insertion goes to the top."""

    path: RepoPath
    act: CellAct
    cell_id: str | None
    cell_type: str | None
    source: str


class Relation(Enum):
    """What a section of a diff says about its two paths."""

    PLAIN = "plain"
    RENAME = "rename"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk; each line is its tag (blank, `-`, `+`), its text and, unless the file ends there, LF.

    `line` is where its header stands in the edit text. `is_recounted` tells that the header's counts were wrong.
    """

    old_start: int
    new_start: int
    lines: tuple[bytes, ...]
    line: int
    is_recounted: bool = False

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


Edit = Replace | Insert | Write | Delete | Move | Chunks | Ranges | Cell | FilePatch


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text means in one format, before any file was looked at.

    `prose` is what the format passed over: no other edit may hide there. `passed_over` says in words what it was
    that is no edit and that a person must still hear of.
    """

    format: str
    reason: str
    edits: tuple[Edit, ...]
    leniencies: tuple[Leniency, ...]
    prose: bytes = field(default=b"", compare=False)
    passed_over: tuple[str, ...] = ()

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
        case Replace(path) | Insert(path) | Write(path) | Delete(path) | Chunks(path) | Ranges(path) | Cell(path):
            return (path,)
