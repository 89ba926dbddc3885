"""Cline: one executable for each event, which cancels the tool; what it is told reaches the model's next request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks.events import PATCH, Dialect, Vocabulary, first_text, record_of, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Answer, Event, Record

_WORDS: Final = Vocabulary(
    before_tool="PreToolUse",
    turns=frozenset({"UserPromptSubmit", "TaskStart", "TaskResume"}),
    stop="TaskComplete",
    tools={
        "write_to_file": "write_to_file",
        "replace_in_file": "replace_in_file",
        "editor": "editor",
        PATCH: PATCH,
    },
    shells=frozenset({"execute_command", "bash"}),
)


def _read(record: Record) -> Event:
    folder = first_text(record, "workspaceRoots") or "."
    event = _WORDS.event(required(record, "hookName"), text(record, "taskId"), folder)
    if event.name != _WORDS.before_tool:
        return event
    tool = record_of(record, "preToolUse")
    return _WORDS.before(event, required(tool, "toolName"), tool.get("parameters"), None)


def _deny(reason: str, note: str) -> Answer:  # noqa: ARG001 -- the message is shown to both
    return {"cancel": True, "errorMessage": reason, "contextModification": reason}


def _tell(event: Event, text: str) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {"cancel": False, "contextModification": text}


def _neutral(event: Event) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {"cancel": False}


DIALECT: Final = Dialect("cline", _read, _deny, _tell, _neutral)
