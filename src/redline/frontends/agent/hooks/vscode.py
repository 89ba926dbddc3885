"""VS Code: Claude's answers to events in names of its own; it calls hooks for every tool, whatever their matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks import answers
from redline.frontends.agent.hooks.events import BY_FIELDS, PATCH, Dialect, Vocabulary, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Event, Record

_UNREADABLE: Final = ("multi_replace_string_in_file", "insert_edit_into_file", "edit_notebook_file", "editFiles")
# With a prompt it takes no context. Tools that intake cannot read are listed too: they write, and so they are denied.
_WORDS: Final = Vocabulary(
    before_tool="PreToolUse",
    turns=frozenset({"SessionStart", "PostToolUse"}),
    stop="Stop",
    tools={
        "create_file": BY_FIELDS,
        "createFile": BY_FIELDS,
        "replace_string_in_file": BY_FIELDS,
        PATCH: PATCH,
        **{name: name for name in _UNREADABLE},
    },
    shells=frozenset({"run_in_terminal", "runInTerminal", "runTerminalCommand"}),
)


def _read(record: Record) -> Event:
    name = required(record, "hookEventName", "hook_event_name")
    event = _WORDS.event(name, text(record, "sessionId", "session_id"), text(record, "cwd") or ".")
    if event.name != _WORDS.before_tool:
        return event
    return _WORDS.before(event, required(record, "tool_name"), record.get("tool_input"), text(record, "tool_use_id"))


DIALECT: Final = Dialect("vscode", _read, answers.deny, answers.tell, answers.neutral)
