"""A rename through the whole program: shown as one, counted once, applied whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import edit, replace

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

MOVE: dict[str, object] = {"op": "move", "path": "a.txt", "to": "b.txt"}


def test_a_rename_is_shown_with_its_edit_and_confirmed_by_what_was_shown(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(MOVE, replace("b.txt", "two", "zwei")))
    shown = sandbox.redline("show", proposal, "--json")
    counts = [
        (change["path"], change["kind"], change["insertions"], change["deletions"], len(change["hunks"]))
        for change in shown.json["changes"]
    ]
    assert counts == [("a.txt", "delete", 0, 0, 0), ("b.txt", "create", 1, 1, 1)]
    (listed,) = sandbox.redline("list", "--json").json["proposals"]
    assert [(change["insertions"], change["deletions"]) for change in listed["changes"]] == [(0, 0), (1, 1)]
    with on_terminal(sandbox.root, "show", proposal) as terminal:
        assert terminal.finish() == 0
    lines = terminal.text.splitlines()
    start = lines.index("a.txt  renamed to b.txt  +0 \u22120")
    (hunk,) = shown.json["changes"][1]["hunks"]
    assert lines[start + 1 : -2] == [
        "",
        "b.txt  renamed from a.txt  +1 \u22121",
        f"@@ -1,3 +1,3 @@  #{hunk['id']}",
        "1 1  one",
        "2   -two",
        "  2 +zwei",
        "3 3  three",
    ]
    sandbox.allow_level_none()
    intent = json.dumps(shown.json).encode()
    assert sandbox.redline("confirm", proposal, "--intent", "-", stdin=intent).code == 0
    assert (sorted(sandbox.tree()), sandbox.read("b.txt")) == (["b.txt", "src/b.py"], b"one\nzwei\nthree\n")
