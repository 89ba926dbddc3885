"""What the tree holds now, compared with a change's before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.change import Change
    from redline.core.content import FileState, Sighting
    from redline.core.paths import RepoPath


class DriftKind(Enum):
    APPEARED = "exists now"
    VANISHED = "is gone"
    CHANGED = "changed"
    MODE_CHANGED = "has another mode"
    NOT_REGULAR = "is no regular file any more"


class Irregular(Enum):
    """What stands at a path that holds no regular file and is not absent."""

    SYMLINK = "a symbolic link"
    FOLDER = "a folder"
    SPECIAL = "a device, socket or pipe"
    BELOW_SYMLINK = "reached through a symbolic link"
    BELOW_FILE = "below a regular file"
    NESTED_REPOSITORY = "inside another repository or a submodule"


@dataclass(frozen=True, slots=True)
class Footing:
    """How a path stands before it is read; `obstacle` is None for a regular file, and where there is nothing."""

    obstacle: Irregular | None
    link_count: int
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class Drift:
    """One path that no longer holds its before."""

    path: RepoPath
    kind: DriftKind

    @property
    def text(self) -> str:
        return f"{self.kind.value} since this was proposed"


def compare(change: Change, now: Sighting | Irregular | None) -> Drift | None:
    """Tell how the path drifted from its before; the whole state counts, deliberately."""
    kind = _kind(change.before, now)
    return Drift(change.path, kind) if kind is not None else None


def compare_all(changes: tuple[Change, ...], now: Mapping[RepoPath, Sighting | Irregular | None]) -> tuple[Drift, ...]:
    drifts = (compare(change, now[change.path]) for change in changes)
    return tuple(drift for drift in drifts if drift is not None)


def is_in_place(changes: tuple[Change, ...], now: Mapping[RepoPath, Sighting | Irregular | None]) -> bool:
    """Tell whether every path holds its after already."""
    return all(_kind(change.after, now[change.path]) is None for change in changes)


def _kind(expected: FileState | None, now: Sighting | Irregular | None) -> DriftKind | None:
    if isinstance(now, Irregular):
        return DriftKind.NOT_REGULAR
    if expected is None:
        return DriftKind.APPEARED if now is not None else None
    if now is None:
        return DriftKind.VANISHED
    if now.sha256 != expected.sha256 or now.size_bytes != expected.size_bytes:
        return DriftKind.CHANGED
    return DriftKind.MODE_CHANGED if now.mode is not expected.mode else None
