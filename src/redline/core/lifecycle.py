"""How a proposal lives and ends: the transition table is the one authority.

A proposal is pending or has exactly one outcome. No outcome is ever left again.
"""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """How a proposal ended."""

    APPLIED = "applied"
    DECLINED = "declined"
    STALE = "stale"
    EXPIRED = "expired"
    PERMISSION_REVOKED = "permission_revoked"
    FAILED_BEFORE_COMMIT = "failed_before_commit"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class Act(Enum):
    """Who did what to a pending proposal."""

    CONFIRM = "confirm"
    DECLINE = "decline"
    WITHDRAW = "withdraw"
    REPLACE = "replace"
    RECOVER = "recover"
    CASCADE = "cascade"


PENDING = "pending"

TRANSITIONS: dict[Act, frozenset[Outcome]] = {
    Act.CONFIRM: frozenset(
        {
            Outcome.APPLIED,
            Outcome.STALE,
            Outcome.EXPIRED,
            Outcome.PERMISSION_REVOKED,
            Outcome.FAILED_BEFORE_COMMIT,
        }
    ),
    Act.DECLINE: frozenset({Outcome.DECLINED}),
    Act.WITHDRAW: frozenset({Outcome.WITHDRAWN}),
    Act.REPLACE: frozenset({Outcome.SUPERSEDED}),
    Act.RECOVER: frozenset({Outcome.FAILED_BEFORE_COMMIT}),
    Act.CASCADE: frozenset({Outcome.STALE}),
}


def end(act: Act, outcome: Outcome) -> Outcome:
    """Return the outcome if the act can lead to it from pending.

    Raises ValueError otherwise: only a bug asks for it.
    """
    if outcome not in TRANSITIONS[act]:
        raise ValueError(f"BUG: {act.value} cannot end a proposal as {outcome.value}")
    return outcome
