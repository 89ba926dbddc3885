"""Every item of the first issue's "Bad input" list, through real processes: refused in words, and nothing changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace as replace_fields
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from redline import app
from redline.core.proposal import Origin
from tests.frontends.support import assert_error_document, assert_one_clear_sentence, bytes_below, stored_state
from tests.support.sandbox import BIN, Result, Sandbox, edit, replace, write

if TYPE_CHECKING:
    from pathlib import Path

    from redline.core.proposal import Proposal

MIB = 1024 * 1024
SECRET = b"TOKEN=do-not-store-4711"


def _text(*edits: dict[str, object]) -> bytes:
    return json.dumps(edit(*edits)).encode()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Sandbox:
    """A plain folder that is no repository."""
    folder = tmp_path / "plain"
    folder.mkdir()
    return Sandbox(folder)


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    """A repository with a journal and one pending proposal."""
    sandbox.propose(edit(write("pending.txt", "p\n")))
    return sandbox


# Where it is run


@pytest.mark.parametrize("command", ["init", "list", "status", "propose -", "log", "verify", "recover", "show abcd"])
def test_outside_a_repository(elsewhere: Sandbox, command: str) -> None:
    words = command.split()
    assert_one_clear_sentence(elsewhere.redline(*words), 6, str(elsewhere.root), "is not in a git repository")
    assert_error_document(elsewhere.redline(*words, "--json"), 6, "NOT_A_REPOSITORY")
    assert list(elsewhere.root.iterdir()) == []


def test_the_agent_outside_a_repository(elsewhere: Sandbox) -> None:
    assert_one_clear_sentence(elsewhere.agent("propose", stdin=b"{}"), 6, "is not in a git repository")
    assert_error_document(elsewhere.agent("status", "--json"), 6, "NOT_A_REPOSITORY")


def test_a_folder_that_does_not_exist(elsewhere: Sandbox) -> None:
    assert_one_clear_sentence(elsewhere.redline("-C", "/nowhere/at/all", "list"), 6, "/nowhere/at/all")


def test_a_bare_repository(elsewhere: Sandbox) -> None:
    elsewhere.git("init", "-q", "--bare")
    before = elsewhere.tree()
    for command in ("init", "list", "status"):
        assert_one_clear_sentence(elsewhere.redline(command), 6, str(elsewhere.root), "bare repository")
        assert_error_document(elsewhere.redline(command, "--json"), 6, "BARE_REPOSITORY")
    assert elsewhere.tree() == before


def test_inside_the_git_folder(sandbox: Sandbox) -> None:
    assert_one_clear_sentence(sandbox.redline("list", folder=sandbox.root / ".git"), 6, ".git folder")
    assert_one_clear_sentence(sandbox.redline("list", folder=sandbox.root / ".git" / "refs"), 6, ".git folder")


def test_before_the_first_commit_it_works_and_the_base_is_absent(elsewhere: Sandbox) -> None:
    elsewhere.git("init", "-q")
    elsewhere.allow_level_none()
    proposal = elsewhere.propose(edit(write("first.txt", "1\n")))
    assert elsewhere.redline("show", proposal, "--json").json["base"] == {"head": None, "branch": "main"}
    assert elsewhere.confirm(proposal).code == 0
    assert elsewhere.tree() == {"first.txt": (0o644, b"1\n")}


def test_from_a_subdirectory_paths_still_begin_at_the_root(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    made = sandbox.redline(
        "propose", "--json", stdin=_text(replace("a.txt", "two", "zwei")), folder=sandbox.root / "src"
    )
    proposal = made.json["proposal"]
    assert [change["path"] for change in made.json["changes"]] == ["a.txt"]
    done = sandbox.redline("confirm", proposal, "--digest", made.json["digest"], folder=sandbox.root / "src")
    assert done.code == 0
    assert sandbox.read("a.txt") == b"one\nzwei\nthree\n"
    assert not (sandbox.root / "src" / ".proposals").exists()
    status = sandbox.redline("-C", str(sandbox.root / "src"), "status", "--json", folder=sandbox.root.parent)
    assert (status.code, status.json["pending"]) == (0, 0)


def test_a_linked_worktree_has_a_journal_of_its_own_and_the_main_one_stays_untouched(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    sandbox.propose(edit(write("pending.txt", "p\n")))
    sandbox.git("worktree", "add", "-q", "../linked", "-b", "side")
    linked = Sandbox(sandbox.root.parent / "linked")
    before = sandbox.tree(), sandbox.redline("list", "--json").out
    proposal = linked.propose(edit(replace("a.txt", "two", "zwei")))
    assert linked.redline("show", proposal, "--json").json["base"]["branch"] == "side"
    assert linked.confirm(proposal).code == 0
    assert linked.read("a.txt") == b"one\nzwei\nthree\n"
    assert (sandbox.tree(), sandbox.redline("list", "--json").out) == before
    assert linked.git("status", "--porcelain") == b" M a.txt\n"


GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")


@pytest.mark.parametrize("is_real", [False, True], ids=["nonsense", "another-repository"])
def test_what_a_hook_leaves_in_the_environment_has_no_effect(sandbox: Sandbox, tmp_path: Path, is_real: bool) -> None:
    sandbox.allow_level_none()
    decoy = Sandbox.make(tmp_path / "decoy")
    decoy_before = decoy.tree(), decoy.git_state()
    place = str(decoy.root / ".git") if is_real else "/nonsense"
    env: dict[str, Any] = dict.fromkeys(GIT_VARIABLES, place)
    if is_real:
        env |= {"GIT_WORK_TREE": str(decoy.root), "GIT_INDEX_FILE": f"{place}/index", "GIT_PREFIX": "src/"}
    made = sandbox.redline("propose", "--json", stdin=_text(replace("a.txt", "two", "zwei")), **env)
    assert (made.code, made.err) == (0, "")
    assert made.json["base"]["head"] == sandbox.git("rev-parse", "HEAD").decode().strip()
    proposal = made.json["proposal"]
    assert sandbox.redline("status", "--json", **env).json["pending"] == 1
    done = sandbox.redline("confirm", proposal, "--digest", made.json["digest"], **env)
    assert (done.code, sandbox.read("a.txt")) == (0, b"one\nzwei\nthree\n")
    assert (decoy.tree(), decoy.git_state()) == decoy_before
    assert not (decoy.root / ".proposals").exists()


# What is at .proposals


def _assert_journal_refused(sandbox: Sandbox, code: str, *named: str) -> None:
    """Every command of the person refuses it, and neither the tree nor git's files change."""
    before = sandbox.tree(), sandbox.git_state(), bytes_below(sandbox.root / ".proposals")
    stdin = _text(write("c.txt", "c\n"))
    for command in (["list"], ["status"], ["propose"]):
        assert_one_clear_sentence(sandbox.redline(*command, stdin=stdin), 6, *named)
    for command in (["propose"], ["confirm", "abcd"], ["log"], ["verify"]):
        assert_error_document(sandbox.redline(*command, "--json", stdin=stdin), 6, code)
    assert (sandbox.tree(), sandbox.git_state(), bytes_below(sandbox.root / ".proposals")) == before


def test_proposals_that_came_with_a_clone(ready: Sandbox, tmp_path: Path) -> None:
    ready.git("add", "-f", ".proposals/journal.sqlite3")
    ready.git("commit", "-q", "-m", "journal")
    ready.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Sandbox(tmp_path / "clone")
    (clone.root / ".proposals").chmod(0o700)
    (clone.root / ".proposals" / "journal.sqlite3").chmod(0o600)
    _assert_journal_refused(clone, "JOURNAL_UNTRUSTED", str(clone.root / ".proposals"))
    assert_one_clear_sentence(clone.redline("init"), 6, "tracked by git")
    assert_one_clear_sentence(clone.redline("init", "--adopt"), 6, "tracked by git")


def test_a_repository_copied_with_its_proposals_is_refused_until_adopted(ready: Sandbox, tmp_path: Path) -> None:
    shutil.copytree(ready.root, tmp_path / "copy")
    copy = Sandbox(tmp_path / "copy")
    _assert_journal_refused(copy, "JOURNAL_UNTRUSTED", str(copy.root / ".proposals"))
    assert copy.redline("init", "--adopt").code == 0
    assert copy.redline("status", "--json").json["pending"] == 1


@pytest.mark.parametrize("target", ["folder", "file", "nothing"])
def test_proposals_that_are_a_link(sandbox: Sandbox, tmp_path: Path, target: str) -> None:
    other = Sandbox.make(tmp_path / "other")
    other.redline("init")
    places = {"folder": other.root / ".proposals", "file": other.root / "a.txt", "nothing": tmp_path / "none"}
    (sandbox.root / ".proposals").symlink_to(places[target])
    before = other.tree(), bytes_below(other.root / ".proposals")
    _assert_journal_refused(sandbox, "JOURNAL_UNTRUSTED", str(sandbox.root / ".proposals"))
    assert_one_clear_sentence(sandbox.redline("init"), 6, str(sandbox.root / ".proposals"))
    assert (other.tree(), bytes_below(other.root / ".proposals")) == before


def test_a_journal_file_that_is_a_link(ready: Sandbox) -> None:
    journal = ready.root / ".proposals" / "journal.sqlite3"
    journal.rename(ready.root.parent / "moved")
    journal.symlink_to(ready.root.parent / "moved")
    _assert_journal_refused(ready, "JOURNAL_UNTRUSTED", str(journal))


@pytest.mark.parametrize("name", ["", "journal.sqlite3"])
def test_proposals_that_others_could_change(ready: Sandbox, name: str) -> None:
    place = ready.root / ".proposals" / name
    place.chmod(0o777 if not name else 0o666)
    _assert_journal_refused(ready, "JOURNAL_PERMS", str(ready.root / ".proposals"))


def _in_journal(sandbox: Sandbox, *statements: str) -> None:
    script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\n[c.execute(s) for s in sys.argv[2:]]\nc.commit()"
    path = str(sandbox.root / ".proposals" / "journal.sqlite3")
    subprocess.run([sys.executable, "-c", script, path, *statements], check=True)


def test_a_journal_of_a_newer_schema(ready: Sandbox) -> None:
    _in_journal(ready, "PRAGMA user_version = 999")
    _assert_journal_refused(ready, "JOURNAL_VERSION", str(ready.root / ".proposals" / "journal.sqlite3"))


def test_a_journal_with_a_trigger_of_somebody_else(ready: Sandbox) -> None:
    _in_journal(ready, "CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT 1; END")
    result = ready.redline("list")
    assert_one_clear_sentence(result, 6, str(ready.root / ".proposals" / "journal.sqlite3"))


@pytest.mark.parametrize("how", ["overwritten", "truncated", "empty"])
def test_a_corrupt_journal(ready: Sandbox, how: str) -> None:
    journal = ready.root / ".proposals" / "journal.sqlite3"
    data = journal.read_bytes()
    bad = {"overwritten": b"\xff" * len(data), "truncated": data[: len(data) // 3], "empty": b""}[how]
    journal.write_bytes(bad)
    before = ready.tree(), ready.git_state()
    for command in (["list"], ["status"], ["propose"], ["verify"]):
        result = ready.redline(*command, stdin=_text(write("c.txt", "c\n")))
        assert_one_clear_sentence(result, 6, "journal.sqlite3")
    assert (ready.tree(), ready.git_state()) == before
    assert journal.read_bytes() == bad


def test_a_full_disk_stores_nothing_and_loses_nothing(sandbox: Sandbox) -> None:
    """`.proposals` on a file system of 400 kB, mounted in a name space of its own."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs the right to unshare(1) mounts")
    (sandbox.root / ".proposals").mkdir(mode=0o700)
    incompressible = os.urandom(600_000).hex()
    (sandbox.root.parent / "big.json").write_bytes(_text(write("big.txt", incompressible)))
    (sandbox.root.parent / "small.json").write_bytes(_text(write("small.txt", "s\n")))
    redline = os.path.join(BIN, "redline")
    script = f"""
        mount -t tmpfs -o size=400k,mode=700 none .proposals
        {redline} init >/dev/null && {redline} propose ../small.json >/dev/null
        {redline} list --json >../before.json
        {redline} propose ../big.json >../out 2>../err; echo $? >../code
        {redline} propose ../big.json --json >../document.json 2>/dev/null
        {redline} list --json >../after.json && {redline} verify >../verified
        head -c 1000k /dev/zero >.proposals/fill 2>/dev/null
        {redline} propose ../small.json >/dev/null 2>../err-full; echo $? >../code-full
        {redline} list --json >../after-full.json
    """
    before = sandbox.tree()
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=sandbox.root, capture_output=True, check=False)
    if b"mount:" in done.stderr:
        pytest.skip("a small file system cannot be mounted here")
    found = {path.name: path.read_bytes() for path in sandbox.root.parent.iterdir() if path.is_file()}
    assert found["code"] == b"6\n", (found, done.stderr)
    assert_one_clear_sentence(Result(6, found["out"], found["err"].decode()), 6, str(sandbox.root / ".proposals"))
    assert json.loads(found["document.json"])["error"]["code"] == "JOURNAL_FULL"
    assert found["after.json"] == found["before.json"]
    assert b"whole" in found["verified"]
    assert found["code-full"] == b"6\n", found
    assert found["after-full.json"] == found["before.json"]
    assert sandbox.tree() == before


# Two at once, and names of proposals


def test_two_commands_at_once_are_both_done_and_recorded_once_each(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    with ThreadPoolExecutor(6) as pool:
        texts = [_text(write(f"new{number}.txt", f"{number}\n")) for number in range(6)]
        made = list(pool.map(lambda text: sandbox.redline("propose", "--json", stdin=text), texts))
        assert [result.code for result in made] == [0] * 6, [result.err for result in made]
        first = made[0].json
        done = list(
            pool.map(
                lambda _: sandbox.redline("confirm", first["proposal"], "--digest", first["digest"], "--json"), range(4)
            )
        )
    assert [result.code for result in done] == [0] * 4
    assert sorted(result.json["replayed"] for result in done) == [False, True, True, True]
    assert len({json.dumps(result.json["receipt"], sort_keys=True) for result in done}) == 1
    assert len(sandbox.redline("list", "--status", "all", "--json").json["proposals"]) == 6
    assert len(sandbox.redline("log", "--json").json["events"]) == 1
    assert sandbox.redline("verify").code == 0


def test_a_name_that_no_proposal_has(ready: Sandbox) -> None:
    before = stored_state(ready)
    for prefix in ("0000000000000000", "abc", "", "zzzz", "ABCD", "a" * 17, "%", "abcd'--"):
        error = assert_error_document(ready.redline("show", prefix, "--json"), 9, "NOT_AUTHORIZED")
        assert f"{prefix!a}" in error["message"]
    for command in ("show", "confirm", "decline", "receipt"):
        assert_one_clear_sentence(ready.redline(command, "ffff"), 9, "'ffff'")
    assert_error_document(ready.agent("status", "ffff", "--json"), 9, "NOT_AUTHORIZED")
    assert stored_state(ready) == before


def test_a_name_that_two_proposals_have(sandbox: Sandbox) -> None:
    ids = _ids_that_begin_alike(sandbox)
    before = stored_state(sandbox)
    for command in ("show", "confirm", "decline", "receipt"):
        assert_one_clear_sentence(sandbox.redline(command, ids[0][:4]), 2, *ids)
    error = assert_error_document(sandbox.redline("show", ids[0][:4], "--json"), 2, "ID_AMBIGUOUS")
    assert error["details"] == {"ids": ids}
    assert stored_state(sandbox) == before
    assert sandbox.redline("show", ids[0], "--json").json["proposal"] == ids[0]


def _ids_that_begin_alike(sandbox: Sandbox) -> list[str]:
    """Store the same edit at two instants whose ids were found, without storing anything, to begin alike."""
    sandbox.redline("init")
    start = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
    sample = _prepare(sandbox, start)
    seen: dict[str, datetime] = {}
    for microseconds in range(1, 4000):
        instant = start + timedelta(microseconds=microseconds)
        moved = replace_fields(sample, created_at=instant, expires_at=instant + (sample.expires_at - start))
        earlier = seen.setdefault(moved.id[:4], instant)
        if earlier != instant:
            return sorted(_prepare(sandbox, at).id for at in (earlier, instant))
    pytest.fail("no two of 4000 ids begin alike")


def _prepare(sandbox: Sandbox, at: datetime) -> Proposal:
    with app.model(str(sandbox.root), app.World(clock=lambda: at)) as desk:
        request = app.request(
            text=_text(write("n.txt", "n\n")),
            origin=Origin("model", None, None, None),
            format=None,
            path=None,
            strip=None,
            reason="",
            lifetime=None,
        )
        return desk.prepare(request).proposal


# Texts


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" \n\t\r\n ",
        b"\x00\xff\xfe\x01" * 100,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"just some words\n",
        b"\n" * 5000,
    ],
    ids=["empty", "blank", "binary", "png", "prose", "newlines"],
)
def test_a_text_that_is_no_edit(ready: Sandbox, text: bytes) -> None:
    before = stored_state(ready)
    assert_one_clear_sentence(ready.redline("propose", stdin=text), 5)
    document = ready.redline("propose", "--json", stdin=text)
    assert_error_document(document, 5, document.json["error"]["code"])
    assert_one_clear_sentence(ready.agent("propose", stdin=text), 5)
    assert stored_state(ready) == before


# A small process in between: a child's peak counts what its parent had when it was forked.
_MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
unit = 1 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("program", ["redline", "redline-agent"])
@pytest.mark.parametrize("is_endless", [False, True], ids=["one-byte-more", "endless"])
def test_a_text_of_more_than_16_mib_is_refused_in_bounded_memory(
    ready: Sandbox, program: str, is_endless: bool
) -> None:
    before = stored_state(ready)
    source = "/dev/zero" if is_endless else str(ready.root.parent / "large")
    if not is_endless:
        (ready.root.parent / "large").write_bytes(b"x" * (16 * MIB + 1))
    with open(source, "rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, os.path.join(BIN, program), "propose", "--json"],
            cwd=ready.root,
            stdin=file,
            capture_output=True,
            check=False,
        )
    error = assert_error_document(Result(done.returncode, done.stdout, ""), 5, "LIMIT_SIZE")
    assert error["details"] == {"limit_bytes": 16 * MIB}
    assert int(done.stderr) < 200 * MIB
    assert stored_state(ready) == before


def test_a_text_of_exactly_16_mib_is_taken_when_it_fits_the_limits(sandbox: Sandbox) -> None:
    result = sandbox.redline("propose", "--path", "large.txt", "--json", stdin=(b"x" * 4095 + b"\n") * 4096)
    assert (result.code, result.json["changes"][0]["after"]["size"]) == (0, 16 * MIB)


def test_a_file_that_cannot_be_read(ready: Sandbox) -> None:
    assert_one_clear_sentence(ready.redline("propose", "/no/such/file"), 2, "/no/such/file")
    assert_one_clear_sentence(ready.redline("propose", str(ready.root)), 2, str(ready.root))


# Paths


def _obstacles(sandbox: Sandbox) -> None:
    root = sandbox.root
    sandbox.write(".gitignore", b"secret.env\nbuild/\n")
    sandbox.write("secret.env", SECRET)
    sandbox.write("outside-target.txt", b"x\n")
    (root.parent / "outside").mkdir()
    (root.parent / "outside" / "victim.txt").write_bytes(b"victim\n")
    (root / "link.txt").symlink_to("a.txt")
    (root / "out-link.txt").symlink_to("../outside/victim.txt")
    (root / "out-folder").symlink_to("../outside")
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    nested = Sandbox.make(root / "nested")
    nested.git("status")
    sandbox.git("add", ".gitignore")


PATHS = [
    ("/etc/hosts", "PATH_ABSOLUTE"),
    ("../outside/victim.txt", "PATH_TRAVERSAL"),
    ("src/../../outside/victim.txt", "PATH_TRAVERSAL"),
    (".", "PATH_TRAVERSAL"),
    ("", "PATH_TRAVERSAL"),
    ("a\\b", "PATH_BACKSLASH"),
    ("x\x1b[2J", "PATH_CONTROL"),
    ("src", "PATH_NOT_REGULAR"),
    ("a.txt/below", "PATH_NOT_REGULAR"),
    ("pipe", "PATH_NOT_REGULAR"),
    ("link.txt", "PATH_SYMLINK"),
    ("out-link.txt", "PATH_SYMLINK"),
    ("dangling", "PATH_SYMLINK"),
    (".git/config", "PATH_GIT"),
    (".GIT/config", "PATH_GIT"),
    ("nested/.git/config", "PATH_GIT"),
    (".proposals/journal.sqlite3", "PATH_SELF"),
    (".proposals/new", "PATH_SELF"),
    (".redline.toml", "PATH_SELF"),
    ("nested/a.txt", "PATH_SUBMODULE"),
    ("secret.env", "PATH_IGNORED"),
    ("build/new.o", "PATH_IGNORED"),
]


def test_a_path_that_may_not_be_written_is_refused_by_name_with_its_own_code(ready: Sandbox) -> None:
    _obstacles(ready)
    before = stored_state(ready)
    for path, code in PATHS:
        _assert_path_refused(ready, path, code)
    for path, _ in PATHS[::3]:
        assert_one_clear_sentence(ready.redline("propose", stdin=_text(replace(path, "a", "b"))), 5)
    assert stored_state(ready) == before


def _assert_path_refused(sandbox: Sandbox, path: str, code: str) -> None:
    started = time.monotonic()
    result = sandbox.redline("propose", "--json", stdin=_text(write(path, "evil\n")))
    assert time.monotonic() - started < 2, path
    error = assert_error_document(result, 5, code)
    assert ascii(path).strip("'") in error["message"], error


def test_a_path_below_a_symbolic_link_is_refused(ready: Sandbox) -> None:
    _obstacles(ready)
    before = stored_state(ready)
    for path in ("out-folder/victim.txt", "out-folder/new.txt"):
        _assert_path_refused(ready, path, "PATH_SYMLINK")
    assert stored_state(ready) == before
    assert (ready.root.parent / "outside" / "victim.txt").read_bytes() == b"victim\n"


def test_one_bad_path_among_good_ones_refuses_the_whole_text(ready: Sandbox) -> None:
    _obstacles(ready)
    before = stored_state(ready)
    for path, code in (("secret.env", "PATH_IGNORED"), ("link.txt", "PATH_SYMLINK"), ("../x", "PATH_TRAVERSAL")):
        text = _text(replace("a.txt", "two", "zwei"), {"op": "delete", "path": path})
        assert_error_document(ready.redline("propose", "--json", stdin=text), 5, code)
    assert stored_state(ready) == before


def test_the_content_of_an_ignored_file_is_stored_nowhere(ready: Sandbox) -> None:
    _obstacles(ready)
    diff = b"--- a/secret.env\n+++ b/secret.env\n@@ -1 +1 @@\n-" + SECRET + b"\n+x\n"
    move = _text({"op": "move", "path": "secret.env", "to": "public.env"})
    for text in (_text({"op": "delete", "path": "secret.env"}), _text(replace("secret.env", "TOKEN", "x")), move, diff):
        assert ready.redline("propose", stdin=text).code == 5
    for folder in (ready.root / ".proposals", ready.root.parent / "home"):
        assert SECRET not in bytes_below(folder)
        assert b"do-not-store" not in bytes_below(folder)


def test_a_submodule_is_refused(ready: Sandbox, tmp_path: Path) -> None:
    library = Sandbox.make(tmp_path / "library")
    ready.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    before = stored_state(ready)
    assert_error_document(ready.redline("propose", "--json", stdin=_text(write("lib", "x\n"))), 5, "PATH_NOT_REGULAR")
    for path in ("lib/a.txt", "lib/new.txt"):
        error = assert_error_document(
            ready.redline("propose", "--json", stdin=_text(write(path, "x\n"))), 5, "PATH_SUBMODULE"
        )
        assert path in error["message"]
    error = assert_error_document(
        ready.redline("propose", "--json", stdin=_text(write(".gitmodules", "x\n"))), 5, "PATH_SUBMODULE"
    )
    assert ".gitmodules" in error["message"]
    assert stored_state(ready) == before
