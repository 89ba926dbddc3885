"""Gemini CLI: one JSON document on standard output and nothing else, for it reads standard error if that is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks import answers
from redline.frontends.agent.hooks.events import Dialect, Vocabulary, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Answer, Event, Record

_WORDS: Final = Vocabulary(
    before_tool="BeforeTool",
    turns=frozenset({"BeforeAgent", "SessionStart"}),
    stop="AfterAgent",
    tools={"replace": "replace", "write_file": "write_file"},
    shells=frozenset({"run_shell_command"}),
)


def _read(record: Record) -> Event:
    event = _WORDS.event(required(record, "hook_event_name"), text(record, "session_id"), text(record, "cwd") or ".")
    if event.name != _WORDS.before_tool:
        return event
    return _WORDS.before(event, required(record, "tool_name"), record.get("tool_input"), None)


def _deny(reason: str, note: str) -> Answer:
    return {"decision": "deny", "reason": reason, "systemMessage": note}


def _tell(event: Event, text: str) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {"hookSpecificOutput": {"additionalContext": text}}


DIALECT: Final = Dialect("gemini", _read, _deny, _tell, answers.neutral)
