"""Bytes that redline did not write and could not put back under their name, found by the guard or by recovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.paths import RepoPath


@dataclass(frozen=True, slots=True)
class Kept:
    """`place` is where the bytes were put, or None if they stay under their own name."""

    path: RepoPath
    place: str | None

    @property
    def text(self) -> str:
        if self.place is None:
            return f"{self.path} was written or removed by somebody else since: it stays as it is now"
        return f"another version of {self.path} is kept as {self.place}"


def kept_details(kept: tuple[Kept, ...]) -> dict[str, object]:
    """Paths and places, for a program that reads the error."""
    return {"kept": [[str(item.path), item.place] for item in kept]}
