"""What configuration, attributes and the environment can do to a review: rows S46 to S48 and S54."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.security.support import harmless, read_before_deciding
from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import Sandbox, edit, replace, write

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = (["list"], ["status"], ["show"], ["confirm"], ["log"], ["receipt"], ["verify"], ["doctor"], ["decline"])
_NEEDS_AN_ID = {"show", "confirm", "receipt", "decline"}


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark when it runs."""
    script = tmp_path / "trap"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/trapped\ncat\n")
    script.chmod(0o755)
    return script


def _sprung(trap: Path) -> bool:
    return (trap.parent / "trapped").exists()


def test_s46_attributes_cannot_make_a_text_binary(sandbox: Sandbox) -> None:
    everything = b"*.py -diff -text binary\n* -diff\n"
    sandbox.write(".gitattributes", everything)
    sandbox.write(".git/info/attributes", everything)
    with open(os.path.join(os.environ["XDG_CONFIG_HOME"], "git", "attributes"), "wb") as file:
        file.write(everything)
    proposal = sandbox.propose(edit(replace("src/b.py", "return 1", "return evil()")))
    lines = read_before_deciding(sandbox, proposal)
    at = lines.index("-    return 1")
    assert lines[at + 1] == "+    return evil()"


def test_s47_no_configured_diff_program_runs(sandbox: Sandbox, trap: Path) -> None:
    sandbox.write(".git/info/attributes", b"* diff=x filter=x\n")
    proposal = sandbox.propose(edit(replace("src/b.py", "return 1", "return 2")))
    for key in (
        *(
            "diff.external",
            "diff.x.command",
            "diff.x.textconv",
            "filter.x.clean",
            "filter.x.smudge",
            "filter.x.process",
        ),
        *("core.fsmonitor", "core.pager", "pager.diff", "core.editor", "core.sshCommand", "gpg.program"),
    ):
        sandbox.git("config", key, str(trap))
    for command, *_ in COMMANDS:
        arguments = [command, proposal] if command in _NEEDS_AN_ID else [command]
        with on_terminal(sandbox.root, *arguments, size=(2000, 200), GIT_EXTERNAL_DIFF=str(trap)) as terminal:
            if command == "confirm":
                terminal.wait_for("q to leave it pending: ")
                terminal.type("q\n")
            terminal.finish()
        if command in {"show", "confirm"}:
            assert "+    return 2\n" in harmless(terminal.shown)
    assert not _sprung(trap)


def test_s48_no_pager_of_the_environment_runs(sandbox: Sandbox, trap: Path) -> None:
    sandbox.git("config", "core.pager", str(trap))
    hostile = "\x1b]8;;http://example.org\x07ok"
    proposal = sandbox.propose(edit(write("long.py", hostile + "\n" + "x\n" * 100)))
    environment = {
        **dict.fromkeys(("PAGER", "GIT_PAGER", "MANPAGER", "LESSEDIT", "VISUAL", "EDITOR"), str(trap)),
        "LESSOPEN": f"|{trap} %s",
        "LESSCLOSE": f"{trap} %s %s",
        "LESS": f"-r +!{trap}",
        "LESSKEY": str(trap),
        "LESSKEYIN": str(trap),
    }
    with on_terminal(sandbox.root, "show", proposal, size=(24, 80), **environment) as terminal:
        terminal.wait_for("⟦ESC⟧]8;;")
        terminal.type(f"!{trap}\n")
        terminal.type("q")
        assert terminal.finish() == 0
    assert b"\x1b]" not in terminal.shown
    assert not _sprung(trap)


def test_s54_names_from_git_and_errors_are_made_visible_too(sandbox: Sandbox) -> None:
    sandbox.git("config", "user.name", "A\x1b[2Jda")
    sandbox.git("config", "remote.origin.url", "https://example.org/\x1b[2J")
    sandbox.git("commit", "-q", "--allow-empty", "-m", "subject \x1b[2J")
    sandbox.git("symbolic-ref", "HEAD", "refs/heads/b\u202exy")
    proposal = sandbox.propose(edit(write("c.txt", "c\n")))
    read_before_deciding(sandbox, proposal)
    assert sandbox.redline("decline", proposal, "-m", "n\x1b[2Jo").code == 0
    for command in (
        ["log"],
        ["receipt", proposal],
        ["list", "--status", "all"],
        ["show", "\x1b[2J"],
        ["-C", "/\x1b", "list"],
    ):
        with on_terminal(sandbox.root, *command, size=(100, 200)) as terminal:
            terminal.finish()
        shown = harmless(terminal.shown)
        if command[0] in {"log", "receipt"}:
            assert "A⟦ESC⟧[2Jda" in shown
            assert "n⟦ESC⟧[2Jo" in shown
    sandbox.write(".git/config", b"[core\x1b[2J\n")
    with on_terminal(sandbox.root, "list") as terminal:
        terminal.finish()
    harmless(terminal.shown)
