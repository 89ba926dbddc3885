"""`redline-agent hook NAME`: one event on standard input, one answer in the agent's dialect on standard output.

Agents let a write through when its hook fails, so that every failure here is an answer that denies it, with exit
code 0; code 2, which most of them take for a denial too, is left for an answer that could not be written.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

from redline.core.agents import AGENTS as AGENTS
from redline.errors import EnvironmentFault, LimitExceeded, RedlineError
from redline.frontends import outermost
from redline.frontends.agent.hooks.events import parsed

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from redline.app import ModelDesk, World
    from redline.frontends.agent.hooks.events import Answer, Dialect, Event, Record

# With the 10 s that SQLite may wait on top, below the 30 s after which agents let the write through.
_LIMIT_S: Final = 12.0
_MOST_BYTES: Final = 64 << 20
_UNWRITTEN: Final = 2
_NOTHING_PROPOSED: Final = frozenset({"JOURNAL_MISSING", "NOT_A_REPOSITORY"})


def run(agent: str, world: World | None) -> int:
    """Answer one event; the exit code. Without a world it is the process's own."""
    dialect: Dialect = import_module(f"redline.frontends.agent.hooks.{agent.replace('-', '_')}").DIALECT
    failed = outermost.caught(Hook(dialect, world).run)
    if failed is None:
        return 0
    # What could not be written would be tried again at the end, and the exit code be lost over it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stderr.write(f"redline: nothing was written, for there is no answer to give: {failed.message}\n")
    return _UNWRITTEN


class Hook:
    """One event and its one answer."""

    def __init__(self, dialect: Dialect, world: World | None) -> None:
        self._dialect = dialect
        self._world = world
        self._is_answered = False

    def run(self) -> None:
        event = outermost.caught(self._event)
        if isinstance(event, RedlineError):
            self._refuse(event)
        elif event.kind == "other":
            self._answer(self._dialect.neutral(event))
        else:
            self._act(event)

    def _event(self) -> Event:
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise LimitExceeded(f"the hook event is larger than {_MOST_BYTES >> 20} MiB", hint="Make smaller edits.")
        record = parsed(data)
        if not isinstance(record, dict):
            raise EnvironmentFault("the hook event is no JSON object", code="EVENT_UNREADABLE")
        found: Record = record
        return self._dialect.read(found)

    def _act(self, event: Event) -> None:
        step = {"edit": self._record, "turn": self._tell, "stop": self._seal}[event.kind]

        def bounded() -> None:
            from redline.frontends.agent.hooks.deadline import deadline

            with deadline(_LIMIT_S):
                if self._is_idle(event):
                    self._answer(self._dialect.neutral(event))
                    return
                with self._desk(event) as desk:
                    step(desk, event)

        failed = outermost.caught(bounded)
        if failed is None or self._is_answered:
            return
        if event.kind == "edit":
            self._refuse(failed)
        elif event.kind == "turn" and failed.code not in _NOTHING_PROPOSED:
            from redline.frontends.agent.hooks.words import not_told

            self._answer(self._dialect.tell(event, not_told(failed)))
        else:
            self._answer(self._dialect.neutral(event))

    def _is_idle(self, event: Event) -> bool:
        """Tell whether an event is of no concern to anyone, as most are."""
        if event.kind == "edit":
            return False
        if event.session is None:
            return True
        from redline import app

        seen = app.session_at_a_glance(event.folder, event.session)
        return not (seen.has_ended if event.kind == "turn" else seen.has_open)

    def _desk(self, event: Event) -> AbstractContextManager[ModelDesk]:
        from redline import app

        app.start()
        return app.model(event.folder, self._world or app.World())

    def _record(self, desk: ModelDesk, event: Event) -> None:
        from redline.frontends.agent.hooks import recording, words

        prepared = recording.propose(desk, event, self._dialect.author)
        self._answer(self._dialect.deny(*words.recorded(prepared)))

    def _tell(self, desk: ModelDesk, event: Event) -> None:
        """Deliver what the session has not heard; it counts as heard once the answer is out."""
        session = event.session or ""
        told = desk.feedback(session)
        if told.answers:
            from redline.frontends.agent.hooks.words import outcomes

            self._answer(self._dialect.tell(event, outcomes(told.answers)))
        else:
            self._answer(self._dialect.neutral(event))
        desk.acknowledge(session, told.cursor)

    def _seal(self, desk: ModelDesk, event: Event) -> None:
        desk.seal(event.session or "")
        self._answer(self._dialect.neutral(event))

    def _refuse(self, error: RedlineError) -> None:
        from redline.frontends.agent.hooks.words import refused

        self._answer(self._dialect.deny(*refused(error)))

    def _answer(self, answer: Answer) -> None:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        self._is_answered = True
