"""Spans of time in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_STEPS = ((60, "s"), (3600, "min"), (48 * 3600, "h"))
_DIVISORS = {"s": 1, "min": 60, "h": 3600}


def ago(then: datetime, now: datetime) -> str:
    seconds = int((now - then).total_seconds())
    return "just now" if seconds < 1 else f"{_words(seconds)} ago"


def until(then: datetime, now: datetime) -> str:
    """How long something is open, rounded: 24 hours do not become 23 within the first minute."""
    seconds = math.ceil((then - now).total_seconds())
    if seconds <= 0:
        return f"until {_words(-seconds)} ago"
    half = next((_DIVISORS[unit] // 2 for limit, unit in _STEPS if seconds < limit), 43200)
    return f"for {_words(seconds + half)} more"


def minute(instant: datetime) -> str:
    return instant.astimezone().strftime("%Y-%m-%d %H:%M")


def moment(instant: datetime) -> str:
    return instant.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _words(seconds: int) -> str:
    for limit, unit in _STEPS:
        if seconds < limit:
            return f"{seconds // _DIVISORS[unit]} {unit}"
    days = seconds // 86400
    return "1 day" if days == 1 else f"{days} days"
