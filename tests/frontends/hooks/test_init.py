"""`redline init --agent`: from nothing to a hook that fires, for the agents whose configuration can be run here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from redline.adapters.agents.catalogue import HOMES
from redline.core.agents import AGENTS
from tests.frontends.support import assert_error_document, assert_one_clear_sentence
from tests.support.sandbox import BIN

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

PROGRAM = os.path.join(BIN, "redline-agent")


def test_it_makes_the_journal_writes_the_hooks_and_says_what_is_left(sandbox: Sandbox) -> None:
    done = sandbox.redline("init", "--agent", "codex", "--agent", "copilot")
    assert (done.code, done.err) == (0, "")
    assert done.text.splitlines() == [
        f"made the journal {sandbox.root}/.proposals",
        "  Next: `redline propose FILE` hands over a model's edit.",
        "made .codex/hooks.json",
        "made .github/hooks/redline-copilot.json",
        "  It names the redline-agent of this machine: do not share it as it is.",
        f"  Next, codex: {HOMES['codex'].to_do}",
        "  Next, copilot: Trust this folder in Copilot CLI.",
        "  Next: `redline doctor` sends each hook an event and judges the answer.",
    ]
    hooks = json.loads(sandbox.read(".codex/hooks.json"))["hooks"]
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": f"{PROGRAM} hook codex", "timeout": 30}]}]
    again = sandbox.redline("init", "--agent", "codex").text.splitlines()
    assert again[:2] == [
        f"the journal is there already: {sandbox.root}/.proposals",
        "nothing to write: the configuration is as it should be",
    ]


def test_a_trial_writes_nothing_and_shows_everything(sandbox: Sandbox) -> None:
    sandbox.write(".cursor/hooks.json", b'{"version": 1, "hooks": {}}\n')
    before = sandbox.tree(), sandbox.git_state()
    shown = sandbox.redline("init", "--agent", "cursor", "--dry-run")
    assert (shown.code, shown.err) == (0, "")
    assert (sandbox.tree(), sandbox.git_state()) == before
    assert not (sandbox.root / ".proposals").exists()
    patch = shown.text.replace("--- .", "--- a/.").replace("+++ .", "+++ b/.").encode()
    sandbox.git("apply", "-", stdin=patch)
    applied = sandbox.read(".cursor/hooks.json")
    sandbox.write(".cursor/hooks.json", b'{"version": 1, "hooks": {}}\n')
    sandbox.redline("init", "--agent", "cursor")
    assert sandbox.read(".cursor/hooks.json") == applied


def test_removal_leaves_the_journal_and_nothing_of_the_hooks(sandbox: Sandbox) -> None:
    before = sandbox.tree()
    agents = [word for agent in AGENTS for word in ("--agent", agent)]
    assert sandbox.redline("init", *agents).code == 0
    done = sandbox.redline("init", *agents, "--remove", "--json")
    assert (done.code, done.json["to_do"]) == (0, {})
    assert {file["after"] for file in done.json["files"]} == {None}
    assert sandbox.tree() == before
    assert sandbox.redline("list").code == 0


def test_what_is_refused_is_refused_before_anything_is_written(sandbox: Sandbox) -> None:
    sandbox.write(".gemini/settings.json", b"{ // mine\n}\n")
    before = sandbox.tree()
    refused = sandbox.redline("init", "--agent", "codex", "--agent", "gemini")
    assert_one_clear_sentence(refused, 6, ".gemini/settings.json")
    assert sandbox.tree() == before
    assert not (sandbox.root / ".proposals").exists()
    assert_error_document(sandbox.redline("init", "--remove", "--json"), 2, "USAGE")
    assert_error_document(sandbox.redline("init", "--agent", "claud", "--json"), 2, "USAGE")


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "cursor", "copilot", "vscode"])
def test_every_command_of_a_configuration_runs_the_hook(agent: str, sandbox: Sandbox) -> None:
    (file,) = sandbox.redline("init", "--agent", agent, "--json").json["files"]
    found = {*commands(json.loads(file["after"]))}
    assert found == {f"{PROGRAM} hook {agent}"}
    done = subprocess.run(["/bin/sh", "-c", *found], input=b"{", cwd=sandbox.root, capture_output=True, check=True)
    assert b"Not written and not recorded" in done.stdout


def commands(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for item in value for found in commands(item)]
    if isinstance(value, dict):
        own = [value[key] for key in ("command", "bash") if key in value]
        return [*own, *(found for item in value.values() for found in commands(item))]
    return []


def test_clines_script_records_the_edit(sandbox: Sandbox) -> None:
    sandbox.redline("init", "--agent", "cline")
    event = {
        "hookName": "PreToolUse",
        "taskId": "s1",
        "workspaceRoots": [str(sandbox.root)],
        "preToolUse": {"toolName": "write_to_file", "parameters": {"path": "c.md", "content": "# c\n"}},
    }
    script = sandbox.root / ".clinerules" / "hooks" / "PreToolUse"
    done = subprocess.run([script], input=json.dumps(event).encode(), capture_output=True, check=True)
    assert json.loads(done.stdout)["cancel"] is True
    assert len(sandbox.redline("list", "--json").json["proposals"]) == 1


# Does what opencode does with a plugin: an edit, a read, the end of the turn, the next message.
OPENCODE = """
import { Redline } from process.argv[2]
const hooks = await Redline({ directory: process.argv[1] })
const call = async (tool, args) => {
  try { await hooks["tool.execute.before"]({ tool, sessionID: "s1", callID: "c1" }, { args }); return "passed" }
  catch (error) { return error.message }
}
const edit = { filePath: process.argv[1] + "/a.txt", oldString: "two", newString: "2" }
console.log(JSON.stringify(await call("edit", edit)))
console.log(JSON.stringify(await call("read", { filePath: "a.txt" })))
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
"""
NEXT_MESSAGE = """
const parts = []
await hooks["chat.message"]({ sessionID: "s1" }, { message: { id: "m1" }, parts })
console.log(JSON.stringify(parts.map(({ messageID, text, synthetic }) => ({ messageID, text, synthetic }))))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="opencode's plugin needs a JavaScript runtime")
def test_opencodes_plugin_throws_what_is_denied_and_tells_outcomes(sandbox: Sandbox) -> None:
    sandbox.redline("init", "--agent", "opencode")
    first, second = node(sandbox, OPENCODE)
    (row,) = sandbox.redline("list", "--json").json["proposals"]
    assert first.startswith(f"Not written. Recorded as proposal {row['proposal']} ")
    assert second == "passed"
    sandbox.redline("decline", row["proposal"], "-m", "no")
    (parts,) = node(sandbox, OPENCODE.partition("console.log")[0] + NEXT_MESSAGE)
    assert [(part["messageID"], part["synthetic"]) for part in parts] == [("m1", True)]
    assert f"{row['proposal']}: declined" in parts[0]["text"]
    (sandbox.root / ".opencode/plugins/redline.js").write_text(
        sandbox.read(".opencode/plugins/redline.js").decode().replace(PROGRAM, "/gone/redline-agent")
    )
    first, second = node(sandbox, OPENCODE)
    assert (first[:38], second) == ("Not written: redline's hook failed. Te", "passed")


def node(sandbox: Sandbox, script: str) -> list[Any]:
    plugin = str(sandbox.root / ".opencode/plugins/redline.js")
    text = script.replace("process.argv[2]", json.dumps(plugin)).replace(
        "process.argv[1]", json.dumps(str(sandbox.root))
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-"], input=text.encode(), cwd=sandbox.root, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]
