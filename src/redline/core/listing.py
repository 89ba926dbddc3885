"""Rows of the journal as lists show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from redline.core.lifecycle import PENDING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.lifecycle import Outcome
    from redline.core.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Listed:
    """A proposal with each path's lines inserted and deleted and, once it ended, its outcome."""

    proposal: Proposal
    counts: Mapping[str, tuple[int, int]]
    outcome: Outcome | None

    @property
    def total(self) -> tuple[int, int]:
        """All lines inserted and deleted."""
        return sum(added for added, _ in self.counts.values()), sum(removed for _, removed in self.counts.values())

    @property
    def status(self) -> str:
        return self.outcome.value if self.outcome is not None else PENDING


class EventEntry(NamedTuple):
    """One event's place, time (canonical spelling) and kind."""

    seq: int
    at: str
    kind: str
