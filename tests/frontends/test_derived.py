"""`redline undo` and `redline refresh`: new proposals from old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.sandbox import edit, replace, write

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

LINES = [str(number) for number in range(1, 31)]


def text(**words: str) -> bytes:
    """Thirty numbered lines; `_2="zwei"` replaces the second."""
    lines = list(LINES)
    for key, word in words.items():
        lines[int(key[1:]) - 1] = word
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    sandbox.allow_level_none()
    sandbox.write("n.txt", text())
    sandbox.write("run.sh", b"run\n", executable=True)
    return sandbox


def made(sandbox: Sandbox, command: str, proposal: str) -> Any:
    done = sandbox.redline(command, proposal, "--json")
    assert done.code == 0, (done.out, done.err)
    assert sandbox.redline("verify").code == 0
    return done.json


def status(sandbox: Sandbox, proposal: str) -> str:
    found: str = sandbox.redline("show", proposal, "--json").json["status"]
    return found


def everything(sandbox: Sandbox) -> str:
    """An edit of each kind."""
    return sandbox.propose(
        edit(
            {"op": "write", "path": "n.txt", "content": text(_2="zwei").decode()},
            write("new/er.txt", "neu\n"),
            {"op": "delete", "path": "src/b.py"},
            {"op": "move", "path": "a.txt", "to": "z.txt"},
            {"op": "write", "path": "run.sh", "content": "run\n", "executable": False},
        ),
        *("--session", "s1", "--author", "claude"),
    )


def test_undo_gives_back_every_byte_and_mode_and_undo_of_undo_takes_them_again(ready: Sandbox) -> None:
    before = ready.tree()
    proposal = everything(ready)
    assert ready.confirm(proposal).code == 0
    after = ready.tree()
    inverse = made(ready, "undo", proposal)
    assert ready.tree() == after
    assert inverse["derived"] == {"from": proposal, "how": "undo"}
    assert inverse["origin"]["author"] == "Ada Example"
    assert inverse["reason"] == f"undo of {proposal}: because"
    assert {change["path"]: change["renamed_from"] for change in inverse["changes"]} == {
        **dict.fromkeys(("n.txt", "new/er.txt", "run.sh", "src/b.py", "z.txt")),
        "a.txt": "z.txt",
    }
    assert ready.confirm(inverse["proposal"]).code == 0
    assert ready.tree() == before
    assert (status(ready, proposal), status(ready, inverse["proposal"])) == ("applied", "applied")
    again = made(ready, "undo", inverse["proposal"])
    assert ready.confirm(again["proposal"]).code == 0
    assert ready.tree() == after


def test_the_model_hears_that_its_edit_was_taken_back(ready: Sandbox) -> None:
    proposal = ready.propose(edit(replace("a.txt", "two", "zwei")), "--session", "s1")
    ready.confirm(proposal)
    ready.agent("feedback", "--session", "s1")
    inverse = made(ready, "undo", proposal)["proposal"]
    ready.confirm(inverse)
    assert ready.agent("feedback", "--session", "s1").text.splitlines()[0] == (
        f"{inverse}: applied: proposal {proposal} was taken back: a.txt."
    )


def test_what_others_wrote_since_is_not_taken_back(ready: Sandbox) -> None:
    proposal = ready.propose(edit(write("n.txt", text(_2="zwei").decode())))
    ready.confirm(proposal)
    ready.write("n.txt", text(_2="zwei", _20="by hand"))
    inverse = made(ready, "undo", proposal)
    assert [finding["code"] for finding in inverse["findings"]] == ["MERGED"]
    assert ready.confirm(inverse["proposal"]).code == 0
    assert ready.read("n.txt") == text(_20="by hand")


def test_an_undo_that_others_wrote_over_is_a_conflict_with_both_sides(ready: Sandbox) -> None:
    proposal = ready.propose(edit(write("n.txt", text(_2="zwei").decode()), write("new.txt", "neu\n")))
    ready.confirm(proposal)
    ready.write("n.txt", text(_2="ZWEI"))
    ready.write("new.txt", b"mine now\n")
    refused = ready.redline("undo", proposal, "--json")
    region = {"line": 2, "before": ["zwei"], "present": ["ZWEI"], "proposed": ["2"]}
    assert (refused.code, refused.json) == (
        4,
        {
            "conflicts": [
                {"path": "n.txt", "text": "was changed since in 1 region that this changes too", "regions": [region]},
                {"path": "new.txt", "text": "was changed since, and this deletes it", "regions": []},
            ]
        },
    )
    assert ready.redline("list", "--json").json == {"proposals": []}
    said = ready.redline("undo", proposal).err
    assert "nothing was stored: 2 files in conflict with the present tree\n" in said
    assert "      before   zwei\n      now      ZWEI\n      proposed 2\n" in said


@pytest.mark.parametrize("end", ["pending", "declined"])
def test_only_what_was_applied_is_undone(ready: Sandbox, end: str) -> None:
    proposal = ready.propose(edit(replace("a.txt", "two", "zwei")))
    if end == "declined":
        ready.redline("decline", proposal)
    refused = ready.redline("undo", proposal, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "NOT_APPLIED")


def test_a_part_is_undone_by_its_own_receipt(ready: Sandbox) -> None:
    proposal = ready.propose(edit(replace("a.txt", "two", "zwei"), write("c.txt", "c\n")))
    digest = ready.redline("show", proposal, "--json").json["digest"]
    part = ready.redline("confirm", proposal, "--digest", digest, "--only", "a.txt", "--json").json["proposal"]
    assert part[:7] in ready.redline("undo", proposal).err
    assert ready.confirm(made(ready, "undo", part)["proposal"]).code == 0
    assert ready.read("a.txt") == b"one\ntwo\nthree\n"


def test_refresh_brings_an_edit_to_the_present_file_and_its_end_to_the_old_proposal(ready: Sandbox) -> None:
    proposal = ready.propose(edit(write("n.txt", text(_2="zwei").decode())), "--session", "s1", "--author", "claude")
    ready.write("n.txt", text(_20="by hand"))
    fresh = made(ready, "refresh", proposal)
    assert fresh["derived"] == {"from": proposal, "how": "refresh"}
    assert (fresh["origin"]["author"], fresh["reason"], fresh["status"]) == ("claude", "because", "pending")
    assert ready.read("n.txt") == text(_20="by hand")
    assert ready.confirm(fresh["proposal"]).code == 0
    assert ready.read("n.txt") == text(_2="zwei", _20="by hand")
    assert status(ready, proposal) == "superseded"
    told = ready.agent("feedback", "--session", "s1", "--json").json["events"]
    assert [(event["proposal"], event["outcome"], event["successor"]) for event in told] == [
        (fresh["proposal"], "applied", None),
        (proposal, "superseded", fresh["proposal"]),
    ]


def test_a_stale_proposal_is_refreshed_and_keeps_its_end(ready: Sandbox) -> None:
    proposal = ready.propose(edit(write("n.txt", text(_2="zwei").decode())))
    ready.write("n.txt", text(_20="by hand"))
    assert ready.confirm(proposal).code == 4
    fresh = made(ready, "refresh", proposal)["proposal"]
    assert ready.confirm(fresh).code == 0
    assert (ready.read("n.txt"), status(ready, proposal)) == (text(_2="zwei", _20="by hand"), "stale")


def test_a_rename_is_refreshed_with_what_was_written_to_the_old_name(ready: Sandbox) -> None:
    proposal = ready.propose(edit({"op": "move", "path": "n.txt", "to": "m.txt"}))
    ready.write("n.txt", text(_20="by hand"))
    assert ready.confirm(made(ready, "refresh", proposal)["proposal"]).code == 0
    assert ready.read("m.txt") == text(_20="by hand")
    assert not (ready.root / "n.txt").exists()


@pytest.mark.parametrize(
    ("path", "edited", "now", "text_of_it"),
    [
        ("a.txt", {"op": "delete", "path": "a.txt"}, b"other\n", "was changed since, and this deletes it"),
        ("a.txt", replace("a.txt", "two", "zwei"), None, "is gone, and this changes it"),
        ("c.txt", write("c.txt", "c\n"), b"other\n", "exists now with another content, and this creates it"),
        ("a.txt", {"op": "move", "path": "a.txt", "to": "m.txt"}, None, "is gone, and this changes it"),
        ("a.txt", write("a.txt", "x\n"), b"\0\n", "is binary and was changed since: it cannot be merged"),
    ],
)
def test_what_cannot_be_merged_is_said_for_each_path(
    ready: Sandbox, path: str, edited: dict[str, object], now: bytes | None, text_of_it: str
) -> None:
    proposal = ready.propose(edit(edited))
    if now is None:
        (ready.root / path).unlink()
    else:
        ready.write(path, now)
    refused = ready.redline("refresh", proposal, "--json")
    assert (refused.code, refused.json) == (4, {"conflicts": [{"path": path, "text": text_of_it, "regions": []}]})
    assert status(ready, proposal) == "pending"


def test_refresh_says_where_it_is_not_needed(ready: Sandbox) -> None:
    proposal = ready.propose(edit(replace("a.txt", "two", "zwei")))
    refused = ready.redline("refresh", proposal, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "NOTHING_TO_REFRESH")
    ready.write("a.txt", b"one\nzwei\nthree\n")
    refused = ready.redline("refresh", proposal, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "ALREADY_IN_PLACE")
    ready.write("a.txt", b"one\ntwo\nthree\n")
    ready.confirm(proposal)
    refused = ready.redline("refresh", proposal, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "NOTHING_TO_REFRESH")


def test_a_policy_that_denies_the_path_now_stops_both(ready: Sandbox) -> None:
    proposal = ready.propose(edit(replace("a.txt", "two", "zwei")))
    ready.confirm(proposal)
    ready.write(".redline.toml", b'[paths]\ndeny = ["a.txt"]\n')
    refused = ready.redline("undo", proposal, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (5, "POLICY_DENIED")
