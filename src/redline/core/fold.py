"""Two changes of one path, one after the other, as one net change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.change import ContentChange

if TYPE_CHECKING:
    from redline.core.paths import RepoPath


def fold(older: tuple[ContentChange, ...], newer: tuple[ContentChange, ...]) -> tuple[ContentChange, ...]:
    """The net changes, sorted by path: what is back to what it was is left out.

    A newer change of a path that the older ones change starts from what they make of it. A rename of a renamed file
    comes from the first name.
    """
    first = {change.path: change for change in older}
    net = dict(first)
    for change in newer:
        before = first[change.path].before if change.path in first else change.before
        net[change.path] = ContentChange(change.path, before, change.after, _origin(change, first))
    kept = {path: change for path, change in net.items() if change.before != change.after}
    return tuple(_rooted(kept[path], kept) for path in sorted(kept))


def _origin(change: ContentChange, first: dict[RepoPath, ContentChange]) -> RepoPath | None:
    """Where the content came from: by the newer rename, else by the older one, if the path is still a new one."""
    older = first.get(change.path)
    if change.after is None or (older is not None and older.before is not None):
        return None
    through = change.renamed_from
    if through is not None and through in first and first[through].before is None:
        return first[through].renamed_from
    return through if through is not None else older.renamed_from if older is not None else None


def _rooted(change: ContentChange, kept: dict[RepoPath, ContentChange]) -> ContentChange:
    """A rename needs the deletion that it continues; without it, it is a new file."""
    source = kept.get(change.renamed_from) if change.renamed_from is not None else None
    is_rename = change.before is None and source is not None and source.after is None
    origin = change.renamed_from if is_rename else None
    return ContentChange(change.path, change.before, change.after, origin)
