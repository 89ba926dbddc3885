"""`redline confirm --only` and `--in-place`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pseudo_terminal import converse
from tests.support.sandbox import BIN, edit, replace, write

if TYPE_CHECKING:
    from tests.support.sandbox import Result, Sandbox

QUESTION = "to leave it pending: "


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    sandbox.allow_level_none()
    return sandbox


@pytest.fixture
def proposal(ready: Sandbox) -> str:
    return ready.propose(edit(replace("a.txt", "two", "zwei"), write("c/d.txt", "neu\n")), "--session", "s1")


def confirm(sandbox: Sandbox, proposal: str, *options: str) -> Result:
    digest = sandbox.redline("show", proposal, "--json").json["digest"]
    return sandbox.redline("confirm", proposal, "--digest", digest, "--json", *options)


def show(sandbox: Sandbox, proposal: str) -> Any:
    return sandbox.redline("show", proposal, "--json").json


@pytest.mark.parametrize("selector", ["a.txt", "*.txt#", "[ab].txt", "HUNK", "HUN"])
def test_a_path_a_glob_and_a_hunk_select(ready: Sandbox, proposal: str, selector: str) -> None:
    (hunk,) = show(ready, proposal)["changes"][0]["hunks"]
    named = {"HUNK": f"a.txt#{hunk['id']}", "HUN": f"a.txt#{hunk['id'][:5]}", "*.txt#": "a*"}.get(selector, selector)
    done = confirm(ready, proposal, "--only", named, "-m", "not the new file")
    assert done.code == 0
    assert ready.read("a.txt") == b"one\nzwei\nthree\n"
    assert not (ready.root / "c").exists()
    receipt = done.json["receipt"]
    assert (receipt["outcome"], receipt["detail"]) == ("applied", f"1 of 2 parts of {proposal[:7]}")
    assert show(ready, proposal)["status"] == "superseded"
    assert show(ready, done.json["proposal"])["derived"] == {"from": proposal, "how": "amend"}
    told = ready.agent("feedback", "--session", "s1").text
    assert told == (
        f"{proposal}: applied in part: 1 of 2 parts as you proposed them.\n"
        "  The person's reason: not the new file\n"
        f"  Applied: a.txt#{hunk['id']}.\n"
        f"  Declined, so NOT in the files: {receipt['review']['shares']['declined'][0]}.\n"
        f"  On disk now: a.txt, SHA-256 {receipt['changes'][0]['after']['sha256']}.\n"
        "  Read these files again before you change them; do not propose the declined parts again as they were.\n"
    )


def test_the_same_selection_again_writes_nothing(ready: Sandbox, proposal: str) -> None:
    first = confirm(ready, proposal, "--only", "a.txt").json
    inode = os.stat(ready.root / "a.txt").st_ino
    again = confirm(ready, proposal, "--only", "a.txt")
    assert (again.code, again.json) == (0, {**first, "replayed": True})
    assert confirm(ready, proposal).code == 3
    assert os.stat(ready.root / "a.txt").st_ino == inode


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--only", "nothing.txt"], "NO_SUCH_PART"),
        (["--only", "a.txt", "-m", "x" * 2001], "LIMIT_REASON"),
        (["-m", "why"], "USAGE"),
        (["--in-place"], "NOT_IN_PLACE"),
    ],
)
def test_what_has_no_meaning_is_refused(ready: Sandbox, proposal: str, options: list[str], code: str) -> None:
    before = ready.tree()
    refused = confirm(ready, proposal, *options)
    assert (refused.code, refused.json["error"]["code"]) == (2, code)
    assert (ready.tree(), show(ready, proposal)["status"]) == (before, "pending")


def test_on_a_terminal_only_what_is_selected_is_shown_and_asked(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei"), write("c/d.txt", "neu\n")))
    command = [os.path.join(BIN, "redline"), "confirm", proposal, "--only", "c/d.txt"]
    shown = converse(command, sandbox.root, [(QUESTION, proposal[:4])])
    assert shown.code == 0
    assert "+neu" in shown.text
    assert "zwei" not in shown.text
    assert f"1 file, 1 hunk, all shown; 1 part of {proposal[:7]} declined. Confirm?" in shown.text
    assert (sandbox.read("a.txt"), sandbox.read("c/d.txt")) == (b"one\ntwo\nthree\n", b"neu\n")


def test_what_is_in_the_files_already_is_recorded_on_request_and_nothing_written(ready: Sandbox, proposal: str) -> None:
    other = ready.propose(edit(replace("a.txt", "two", "zwei"), write("c/d.txt", "neu\n"), reason="the same"))
    assert confirm(ready, proposal).code == 0
    inode = os.stat(ready.root / "a.txt").st_ino
    done = confirm(ready, other, "--in-place")
    assert (done.code, done.json["receipt"]["outcome"]) == (0, "applied")
    assert done.json["receipt"]["detail"] == "every file held this already: nothing was written"
    assert os.stat(ready.root / "a.txt").st_ino == inode


def test_a_part_of_it_in_the_files_is_drift(ready: Sandbox, proposal: str) -> None:
    ready.write("a.txt", b"one\nzwei\nthree\n")
    assert confirm(ready, proposal, "--in-place").code == 4
    assert show(ready, proposal)["status"] == "stale"


def test_on_a_terminal_a_person_is_told_that_nothing_will_be_written(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    sandbox.write("a.txt", b"one\nzwei\nthree\n")
    done = converse([os.path.join(BIN, "redline"), "confirm", proposal], sandbox.root, [(QUESTION, proposal[:4])])
    assert done.code == 0
    assert "The files hold all of this already: confirming records it, and writes nothing." in done.text
    assert show(sandbox, proposal)["status"] == "applied"
