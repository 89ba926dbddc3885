"""One proposal under review: what is shown of it, and what was answered so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from redline.core.draft import Verdict
from redline.core.parts import PartKind
from redline.render.lines import Line, Span
from redline.render.preview import titles

if TYPE_CHECKING:
    from redline.app import Preview
    from redline.core.draft import Draft
    from redline.core.parts import Part
    from redline.core.paths import RepoPath


@dataclass
class Review:
    """`view` and `draft` are replaced as the tree and the answers change; both are values."""

    view: Preview
    draft: Draft

    @cached_property
    def paths(self) -> tuple[RepoPath, ...]:
        """The paths that are decided, in order; what a rename deletes is decided with the rename."""
        kept = {part.path for part in self.draft.offered}
        return tuple(change.path for change in self.view.proposal.changes if change.path in kept)

    def parts_by_path(self) -> dict[RepoPath, tuple[Part, ...]]:
        """All parts as they are decided now; a path has none where the person took the change back altogether."""
        parts: dict[RepoPath, list[Part]] = {path: [] for path in self.paths}
        for part in self.draft.parts:
            parts[part.path].append(part)
        return {path: tuple(found) for path, found in parts.items()}

    def titles(self) -> dict[RepoPath, Line]:
        """A line for each path: what happens to it, its counts, and how it drifted."""
        view, draft = self.view, self.draft
        hunks = {**view.hunks}
        for path, parts in draft.anew.items():
            hunks[path] = tuple(part.hunk for part in parts if part.hunk is not None)
        drifts = {drift.path: drift.text for drift in view.drifts}
        lines = zip(view.proposal.changes, titles(view.proposal, hunks, view.diffs, drifts), strict=True)
        mine: Line = (Span("  edited by you"),)
        return {change.path: line + mine if change.path in draft.edited else line for change, line in lines}

    def is_blind(self, part: Part) -> bool:
        """Whether its bytes cannot be shown."""
        return part.kind is PartKind.CONTENT and self.view.diffs[part.path].is_binary

    def is_open(self, part: Part) -> bool:
        """Whether the person has neither decided it nor put it behind them."""
        return part.name not in self.draft.reviewed and self.draft.verdict(part.name) is Verdict.UNDECIDED

    @property
    def drifted_taken(self) -> tuple[RepoPath, ...]:
        """The drifted paths of which something would be taken: they stand in the way of a confirmation."""
        if self.view.is_in_place:
            return ()
        taken = {part.path for part in self.draft.taken}
        return tuple(drift.path for drift in self.view.drifts if drift.path in taken)

    def compared(self, view: Preview) -> None:
        """Take over how the tree stands now."""
        self.view = replace(self.view, drifts=view.drifts, is_in_place=view.is_in_place)
