"""Files that change while they are reviewed, and reviews that end by a signal or without a terminal."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING, Any

import pytest

from redline.core.lifecycle import Outcome
from tests.frontends.tui.conftest import GERMAN, text
from tests.frontends.tui.support import LOOK, WIDE, Desk, drive, typed
from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import BIN

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tests.support.sandbox import Sandbox


def changing(person: Desk, path: str, data: bytes) -> Any:
    """Change a file, as another program does, and wait until the review can have seen it."""

    async def change(pilot: Pilot[Any]) -> None:
        person.sandbox.write(path, data)
        await pilot.pause(1.5)

    return change


def test_drift_is_marked_at_once_and_cannot_be_confirmed(person: Desk, proposal: str) -> None:
    change = changing(person, "n.txt", b"mine\n")
    seen = person.review(proposal, change, size=WIDE)
    assert "! n.txt" in seen.text
    assert "n.txt  edited  +4 \u22124  changed since this was proposed" in seen.text
    keys = ("enter", LOOK, *typed(f"{proposal[:4]} unseen"), "enter")
    refused = person.review(proposal, change, *keys)
    assert refused.answer is None
    for said in ("Changed under it: 1", f"`redline refresh {proposal[:7]}`", "It cannot be confirmed as it is."):
        assert said in refused.text
    assert person.sandbox.read("n.txt") == b"mine\n"


def test_drift_comes_to_an_open_confirm_screen(person: Desk, proposal: str) -> None:
    keys = (*["space"] * 4, "enter", LOOK, changing(person, "n.txt", b"mine\n"), *typed(proposal[:4]), "enter")
    seen = person.review(proposal, *keys)
    assert seen.answer is None
    assert "Changed under it: 1" in seen.text


def test_parts_of_other_files_can_be_confirmed(person: Desk, proposal: str) -> None:
    person.sandbox.write("n.txt", b"mine\n")
    keys = ("d", "space", "enter", LOOK, *typed(proposal[:4]), "enter", "enter")
    ended = person.carry_out(person.review(proposal, *keys))
    assert ended.filed.receipt.outcome is Outcome.APPLIED
    assert (person.sandbox.read("n.txt"), person.sandbox.read("z.txt")) == (b"mine\n", b"neu\n")


def test_what_drifted_can_be_declined(person: Desk, proposal: str) -> None:
    person.sandbox.write("n.txt", b"mine\n")
    seen = person.review(proposal, "x", LOOK, *typed("late"), "enter")
    assert person.carry_out(seen).filed.receipt.outcome is Outcome.DECLINED


def test_what_is_there_already_is_recorded_without_a_write(person: Desk, proposal: str) -> None:
    person.sandbox.write("n.txt", text(**GERMAN).encode())
    person.sandbox.write("z.txt", b"neu\n")
    keys = (*["space"] * 4, "enter", LOOK, *typed(proposal[:4]), "enter")
    seen = person.review(proposal, *keys[:-5])
    assert "The files hold all of this already" in seen.text
    assert person.carry_out(person.review(proposal, *keys)).filed.receipt.outcome is Outcome.APPLIED


def test_the_list_shows_what_waits_and_what_drifted(person: Desk, proposal: str) -> None:
    from tests.support.sandbox import edit, write

    other = person.sandbox.propose(edit(write("o.txt", "o\n"), reason="newer [b]one[/]"))
    person.sandbox.write("n.txt", b"mine\n")
    seen = drive(person.redline, None, ())
    assert seen.lines[0] == "2 proposals wait for you"
    assert seen.lines[2].startswith(f"\u25b6 {other[:7]}  pending")
    assert seen.lines[3].startswith(f"  {proposal[:7]}  drifted")
    assert "n.txt changed since this was proposed" in seen.lines[4]
    opened = drive(person.redline, None, ("enter",))
    assert "newer [b]one[/]" in opened.text
    back = drive(person.redline, None, ("enter", "y", "q"))
    assert back.lines[0] == "2 proposals wait for you"
    assert drive(person.redline, None, ("j", "enter")).text.count(proposal[:7]) > 1
    assert drive(person.redline, None, ("q",)).answer is None
    kept = drive(person.redline, None, ("enter",)).review
    assert kept is not None
    assert [word.value for word in kept.draft.verdicts.values()] == ["take"]


SIGNALS = [(signal.SIGTERM, 130), (signal.SIGHUP, -signal.SIGHUP), (signal.SIGINT, 130)]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_keeps_the_draft_and_writes_nothing(sandbox: Sandbox, proposal: str, number: int, code: int) -> None:
    before = sandbox.tree()
    with on_terminal(sandbox.root, "review", proposal) as terminal:
        terminal.wait_for("Enter: confirm")
        terminal.type("n")
        terminal.wait_for("1 left")
        os.kill(terminal._process, number)
        assert terminal.finish() == code
    assert sandbox.tree() == before
    with on_terminal(sandbox.root, "review", proposal) as terminal:
        terminal.wait_for("goes on where you left it")
        terminal.type("q")
        assert terminal.finish() == 9


def test_without_a_terminal_or_with_a_dumb_one_it_says_what_to_do(sandbox: Sandbox, proposal: str) -> None:
    for arguments in ((proposal,), ()):
        result = sandbox.redline("review", *arguments)
        assert result.code == 9
        assert "there is no terminal" in result.err
    with on_terminal(sandbox.root, "review", proposal, TERM="dumb") as terminal:
        assert terminal.finish() == 9
    assert f"`redline review {proposal} --plain`" in terminal.text


def test_it_runs_on_the_terminal_whatever_the_streams_are(sandbox: Sandbox, proposal: str) -> None:
    command = f"{os.path.join(BIN, 'redline')} review {proposal} </dev/null >out 2>err"
    with on_terminal(sandbox.root, "/bin/sh", "-c", command) as terminal:
        terminal.wait_for("Enter: confirm")
        terminal.type("q")
        assert terminal.finish() == 9
    assert "is left pending" in sandbox.read("err").decode()


def test_without_colour_no_colour_is_sent(sandbox: Sandbox, proposal: str) -> None:
    with on_terminal(sandbox.root, "review", proposal, NO_COLOR="1") as terminal:
        terminal.wait_for("Enter: confirm")
        terminal.type("yn")
        terminal.wait_for("1 left")
        terminal.type("q")
        terminal.finish()
    styles = re.findall(rb"\x1b\[([0-9;]*)m", terminal.shown)
    codes = {int(code) for style in styles for code in style.split(b";") if code}
    assert codes <= {0, 1, 2, 4, 7, 39, 49}
    assert "\u2717" in terminal.shown.decode()
