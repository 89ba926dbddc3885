"""What a person types on a real terminal, and what it does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.support.pseudo_terminal import Dialogue, converse
from tests.support.sandbox import BIN, edit, replace

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

QUESTION = "to leave it pending: "


@pytest.fixture
def proposal(sandbox: Sandbox) -> str:
    return sandbox.propose(edit(replace("a.txt", "two", "zwei"), reason="translate"))


def confirm(sandbox: Sandbox, proposal: str, *dialogue: tuple[str, str]) -> Dialogue:
    return converse([os.path.join(BIN, "redline"), "confirm", proposal], sandbox.root, dialogue)


def status(sandbox: Sandbox, proposal: str) -> str:
    found: str = sandbox.redline("show", proposal, "--json").json["status"]
    return found


@pytest.mark.parametrize("typed", ["q", "", "y", "yes", "0000", "\x1b"])
def test_anything_but_the_short_code_leaves_it_pending(sandbox: Sandbox, proposal: str, typed: str) -> None:
    before = sandbox.tree()
    transcript = confirm(sandbox, proposal, (QUESTION, typed))
    assert transcript.code == 9
    assert (sandbox.tree(), status(sandbox, proposal)) == (before, "pending")


def test_the_whole_change_and_the_reason_are_shown_before_the_question(sandbox: Sandbox, proposal: str) -> None:
    shown = confirm(sandbox, proposal, (QUESTION, "q")).text.partition("Confirm?")[0]
    assert [
        text for text in ("translate", "a.txt", "-two", "+zwei", "1 file, 1 hunk, all shown") if text not in shown
    ] == []


def test_the_short_code_applies_it(sandbox: Sandbox, proposal: str) -> None:
    transcript = confirm(sandbox, proposal, (QUESTION, proposal[:4]))
    assert transcript.code == 0
    assert (sandbox.read("a.txt"), status(sandbox, proposal)) == (b"one\nzwei\nthree\n", "applied")
    receipt = sandbox.redline("receipt", proposal, "--json").json["receipt"]
    assert receipt["decided_by"] == {
        "name": "Ada Example",
        "email": "ada@example.org",
        "uid": os.getuid(),
        "level": "tty",
    }


def test_what_was_typed_ahead_is_no_answer(sandbox: Sandbox, proposal: str) -> None:
    """The code is on its way before the change is on the screen: it is thrown away, and q is what counts."""
    transcript = confirm(sandbox, proposal, ("", proposal[:4]), (QUESTION, "q"))
    assert transcript.code == 9
    assert status(sandbox, proposal) == "pending"


def test_n_declines_and_the_reason_is_kept(sandbox: Sandbox, proposal: str) -> None:
    before = sandbox.tree()
    transcript = confirm(sandbox, proposal, (QUESTION, "n"), ("Why?", "keep it English"))
    assert transcript.code == 3
    assert (sandbox.tree(), status(sandbox, proposal)) == (before, "declined")
    assert sandbox.redline("receipt", proposal, "--json").json["receipt"]["reason"] == "keep it English"


def test_a_digest_does_not_stand_for_a_terminal(sandbox: Sandbox, proposal: str) -> None:
    before = sandbox.tree()
    digest = sandbox.redline("show", proposal, "--json").json["digest"]
    refused = sandbox.redline("confirm", proposal, "--digest", digest, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (9, "CONFIRM_NO_TTY")
    assert (sandbox.tree(), status(sandbox, proposal)) == (before, "pending")
