"""Whatever goes wrong, a write is denied, in the agent's own words: agents let it through when a hook fails."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from redline.adapters.worktree.lock import ProposalsLock
from redline.frontends.agent.hooks import command
from redline.frontends.agent.hooks.command import AGENTS
from tests.frontends.hooks.support import Agent, reason_of
from tests.frontends.hooks.test_transcripts import TABLES
from tests.support.sandbox import BIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.sandbox import Sandbox

    Starts = Callable[[str], Agent]

# Keeps a database for itself until it is told to end.
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN EXCLUSIVE")
print(flush=True)
input()
"""


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Starts:
    return lambda name: Agent(name, monkeypatch, capsys)


def event_of(name: str, case: str, sandbox: Sandbox) -> dict[str, Any]:
    """What the agent's table says that it sends."""
    with open(os.path.join(TABLES, f"{name}.json"), encoding="utf-8") as file:
        text = file.read().replace("ROOT", str(sandbox.root))
    return next(step["event"] for step in json.loads(text) if step["case"] == case)


@pytest.mark.parametrize("name", AGENTS)
def test_without_a_journal_a_write_is_denied(name: str, starts: Starts, sandbox: Sandbox) -> None:
    reason = reason_of(starts(name).fires(event_of(name, "an edit", sandbox)))
    assert reason.startswith("Not written and not recorded: ")
    assert "has no redline journal yet. A person runs `redline init` there first. Tell the person" in reason
    told = starts(name).fires(event_of(name, "the next turn", sandbox))
    assert told == starts(name).fires(event_of(name, "the end of the turn", sandbox))
    assert not (sandbox.root / ".proposals").exists()


@pytest.mark.parametrize("name", AGENTS)
def test_a_held_lock_denies_the_write_before_the_agent_stops_waiting(
    name: str, starts: Starts, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.redline("init")
    monkeypatch.setattr(command, "_LIMIT_S", 0.3)
    started = time.monotonic()
    with ProposalsLock(str(sandbox.root / ".proposals")).hold():
        reason = reason_of(starts(name).fires(event_of(name, "an edit", sandbox)))
        neutral = starts(name).fires(event_of(name, "the end of the turn", sandbox))
    assert reason.startswith("Not written and not recorded: redline was not done within 0.3 s")
    assert time.monotonic() - started < 10
    assert reason_of(neutral) == ""
    assert sandbox.redline("list", "--json").json == {"proposals": []}


def test_a_locked_database_denies_the_write(sandbox: Sandbox, starts: Starts, monkeypatch: pytest.MonkeyPatch) -> None:
    from redline.adapters.journal import schema

    sandbox.redline("init")
    monkeypatch.setattr(schema, "BUSY_TIMEOUT_S", 0.2)
    path = str(sandbox.root / ".proposals" / "journal.sqlite3")
    with subprocess.Popen(
        [os.path.join(BIN, "python"), "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        reason = reason_of(starts("codex").fires(event_of("codex", "an edit", sandbox)))
        told = starts("codex").fires(event_of("codex", "the next turn", sandbox))
        other.communicate(b"\n")
    assert reason.startswith("Not written and not recorded: ")
    assert "locked" in reason
    assert "redline could not look up what became of your proposals" in told["hookSpecificOutput"]["additionalContext"]


def test_a_bug_denies_the_write_and_is_written_down(
    sandbox: Sandbox, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from redline.frontends.agent.hooks import recording

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    sandbox.redline("init")
    monkeypatch.setattr(recording, "is_name", fail)
    reason = reason_of(starts("gemini").fires(event_of("gemini", "an edit", sandbox)))
    assert reason.startswith("Not written and not recorded: this is a bug in redline: ZeroDivisionError. An account")
    (account,) = (path for path in reason.split() if path.endswith(".log."))
    assert os.path.exists(account.removesuffix("."))


def test_an_answer_that_cannot_be_written_blocks_by_its_code(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    event = json.dumps(event_of("claude-code", "an edit", sandbox)).encode()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [os.path.join(BIN, "redline-agent"), "hook", "claude-code"],
            cwd=sandbox.root,
            input=event,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert done.returncode == 2
    assert done.stderr.startswith(b"redline: nothing was written, for there is no answer to give: ")


def test_an_unknown_agent_is_a_usage_error_which_blocks_too(sandbox: Sandbox) -> None:
    refused = sandbox.agent("hook", "claud", stdin=b"{}")
    assert (refused.code, refused.out) == (2, b"")
    assert "'claud' is not one of 'claude-code'" in refused.err


STRANGE: list[dict[str, Any]] = [
    {"tool_name": 7},
    {"tool_name": ""},
    {"tool_name": None},
    {"tool_input": None},
    {"tool_input": []},
    {"tool_input": "{"},
    {"tool_input": {}},
    {"tool_input": {"file_path": 7, "old_string": "two", "new_string": "2"}},
    {"tool_input": {"file_path": "\0", "old_string": "two", "new_string": "2"}},
    {"tool_input": {"file_path": "../../etc/passwd", "old_string": "two", "new_string": "2"}},
    {"tool_input": {"file_path": "a.txt", "old_string": "two", "new_string": "\ud800"}},
    {"session_id": "s\x1b[2J"},
    {"session_id": "s" * 201},
    {"tool_use_id": ["c"]},
    {"tool_use_id": "c\n"},
    {"cwd": "/nonexistent"},
    {"cwd": "/"},
    {"cwd": 7},
]


@pytest.mark.parametrize("change", STRANGE, ids=lambda change: json.dumps(change)[:40])
def test_an_event_that_makes_no_sense_is_denied(change: dict[str, Any], starts: Starts, sandbox: Sandbox) -> None:
    sandbox.redline("init")
    event = {**event_of("claude-code", "an edit", sandbox), **change}
    answer = starts("claude-code").fires(event)
    assert reason_of(answer).startswith("Not written and not recorded: ")
    assert "this is a bug" not in reason_of(answer)
    assert "\x1b" not in reason_of(answer)
    assert sandbox.redline("list", "--json").json == {"proposals": []}


def test_deeply_nested_json_is_denied(starts: Starts, sandbox: Sandbox) -> None:
    answer = starts("claude-code").fires("[" * 100_000)
    assert reason_of(answer).startswith("Not written and not recorded: the hook event is no JSON")
