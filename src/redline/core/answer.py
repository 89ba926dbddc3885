"""What a model's side is told of a proposal that ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.receipt import FiledReceipt


@dataclass(frozen=True, slots=True)
class Answer:
    """A receipt with the hunks that were decided, as `PATH#HUNK` (or `PATH` where a change has no hunks)."""

    filed: FiledReceipt
    hunks: tuple[str, ...]
    insertions: int
    deletions: int
