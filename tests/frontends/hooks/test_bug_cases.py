"""Real bugs of agents and their tools (cases/bugs.md), as far as a hook could repeat them; each under its id."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from redline import app
from redline.frontends.agent.hooks import words
from tests.frontends.hooks.support import reason_of
from tests.support.sandbox import Sandbox

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    sandbox.redline("init")
    sandbox.allow_level_none()
    return sandbox


def fire(sandbox: Sandbox, tool: str, session: str = "s1", call: str = "c1", **fields: object) -> str:
    """Claude Code's hook as a process of its own; what the denial says."""
    return reason_of(answer(sandbox, "claude-code", claude(sandbox, tool, fields, session, call)))


def answer(sandbox: Sandbox, agent: str, event: dict[str, Any], **env: Any) -> dict[str, Any]:
    done = sandbox.agent("hook", agent, stdin=json.dumps(event).encode(), **env)
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = done.json
    return found


def claude(sandbox: Sandbox, tool: str, fields: dict[str, object], session: str = "s1", call: str = "c1") -> Any:
    return {
        "session_id": session,
        "cwd": str(sandbox.root),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_use_id": call,
        "tool_input": fields,
    }


def pending(sandbox: Sandbox) -> list[str]:
    return [row["proposal"] for row in sandbox.redline("list", "--json").json["proposals"]]


def test_b01_a_formatter_between_the_edit_and_the_decision(ready: Sandbox) -> None:
    ready.write("f.py", b"a = 1\nb=2\n")
    path = str(ready.root / "f.py")
    fire(ready, "Edit", file_path=path, old_string="a = 1", new_string="a = 10")
    (first,) = pending(ready)
    ready.write("f.py", b"a = 1\nb = 2\n")
    assert ready.confirm(first).code == 4
    assert ready.read("f.py") == b"a = 1\nb = 2\n"
    fire(ready, "Edit", call="c2", file_path=path, old_string="a = 1", new_string="a = 10")
    (second,) = pending(ready)
    assert ready.confirm(second).code == 0
    assert ready.read("f.py") == b"a = 10\nb = 2\n"


def test_b02_a_whole_file_that_leaves_out_uncommitted_work_shows_that_it_would_go(ready: Sandbox) -> None:
    ready.write("f", b"1\nUSER\n3\n")
    reason = fire(ready, "Write", file_path=str(ready.root / "f"), content="1\n2\nNEW\n")
    (proposal,) = pending(ready)
    assert f"Recorded as proposal {proposal} (1 file  +2 \u22122)" in reason
    assert b"-USER\n" in ready.redline("show", proposal, "--patch").out
    assert ready.read("f") == b"1\nUSER\n3\n"


def test_b03_two_agents_on_one_base(ready: Sandbox) -> None:
    for session, old in (("s1", "one"), ("s2", "three")):
        fire(ready, "Edit", session, file_path=str(ready.root / "a.txt"), old_string=old, new_string=old.upper())
    second, first = pending(ready)
    assert ready.confirm(first).code == 0
    assert ready.confirm(second).code == 4
    assert ready.read("a.txt") == b"ONE\ntwo\nthree\n"


def test_b05_what_only_looks_changed_is_no_drift(ready: Sandbox) -> None:
    path = ready.root / "a.txt"
    fire(ready, "Edit", file_path=str(path), old_string="two", new_string="zwei")
    shutil.copy(path, ready.root / "copy")
    os.replace(ready.root / "copy", path)
    os.utime(path)
    (proposal,) = pending(ready)
    assert ready.confirm(proposal).code == 0


def test_b25_a_path_into_another_worktree_is_refused(ready: Sandbox, tmp_path: Path) -> None:
    linked = Sandbox(tmp_path / "linked")
    ready.git("worktree", "add", "-q", str(linked.root))
    linked.redline("init")
    elsewhere = fire(linked, "Edit", file_path=str(ready.root / "src/b.py"), old_string="return 1", new_string="x")
    assert elsewhere.startswith("Not written and not recorded: ")
    assert (pending(ready), pending(linked)) == ([], [])
    fire(linked, "Edit", file_path=str(linked.root / "src/b.py"), old_string="return 1", new_string="return 2")
    assert (pending(ready), len(pending(linked))) == ([], 1)


def test_b53_variables_that_a_git_hook_exports_do_not_lead_elsewhere(ready: Sandbox, tmp_path: Path) -> None:
    decoy = Sandbox.make(tmp_path / "decoy")
    before = decoy.tree(), decoy.git_state()
    fields: dict[str, object] = {"file_path": str(ready.root / "a.txt"), "old_string": "two", "new_string": "zwei"}
    denied = answer(
        ready,
        "claude-code",
        claude(ready, "Edit", fields),
        GIT_DIR=str(decoy.root / ".git"),
        GIT_WORK_TREE=str(decoy.root),
        GIT_INDEX_FILE=str(decoy.root / ".git" / "index.lock"),
        GIT_OBJECT_DIRECTORY=str(decoy.root / ".git" / "objects"),
        GIT_PREFIX="src/",
    )
    (proposal,) = pending(ready)
    assert f"Recorded as proposal {proposal} " in reason_of(denied)
    assert (decoy.tree(), decoy.git_state()) == before


@pytest.mark.parametrize("claudes_tool", ["Edit", "StrReplace"])
def test_an_event_that_cursor_fires_twice_is_one_proposal(ready: Sandbox, claudes_tool: str) -> None:
    """Cursor runs its own hooks and those of `.claude/settings.json`, which it tells the tool in Claude's words."""
    event = {
        "conversation_id": "s1",
        "generation_id": "g1",
        "hook_event_name": "preToolUse",
        "cursor_version": "2.4.1",
        "workspace_roots": [str(ready.root)],
        "tool_name": "StrReplace",
        "tool_input": {"path": "a.txt", "old_string": "two", "new_string": "zwei"},
        "tool_use_id": "c1",
        "cwd": str(ready.root),
    }
    own = answer(ready, "cursor", event)
    claudes = {**event, "hook_event_name": "PreToolUse", "tool_name": claudes_tool, "session_id": "s1"}
    other = answer(ready, "claude-code", claudes)
    (proposal,) = pending(ready)
    assert reason_of(own) == reason_of(other)
    assert f"Recorded as proposal {proposal} " in reason_of(own)


def test_what_claudes_hook_hears_from_cursor_is_not_told_there(ready: Sandbox) -> None:
    """Cursor takes no context with a prompt: an outcome that was told there would be lost."""
    fire(ready, "Edit", file_path=str(ready.root / "a.txt"), old_string="two", new_string="zwei")
    (proposal,) = pending(ready)
    ready.redline("decline", proposal, "-m", "no")
    prompt = {
        "conversation_id": "s1",
        "hook_event_name": "SessionStart",
        "cursor_version": "2.4.1",
        "workspace_roots": [str(ready.root)],
    }
    assert answer(ready, "claude-code", prompt) == {}
    told = answer(ready, "cursor", {**prompt, "hook_event_name": "sessionStart"})
    assert f"{proposal}: declined" in told["additional_context"]


def test_claudes_hook_that_vs_code_runs_for_every_tool_denies_only_those_that_write(ready: Sandbox) -> None:
    event: dict[str, Any] = {"sessionId": "s1", "hookEventName": "PreToolUse", "cwd": str(ready.root)}
    reads = {**event, "tool_name": "read_file", "tool_input": {"filePath": "a.txt"}, "tool_use_id": "1"}
    assert answer(ready, "claude-code", reads) == {}
    fields = {"filePath": str(ready.root / "c.txt"), "content": "c\n"}
    writes = {**event, "tool_name": "create_file", "tool_input": fields, "tool_use_id": "2"}
    assert answer(ready, "claude-code", writes) == answer(ready, "vscode", writes)
    (proposal,) = pending(ready)
    assert f"Recorded as proposal {proposal} " in reason_of(answer(ready, "vscode", writes))


def test_paths_mean_files_where_the_agent_works(ready: Sandbox) -> None:
    """A patch and a path of a session in a folder below the root, and one that comes by a link above it."""
    ready.write("src/a.txt", b"two\n")
    below: dict[str, Any] = {"session_id": "s1", "cwd": str(ready.root / "src"), "hook_event_name": "PreToolUse"}
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+zwei\n*** Add File: d.txt\n+d\n*** End Patch"
    answer(ready, "codex", {**below, "tool_name": "apply_patch", "tool_use_id": "1", "tool_input": {"command": patch}})
    fields = {"file_path": "b.py", "old_string": "return 1", "new_string": "return 2"}
    answer(ready, "claude-code", {**below, "tool_name": "Edit", "tool_use_id": "2", "tool_input": fields})
    link = ready.root.parent / "link"
    link.symlink_to(ready.root)
    through = {"file_path": str(link / "c.txt"), "content": "c\n"}
    event = {**below, "cwd": str(link), "tool_name": "Write", "tool_use_id": "3", "tool_input": through}
    answer(ready, "claude-code", event)
    (row,) = ready.redline("list", "--json").json["proposals"]
    assert [change["path"] for change in row["changes"]] == ["c.txt", "src/a.txt", "src/b.py", "src/d.txt"]


def test_a_shell_patch_below_the_root_is_denied_for_its_paths_mean_other_files(ready: Sandbox) -> None:
    ready.write("src/a.txt", b"two\n")
    command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+zwei\n*** End Patch\nEOF"
    event = {**claude(ready, "Bash", {"command": command}), "cwd": str(ready.root / "src")}
    assert "is not the repository's root" in reason_of(answer(ready, "claude-code", event))
    assert pending(ready) == []


def test_a_session_that_has_heard_everything_is_known_to_at_a_glance(ready: Sandbox) -> None:
    """What further edits joined is over, but nothing to tell: the next turn notes that."""
    turn = {"session_id": "s1", "cwd": str(ready.root), "hook_event_name": "UserPromptSubmit"}

    def seen() -> tuple[bool, bool]:
        return app.session_at_a_glance(str(ready.root), "s1")

    assert seen() == (False, False)
    for name in ("c.txt", "d.txt"):
        fire(ready, "Write", call=name, file_path=str(ready.root / name), content="x\n")
    assert seen() == (True, True)
    assert answer(ready, "claude-code", turn) == {}
    assert seen() == (False, True)
    assert answer(ready, "claude-code", {**turn, "hook_event_name": "Stop"}) == {}
    assert seen() == (False, False)
    (proposal,) = pending(ready)
    ready.redline("decline", proposal)
    assert seen() == (True, False)
    assert answer(ready, "claude-code", turn) != {}
    assert seen() == (False, False)


def test_declines_are_told_first_and_once_the_answer_is_out(ready: Sandbox) -> None:
    seal = {"session_id": "s1", "cwd": str(ready.root), "hook_event_name": "Stop"}
    for number, name in enumerate(("c.txt", "d.txt")):
        fire(ready, "Write", call=f"c{number}", file_path=str(ready.root / name), content="x\n")
        answer(ready, "claude-code", seal)
    second, first = pending(ready)
    assert ready.confirm(first).code == 0
    ready.redline("decline", second, "-m", "\x1b[2Jno d")
    turn = {**seal, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}
    told = answer(ready, "claude-code", turn)["hookSpecificOutput"]["additionalContext"]
    assert told == (
        "What the person decided about your proposals (redline):\n"
        f"{second}: declined; d.txt: unchanged by this proposal.\n"
        "  The person's reason: \u27e6ESC\u27e7[2Jno d\n"
        "  Do not propose the same edit again; change it to meet the reason.\n"
        f"{first}: applied exactly as proposed: c.txt.\n"
    )
    assert answer(ready, "claude-code", turn) == {}
    again = fire(ready, "Write", call="c9", file_path=str(ready.root / "d.txt"), content="x\n")
    assert "the same edit was declined before" in again


def test_what_is_too_long_to_tell_is_counted(ready: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("c.txt", "d.txt", "e.txt"):
        fire(ready, "Write", session=name, file_path=str(ready.root / name), content="x\n")
    monkeypatch.setattr(words, "_MOST_CHARACTERS", 250)
    ready.redline("decline", *pending(ready), "-m", "no")
    with app.model(str(ready.root), app.World()) as desk:
        told = words.outcomes(desk.feedback(None).answers)
    assert told.count(": declined; ") == 1
    assert told.endswith("\n2 more: `redline-agent feedback` lists the latest.\n")
