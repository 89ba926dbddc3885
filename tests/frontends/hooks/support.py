"""An agent's hook, run in this process as `redline-agent hook` runs it."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

from redline.app import World
from redline.frontends.agent import main

if TYPE_CHECKING:
    import pytest


class Agent:
    """One agent that calls its hook."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._name = name
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def fires(self, event: object) -> dict[str, Any]:
        """The answer to one event; raw text is what the agent sends as it is."""
        text = event if isinstance(event, str) else json.dumps(event)
        with self._monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
            code = main.run(["hook", self._name], World())
        output, errors = self._capsys.readouterr()
        assert (code, errors) == (0, ""), errors
        assert output.isascii()
        assert output.count("\n") == 1
        answer: dict[str, Any] = json.loads(output)
        return answer


def reason_of(answer: dict[str, Any]) -> str:
    """What a denial, in whichever dialect, says to the model; empty for an answer that denies nothing."""
    specific = answer.get("hookSpecificOutput", {})
    places = (
        (answer.get("permission") == "deny", answer.get("agent_message")),
        (answer.get("permissionDecision") == "deny", answer.get("permissionDecisionReason")),
        (specific.get("permissionDecision") == "deny", specific.get("permissionDecisionReason")),
        (answer.get("decision") == "deny", answer.get("reason")),
        (answer.get("cancel") is True, answer.get("errorMessage")),
        ("deny" in answer, answer.get("deny")),
    )
    return next((str(reason) for denies, reason in places if denies), "")
