"""A review that a test types at: the real program on Textual's headless driver."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from redline import app as wiring
from redline.frontends.tui.application import Answer, ReviewApp, carry_out, open_review
from redline.frontends.tui.review import Review

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from textual.pilot import Pilot

    from redline.app import Ended, PersonApp
    from tests.support.sandbox import Sandbox

SMALL = (80, 24)
WIDE = (140, 40)
_LOOK_S = 0.3
LOOK = "look"  # as a key: wait as long as a person needs to read a question


@dataclass
class Seen:
    """How a review went on: its answer, the review that it was, the last screen as text and as SVG."""

    answer: Answer | Ended | None
    review: Review | None
    lines: list[str]
    picture: str

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def cursor(self) -> str:
        """The row under the cursor, without its gutter."""
        (line,) = [line for line in self.lines if line.startswith("\u25b6")]
        return line[3:].rstrip(" \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588")


def rows(app: ReviewApp) -> list[str]:
    """The screen as it is drawn."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def drive(
    redline: PersonApp,
    opened: Review | None,
    keys: tuple[str | Callable[[Pilot[Any]], object], ...],
    size: tuple[int, int] = SMALL,
    *,
    color: bool = True,
    clock: Callable[[], datetime] = wiring.utc_now,
) -> Seen:
    """Press keys, or call a function with the pilot, and look at the screen after the last one."""
    app = ReviewApp(redline, clock, opened, color=color)

    async def run() -> Seen:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            for key in keys:
                if key == LOOK:
                    await pilot.pause(_LOOK_S)
                elif isinstance(key, str):
                    await pilot.press(key)
                    await pilot.pause()
                else:
                    found = key(pilot)
                    if asyncio.iscoroutine(found):
                        await found
                    await pilot.pause()
            lines, picture = (rows(app), app.export_screenshot()) if app.is_running and app.screen_stack else ([], "")
        return Seen(app.return_value, app.review, lines, picture)

    seen = asyncio.run(run())
    if app.failure is not None:
        raise app.failure
    return seen


class Desk:
    """One repository, wired for a person."""

    def __init__(self, sandbox: Sandbox, redline: PersonApp) -> None:
        self.sandbox = sandbox
        self.redline = redline

    def review(self, proposal: str, *keys: str | Callable[[Pilot[Any]], object], size: tuple[int, int] = SMALL) -> Seen:
        """Open one proposal and press keys."""
        opened = open_review(self.redline, proposal)
        assert isinstance(opened, Review)
        return drive(self.redline, opened, keys, size)

    def a_little_later(
        self, proposal: str, *keys: str | Callable[[Pilot[Any]], object], size: tuple[int, int] = SMALL
    ) -> Seen:
        """The same, three minutes after the proposal was made."""
        opened = open_review(self.redline, proposal)
        assert isinstance(opened, Review)
        now = opened.view.proposal.created_at + timedelta(minutes=3)
        return drive(self.redline, opened, keys, size, clock=lambda: now)

    def carry_out(self, seen: Seen) -> Ended:
        assert isinstance(seen.answer, Answer)
        return carry_out(self.redline, seen.answer)


@contextmanager
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    with wiring.person(str(sandbox.root), wiring.World()) as redline:
        yield Desk(sandbox, redline)


def typed(word: str) -> tuple[str, ...]:
    """The keys of a word."""
    names = {" ": "space", ".": "full_stop", "?": "question_mark", "/": "slash", "[": "left_square_bracket"}
    return tuple(names.get(sign, sign) for sign in word)
