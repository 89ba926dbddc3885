"""How a change is to be drawn, and what can be asked for on the way."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from redline.core.renames import renames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from redline.core.change import Change
    from redline.core.hunks import FileDiff
    from redline.core.paths import RepoPath

# Lexing takes seconds for each megabyte: of a large proposal, the first files have colours.
SYNTAX_BYTES = 512 * 1024
# Below this each side would have less room than 72 columns of text, and lines of the usual length would break.
SIDE_BY_SIDE_WIDTH = 160
_NOTHING: Mapping[RepoPath, FileDiff] = MappingProxyType({})


class Layout(Enum):
    AUTO = "auto"
    UNIFIED = "unified"
    SIDE_BY_SIDE = "side by side"


class Drawing(NamedTuple):
    """A width and what goes with it.

    `content` maps SHA-256 to bytes: without it there are no syntax colours, no hexdumps and no whole files.
    `since` holds, for a path that drifted, the difference from before to now. `mentions` names the files that
    still speak of a deleted one, None where that could not be found out.
    """

    width: int
    layout: Layout = Layout.AUTO
    is_full: bool = False
    has_syntax: bool = False
    content: Callable[[str], bytes] | None = None
    since: Mapping[RepoPath, FileDiff] = _NOTHING
    mentions: Callable[[RepoPath], Sequence[str] | None] | None = None

    def is_side_by_side(self, *, has_two_sides: bool) -> bool:
        """Whether there is room for two sides, and something on both; what was asked for holds in any case."""
        if self.layout is Layout.AUTO:
            return has_two_sides and self.width >= SIDE_BY_SIDE_WIDTH
        return self.layout is Layout.SIDE_BY_SIDE


def sourced(changes: tuple[Change, ...]) -> list[tuple[Change, Change]]:
    """Each change with its source: itself, unless it is a rename, then the deletion that it continues."""
    sources = renames(changes)
    return [(sources.get(change.path, change), change) for change in changes]


def drawings(drawing: Drawing, changes: Iterable[tuple[Change, Change]]) -> Iterator[Drawing]:
    """How to draw each change, given with its source: without syntax colours once enough bytes were lexed for them."""
    spent = 0
    for source, change in changes:
        spent += sum(side.size_bytes for side in (source.before, change.after) if side is not None)
        yield drawing if spent <= SYNTAX_BYTES else drawing._replace(has_syntax=False)
