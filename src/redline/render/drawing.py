"""How a change is to be drawn, and what can be asked for on the way."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from redline.core.hunks import FileDiff
    from redline.core.paths import RepoPath

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
