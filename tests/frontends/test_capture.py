"""`redline capture`: uncommitted changes become a proposal, and confirming it brings every byte and mode back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from redline import app
from redline.core.plan import PUT_BACK, Step, WritePlan, steps_of
from tests.frontends.support import assert_one_clear_sentence

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    sandbox.allow_level_none()
    sandbox.write(".gitignore", b"*.log\n")
    sandbox.write("moved.txt", b"the same bytes\n")
    sandbox.write("run.sh", b"run\n")
    sandbox.write("data.bin", bytes(range(256)))
    sandbox.write("gone/deep.txt", b"deep\n")
    sandbox.git("add", ".")
    sandbox.git("commit", "-q", "-m", "more")
    assert sandbox.redline("init").code == 0
    return sandbox


def change_all(sandbox: Sandbox) -> None:
    """An uncommitted change of each kind."""
    sandbox.write("a.txt", b"one\nzwei\nthree\n")
    (sandbox.root / "moved.txt").rename(sandbox.root / "src" / "moved.txt")
    (sandbox.root / "run.sh").chmod(0o755)
    sandbox.write("data.bin", bytes(range(255, -1, -1)))
    (sandbox.root / "gone" / "deep.txt").unlink()
    (sandbox.root / "gone").rmdir()
    sandbox.write("new/er.txt", b"neu\n")
    sandbox.write("noise.log", b"ignored\n")


def capture(sandbox: Sandbox, *arguments: str) -> Any:
    done = sandbox.redline("capture", "--json", *arguments)
    assert (done.code, done.err) == (0, ""), done
    assert sandbox.redline("verify").code == 0
    return done.json


def test_everything_uncommitted_is_captured_and_confirming_brings_it_back(ready: Sandbox) -> None:
    committed, index = ready.tree(), ready.git_state()[".git/index"]
    change_all(ready)
    changed = ready.tree()
    made = capture(ready, "--reason", "by hand", "--author", "codex")
    assert ready.tree() == {**committed, "noise.log": (0o644, b"ignored\n")}
    assert ready.git_state()[".git/index"] == index
    assert (made["status"], made["reason"], made["origin"]["author"]) == ("pending", "by hand", "codex")
    assert {(change["path"], change["kind"], change["renamed_from"]) for change in made["changes"]} == {
        ("a.txt", "edit", None),
        ("data.bin", "edit", None),
        ("gone/deep.txt", "delete", None),
        ("moved.txt", "delete", None),
        ("new/er.txt", "create", None),
        ("run.sh", "mode", None),
        ("src/moved.txt", "create", "moved.txt"),
    }
    ready.check_patch(made["proposal"])
    done = ready.confirm(made["proposal"])
    assert (done.code, done.json["outcome"]) == (0, "applied")
    assert ready.tree() == changed


def test_the_journal_says_that_the_files_were_put_back(ready: Sandbox) -> None:
    ready.write("a.txt", b"mine\n")
    made = capture(ready)
    (shown,) = ready.redline("list", "--json").json["proposals"]
    assert (shown["proposal"], shown["changes"][0]["drifted"]) == (made["proposal"], False)
    history = ready.redline("log", made["proposal"]).text.splitlines()
    assert [line.split()[2] for line in history if " journal " in line] == ["proposed", "intent", "put_back"]


def test_keep_leaves_the_files_and_in_place_settles_it(ready: Sandbox) -> None:
    change_all(ready)
    changed = ready.tree()
    made = capture(ready, "--keep")
    assert ready.tree() == changed
    done = ready.redline("confirm", made["proposal"], "--in-place", "--digest", made["digest"], "--json")
    assert (done.code, done.json["outcome"]) == (0, "applied")
    assert ready.tree() == changed


def test_a_capture_after_keep_is_the_same_proposal_put_back(ready: Sandbox) -> None:
    committed = ready.tree()
    ready.write("a.txt", b"mine\n")
    kept = capture(ready, "--keep")
    made = capture(ready)
    assert (made["proposal"], ready.tree()) == (kept["proposal"], committed)


def test_only_what_is_named_is_captured_from_where_one_stands(ready: Sandbox) -> None:
    ready.write("a.txt", b"mine\n")
    ready.write("src/b.py", b"mine\n")
    ready.write("src/deep/c.py", b"mine\n")
    done = ready.redline("capture", "--json", ".", folder=ready.root / "src")
    assert [change["path"] for change in done.json["changes"]] == ["src/b.py", "src/deep/c.py"]
    assert ready.read("a.txt") == b"mine\n"
    by_folder = ready.redline("-C", str(ready.root / "src"), "capture", "--json", "../a.txt")
    assert [change["path"] for change in by_folder.json["changes"]] == ["a.txt"]


def test_a_name_without_a_change_or_outside_is_a_usage_error(ready: Sandbox) -> None:
    before = ready.tree()
    assert_one_clear_sentence(ready.redline("capture", "a.txt"), 2)
    assert_one_clear_sentence(ready.redline("capture", "../elsewhere"), 2)
    assert ready.tree() == before


def test_nothing_uncommitted_is_said_and_nothing_stored(ready: Sandbox) -> None:
    ready.write("noise.log", b"ignored\n")
    (ready.root / "a.txt").touch()
    done = ready.redline("capture")
    assert (done.code, done.text) == (0, "nothing is uncommitted: there is nothing to capture\n")
    assert ready.redline("list", "--json").json == {"proposals": []}


def test_what_is_staged_stays_staged_and_the_files_are_put_back(ready: Sandbox) -> None:
    committed = ready.tree()
    ready.write("a.txt", b"staged\n")
    ready.write("added.txt", b"added\n")
    ready.git("add", ".")
    ready.write("a.txt", b"staged, then edited\n")
    staged = ready.git("diff", "--cached")
    done = ready.redline("capture")
    assert done.code == 0
    assert "stays staged" in done.text
    assert (ready.git("diff", "--cached"), ready.tree()) == (staged, committed)


def test_before_the_first_commit_every_file_is_new(tmp_path: Path, sandbox: Sandbox) -> None:
    fresh = type(sandbox)(tmp_path / "fresh")
    fresh.root.mkdir()
    fresh.git("init", "-q")
    fresh.write("one.txt", b"1\n")
    fresh.write("two.txt", b"2\n")
    fresh.git("add", "two.txt")
    done = fresh.redline("capture", "--json")
    assert [(change["path"], change["kind"]) for change in done.json["changes"]] == [
        ("one.txt", "create"),
        ("two.txt", "create"),
    ]
    assert fresh.tree() == {}


def link(sandbox: Sandbox) -> None:
    (sandbox.root / "odd").symlink_to("a.txt")


def link_in_place_of_a_file(sandbox: Sandbox) -> None:
    (sandbox.root / "src" / "b.py").unlink()
    (sandbox.root / "src" / "b.py").symlink_to("../a.txt")


def nested_repository(sandbox: Sandbox) -> None:
    type(sandbox).make(sandbox.root / "odd")


def submodule(sandbox: Sandbox) -> None:
    inner = type(sandbox).make(sandbox.root / "odd")
    sandbox.git("add", "odd")
    sandbox.git("commit", "-q", "-m", "submodule")
    inner.git("commit", "-q", "--allow-empty", "-m", "further")


def unmerged(sandbox: Sandbox) -> None:
    oid = sandbox.git("rev-parse", "HEAD:a.txt").decode().strip()
    lines = [f"0 {'0' * 40}\ta.txt", *(f"100644 {oid} {stage}\ta.txt" for stage in (1, 2, 3))]
    sandbox.git("update-index", "--index-info", stdin="".join(f"{line}\n" for line in lines).encode())


def read_only(sandbox: Sandbox) -> None:
    sandbox.write("new.txt", b"n\n")
    (sandbox.root / "new.txt").chmod(0o444)


@pytest.mark.parametrize(
    ("arrange", "named"),
    [
        (link, "odd is a symbolic link"),
        (link_in_place_of_a_file, "src/b.py is a symbolic link"),
        (nested_repository, "odd/ is another repository"),
        (submodule, "odd is a submodule"),
        (unmerged, "a.txt is in the middle of a merge"),
        (read_only, "new.txt is read-only"),
    ],
)
def test_what_cannot_be_captured_is_named_and_nothing_happens(ready: Sandbox, arrange: Any, named: str) -> None:
    arrange(ready)
    ready.write("run.sh", b"mine\n")
    before = ready.tree()
    done = ready.redline("capture")
    assert_one_clear_sentence(done, 5)
    assert f"nothing was captured: {named}" in done.err
    assert ready.tree() == before
    assert ready.redline("list", "--json").json == {"proposals": []}
    assert [change["path"] for change in capture(ready, "run.sh")["changes"]] == ["run.sh"]


@pytest.mark.parametrize(
    ("attributes", "settings", "why"),
    [
        ("a.txt eol=crlf\n", {}, "CRLF line ends applies"),
        ("a.txt text\n", {"core.eol": "crlf"}, "CRLF line ends applies"),
        ("", {"core.autocrlf": "true"}, "CRLF line ends applies"),
        ("a.txt filter=upper\n", {}, "the filter 'upper' applies"),
        ("a.txt working-tree-encoding=UTF-16\n", {}, "the encoding 'UTF-16' applies"),
        ("a.txt text eol=lf\n", {"core.autocrlf": "true"}, ""),
        ("a.txt -text\n", {"core.autocrlf": "true"}, ""),
        ("a.txt ident\n", {}, ""),
        ("* text=auto\n", {"core.autocrlf": "input"}, ""),
    ],
)
def test_a_file_that_a_checkout_would_convert_is_refused(
    ready: Sandbox, attributes: str, settings: dict[str, str], why: str
) -> None:
    ready.write(".gitattributes", attributes.encode())
    ready.git("add", ".gitattributes")
    ready.git("commit", "-q", "-m", "attributes")
    for name, value in settings.items():
        ready.git("config", name, value)
    ready.write("a.txt", b"mine\n")
    done = ready.redline("capture")
    assert (done.code, why in done.err) == ((5, True) if why else (0, True))
    assert ready.read("a.txt") == (b"mine\n" if why else b"one\ntwo\nthree\n")


def test_attributes_count_as_head_has_them_and_as_the_person_and_the_repository_add(ready: Sandbox) -> None:
    ready.write(".gitattributes", b"a.txt eol=crlf\n")
    ready.write("a.txt", b"mine\n")
    assert ready.redline("capture", "a.txt").code == 0  # HEAD knows no attributes yet
    ready.write("a.txt", b"mine\n")
    private = ready.root / ".git" / "info" / "attributes"
    private.write_text("a.txt eol=crlf\n")
    assert ready.redline("capture", "a.txt").code == 5
    private.unlink()
    own = os.path.join(os.environ["XDG_CONFIG_HOME"], "git", "attributes")
    with open(own, "w", encoding="ascii") as file:
        file.write("a.txt eol=crlf\n")
    assert ready.redline("capture", "a.txt").code == 5


def test_no_configured_program_runs(ready: Sandbox, tmp_path: Path) -> None:
    """Not even for a file whose time equals the index's, which git reads anew (racy git)."""
    ran = tmp_path / "ran"
    ready.write(".gitattributes", b"*.txt filter=spy diff=spy\n")
    ready.git("add", ".")
    ready.git("commit", "-q", "-m", "attributes")
    for name in ("filter.spy.clean", "filter.spy.smudge", "diff.spy.textconv", "core.fsmonitor"):
        ready.git("config", name, f"touch {ran}; cat")
    hook = ready.root / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    ready.write("src/b.py", b"mine\n")
    stamp = os.stat(ready.root / ".git" / "index").st_mtime_ns
    os.utime(ready.root / "a.txt", ns=(stamp, stamp))
    assert ready.redline("capture", "--json").code == 0
    assert not ran.exists()


def test_a_split_index_is_read(ready: Sandbox) -> None:
    ready.git("update-index", "--split-index")
    ready.write("a.txt", b"mine\n")
    assert [change["path"] for change in capture(ready)["changes"]] == ["a.txt"]


def test_a_file_written_while_it_is_put_back_keeps_its_bytes(ready: Sandbox) -> None:
    """Somebody has it open for writing: nothing is put back, the proposal is there, and the capture can be repeated."""
    ready.write("a.txt", b"mine\n")
    with open(ready.root / "a.txt", "r+b") as busy:
        done = ready.redline("capture")
        assert (done.code, "a.txt" in done.err) == (6, True), done
        busy.write(b"more\n")
    assert ready.read("a.txt") == b"more\n"
    assert len(ready.redline("list", "--json").json["proposals"]) == 1
    made = capture(ready)
    assert ready.read("a.txt") == b"one\ntwo\nthree\n"
    assert ready.confirm(made["proposal"]).code == 0
    assert ready.read("a.txt") == b"more\n"


@pytest.fixture
def cut_off(ready: Sandbox) -> str:
    """A capture that died right after its intent; the proposal's id."""
    ready.write("a.txt", b"mine\n")
    made = capture(ready, "--keep")
    app.start()
    with app.person(str(ready.root), app.World()) as redline:
        proposal = redline.viewer.preview(made["proposal"]).proposal
        steps = tuple(Step(step.path, step.after, step.before) for step in steps_of(proposal.changes))
        with redline._lock.hold() as held, redline._journal.writing(held) as appender:
            plan = WritePlan(proposal.id, proposal.id, steps, ())
            appender.open_intent(plan, {PUT_BACK: proposal.digest, "by": {}}, app.utc_now())
    assert ready.redline("status", "--json").json["unfinished"] == 1
    return proposal.id


def test_recover_tells_that_a_capture_was_cut_off_and_is_still_pending(ready: Sandbox, cut_off: str) -> None:
    assert ready.redline("recover").text == (
        f"{cut_off[:7]}: its capture was cut off; every file is as before\n"
        "  Next: the same `redline capture` goes on; the proposal is still pending.\n"
    )
    assert ready.read("a.txt") == b"mine\n"
    assert ready.redline("recover", "--json").json == {"rolled_back": [], "pending": [], "kept": []}


def test_the_same_capture_settles_the_one_that_was_cut_off_and_goes_on(ready: Sandbox, cut_off: str) -> None:
    done = ready.redline("capture", "--json")
    assert (done.code, done.json["proposal"]) == (0, cut_off)
    assert f"note: a capture, of {cut_off[:7]}, had been cut off" in done.err
    assert ready.read("a.txt") == b"one\ntwo\nthree\n"
    history = ready.redline("log", cut_off).text.splitlines()
    kinds = [line.split()[2] for line in history if " journal " in line]
    assert kinds == ["proposed", "intent", "interrupted", "intent", "put_back"]
