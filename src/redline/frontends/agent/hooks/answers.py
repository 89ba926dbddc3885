"""The answers that Claude Code, Codex and VS Code have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.frontends.agent.hooks.events import Answer, Event


def deny(reason: str, note: str) -> Answer:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        },
        "systemMessage": note,
    }


def tell(event: Event, text: str) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def neutral(event: Event) -> Answer:  # noqa: ARG001 -- the shape of a dialect
    return {}
