"""Codex: its published schemas allow no further key, and what breaks them lets the write through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks import answers
from redline.frontends.agent.hooks.events import PATCH, Dialect, Vocabulary, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Event, Record

_WORDS: Final = Vocabulary(
    before_tool="PreToolUse",
    turns=frozenset({"UserPromptSubmit", "SessionStart"}),
    stop="Stop",
    tools={PATCH: PATCH, "Edit": "Edit", "Write": "Write"},
    shells=frozenset({"Bash", "shell", "local_shell", "exec_command"}),
)


def _read(record: Record) -> Event:
    event = _WORDS.event(required(record, "hook_event_name"), text(record, "session_id"), text(record, "cwd") or ".")
    if event.name != _WORDS.before_tool:
        return event
    return _WORDS.before(event, required(record, "tool_name"), record.get("tool_input"), text(record, "tool_use_id"))


DIALECT: Final = Dialect("codex", _read, answers.deny, answers.tell, answers.neutral)
