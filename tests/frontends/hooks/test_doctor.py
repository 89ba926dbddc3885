"""`redline doctor` sends each installed hook an event, and runs nothing but redline's own program for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from redline.adapters.agents import probe
from redline.adapters.agents.catalogue import HOMES
from redline.core.agents import AGENTS
from tests.frontends.hooks.support import Agent, reason_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox


def lines(sandbox: Sandbox) -> dict[str, tuple[str, str, str]]:
    """Each hook's strength, text and advice."""
    found = sandbox.redline("doctor", "--json").json["protections"]
    return {
        item["name"]: (item["strength"], item["text"], item["advice"])
        for item in found
        if item["name"].startswith("hook ")
    }


def test_every_hook_that_was_set_up_fires(sandbox: Sandbox) -> None:
    assert lines(sandbox) == {}
    sandbox.redline("init", *[word for agent in AGENTS for word in ("--agent", agent)])
    before = sandbox.tree()
    denied = {f"hook {name}": ("holds", "it was sent a write and denied it", HOMES[name].to_do) for name in AGENTS}
    assert lines(sandbox) == denied
    assert sandbox.redline("list", "--json").json == {"proposals": []}
    assert sandbox.tree() == before


def test_a_configuration_that_names_another_program_is_not_run(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.redline("init", "--agent", "claude-code")
    trap = tmp_path / "redline-agent"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    settings = json.loads(sandbox.read(".claude/settings.json"))
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = f"{trap} hook claude-code"
    sandbox.write(".claude/settings.json", json.dumps(settings).encode())
    strength, text, advice = lines(sandbox)["hook claude-code"]
    assert (strength, text) == ("weak", "its configuration is not what this redline writes; it was not tried")
    assert advice.startswith("`redline init --agent claude-code` writes it anew")
    assert not (tmp_path / "ran").exists()
    sandbox.redline("init", "--agent", "claude-code")
    assert lines(sandbox)["hook claude-code"][0] == "holds"


def test_a_configuration_that_only_speaks_of_redline_has_no_hook(sandbox: Sandbox) -> None:
    sandbox.write(".claude/settings.json", b'{"permissions": {"allow": ["Bash(redline-agent:*)"]}}\n')
    assert lines(sandbox) == {}


def test_a_configuration_that_cannot_be_read_is_said_to_be_one(sandbox: Sandbox) -> None:
    sandbox.redline("init", "--agent", "gemini")
    sandbox.write(".gemini/settings.json", sandbox.read(".gemini/settings.json") + b"// mine\n")
    strength, text, _ = lines(sandbox)["hook gemini"]
    assert strength == "weak"
    assert text.startswith(".gemini/settings.json is no plain JSON: ")


@pytest.mark.parametrize("agent", AGENTS)
def test_the_probe_is_a_write_and_only_a_denial_satisfies_it(
    agent: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox.redline("init")
    answer = Agent(agent, monkeypatch, capsys).fires(probe.event(str(sandbox.root), agent))
    assert "/redline-doctor" in reason_of(answer)
    assert probe.denies(agent, json.dumps(answer).encode())
    for other in (b"", b"{}", b"[]", b'{"permission": "allow"}', b'{"cancel": false}', b"not JSON"):
        assert not probe.denies(agent, other)
