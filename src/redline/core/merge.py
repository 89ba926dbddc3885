"""What a three-way merge gives: a text, or the regions in which both sides changed the same lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.paths import RepoPath


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that both sides changed, without their LF; `line` counts from 1 in the present text."""

    line: int
    present: tuple[bytes, ...]
    before: tuple[bytes, ...]
    proposed: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """`data` is the merged text; it means nothing where there are regions in conflict."""

    data: bytes
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A path that cannot be brought to the present tree: why, in words, and where in a text both sides changed it."""

    path: RepoPath
    text: str
    regions: tuple[Region, ...] = ()
