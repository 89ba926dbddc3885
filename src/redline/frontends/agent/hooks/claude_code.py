"""Claude Code: always JSON and exit code 0; both together with code 2 went wrong in several versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.frontends.agent.hooks import answers
from redline.frontends.agent.hooks.events import Dialect, Vocabulary, required, text

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Event, Record

_WORDS: Final = Vocabulary(
    before_tool="PreToolUse",
    turns=frozenset({"UserPromptSubmit", "SessionStart"}),
    stop="Stop",
    tools={name: name for name in ("Edit", "Write", "MultiEdit", "NotebookEdit")},
    shells=frozenset({"Bash"}),
)


def _read(record: Record) -> Event:
    if "cursor_version" in record:
        # Cursor runs the hooks of `.claude/settings.json` too. It hears outcomes through its own.
        from redline.frontends.agent.hooks import cursor

        event = cursor.DIALECT.read(record)
        return event._replace(kind="other") if event.kind == "turn" else event
    if "hookEventName" in record:
        # So does VS Code, which understands the same answers.
        from redline.frontends.agent.hooks import vscode

        return vscode.DIALECT.read(record)
    event = _WORDS.event(required(record, "hook_event_name"), text(record, "session_id"), text(record, "cwd") or ".")
    if event.name != _WORDS.before_tool:
        return event
    return _WORDS.before(event, required(record, "tool_name"), record.get("tool_input"), text(record, "tool_use_id"))


DIALECT: Final = Dialect("claude-code", _read, answers.deny, answers.tell, answers.neutral)
