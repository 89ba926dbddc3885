"""R21 from inside: the capability to decide is absent from the model's program, not hidden in it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.sandbox import edit, replace

from redline.review.prepare import ModelDesk

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

USE_IT_ALL = """
import io, sys
from redline.app import World
from redline.frontends.agent import main
sys.stdin = io.TextIOWrapper(io.BytesIO(sys.argv[1].encode()))
codes = [main.run([*arguments], World()) for arguments in (
    ["propose", "--session", "s1"], ["status"], ["status", "--json"], ["feedback", "--session", "s1"],
    ["withdraw", sys.argv[2]],
)]
print(codes, sorted(name for name in sys.modules if name.startswith("redline.")), file=sys.stderr)
"""
DECIDES_OR_WRITES = [
    "redline.review.decide",
    "redline.review.recovery",
    "redline.adapters.worktree.guard",
    "redline.adapters.worktree.rollback",
    "redline.adapters.worktree.staging",
    "redline.adapters.worktree.exchange",
]


def test_the_models_port_has_no_operation_that_decides() -> None:
    public = {name for name in vars(ModelDesk) if not name.startswith("_")}
    reads, writes = (
        {"status", "own", "feedback", "input_limit_bytes", "root"},
        {"prepare", "seal", "acknowledge", "withdraw"},
    )
    assert public == reads | writes


@pytest.mark.parametrize("name", ["confirm", "decline", "undo", "refresh", "recover", "init"])
def test_the_models_program_does_not_know_the_command(sandbox: Sandbox, name: str) -> None:
    refused = sandbox.agent(name, "0000")
    assert (refused.code, refused.out) == (2, b"")
    assert f"No such command '{name}'" in refused.err


def test_no_module_that_decides_or_writes_is_loaded_by_the_models_program(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "one", "eins")))
    text = '{"schema":"redline.edit/1","edits":[{"op":"delete","path":"a.txt"}]}'
    done = subprocess.run(
        [sys.executable, "-c", USE_IT_ALL, text, proposal],
        cwd=sandbox.root,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=True,
    )
    codes, _, loaded = done.stderr.partition("] ")
    assert codes == "[0, 0, 0, 0, 0"
    assert [module for module in DECIDES_OR_WRITES if f"'{module}'" in loaded] == []
    assert "'redline.review.prepare'" in loaded
