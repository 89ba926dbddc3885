"""Exit codes: the only table. 1 is never chosen: it is Python's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline import errors

if TYPE_CHECKING:
    from redline.errors import RedlineError

OK = 0
USAGE = 2
BUG = 70
INTERRUPTED = 130

OUTCOMES = {
    "applied": OK,
    "declined": 3,
    "withdrawn": 3,
    "superseded": 3,
    "stale": 4,
    "failed_before_commit": 7,
    "permission_revoked": 9,
    "expired": 10,
}

ERRORS: dict[type[RedlineError], int] = {
    errors.UsageFault: USAGE,
    errors.IntakeError: 5,
    errors.EnvironmentFault: 6,
    errors.WriteFailed: 7,
    errors.DriftFound: 4,
    errors.RecoveryIncomplete: 8,
    errors.DecisionRefused: 9,
    errors.ConfirmationMismatch: 11,
}


def code_of(error: RedlineError) -> int:
    """The code of the nearest class in the table."""
    return next((ERRORS[cls] for cls in type(error).__mro__ if cls in ERRORS), BUG)
