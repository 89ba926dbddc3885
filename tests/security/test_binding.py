"""A decision is over what was shown, and over nothing else: rows S56, S61 and bug cases B46 to B51."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time

import pytest

from tests.security.support import PROMPT, codes, harmless, read_before_deciding
from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import BIN, Sandbox, edit, replace, write


def _journal(sandbox: Sandbox, statement: str, *values: object) -> None:
    """Change the journal behind redline's back."""
    connection = sqlite3.connect(sandbox.root / ".proposals" / "journal.sqlite3")
    with connection:
        assert connection.execute(statement, values).rowcount == 1
    connection.close()


def test_s56_bytes_that_are_swapped_after_the_display_are_not_applied(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.py", "shown\n")))
    shown = sandbox.redline("show", proposal, "--json").json["changes"][0]["after"]["sha256"]
    before = sandbox.tree()
    with on_terminal(sandbox.root, "confirm", proposal, size=(100, 200)) as terminal:
        terminal.wait_for(PROMPT)
        _journal(
            sandbox,
            "UPDATE contents SET encoding = 'raw', size_bytes = 6, bytes = ? WHERE sha256 = ?",
            b"evil!\n",
            shown,
        )
        terminal.type(f"{proposal[:4]}\n")
        assert terminal.finish() == 6
    assert "not what its digest says" in harmless(terminal.shown)
    assert sandbox.tree() == before


def test_s61_keys_typed_ahead_decide_nothing(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.py", "c\n")))
    early = f"{proposal[:4]}\ny\nyes\n"
    with on_terminal(sandbox.root, "confirm", proposal, keys_before=early) as terminal:
        terminal.type_ahead(early)
        terminal.wait_for(PROMPT)
        terminal.type("\n")
        assert terminal.finish() == 9
    assert not (sandbox.root / "c.py").exists()
    assert sandbox.redline("show", proposal, "--json").json["status"] == "pending"


@pytest.mark.parametrize(("keys", "code"), [("n\n", 3), ("q\n", 9), ("\x03", 130), ("\x04", 9)])
def test_b46_whatever_is_answered_but_the_code_writes_nothing(sandbox: Sandbox, keys: str, code: int) -> None:
    sandbox.write("p.py", b"sequence = 2\n")
    proposal = sandbox.propose(edit(replace("p.py", "2", "3")))
    before = sandbox.tree(), sandbox.git_state()
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type(keys)
        if keys == "n\n":
            terminal.wait_for("Enter for no reason): ")
            terminal.type("\n")
        assert terminal.finish() == code
    assert (sandbox.tree(), sandbox.git_state()) == before


def test_b46_a_decision_is_not_carried_over(sandbox: Sandbox) -> None:
    first = sandbox.propose(edit(write("c.py", "c\n")))
    with on_terminal(sandbox.root, "confirm", first) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type(f"{first[:4]}\n")
        assert terminal.finish() == 0
    second = sandbox.propose(edit(write("d.py", "d\n")))
    assert sandbox.redline("show", second, "--json").json["status"] == "pending"
    sandbox.redline("decline", second, "-m", "no d")
    again = sandbox.propose(edit(write("d.py", "d\n")))
    assert again != second
    said = f"sensitive  the same edit was declined before (receipt {second[:7]}): no d"
    assert any(line.startswith(said) for line in read_before_deciding(sandbox, again))
    assert not (sandbox.root / "d.py").exists()


def test_b47_a_record_that_was_altered_is_not_confirmed(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.py", "c\n"), reason="honest"))
    before = sandbox.tree()
    _journal(sandbox, "UPDATE proposals SET record = replace(record, 'honest', 'edited') WHERE id = ?", proposal)
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        assert terminal.finish() == 6
    assert PROMPT not in terminal.text
    assert sandbox.tree() == before


def test_b47_too_few_digits_name_no_proposal(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.py", "c\n")))
    with on_terminal(sandbox.root, "confirm", proposal[:3]) as terminal:
        assert terminal.finish() == 9
    assert PROMPT not in terminal.text
    assert not (sandbox.root / "c.py").exists()


def test_b48_a_long_new_file_is_shown_to_its_end(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("long.py", "".join(f"line_{number}\n" for number in range(390)))))
    lines = read_before_deciding(sandbox, proposal, size=(24, 72))
    assert [line for line in lines if line.startswith("+line_")] == [f"+line_{number}" for number in range(390)]


def test_b48_the_end_of_a_very_long_line_is_shown(sandbox: Sandbox) -> None:
    sandbox.write("min.js", b"x" * 200_000 + b"old\n")
    proposal = sandbox.propose(b"x" * 200_000 + b"new\n", "--path", "min.js")
    shown = "".join(read_before_deciding(sandbox, proposal, size=(24, 72)))
    assert "xold" in shown
    assert "xnew" in shown
    assert codes(sandbox, proposal)["MINIFIED"] == "sensitive"


def test_b48_a_pager_that_is_left_early_decides_nothing(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("long.py", "x\n" * 500)))
    with on_terminal(sandbox.root, "show", proposal, size=(24, 80)) as terminal:
        terminal.wait_for("+x")
        terminal.type("q")
        assert terminal.finish() == 0
    assert "Traceback" not in terminal.text
    assert sandbox.redline("show", proposal, "--json").json["status"] == "pending"


def test_b49_the_display_changes_no_applied_byte(sandbox: Sandbox) -> None:
    hostile = "\x1b[2J\x1b[1A\x1b[2K\x1b]52;c;AAAA\x07\u009b31m\rx\b\x7f\u202e\n"
    proposal = sandbox.propose(edit(write("h.py", hostile)))
    with on_terminal(sandbox.root, "confirm", proposal, size=(100, 200)) as terminal:
        terminal.wait_for(PROMPT)
        shown = harmless(terminal.shown)
        terminal.type(f"{proposal[:4]}\n")
        assert terminal.finish() == 0
    assert "+⟦ESC⟧[2J⟦ESC⟧[1A⟦ESC⟧[2K⟦ESC⟧]52;c;AAAA⟦BEL⟧⟦U+009B⟧31m⟦CR⟧x⟦BS⟧⟦DEL⟧⟦U+202E⟧\n" in shown
    assert sandbox.read("h.py") == hostile.encode()


@pytest.mark.parametrize(
    "script", ["redline confirm {} </dev/null", "printf '' | redline confirm {}", "yes '' | redline confirm {}"]
)
def test_b51_without_a_terminal_nothing_is_confirmed(sandbox: Sandbox, script: str) -> None:
    proposal = sandbox.propose(edit(write("c.py", "c\n")))
    before, start = sandbox.tree(), time.monotonic()
    done = subprocess.run(
        ["/bin/sh", "-c", script.format(proposal)],
        cwd=sandbox.root,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 9
    assert time.monotonic() - start < 10
    assert done.stderr.startswith(b"redline: there is no terminal on which a person could be shown the change")
    assert sandbox.tree() == before


def test_b51_a_pipe_gets_plain_bytes_that_git_takes(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.py", "caf\u00e9 \u4f60\n")))
    patch = sandbox.redline("--color", "always", "show", proposal, "--patch", LC_ALL="C").out
    assert b"\x1b" not in patch
    sandbox.git("apply", "--check", "-", stdin=patch)
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"LC_ALL": "C"}):
        with on_terminal(sandbox.root, "show", proposal, size=(100, 80), **environment) as terminal:
            assert terminal.finish() == 0
        assert "Traceback" not in terminal.text_so_far()
        assert (b"\x1b[" in terminal.shown) is ("LC_ALL" in environment)
    with on_terminal(sandbox.root, "confirm", proposal, size=(100, 80), LC_ALL="C") as terminal:
        terminal.wait_for(PROMPT)
        assert "+café 你\n" in harmless(terminal.shown)
        terminal.type("q\n")
        assert terminal.finish() == 9
