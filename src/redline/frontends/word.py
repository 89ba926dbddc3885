"""The words at the end of a review: the one that confirms, and what is said where it was not given."""

from __future__ import annotations

from redline.errors import DecisionRefused
from redline.render.sentences import SHORT_ID

CODE_LENGTH = 4
UNSEEN_WORD = "unseen"


def word(proposal_id: str, *, unseen: bool) -> str:
    """The beginning of a proposal's id, and one word more where something was not displayed."""
    return proposal_id[:CODE_LENGTH] + (f" {UNSEEN_WORD}" if unseen else "")


def left_pending(proposal_id: str) -> DecisionRefused:
    """A person left a review: what they are told."""
    short = proposal_id[:SHORT_ID]
    return DecisionRefused(
        f"{short} is left pending; nothing was written, and what you decided so far is kept",
        code="NOT_CONFIRMED",
        hint=f"`redline review {short}` goes on.",
    )
