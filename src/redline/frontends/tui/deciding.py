"""Screens whose answer decides: what arrived before their question could be read is no answer to it."""

from __future__ import annotations

import time

# From the question's being drawn; nobody has read it and answered sooner.
_LEAST_LOOK_S = 0.2


class Deciding:
    """Part of a screen; keys and pastes from before `answers_from` (monotonic clock) are thrown away."""

    answers_from = float("inf")

    def now_drawn(self) -> None:
        """The question is on the screen."""
        self.answers_from = time.monotonic() + _LEAST_LOOK_S
