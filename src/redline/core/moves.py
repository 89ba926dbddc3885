"""Files that were moved: a creation that holds exactly what a deleted file held."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.core.change import ContentChange
    from redline.core.paths import RepoPath


def with_moves(changes: Iterable[ContentChange]) -> tuple[ContentChange, ...]:
    """The changes sorted by path, each creation naming the deleted path that had the same bytes.

    A deletion is continued once, the first by the first; empty files, which all look alike, never.
    """
    ordered = sorted(changes, key=lambda change: change.path)
    gone: defaultdict[bytes, list[RepoPath]] = defaultdict(list)
    for change in reversed(ordered):
        if change.before is not None and change.after is None and change.before.data:
            gone[change.before.data].append(change.path)

    def marked(change: ContentChange) -> ContentChange:
        if change.before is not None or change.after is None or not gone.get(change.after.data):
            return change
        return replace(change, renamed_from=gone[change.after.data].pop())

    return tuple(map(marked, ordered))
