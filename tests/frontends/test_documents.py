"""The JSON documents and patches that other programs read: keys, types, one ASCII document, `git apply`-able bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from redline.intake import FORMATS
from tests.frontends.support import assert_error_document
from tests.support.sandbox import Result, Sandbox, edit, replace, write

if TYPE_CHECKING:
    from pathlib import Path

# As CONTRACT lists them; behind `|` what redline adds.
PROPOSAL = (
    "proposal digest status origin reason base created_at expires_at changes findings leniencies derived depends_on"
)
CHANGE = "path kind before after renamed_from drifted insertions deletions hunks"
LISTED = PROPOSAL
LISTED_CHANGE = "path kind before after renamed_from drifted insertions deletions"
STATE = "oid sha256 mode size"
FINDING = "code severity path line text"
ENDED = "proposal outcome replayed receipt"
RECEIPT = "proposal digest outcome decided_by decided_at committed_at reason changes detail review successor seq chain"
ANSWER = "proposal outcome reason comments applied declined diffstat"
EXTRA = {"answer": {"detail", "seq", "replaced", "on_disk", "derived", "successor"}, "status": {"status"}}

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
SHA256 = re.compile(r"[0-9a-f]{64}")
OID = re.compile(r"[0-9a-f]{40}")


def _one_document(result: Result, code: int = 0) -> Any:
    assert (result.code, result.err) == (code, "")
    assert result.out.isascii()
    assert result.out.endswith(b"\n")
    assert result.out.count(b"\n") == 1
    return json.loads(result.out)


def _has_keys(document: dict[str, Any], keys: str, extra: frozenset[str] | set[str] = frozenset()) -> None:
    assert set(document) == set(keys.split()) | extra


def _is_state(state: dict[str, Any] | None) -> None:
    if state is None:
        return
    _has_keys(state, STATE)
    assert OID.fullmatch(state["oid"])
    assert SHA256.fullmatch(state["sha256"])
    assert state["mode"] in {"100644", "100755"}
    assert type(state["size"]) is int


def _is_receipt(receipt: dict[str, Any]) -> None:
    _has_keys(receipt, RECEIPT)
    assert SHA256.fullmatch(receipt["digest"])
    assert SHA256.fullmatch(receipt["chain"])
    assert type(receipt["seq"]) is int
    assert INSTANT.fullmatch(receipt["committed_at"])
    if receipt["decided_by"] is not None:
        _has_keys(receipt["decided_by"], "name email uid level")
        assert type(receipt["decided_by"]["uid"]) is int
        assert INSTANT.fullmatch(receipt["decided_at"])
    for change in receipt["changes"]:
        _has_keys(change, "path before after")
        _is_state(change["before"])
        _is_state(change["after"])


def test_no_command_but_confirm_touches_git_or_the_tree(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    sandbox.redline("init")
    before = sandbox.tree(), sandbox.git_state()
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei")), "--session", "s1")
    other = sandbox.propose(edit(replace("a.txt", "one", "eins")))
    for command in (
        ["init"],
        ["list"],
        ["show", proposal],
        ["status"],
        ["log"],
        ["recover"],
        ["verify"],
        ["decline", other],
        ["receipt", other],
        ["log", other],
    ):
        assert sandbox.redline(*command).code == 0, command
        assert (sandbox.tree(), sandbox.git_state()) == before, command
    for command in (["status"], ["feedback", "--session", "s1"], ["feedback"]):
        assert sandbox.agent(*command).code == 0, command
        assert (sandbox.tree(), sandbox.git_state()) == before, command
    assert sandbox.confirm(proposal).code == 0
    tree, git_state = before
    assert (sandbox.tree(), sandbox.git_state()) == (tree | {"a.txt": (0o644, b"one\nzwei\nthree\n")}, git_state)
    third = sandbox.propose(edit(replace("a.txt", "three", "drei")))
    assert sandbox.agent("withdraw", third).code == 0
    assert sandbox.git_state() == git_state


def test_a_proposal_document(sandbox: Sandbox) -> None:
    text = edit(replace("a.txt", "two", "zw\u00f6lf"), write("src/new.py", "x = '\u202e'\n"), reason="\u00fcber\nzwei")
    options = ["--author", "claude-code", "--session", "s1", "--task", "t1", "--tool-call", "c1", "--ttl", "1h"]
    made = _one_document(sandbox.redline("propose", "--json", *options, stdin=json.dumps(text).encode()))
    shown = _one_document(sandbox.redline("show", made["proposal"], "--json"))
    assert shown == made
    _has_keys(made, PROPOSAL)
    assert re.fullmatch(r"[0-9a-f]{16}", made["proposal"])
    assert made["digest"].startswith(made["proposal"])
    assert SHA256.fullmatch(made["digest"])
    assert (made["status"], made["reason"], made["derived"]) == ("pending", "\u00fcber\nzwei", None)
    assert made["origin"] == {"author": "claude-code", "session": "s1", "task": "t1", "tool_call": "c1"}
    assert made["base"] == {"head": sandbox.git("rev-parse", "HEAD").decode().strip(), "branch": "main"}
    assert INSTANT.fullmatch(made["created_at"])
    assert INSTANT.fullmatch(made["expires_at"])
    edited, created = made["changes"]
    for change in (edited, created):
        _has_keys(change, CHANGE)
        _is_state(change["before"])
        _is_state(change["after"])
        assert [set(hunk) for hunk in change["hunks"]] == [{"id", "header"}]
    assert (edited["path"], edited["kind"], edited["drifted"]) == ("a.txt", "edit", False)
    assert (edited["insertions"], edited["deletions"], edited["renamed_from"]) == (1, 1, None)
    assert edited["before"]["oid"] == sandbox.git("rev-parse", "HEAD:a.txt").decode().strip()
    assert edited["before"]["size"] == 14
    assert (created["kind"], created["before"], created["after"]["mode"]) == ("create", None, "100644")
    (finding,) = [finding for finding in made["findings"] if finding["code"] == "BIDI"]
    _has_keys(finding, FINDING)
    assert (finding["severity"], finding["path"], finding["line"]) == ("critical", "src/new.py", 1)
    sandbox.write("a.txt", b"mine\n")
    after = _one_document(sandbox.redline("show", made["proposal"], "--json"))
    assert [change["drifted"] for change in after["changes"]] == [True, False]


def test_list_and_status_documents(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    assert _one_document(sandbox.redline("list", "--json")) == {"proposals": []}
    first = sandbox.propose(edit(replace("a.txt", "two", "zwei")), "--session", "s1")
    second = sandbox.propose(edit(write("src/c.py", "c\n")))
    sandbox.redline("decline", second, "-m", "no")
    sandbox.write("a.txt", b"mine\n")
    pending = _one_document(sandbox.redline("list", "--json"))
    assert list(pending) == ["proposals"]
    (listed,) = pending["proposals"]
    _has_keys(listed, LISTED)
    _has_keys(listed["changes"][0], LISTED_CHANGE)
    assert (listed["proposal"], listed["status"], listed["changes"][0]["drifted"]) == (first, "pending", True)
    assert (listed["changes"][0]["insertions"], listed["changes"][0]["deletions"]) == (1, 1)
    for options, expected in (
        (["--status", "all"], [second, first]),
        (["--status", "declined"], [second]),
        (["--status", "applied"], []),
        (["--status", "all", "--session", "s1"], [first]),
        (["--status", "all", "--path", "src/*"], [second]),
    ):
        found = _one_document(sandbox.redline("list", "--json", *options))["proposals"]
        assert [proposal["proposal"] for proposal in found] == expected
    status = _one_document(sandbox.redline("status", "--json"))
    assert list(status) == ["pending", "drifted", "unfinished", "journal"]
    assert (status["pending"], status["drifted"], status["unfinished"]) == (1, 1, 0)
    assert (set(status["journal"]), status["journal"]["seq"]) == ({"seq", "chain"}, 4)
    assert SHA256.fullmatch(status["journal"]["chain"])


def test_documents_of_every_end(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    ids = [sandbox.propose(edit(write(f"{name}.txt", f"{name}\n")), "--session", "s1") for name in "abcd"]
    sandbox.write("c.txt", b"mine\n")
    applied = _one_document(sandbox.confirm(ids[1]))
    stale = _one_document(sandbox.confirm(ids[2]), 4)
    withdrawn = _one_document(sandbox.agent("withdraw", ids[3], "--json"))
    ended = {"applied": applied, "stale": stale, "withdrawn": withdrawn}
    declined = _one_document(sandbox.redline("decline", ids[0], "-m", "nein \u2014 danke", "--json"))
    ended["declined"] = declined
    for outcome, document in ended.items():
        _has_keys(document, ENDED)
        assert (document["outcome"], document["replayed"]) == (outcome, False)
        assert document["receipt"]["outcome"] == outcome
        assert document["receipt"]["proposal"] == document["proposal"]
        _is_receipt(document["receipt"])
        again = _one_document(sandbox.redline("receipt", document["proposal"], "--json"))
        assert again == {**document, "replayed": True}
    assert applied["receipt"]["decided_by"]["level"] == "none"
    assert applied["receipt"]["decided_by"]["name"] == "Ada Example"
    assert declined["receipt"]["reason"] == "nein \u2014 danke"
    assert withdrawn["receipt"]["decided_by"] is None
    assert _one_document(sandbox.confirm(ids[1])) == {**applied, "replayed": True}
    log = _one_document(sandbox.redline("log", "--json"))
    assert log == {"events": [ended[name] for name in ("declined", "withdrawn", "stale", "applied")]}
    feedback = _one_document(sandbox.agent("feedback", "--session", "s1", "--json"))
    assert list(feedback) == ["events", "cursor"]
    assert feedback["cursor"] == declined["receipt"]["seq"]
    for event in feedback["events"]:
        _has_keys(event, ANSWER, EXTRA["answer"])
        assert event["comments"] == []
    by_outcome = {event["outcome"]: event for event in feedback["events"]}
    assert by_outcome["declined"]["reason"] == "nein \u2014 danke"
    assert by_outcome["applied"]["declined"] == []
    assert [name.split("#")[0] for name in by_outcome["applied"]["applied"]] == ["b.txt"]


def test_several_ids_give_one_document(sandbox: Sandbox) -> None:
    ids = [sandbox.propose(edit(write(f"{name}.txt", f"{name}\n"))) for name in "ab"]
    document = _one_document(sandbox.redline("decline", *ids, "--json"))
    assert [result["proposal"] for result in document["results"]] == ids


ERRORS = [
    (["show", "ffff", "--json"], 9, "NOT_AUTHORIZED"),
    (["receipt", "PENDING", "--json"], 2, "NO_RECEIPT"),
    (["confirm", "PENDING", "--json"], 9, "CONFIRM_NO_TTY"),
    (["propose", "--json"], 5, "FORMAT_UNKNOWN"),
    (["log", "--since", "yesterdayish", "--json"], 2, "USAGE"),
    (["show", "--json"], 2, "USAGE"),
    (["list", "--json", "--no-such-option"], 2, "USAGE"),
    (["nonsense", "--json"], 2, "USAGE"),
    (["propose", "--ttl", "soon", "--json"], 2, "USAGE"),
    (["propose", "--format", "nonsense", "--json"], 2, "USAGE"),
]


def test_error_documents(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.txt", "c\n")))
    for arguments, code, name in ERRORS:
        words = [proposal if word == "PENDING" else word for word in arguments]
        result = sandbox.redline(*words, stdin=b"prose\n")
        assert result.err == "", arguments
        assert_error_document(result, code, name)


def test_confirming_another_digest_or_an_altered_intent_is_a_mismatch(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    shown = sandbox.redline("show", proposal, "--json").json
    before = sandbox.tree()
    assert_error_document(
        sandbox.redline("confirm", proposal, "--digest", "0" * 64, "--json"), 11, "CONFIRMATION_MISMATCH"
    )
    altered = [
        {**shown, "reason": "another"},
        {**shown, "approved": True},
        {key: value for key, value in shown.items() if key != "findings"},
        {**shown, "changes": [{**shown["changes"][0], "insertions": True}]},
    ]
    for intent in altered:
        result = sandbox.redline("confirm", proposal, "--intent", "-", "--json", stdin=json.dumps(intent).encode())
        assert_error_document(result, 11, "CONFIRMATION_MISMATCH")
    assert sandbox.tree() == before
    done = sandbox.redline("confirm", proposal, "--intent", "-", "--json", stdin=json.dumps(shown).encode())
    assert _one_document(done)["outcome"] == "applied"


# Patches


def _diff(sandbox: Sandbox, *changed: tuple[str, bytes | None]) -> bytes:
    """What git itself says of some changed files; the tree is put back."""
    for path, data in changed:
        if data is None:
            (sandbox.root / path).unlink()
        else:
            sandbox.write(path, data)
    sandbox.git("add", "-A", "-N", ".")
    diff = sandbox.git("diff", "HEAD", "--binary", "--full-index", "--no-renames")
    sandbox.git("reset", "-q", "--hard")
    sandbox.git("clean", "-qfd", "-e", ".proposals")
    return diff


BEFORE = {
    "crlf.txt": b"one\r\ntwo\r\nthree\r\n",
    "no-end.txt": b"one\ntwo",
    "empty.txt": b"",
    "with space.txt": b"one\n",
    "na\u00efve \u6f22.txt": b"\xc3\xa9\n",
    "latin1.txt": b"caf\xe9\n",
    "binary.bin": bytes(range(256)),
    "script.sh": b"#!/bin/sh\n",
    "odd ends.txt": b"a\x0cb\x0bc\xe2\x80\xa8d\x85e\rf\n",
    "dashes.sql": b"-- old comment\n++ plus\nkeep\n",
}


@pytest.fixture
def varied(sandbox: Sandbox) -> Sandbox:
    for path, data in BEFORE.items():
        sandbox.write(path, data)
    sandbox.git("add", ".")
    sandbox.git("commit", "-q", "-m", "varied")
    sandbox.redline("init")
    return sandbox


NATIVE: dict[str, list[dict[str, object]]] = {
    "edit": [replace("a.txt", "two", "zwei")],
    "create": [write("deep/er/new.txt", "new\n")],
    "create-executable": [write("run.sh", "#!/bin/sh\n", executable=True)],
    "create-empty": [write("new empty.txt", "")],
    "delete": [{"op": "delete", "path": "a.txt"}],
    "delete-empty": [{"op": "delete", "path": "empty.txt"}],
    "fill-empty": [write("empty.txt", "now\n")],
    "empty-a-file": [write("a.txt", "")],
    "mode": [write("script.sh", "#!/bin/sh\n", executable=True)],
    "mode-and-content": [write("script.sh", "#!/bin/bash\n", executable=True)],
    "rename": [{"op": "move", "path": "a.txt", "to": "moved dir/a.txt"}],
    "rename-empty": [{"op": "move", "path": "empty.txt", "to": "void.txt"}],
    "lose-final-newline": [write("a.txt", "one\ntwo\nthree")],
    "gain-final-newline": [write("no-end.txt", "one\ntwo\n")],
    "edit-without-final-newline": [replace("no-end.txt", "one", "eins")],
    "crlf": [replace("crlf.txt", "two", "zwei")],
    "blank-in-name": [replace("with space.txt", "one", "eins")],
    "beyond-ascii-name": [replace("na\u00efve \u6f22.txt", "\u00e9", "\u00fc")],
    "odd-line-ends": [replace("odd ends.txt", "f", "g")],
    "lines-like-headers": [
        write("dashes.sql", "- old comment\n+ plus\n-- new\n++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n")
    ],
    "several": [replace("a.txt", "two", "zwei"), write("z.txt", "z\n"), {"op": "delete", "path": "crlf.txt"}],
}


def test_git_apply_accepts_every_patch_and_every_plain_show(varied: Sandbox) -> None:
    reason = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nGIT binary patch\n-- \n"
    for name, edits in NATIVE.items():
        made = varied.redline("propose", "--json", stdin=json.dumps(edit(*edits, reason=reason)).encode())
        assert made.code == 0, (name, made.out)
        _applies(varied, made.json, name, plain=name in {"edit", "rename", "several"})


def _applies(sandbox: Sandbox, made: dict[str, Any], name: str, *, plain: bool = False) -> None:
    """`git apply` takes the patch, and the whole of `show` in a pipe where `plain`; it reads just the right paths."""
    patch = sandbox.redline("show", made["proposal"], "--patch")
    assert (patch.code, patch.err) == (0, ""), name
    shown = [patch.out]
    if plain:
        shown.append(sandbox.redline("show", made["proposal"]).out)
        assert shown[1].endswith(patch.out), name
    moved = {change["renamed_from"] for change in made["changes"]}
    paths = sorted(change["path"] for change in made["changes"] if change["path"] not in moved)
    for text in shown:
        checked = subprocess.run(
            ["git", "apply", "--check", "-"], cwd=sandbox.root, input=text, capture_output=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, b""), (name, text)
        named = sandbox.git("apply", "--numstat", "-z", "-", stdin=text).split(b"\0")
        assert sorted(entry.split(b"\t")[2].decode() for entry in named if entry) == paths, name


DIFFS: dict[str, tuple[str, bytes | None]] = {
    "binary-edit": ("binary.bin", bytes(reversed(range(256)))),
    "binary-create": ("new.bin", b"\x00\x01\x02" * 50),
    "binary-delete": ("binary.bin", None),
    "binary-to-text": ("binary.bin", b"text now\n"),
    "text-to-binary": ("a.txt", b"\x00now binary"),
    "not-utf-8": ("latin1.txt", b"caf\xe9 au lait\n"),
    "large": ("a.txt", b"".join(b"line %d\n" % number for number in range(5000))),
    "crlf-to-lf": ("crlf.txt", b"one\ntwo\nthree\n"),
}


def test_git_apply_accepts_what_came_as_a_diff(varied: Sandbox) -> None:
    for name, changed in DIFFS.items():
        made = varied.redline("propose", "--json", stdin=_diff(varied, changed))
        assert made.code == 0, (name, made.out)
        _applies(varied, made.json, name)


def test_what_git_apply_writes_is_what_confirm_writes(varied: Sandbox, tmp_path: Path) -> None:
    varied.allow_level_none()
    edits = [edit for name in ("edit", "create-executable", "mode", "rename-empty", "crlf") for edit in NATIVE[name]]
    proposal = varied.propose(edit(*edits))
    varied.git("worktree", "add", "-q", "--detach", str(tmp_path / "twin"))
    twin = Sandbox(tmp_path / "twin")
    twin.git("apply", "-", stdin=varied.redline("show", proposal, "--patch").out)
    assert varied.confirm(proposal).code == 0
    assert varied.tree() == {path: state for path, state in twin.tree().items() if path != ".git"}


def test_stat_names_each_path_once(varied: Sandbox) -> None:
    proposal = varied.propose(edit(*NATIVE["several"]))
    assert varied.redline("show", proposal, "--stat").text.splitlines() == [
        "a.txt  edited  +1 \u22121",
        "crlf.txt  deleted  +0 \u22123",
        "z.txt  new file  +1 \u22120",
    ]


def test_an_absolute_path_below_the_root_names_the_same_file(sandbox: Sandbox) -> None:
    os.symlink(sandbox.root, sandbox.root.parent / "link")
    for program in (sandbox.redline, sandbox.agent):
        for root in (sandbox.root, sandbox.root.parent / "link"):
            result = program("propose", "--path", f"{root}/src/new.py", "--json", stdin=b"x = 1\n")
            assert [change["path"] for change in _one_document(result)["changes"]] == ["src/new.py"]
    for outside in (f"{sandbox.root.parent}/new.py", f"{sandbox.root}x/new.py", str(sandbox.root)):
        refused = sandbox.redline("propose", "--path", outside, "--json", stdin=b"x = 1\n")
        assert_error_document(refused, 5, "PATH_ABSOLUTE")


def test_an_unknown_format_is_a_usage_error_that_names_the_formats(sandbox: Sandbox) -> None:
    error = assert_error_document(sandbox.redline("propose", "--format", "foo", "--json"), 2, "USAGE")
    assert all(name in error["message"] for name in FORMATS)
