"""For each agent, one session: every event as that agent sends it, and the exact answer (tests/golden/hooks)."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from redline.frontends.agent.hooks.command import AGENTS
from tests.frontends.hooks.support import Agent, reason_of

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

TABLES = os.path.join(os.path.dirname(__file__), "..", "..", "golden", "hooks")
_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")


class Transcript:
    """Plays the steps of one table; proposals are called ID1, ID2 in the order in which they are first named."""

    def __init__(self, agent: Agent, sandbox: Sandbox) -> None:
        self._agent = agent
        self._sandbox = sandbox
        self._names: dict[str, str] = {}

    def play(self, step: dict[str, Any]) -> dict[str, Any]:
        if "decline" in step:
            (pending,) = self._sandbox.redline("list", "--json").json["proposals"]
            assert self._sandbox.redline("decline", pending["proposal"], "-m", step["decline"]).code == 0
            return step
        event = (
            json.loads(json.dumps(step["event"]).replace("ROOT", str(self._sandbox.root))) if "event" in step else ""
        )
        answer = self._agent.fires(event or step["text"])
        kept = {key: value for key, value in step.items() if key != "answer"}
        return {**kept, "answer": json.loads(_ID.sub(self._name, json.dumps(answer)))}

    def _name(self, found: re.Match[str]) -> str:
        return self._names.setdefault(found[0], f"ID{len(self._names) + 1}")


@pytest.mark.parametrize("name", AGENTS)
def test_each_event_has_its_exact_answer(
    name: str,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    sandbox.redline("init")
    before = sandbox.tree(), sandbox.git_state()
    path = os.path.join(TABLES, f"{name}.json")
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    transcript = Transcript(Agent(name, monkeypatch, capsys), sandbox)
    played = [transcript.play(step) for step in table]
    if request.config.getoption("--golden-write"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(played, indent=1, ensure_ascii=False) + "\n")
        return
    for expected, found in zip(table, played, strict=True):
        assert found == expected
    assert (sandbox.tree(), sandbox.git_state()) == before


@pytest.mark.parametrize("name", AGENTS)
def test_the_tables_hold_what_every_agent_must_get(name: str) -> None:
    """What is denied, and what is not, is the same for all of them, whatever their words."""
    with open(os.path.join(TABLES, f"{name}.json"), encoding="utf-8") as file:
        reasons = {step["case"]: reason_of(step["answer"]) for step in json.load(file) if "answer" in step}
    recorded = {case for case, reason in reasons.items() if reason.startswith("Not written. Recorded as proposal ID")}
    refused = {case for case, reason in reasons.items() if reason.startswith("Not written and not recorded: ")}
    passed = {case for case, reason in reasons.items() if not reason}
    assert {"an edit", "a second edit", "a patch in a shell command"} <= recorded
    assert {"an edit that does not fit", "garbage", "no object", "nothing", "an event without a name"} <= refused
    assert {"a tool that reads", "another shell command", "the end of the turn", "the turn after it"} <= passed
    assert recorded | refused | passed == reasons.keys()
