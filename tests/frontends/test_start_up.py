"""Commands load only what they use: prompts and hooks call `status` all the time."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.sandbox import Sandbox, edit, replace

if TYPE_CHECKING:
    from pathlib import Path

# Runs a program's `main`, then prints the modules that were imported for it.
RUNNER = """
import sys
before = set(sys.modules)
module, sys.argv = sys.argv[1], ["redline", *sys.argv[2:]]
from importlib import import_module
try:
    code = import_module(module).main()
except SystemExit as stopped:
    code = stopped.code
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""
HEAVY = {
    "click", "git", "gitdb", "unidiff", "pathspec", "rich", "textual", "pydantic", "dataclasses", "inspect",
    "subprocess", "json", "argparse", "asyncio", "logging", "tempfile", "tomllib", "importlib.metadata",
}  # fmt: skip


def _imported(root: Path, program: str, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, f"redline.frontends.{program}.main", *arguments],
        cwd=root,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_status_of_a_real_repository_is_light(sandbox: Sandbox) -> None:
    sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    sandbox.write("a.txt", b"drifted\n")
    for arguments in (["status"], ["status", "--json"]):
        imported = _imported(sandbox.root, "cli", *arguments)
        assert imported & HEAVY == set()
        own = {name for name in imported if name.startswith(("redline.core", "redline.review"))}
        assert own <= {"redline.core"}
        assert {name for name in imported if name.startswith("redline.intake")} == set()


def test_status_starts_no_process(sandbox: Sandbox, tmp_path: Path) -> None:
    """Not even git: without a PATH it works just as well."""
    sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    result = sandbox.redline("status", PATH=str(tmp_path / "nothing"))
    assert (result.code, result.err, result.text) == (0, "", "1 pending \u00b7 journal 2\n")


@pytest.mark.parametrize("program", ["cli", "agent"])
def test_the_version_needs_no_git(sandbox: Sandbox, program: str) -> None:
    assert _imported(sandbox.root, program, "--version") & {"git", "gitdb", "sqlite3", "textual", "rich"} == set()


def test_the_models_program_imports_nothing_that_decides_or_writes(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    imported = _imported(sandbox.root, "agent", "status")
    forbidden = {"redline.review.decide", "redline.review.recovery", "redline.adapters.worktree.guard"}
    assert imported & forbidden == set()
    assert {name for name in imported if name.startswith("redline.frontends.cli")} == set()


def test_a_program_runs_where_nothing_is_writable_but_the_journal(sandbox: Sandbox) -> None:
    """No byte-code, no cache, no history file appears beside what CONTRACT names."""
    sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    home = os.environ["HOME"]
    before = sorted(os.walk(home))
    for arguments in (["status"], ["list"], ["log"], ["show", "--help"]):
        assert sandbox.redline(*arguments).code == 0
    assert sorted(os.walk(home)) == before
