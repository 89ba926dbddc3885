"""Rows of the journal as lists show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from redline.core.lifecycle import PENDING

if TYPE_CHECKING:
    from redline.core.lifecycle import Outcome
    from redline.core.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Listed:
    """A proposal with its line counts and, once it ended, its outcome."""

    proposal: Proposal
    insertions: int
    deletions: int
    outcome: Outcome | None

    @property
    def status(self) -> str:
        return self.outcome.value if self.outcome is not None else PENDING


class EventEntry(NamedTuple):
    """One event's place, time (canonical spelling) and kind."""

    seq: int
    at: str
    kind: str
