"""Bring changes to the present tree, each path by a three-way merge; what others wrote since is never taken along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.content import Content, is_binary
from redline.core.merge import Conflict
from redline.core.renames import renames

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.change import Change
    from redline.core.content import FileState
    from redline.core.paths import RepoPath
    from redline.review.ports import Merger


@dataclass(slots=True)
class Rebased:
    """`merged` were changed since and keep that, `settled` hold their after already; in conflict, nothing is usable."""

    changes: list[ContentChange] = field(default_factory=list)
    merged: list[RepoPath] = field(default_factory=list)
    settled: list[RepoPath] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)


class Rebase:
    """`contents` maps SHA-256 to bytes, `read` gives what stands at a path now."""

    def __init__(
        self, merger: Merger, contents: Callable[[str], bytes], read: Callable[[RepoPath], Content | None]
    ) -> None:
        self._merger = merger
        self._contents = contents
        self._read = read

    def run(self, changes: tuple[Change, ...]) -> Rebased:
        sources = renames(changes)
        vacated = {source.path for source in sources.values()}
        rebased = Rebased()
        for change in changes:
            if change.path in sources:
                self._rename(sources[change.path], change, rebased)
            elif change.path not in vacated:
                self._change(change, rebased)
        rebased.changes.sort(key=lambda change: change.path)
        return rebased

    def _change(self, change: Change, rebased: Rebased) -> None:
        before, after, present = self._content(change.before), self._content(change.after), self._read(change.path)
        if present == after:
            rebased.settled.append(change.path)
        elif present == before:
            rebased.changes.append(ContentChange(change.path, present, after))
        elif before is None or present is None or after is None:
            rebased.conflicts.append(Conflict(change.path, _why(before, present)))
        else:
            result = self._merge(change.path, before, present, after, rebased)
            if result == present:
                rebased.settled.append(change.path)
            elif result is not None:
                rebased.merged.append(change.path)
                rebased.changes.append(ContentChange(change.path, present, result))

    def _rename(self, source: Change, change: Change, rebased: Rebased) -> None:
        """What was written to the old name since goes to the new one."""
        before, after = self._content(source.before), self._content(change.after)
        present, taken = self._read(source.path), self._read(change.path)
        if present is None and taken == after:
            rebased.settled += [source.path, change.path]
        elif present is None or taken is not None:
            gone = present is None
            path = source.path if gone else change.path
            rebased.conflicts.append(Conflict(path, _why(before, None) if gone else _why(None, taken)))
        else:
            assert before is not None  # noqa: S101 -- a rename has both sides
            assert after is not None  # noqa: S101 -- as above
            result = after if present == before else self._merge(source.path, before, present, after, rebased)
            if result is not None:
                rebased.merged += [source.path] if present != before else []
                rebased.changes.append(ContentChange(source.path, present, None))
                rebased.changes.append(ContentChange(change.path, None, result, source.path))

    def _merge(
        self, path: RepoPath, before: Content, present: Content, after: Content, rebased: Rebased
    ) -> Content | None:
        """None where both sides changed the same lines: then the conflict is noted."""
        mode = after.mode if after.mode is not before.mode else present.mode
        if after.data in {before.data, present.data}:
            return Content(present.data, mode)
        if present.data == before.data:
            return Content(after.data, mode)
        if any(is_binary(side.data) for side in (before, present, after)):
            rebased.conflicts.append(Conflict(path, "is binary and was changed since: it cannot be merged"))
            return None
        merged = self._merger.merge(before.data, present.data, after.data)
        if merged.regions:
            count = len(merged.regions)
            where = "1 region" if count == 1 else f"{count} regions"
            rebased.conflicts.append(
                Conflict(path, f"was changed since in {where} that this changes too", merged.regions)
            )
            return None
        return Content(merged.data, mode)

    def _content(self, state: FileState | None) -> Content | None:
        return Content(self._contents(state.sha256), state.mode) if state is not None else None


def _why(before: Content | None, present: Content | None) -> str:
    if present is None:
        return "is gone, and this changes it"
    if before is None:
        return "exists now with another content, and this creates it"
    return "was changed since, and this deletes it"
