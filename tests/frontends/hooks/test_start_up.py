"""Agents wait for a hook before each of their tools: it loads what its event needs and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.frontends.test_start_up import HEAVY, RUNNER

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

NEVER = {"click", "git", "gitdb", "mcp", "textual", "pydantic", "asyncio", "logging", "argparse", "pygments"}


def imported(sandbox: Sandbox, **event: object) -> set[str]:
    """The modules that one event of Claude Code loads."""
    whole: dict[str, Any] = {"session_id": "s1", "cwd": str(sandbox.root), "hook_event_name": "PreToolUse", **event}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, "redline.frontends.agent.main", "hook", "claude-code"],
        cwd=sandbox.root,
        input=json.dumps(whole),
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_an_event_that_changes_no_file_needs_almost_nothing(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    loaded = imported(sandbox, tool_name="Bash", tool_input={"command": "ls"})
    assert loaded & (HEAVY - {"json"}) == set()
    assert {name for name in loaded if name.startswith("redline.")} == {
        "redline.core",
        "redline.core.agents",
        "redline.errors",
        "redline.frontends",
        "redline.frontends.agent",
        "redline.frontends.agent.hooks",
        "redline.frontends.agent.hooks.answers",
        "redline.frontends.agent.hooks.claude_code",
        "redline.frontends.agent.hooks.command",
        "redline.frontends.agent.hooks.events",
        "redline.frontends.agent.main",
        "redline.frontends.exit_codes",
        "redline.frontends.outermost",
    }


def test_an_event_without_news_starts_no_process_and_loads_no_core(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    for name in ("UserPromptSubmit", "SessionStart", "Stop"):
        loaded = imported(sandbox, hook_event_name=name)
        assert loaded & (HEAVY - {"json"}) == set()
        own = {name for name in loaded if name.startswith(("redline.core.", "redline.review", "redline.intake"))}
        assert own == {"redline.core.agents"}


def test_no_event_loads_a_command_line_library_or_what_decides(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    forbidden = {"redline.review.decide", "redline.review.recovery", "redline.adapters.worktree.guard"}
    fields = {"file_path": "a.txt", "old_string": "two", "new_string": "zwei"}
    for event in (
        {"tool_name": "Edit", "tool_input": fields, "tool_use_id": "c1"},
        {"hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "PreToolUse"},
    ):
        loaded = imported(sandbox, **event)
        assert loaded & (NEVER | forbidden) == set()
        assert {name for name in loaded if name.startswith("redline.frontends.cli")} == set()
