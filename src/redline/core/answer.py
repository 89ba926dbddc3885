"""What a model's side is told of a proposal that ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.paths import RepoPath
    from redline.core.proposal import Derivation
    from redline.core.receipt import FiledReceipt


@dataclass(frozen=True, slots=True)
class Answer:
    """A receipt with what became of the proposal's parts, by name.

    `replaced` are the parts that the person wrote anew. `on_disk` is the SHA-256 that each path was given, or None for
    a deletion; it is empty where nothing was written. `insertions` and `deletions` count what was decided.
    """

    filed: FiledReceipt
    derived: Derivation | None
    applied: tuple[str, ...]
    replaced: tuple[str, ...]
    declined: tuple[str, ...]
    on_disk: tuple[tuple[RepoPath, str | None], ...]
    insertions: int
    deletions: int
