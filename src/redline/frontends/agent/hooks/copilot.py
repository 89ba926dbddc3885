"""Copilot CLI and its cloud agent: flat answers; what it is told with a prompt is dropped, so that is not used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks import answers
from redline.frontends.agent.hooks.events import PATCH, Dialect, Vocabulary, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Answer, Event, Record

# Newer builds give Claude's names to the same tools.
_WORDS: Final = Vocabulary(
    before_tool="preToolUse",
    turns=frozenset({"sessionStart", "postToolUse"}),
    stop="agentStop",
    tools={
        "create": "create",
        "edit": "edit",
        "str_replace": "str_replace",
        "str_replace_editor": "str_replace_editor",
        PATCH: PATCH,
        "Edit": "Edit",
        "Write": "Write",
        "MultiEdit": "MultiEdit",
    },
    shells=frozenset({"bash", "Bash", "shell"}),
)


def _read(record: Record) -> Event:
    session, folder = text(record, "sessionId", "session_id"), text(record, "cwd") or "."
    event = _WORDS.event(_name_of(record), session, folder)
    if event.name != _WORDS.before_tool:
        return event
    tool = required(record, "toolName", "tool_name")
    fields = record.get("toolArgs", record.get("tool_input"))
    if tool == "str_replace_editor" and _only_views(fields):
        return event
    return _WORDS.before(event, tool, fields, text(record, "toolCallId", "tool_use_id"))


def _name_of(record: Record) -> str:
    """The event's name, which the agent itself leaves out: each event has fields of its own."""
    given = text(record, "hookEventName", "hook_event_name")
    if given:
        name = given[0].lower() + given[1:]
        return "agentStop" if name == "stop" else name
    if "toolResult" in record:
        return "postToolUse"
    if "toolName" in record:
        return _WORDS.before_tool
    if "stopReason" in record:
        return _WORDS.stop
    if "source" in record:
        return "sessionStart"
    return "userPromptSubmitted" if "prompt" in record else required(record, "hookEventName")


def _only_views(fields: object) -> bool:
    return isinstance(fields, dict) and fields.get("command") == "view"


def _deny(reason: str, note: str) -> Answer:  # noqa: ARG001 -- it has no words for the person
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def _tell(event: Event, text: str) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {"additionalContext": text}


DIALECT: Final = Dialect("copilot", _read, _deny, _tell, answers.neutral)
