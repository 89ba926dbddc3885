"""Cursor: flat answers, and an explicit `allow`; it takes no context with a prompt, so that other events carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks.events import PATCH, Dialect, Vocabulary, first_text, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Answer, Event, Record

# Hooks of Claude Code that Cursor runs get Claude's names: the same call must then be the same proposal.
_WORDS: Final = Vocabulary(
    before_tool="preToolUse",
    turns=frozenset({"sessionStart", "postToolUse"}),
    stop="stop",
    tools={
        "Write": "Write",
        "StrReplace": "StrReplace",
        "Edit": "StrReplace",
        "MultiEdit": "MultiEdit",
        "NotebookEdit": "NotebookEdit",
        "EditNotebook": "NotebookEdit",
        "Delete": "Delete",
        "ApplyPatch": PATCH,
    },
    shells=frozenset({"Shell", "Bash"}),
)
_BEFORE_SHELL: Final = "beforeShellExecution"
_PERMISSION_EVENTS: Final = frozenset({_WORDS.before_tool, _BEFORE_SHELL})


def _read(record: Record) -> Event:
    given = required(record, "hook_event_name")
    folder = text(record, "cwd") or first_text(record, "workspace_roots") or "."
    event = _WORDS.event(given[0].lower() + given[1:], text(record, "conversation_id", "session_id"), folder)
    if event.name == _BEFORE_SHELL:
        return _WORDS.before(event, "Shell", dict(record), text(record, "tool_use_id"))
    if event.name != _WORDS.before_tool:
        return event
    return _WORDS.before(event, text(record, "tool_name"), record.get("tool_input"), text(record, "tool_use_id"))


def _deny(reason: str, note: str) -> Answer:
    return {"permission": "deny", "user_message": note, "agent_message": reason}


def _tell(event: Event, text: str) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {"additional_context": text}


def _neutral(event: Event) -> Answer:
    return {"permission": "allow"} if event.name in _PERMISSION_EVENTS else {}


DIALECT: Final = Dialect("cursor", _read, _deny, _tell, _neutral)
