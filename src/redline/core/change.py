"""One path's before and after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.content import Content, FileState, ObjectFormat
    from redline.core.paths import RepoPath


class ChangeKind(Enum):
    """What a change does to its path; derived from its two sides, never stored."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    MODE = "mode"


@dataclass(frozen=True, slots=True)
class Change:
    """A path's before and after by identity; None is an absent file.

    `renamed_from` names the deleted path of the same proposal whose content this creation continues.
    """

    path: RepoPath
    before: FileState | None
    after: FileState | None
    renamed_from: RepoPath | None = None

    def __post_init__(self) -> None:
        if self.before == self.after:
            raise ValueError(f"{self.path}: before and after are the same")
        if self.renamed_from is not None and (self.before is not None or self.after is None):
            raise ValueError(f"{self.path}: only a creation can be the end of a rename")

    @property
    def kind(self) -> ChangeKind:
        if self.before is None:
            return ChangeKind.CREATE
        if self.after is None:
            return ChangeKind.DELETE
        return ChangeKind.MODE if self.before.sha256 == self.after.sha256 else ChangeKind.EDIT


@dataclass(frozen=True, slots=True)
class ContentChange:
    """A path's before and after with their bytes; None is an absent file."""

    path: RepoPath
    before: Content | None
    after: Content | None
    renamed_from: RepoPath | None = None

    @property
    def sides(self) -> tuple[Content, ...]:
        """Those that exist."""
        return tuple(side for side in (self.before, self.after) if side is not None)

    def identify(self, object_format: ObjectFormat) -> Change:
        return Change(
            self.path,
            self.before.state(object_format) if self.before is not None else None,
            self.after.state(object_format) if self.after is not None else None,
            self.renamed_from,
        )
