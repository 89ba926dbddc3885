"""What each change of a proposal is seen to do: hunks against its before, or against the file it was renamed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.change import Change
from redline.core.hunks import FileDiff
from redline.core.renames import renames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.paths import RepoPath
    from redline.review.ports import Differ


def differences(
    differ: Differ, changes: tuple[Change, ...], contents: Callable[[str], bytes]
) -> dict[RepoPath, FileDiff]:
    """One difference for each change; `contents` maps SHA-256 to bytes.

    A rename's is at its new path; what is deleted for it is all there in the new file, but for the hunks.
    """
    found = differ.compare(_comparable(changes), contents)
    return {
        change.path: found[change.path] if change.path in found else FileDiff(change.path, b"", is_binary=False)
        for change in changes
    }


def _comparable(changes: tuple[Change, ...]) -> Iterator[Change]:
    sources = renames(changes)
    vacated = {source.path for source in sources.values()}
    for change in changes:
        source = sources.get(change.path)
        if source is None and change.path not in vacated:
            yield change
        elif source is not None and source.before != change.after:
            yield Change(change.path, source.before, change.after)
