"""What redline puts into agents' configurations, and takes out again: everything else in them stays."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redline.adapters.agents.catalogue import HOMES, command_pattern, rendered
from redline.adapters.agents.installation import FileChange, own_program, plan, write
from redline.adapters.agents.json_splice import JsonText
from redline.adapters.agents.merging import Shared
from redline.core.agents import AGENTS
from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "/opt/my tools/redline-agent"
SHARED = [agent for agent in AGENTS if HOMES[agent].is_shared]
ALONE = [agent for agent in AGENTS if not HOMES[agent].is_shared]


def install(root: Path, agent: str, program: str | None = PROGRAM) -> tuple[FileChange, ...]:
    changes = plan(str(root), agent, program)
    for change in changes:
        write(str(root), change)
    return changes


def test_there_is_a_place_for_every_agent() -> None:
    assert HOMES.keys() == set(AGENTS)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("agent", AGENTS)
def test_in_and_out_leaves_nothing_behind(agent: str, root: Path) -> None:
    made = install(root, agent)
    assert [change.path for change in made] == [*HOMES[agent].paths]
    for change in made:
        path = root / change.path
        assert path.read_text() == change.after
        assert path.stat().st_mode & 0o777 == (0o755 if agent == "cline" else 0o644)
    assert plan(str(root), agent, PROGRAM) == ()
    install(root, agent, None)
    assert [*root.iterdir()] == []
    assert plan(str(root), agent, None) == ()


@pytest.mark.parametrize("agent", SHARED)
def test_a_program_that_moved_is_named_anew(agent: str, root: Path) -> None:
    install(root, agent, "/old/redline-agent")
    (change,) = install(root, agent)
    assert change.after == rendered(HOMES[agent], PROGRAM)


@pytest.mark.parametrize("agent", ALONE)
def test_a_program_that_moved_is_named_anew_in_files_of_our_own(agent: str, root: Path) -> None:
    install(root, agent, "/old/redline-agent")
    changes = install(root, agent)
    assert {change.after for change in changes} == {rendered(HOMES[agent], PROGRAM)}


EXISTING = """\
{
\t"permissions": { "allow": ["Bash(ls:*)"] },\x20\x20
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}
\t\t],
\t\t"Notification": []
\t},
\t"\u00e9": 1.50
}
"""


def test_what_others_put_there_stays_byte_for_byte(root: Path) -> None:
    path = root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(EXISTING)
    path.chmod(0o600)
    (change,) = install(root, "claude-code")
    text = change.after or ""
    kept = [line for line in EXISTING.splitlines() if line.strip() not in {"],", "}"}]
    assert [line.rstrip(",") for line in kept if line.rstrip(",") not in text] == []
    assert path.stat().st_mode & 0o777 == 0o600
    hooks = json.loads(text)["hooks"]
    assert [entry["matcher"] for entry in hooks["PreToolUse"]] == ["Bash", "Edit|Write|MultiEdit|NotebookEdit|Bash"]
    assert [*hooks] == ["PreToolUse", "Notification", "UserPromptSubmit", "SessionStart", "Stop"]
    assert '\n\t\t\t\t"matcher": "Edit|Write' in text
    install(root, "claude-code", None)
    assert path.read_text() == EXISTING


def test_a_hook_that_the_person_put_beside_ours_stays() -> None:
    own = command_pattern("gemini")
    document: dict[str, Any] = json.loads(rendered(HOMES["gemini"], PROGRAM))
    document["hooks"]["BeforeTool"][0]["hooks"].append({"type": "command", "command": "./mine"})
    left = Shared("x", json.dumps(document), own).without_hooks()
    assert json.loads(left or "") == {
        "hooks": {
            "BeforeTool": [
                {"matcher": "write_file|replace|run_shell_command", "hooks": [{"type": "command", "command": "./mine"}]}
            ]
        }
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"hooks": {}, // mine\n}', "is no plain JSON"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a": NaN}', "NaN is no JSON"),
        ("[]", "is no JSON object"),
        ('{"hooks": []}', "has hooks that are no object of lists"),
        ('{"hooks": {"PreToolUse": {}}}', "has hooks that are no object of lists"),
        ("", "is no plain JSON"),
        ("\ufeff{}", "is no plain JSON"),
        ("[" * 100_000, "is no plain JSON"),
    ],
)
def test_what_cannot_be_understood_is_refused_and_left(text: str, why: str, root: Path) -> None:
    path = root / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_text(text)
    for program in (PROGRAM, None):
        with pytest.raises(EnvironmentFault) as refusal:
            plan(str(root), "codex", program)
        assert refusal.value.code == "AGENT_CONFIG_UNREADABLE"
        assert refusal.value.message.startswith(".codex/hooks.json ")
        assert why in refusal.value.message
    assert path.read_text() == text


@pytest.mark.parametrize("agent", ALONE)
def test_a_foreign_file_in_our_place_is_refused_and_left(agent: str, root: Path) -> None:
    path = root / HOMES[agent].paths[-1]
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    for program in (PROGRAM, None):
        with pytest.raises(EnvironmentFault) as refusal:
            install(root, agent, program)
        assert refusal.value.code == "AGENT_CONFIG_FOREIGN"
    assert [name for _, _, names in os.walk(root) for name in names] == [path.name]


def test_a_link_in_the_way_is_refused(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    home.mkdir()
    (home / "settings.json").write_text("{}")
    (root / ".claude").symlink_to(home)
    (root / ".codex").mkdir()
    (root / ".codex" / "hooks.json").symlink_to(home / "settings.json")
    for agent in ("claude-code", "codex"):
        with pytest.raises(EnvironmentFault) as refusal:
            plan(str(root), agent, PROGRAM)
        assert refusal.value.code == "AGENT_CONFIG_LINK"
    assert (home / "settings.json").read_text() == "{}"


# Busy machines are slow to make documents.
SLOWLY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SCALARS = st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
ENTRIES = st.lists(
    st.fixed_dictionaries({"matcher": st.text(max_size=3), "hooks": st.just([{"command": "./x"}])}),
    min_size=1,
    max_size=2,
)
EVENTS = st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "PostToolUse"]), ENTRIES, min_size=1)
DOCUMENTS = st.dictionaries(st.text(max_size=3), VALUES, min_size=1, max_size=3) | st.fixed_dictionaries(
    {"first": VALUES, "hooks": EVENTS, "last": VALUES}
)


@SLOWLY
@given(document=DOCUMENTS, indent=st.sampled_from([None, 1, 2, 4, "\t"]), line_end=st.sampled_from(["\n", "\r\n"]))
def test_out_is_the_inverse_of_in(document: dict[str, Any], indent: Any, line_end: str) -> None:
    document.setdefault("first", 0)
    text = json.dumps(document, indent=indent, ensure_ascii=False).replace("\n", line_end) + line_end
    own, wanted = command_pattern("claude-code"), json.loads(rendered(HOMES["claude-code"], PROGRAM))
    once = Shared("x", text, own).with_hooks(wanted)
    assert Shared("x", once, own).with_hooks(wanted) == once
    merged = json.loads(once)
    assert {key: value for key, value in merged.items() if key != "hooks"} == {
        key: value for key, value in document.items() if key != "hooks"
    }
    for event, entries in wanted["hooks"].items():
        assert merged["hooks"][event] == [*document.get("hooks", {}).get(event, []), *entries]
    assert Shared("x", once, own).without_hooks() == text


@SLOWLY
@given(document=st.dictionaries(st.text(max_size=3), VALUES), indent=st.sampled_from([None, 2]), value=VALUES)
def test_a_member_comes_and_goes(document: dict[str, Any], indent: int | None, value: Any) -> None:
    document.pop("new", None)
    text = json.dumps(document, indent=indent)
    more = JsonText(text).with_added((), "new", value)
    assert more.value == {**document, "new": value}
    assert more.without(("new",)).value == document


def test_the_script_of_cline_denies_when_the_program_is_gone(root: Path) -> None:
    install(root, "cline", str(root / "gone" / "redline-agent"))
    done = subprocess.run([root / ".clinerules/hooks/PreToolUse"], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["cancel"]) == (0, True)


def program_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    path = folder / "redline-agent"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_program_is_the_one_beside_this_python_or_on_the_path(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_program(str(root)) == os.path.join(sysconfig.get_path("scripts"), "redline-agent")
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "nothing"))
    other = program_in(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(other.parent))
    assert own_program(str(root)) == str(other)


@pytest.mark.parametrize(
    ("place", "code"), [("", "NOT_INSTALLED"), ("root/bin", "NOT_INSTALLED"), ("o'x", "PROGRAM_UNSPEAKABLE")]
)
def test_a_program_that_no_agent_should_start_is_refused(
    place: str, code: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None, one that the repository brought, one whose path needs other quotes in a shell than in JSON."""
    if place:
        program_in(tmp_path / place)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "nothing"))
    monkeypatch.setenv("PATH", str(tmp_path / (place or "nothing")))
    with pytest.raises(EnvironmentFault) as refusal:
        own_program(str(root))
    assert refusal.value.code == code
