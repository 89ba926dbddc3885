"""opencode: its plugin (hooks/opencode/redline.js) sends these events and throws what is denied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks import answers
from redline.frontends.agent.hooks.events import PATCH, Dialect, Vocabulary, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Answer, Event, Record

_WORDS: Final = Vocabulary(
    before_tool="tool.execute.before",
    turns=frozenset({"chat.message"}),
    stop="session.idle",
    tools={"edit": "edit", "write": "write", PATCH: PATCH, "patch": PATCH, "multiedit": "MultiEdit"},
    shells=frozenset({"bash"}),
)


def _read(record: Record) -> Event:
    folder = text(record, "directory") or "."
    event = _WORDS.event(required(record, "event"), text(record, "sessionID"), folder)
    if event.name != _WORDS.before_tool:
        return event
    return _WORDS.before(event, required(record, "tool"), record.get("args"), text(record, "callID"))


def _deny(reason: str, note: str) -> Answer:  # noqa: ARG001 -- the error is shown to both
    return {"deny": reason}


def _tell(event: Event, text: str) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {"context": text}


DIALECT: Final = Dialect("opencode", _read, _deny, _tell, answers.neutral)
