"""The spine, end to end, through real processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.sandbox import edit, replace, write

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox


def test_an_edit_is_proposed_confirmed_and_replayed(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    before, git_before = sandbox.tree(), sandbox.git_state()
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei"), write("new/c.txt", "c\n")))
    assert sandbox.tree() == before

    applied = sandbox.confirm(proposal)
    assert (applied.code, applied.json["outcome"], applied.json["replayed"]) == (0, "applied", False)
    expected = dict(before)
    expected["a.txt"] = (0o644, b"one\nzwei\nthree\n")
    expected["new/c.txt"] = (0o644, b"c\n")
    assert sandbox.tree() == expected

    again = sandbox.confirm(proposal)
    assert (again.code, again.json["replayed"]) == (0, True)
    assert again.json["receipt"] == applied.json["receipt"]
    git_after = sandbox.git_state()
    git_before[".git/info/exclude"] = git_after[".git/info/exclude"]
    assert git_after == git_before
