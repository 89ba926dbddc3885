"""Codex validates an answer against a schema and lets the write through if it does not hold."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from jsonschema import Draft7Validator

from redline.frontends.agent.hooks import codex
from redline.frontends.agent.hooks.events import Event
from tests.conftest import SHARED
from tests.frontends.hooks.test_transcripts import TABLES

SCHEMAS = os.path.join(SHARED, "data", "codex_hook_schemas")
FILES = {
    "PreToolUse": "pre-tool-use",
    "UserPromptSubmit": "user-prompt-submit",
    "SessionStart": "session-start",
    "Stop": "stop",
}


def validator(name: str, side: str) -> Draft7Validator:
    path = os.path.join(SCHEMAS, f"{FILES[name]}.command.{side}.schema.json")
    if not os.path.exists(path):
        pytest.skip("Codex's schemas are not here")
    with open(path, encoding="utf-8") as file:
        return Draft7Validator(json.load(file))


def rows() -> list[Any]:
    with open(os.path.join(TABLES, "codex.json"), encoding="utf-8") as file:
        return [pytest.param(step, id=step["case"]) for step in json.load(file) if "answer" in step]


@pytest.mark.parametrize("step", rows())
def test_each_answer_of_the_table_holds_to_the_schema_of_its_event(step: dict[str, Any]) -> None:
    event = step.get("event", {})
    name = event.get("hook_event_name", "PreToolUse")
    validator(name, "output").validate(step["answer"])
    if "hook_event_name" in event:
        validator(name, "input").validate(event)


@pytest.mark.parametrize("name", ["UserPromptSubmit", "SessionStart"])
def test_outcomes_can_be_told_with_either_event(name: str) -> None:
    told = codex.DIALECT.tell(Event(name, "turn", "s1", "."), "news")
    validator(name, "output").validate(told)


def test_the_schemas_refuse_the_words_of_another_agent() -> None:
    """Were it not so, the tests above could not fail."""
    flat = {"permissionDecision": "deny", "permissionDecisionReason": "x"}
    assert not validator("PreToolUse", "output").is_valid(flat)
    assert not validator("Stop", "output").is_valid({"hookSpecificOutput": {"hookEventName": "Stop"}})
