"""`redline run`: a command works on a throw-away copy, and confirming its proposal is as if it had run in place."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from tests.frontends.support import assert_one_clear_sentence
from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import BIN, Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

SED = ("sed", "-i", "s/two/zwei/")


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    sandbox.allow_level_none()
    sandbox.write(".gitignore", b"*.log\nbuild/\n")
    sandbox.write("run.sh", b"#!/bin/sh\n")
    sandbox.git("add", ".")
    sandbox.git("commit", "-q", "-m", "more")
    assert sandbox.redline("init").code == 0
    return sandbox


def rooms() -> list[str]:
    """What is left of throw-away folders."""
    folder = os.path.join(os.environ["XDG_STATE_HOME"], "redline", "runs")
    return sorted(set(os.listdir(folder)) - {"lock"}) if os.path.isdir(folder) else []


def assert_gone(sandbox: Sandbox) -> None:
    assert rooms() == []
    assert not any((sandbox.root / ".git" / "worktrees").glob("*"))
    assert sandbox.git("worktree", "list").count(b"\n") == 1


def run(sandbox: Sandbox, *command: str, folder: Path | None = None) -> Any:
    done = sandbox.redline("run", "--json", "--", *command, folder=folder)
    assert done.code == 0, done
    assert_gone(sandbox)
    assert sandbox.redline("verify").code == 0
    return done.json


def shell(sandbox: Sandbox, script: str, folder: Path | None = None) -> Any:
    return run(sandbox, "sh", "-e", "-c", script, folder=folder)


def paths(made: Any) -> list[tuple[str, str]]:
    return [(change["path"], change["kind"]) for change in made["changes"]]


def test_the_net_change_is_proposed_and_the_tree_is_not_touched(ready: Sandbox) -> None:
    before, state = ready.tree(), ready.git_state()
    made = run(ready, *SED, "a.txt")
    assert (ready.tree(), ready.git_state()) == (before, state)
    assert (made["origin"]["author"], made["reason"]) == ("run", "sed -i s/two/zwei/ a.txt")
    assert (made["run"], paths(made)) == ({"code": 0, "left_out": [], "missing": []}, [("a.txt", "edit")])
    assert ready.confirm(made["proposal"]).code == 0
    assert ready.read("a.txt") == b"one\nzwei\nthree\n"


def test_running_it_again_finds_the_proposal_that_is_pending(ready: Sandbox) -> None:
    first = run(ready, *SED, "a.txt")
    assert run(ready, *SED, "a.txt")["proposal"] == first["proposal"]


def in_a_linked_worktree(sandbox: Sandbox) -> Sandbox:
    sandbox.git("worktree", "add", "-q", "../linked")
    return Sandbox(sandbox.root.parent / "linked")


def in_a_submodule(sandbox: Sandbox) -> Sandbox:
    outer = Sandbox.make(sandbox.root.parent / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(sandbox.root), "inner")
    return Sandbox(outer.root / "inner")


def with_sha256(sandbox: Sandbox) -> Sandbox:
    made = Sandbox(sandbox.root.parent / "sha256")
    made.root.mkdir()
    made.git("init", "-q", "--object-format=sha256")
    made.write("a.txt", sandbox.read("a.txt"))
    made.git("add", ".")
    made.git("commit", "-q", "-m", "start")
    return made


@pytest.mark.parametrize("place", [in_a_linked_worktree, in_a_submodule, with_sha256])
def test_run_and_capture_work_in_every_kind_of_work_tree(ready: Sandbox, place: Callable[[Sandbox], Sandbox]) -> None:
    there = place(ready)
    worktrees = there.git("worktree", "list")
    done = there.redline("run", "--json", "--", *SED, "a.txt")
    assert (done.code, paths(done.json), rooms()) == (0, [("a.txt", "edit")], [])
    assert there.confirm(done.json["proposal"]).code == 0
    changed = there.read("a.txt")
    captured = there.redline("capture", "--json")
    assert (captured.code, paths(captured.json)) == (0, [("a.txt", "edit")])
    assert there.read("a.txt") == ready.read("a.txt")
    assert there.confirm(captured.json["proposal"]).code == 0
    assert (there.read("a.txt"), there.git("worktree", "list")) == (changed, worktrees)


EVERYTHING = """
printf 'neu\\n' > new.txt
mkdir deep; printf 'x' > deep/new.bin
chmod +x run.sh
mv a.txt moved.txt
rm src/b.py
printf 'noise' > noise.log
mkdir build; printf 'noise' > build/out
"""


def test_confirming_is_as_if_the_command_had_run_in_place(ready: Sandbox, tmp_path: Path) -> None:
    ready.write("draft.txt", b"not committed\n")
    ready.write("run.sh", b"#!/bin/sh\necho uncommitted\n")
    there = Sandbox(tmp_path / "in-place")
    shutil.copytree(ready.root, there.root, symlinks=True)
    subprocess.run(["sh", "-e", "-c", EVERYTHING], cwd=there.root, check=True)
    made = shell(ready, EVERYTHING)
    assert {change["path"]: change["renamed_from"] for change in made["changes"]} == {
        **dict.fromkeys(("a.txt", "deep/new.bin", "new.txt", "run.sh", "src/b.py")),
        "moved.txt": "a.txt",
    }
    assert ready.confirm(made["proposal"]).code == 0
    ignored = {"noise.log": (0o644, b"noise"), "build/out": (0o644, b"noise")}
    assert {**ready.tree(), **ignored} == there.tree()


def test_it_starts_from_the_present_tree(ready: Sandbox) -> None:
    ready.write("a.txt", b"uncommitted\n")
    ready.write("untracked.txt", b"untracked\n")
    ready.write("noise.log", b"ignored\n")
    (ready.root / "src" / "b.py").unlink()
    (ready.root / "link").symlink_to("a.txt")
    done = ready.redline("run", "--", "sh", "-c", "ls -A; cat a.txt untracked.txt; readlink link; git status --short")
    assert (done.code, done.text.split("\n")) == (
        0,
        [
            *(".git", ".gitignore", "a.txt", "link", "run.sh", "src", "untracked.txt"),
            *("uncommitted", "untracked", "a.txt", " M a.txt", " D src/b.py", "?? link", "?? untracked.txt"),
            "`sh -c 'ls -A; cat a.txt untracked.txt; readlink link; git status --short'` ended with code 0",
            *("nothing was changed", ""),
        ],
    )
    assert ready.redline("list", "--json").json == {"proposals": []}
    assert_gone(ready)


def test_it_runs_in_the_matching_folder_with_the_persons_environment(ready: Sandbox) -> None:
    script = 'pwd; echo "$PWD $MARK ${GIT_DIR-none}"; git rev-parse --show-prefix'
    done = ready.redline("run", "--", "sh", "-c", script, folder=ready.root / "src", MARK="mine", GIT_DIR="elsewhere")
    inner, environment, prefix = done.text.splitlines()[:3]
    assert inner.endswith("/tree/src")
    assert (environment, prefix) == (f"{inner} mine none", "src/")


def test_a_command_that_fails_is_told_and_its_change_proposed(ready: Sandbox) -> None:
    made = shell(ready, "echo neu > new.txt; exit 3")
    assert (made["run"]["code"], paths(made)) == (3, [("new.txt", "create")])
    done = ready.redline("run", "--", "sh", "-c", "kill -TERM $$")
    assert (done.code, done.text) == (0, "`sh -c 'kill -TERM $$'` was ended by SIGTERM\nnothing was changed\n")


def test_a_change_that_was_taken_back_is_no_change(ready: Sandbox) -> None:
    made = shell(ready, "cp a.txt t; echo x > a.txt; mv t a.txt; touch run.sh")
    assert made == {"proposal": None, "run": {"code": 0, "left_out": [], "missing": []}}


def test_what_the_command_commits_is_proposed_and_no_branch_moves(ready: Sandbox) -> None:
    head, branch = ready.git("rev-parse", "HEAD"), ready.git("symbolic-ref", "HEAD")
    made = shell(ready, "echo x > a.txt; echo n > n.txt; git add .; git commit -q -m inside")
    assert paths(made) == [("a.txt", "edit"), ("n.txt", "create")]
    assert (ready.git("rev-parse", "HEAD"), ready.git("symbolic-ref", "HEAD")) == (head, branch)


def test_what_cannot_be_proposed_is_left_out_by_name_and_the_rest_is_proposed(ready: Sandbox) -> None:
    (ready.root / "link").symlink_to("a.txt")
    ready.write(".redline.toml", b'[paths]\ndeny = ["*.pem"]\n')
    script = "echo x > a.txt; echo key > k.pem; ln -sf run.sh link; rm src/b.py; ln -s ../a.txt src/b.py"
    made = shell(ready, script)
    assert paths(made) == [("a.txt", "edit")]
    assert sorted(left["path"] for left in made["run"]["left_out"]) == ["k.pem", "link", "src/b.py"]
    told = ready.redline("run", "--", "sh", "-c", "echo key > k.pem")
    assert (told.code, told.text.splitlines()[-1]) == (0, "nothing that could be proposed was changed")
    assert "left out: policy denies changes to k.pem" in told.err


def test_a_name_that_is_no_text_is_copied_and_left_out_where_it_changed(ready: Sandbox) -> None:
    there = os.fsencode(ready.root) + b"/\xff"
    with open(there, "wb") as file:
        file.write(b"had\n")
    script = 'name=$(printf \'\\377\'); cat "$name" > a.txt; echo x > "$name"'
    made = shell(ready, script)
    assert (made["run"]["code"], paths(made)) == (0, [("a.txt", "edit")])
    assert [left["path"] for left in made["run"]["left_out"]] == ["\udcff"]
    assert ready.confirm(made["proposal"]).code == 0
    assert ready.read("a.txt") == b"had\n"
    assert "nothing was captured" in ready.redline("capture").err


def test_a_submodule_is_not_in_the_copy_and_named(ready: Sandbox) -> None:
    Sandbox.make(ready.root / "inner")
    ready.git("-c", "protocol.file.allow=always", "add", "inner")
    made = run(ready, "test", "!", "-e", "inner/a.txt")
    assert made["run"] == {"code": 0, "left_out": [], "missing": ["inner"]}


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_file_that_changed_here_meanwhile_is_proposed_on_what_the_command_had(
    ready: Sandbox, is_committed: bool
) -> None:
    """The proposal has drifted then, and a refresh merges it: neither side's work is lost."""
    if not is_committed:
        ready.write("a.txt", b"0\n1\n2\n3\n4\n5\none\ntwo\nthree\n")
    had = ready.read("a.txt")
    mine = b"mine\n" + had
    made = shell(
        ready, f"printf 'theirs\\n' >> a.txt; printf 'mine\\n' | cat - {ready.root}/a.txt > t; mv t {ready.root}/a.txt"
    )
    assert ready.read("a.txt") == mine
    done = ready.confirm(made["proposal"])
    assert done.json["outcome"] == "stale"
    refreshed = ready.redline("refresh", made["proposal"], "--json")
    assert ready.confirm(refreshed.json["proposal"]).code == 0
    assert ready.read("a.txt") == mine + b"theirs\n"


@pytest.mark.parametrize(
    ("command", "named"),
    [(("no-such-program",), "no-such-program cannot be run"), (("./run.sh",), "./run.sh cannot be run")],
)
def test_what_cannot_be_run_is_a_usage_error(ready: Sandbox, command: tuple[str, ...], named: str) -> None:
    assert_one_clear_sentence(ready.redline("run", "--", *command), 2, named)
    assert_gone(ready)


def test_before_the_first_commit_there_is_nothing_to_start_from(tmp_path: Path) -> None:
    fresh = Sandbox(tmp_path / "fresh")
    fresh.root.mkdir()
    fresh.git("init", "-q")
    assert fresh.redline("init").code == 0
    assert_one_clear_sentence(fresh.redline("run", "--", "true"), 6)
    assert rooms() == []


def test_ctrl_c_ends_the_command_and_leaves_nothing(ready: Sandbox) -> None:
    before = ready.tree()
    with on_terminal(ready.root, "run", "--", "sh", "-c", "echo x > a.txt; echo started; exec sleep 60") as terminal:
        terminal.wait_for("started")
        terminal.type_ahead("\x03")
        assert terminal.finish() == 130
    assert "interrupted; everything is as before" in terminal.text
    assert ready.tree() == before
    assert ready.redline("list", "--json").json == {"proposals": []}
    assert_gone(ready)


def test_a_command_that_takes_ctrl_c_as_a_key_goes_on(ready: Sandbox) -> None:
    script = "trap 'echo caught' INT; echo started; read line; read line; echo x > a.txt"
    with on_terminal(ready.root, "run", "--", "bash", "-c", script) as terminal:
        terminal.wait_for("started")
        terminal.type("\x03")
        terminal.wait_for("caught")
        terminal.type("\n")
        terminal.type("\n")
        assert terminal.finish() == 0
    (made,) = ready.redline("list", "--json").json["proposals"]
    assert paths(made) == [("a.txt", "edit")]
    assert_gone(ready)


@pytest.fixture
def started(ready: Sandbox, tmp_path: Path) -> Callable[[str], subprocess.Popen[bytes]]:
    """Start a run in the background; its command has begun when this returns."""

    def start(script: str) -> subprocess.Popen[bytes]:
        mark = tmp_path / "begun"
        process = subprocess.Popen(
            [
                os.path.join(BIN, "redline"),
                "run",
                "--",
                "sh",
                "-c",
                f"echo $$ > {mark}.new; mv {mark}.new {mark}; {script}",
            ],
            cwd=ready.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while not mark.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return process

    return start


def test_a_terminated_run_ends_its_command_and_leaves_nothing(
    ready: Sandbox, started: Callable[[str], subprocess.Popen[bytes]]
) -> None:
    process = started("echo x > a.txt; exec sleep 60")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 130
    assert_gone(ready)


def test_what_a_killed_run_left_is_removed_by_the_next_but_never_while_its_command_lives(
    ready: Sandbox, started: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    process = started("exec sleep 60")
    command = int((tmp_path / "begun").read_text())
    process.kill()
    process.wait()
    (left,) = rooms()
    assert ready.redline("run", "--", "true").code == 0
    assert rooms() == [left]
    os.kill(command, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while rooms() and time.monotonic() < deadline:
        assert ready.redline("run", "--", "true").code == 0
    assert_gone(ready)


def test_what_a_command_made_read_only_is_removed_too(ready: Sandbox) -> None:
    made = shell(ready, "mkdir -p build/d; echo x > build/d/f; chmod 0500 build/d; rm -f .git; echo y > a.txt")
    assert paths(made) == [("a.txt", "edit")]


def test_no_configured_program_runs_but_the_command(ready: Sandbox, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    ready.write(".gitattributes", b"*.txt filter=spy\n")
    ready.git("add", ".")
    ready.git("commit", "-q", "-m", "attributes")
    for name in ("filter.spy.clean", "filter.spy.smudge", "core.fsmonitor"):
        ready.git("config", name, f"touch {ran}; cat")
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook = ready.root / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    made = shell(ready, "echo x > a.txt")
    assert (paths(made), ran.exists()) == ([("a.txt", "edit")], False)


CODEMOD = """
import pathlib, sys
for path in sorted(pathlib.Path('.').rglob('*.py')):
    text = path.read_bytes()
    path.write_bytes(text.replace(b'import', b'import  ').replace(b'None', b'Nothing'))
for path in sorted(pathlib.Path('.').rglob('__init__.py')):
    path.rename(path.with_name('begin.py'))
sys.exit(1)
"""


@pytest.mark.parametrize(
    "codemod",
    [(sys.executable, "-c", CODEMOD), (os.path.join(BIN, "ruff"), "check", "--fix", "--isolated", "--select=ALL", ".")],
    ids=["script", "ruff"],
)
def test_a_codemod_over_a_real_package_is_one_proposal_equal_to_running_it_in_place(
    codemod: tuple[str, ...], tmp_path: Path, ready: Sandbox
) -> None:
    real = Sandbox(tmp_path / "real")
    source = Path(click.__file__).parent.parent
    keep = shutil.ignore_patterns("__pycache__", "*.pyc", "*.so")
    for package in ("hypothesis", "_pytest"):
        if (source / package).is_dir():
            shutil.copytree(source / package, real.root / package, ignore=keep)
    (real.root / ".gitignore").write_text("__pycache__/\n.ruff_cache/\n.proposals/\n")
    real.git("init", "-q")
    real.git("add", ".")
    real.git("commit", "-q", "-m", "start")
    there = Sandbox(tmp_path / "there")
    shutil.copytree(real.root, there.root)
    ended = subprocess.run(codemod, cwd=there.root, check=False, capture_output=True).returncode
    assert real.redline("init").code == 0
    made = run(real, *codemod)
    assert made["run"] == {"code": ended, "left_out": [], "missing": []}
    assert len(made["changes"]) > 100
    assert real.confirm(made["proposal"]).code == 0
    found, expected = real.tree(), there.tree()
    assert {path for path in found | expected if found.get(path) != expected.get(path)} - set(
        _caches(expected)
    ) == set()


def _caches(tree: dict[str, Any]) -> list[str]:
    return [path for path in tree if ".ruff_cache/" in path or "__pycache__/" in path]
