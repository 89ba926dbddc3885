"""git as a subprocess: right answers, and nothing of a hostile repository is run (checklist 2.5)."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.sandbox import Sandbox

from redline.adapters.git import runner
from redline.adapters.git.diff import DiffEngine
from redline.adapters.git.discovery import find
from redline.adapters.git.environment import scrub
from redline.adapters.git.repository import GitRepository, exclude_proposals
from redline.adapters.git.runner import GitRunner, git_executable
from redline.core.change import ContentChange
from redline.core.content import Content, Mode, ObjectFormat, blob_id
from redline.core.paths import RepoPath
from redline.core.proposal import Base
from redline.errors import GitFailed, RepositoryFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def open_repository(root: Path) -> GitRepository:
    return GitRepository(find(str(root)))


def ignored(root: Path, *paths: str) -> set[str]:
    return {str(path) for path in open_repository(root).ignored(map(RepoPath, paths))}


# --- ignore rules -----------------------------------------------------------------------------------------------------


def test_ignore_rules_of_every_source_hold(sandbox: Sandbox) -> None:
    sandbox.write(".gitignore", b"*.log\n/build/\n!keep.log\n")
    sandbox.write("src/.gitignore", b"local.cfg\n")
    with open(sandbox.root / ".git" / "info" / "exclude", "a", encoding="utf-8") as file:
        file.write("private/\n")
    asked = ["x.log", "d/x.log", "keep.log", "build/a", "src/local.cfg", "local.cfg", "private/x", "a.txt", "new.txt"]
    assert ignored(sandbox.root, *asked) == {"x.log", "d/x.log", "build/a", "src/local.cfg", "private/x"}
    assert ignored(sandbox.root) == set()


def test_a_tracked_file_is_never_ignored(sandbox: Sandbox) -> None:
    sandbox.write("kept.log", b"")
    sandbox.git("add", "-f", "kept.log")
    sandbox.write(".gitignore", b"*.log\n")
    assert ignored(sandbox.root, "kept.log", "other.log") == {"other.log"}


def test_the_persons_own_excludes_hold(sandbox: Sandbox, tmp_path: Path) -> None:
    default = tmp_path / "home" / "config" / "git" / "ignore"
    default.write_text(".env\n")
    assert ignored(sandbox.root, ".env", "a.env", "x") == {".env"}
    (tmp_path / "home" / "mine").write_text("*.swp\n")
    subprocess.run(["git", "config", "--global", "core.excludesFile", "~/mine"], check=True)
    assert ignored(sandbox.root, ".env", "x.swp") == {"x.swp"}


@pytest.mark.parametrize(
    "name",
    [
        "ab:(top)x",
        "-x",
        "--stdin",
        "a b",
        "é.log",
        "日本.log",
        "*",
        "[a]",
        "\\#x"[1:],
        'q"u',
        " lead",
        "$(touch x)",
    ],
)
def test_a_strange_name_is_taken_literally(sandbox: Sandbox, name: str) -> None:
    # S108, S109
    path = f"dir/{name}"
    sandbox.write(".gitignore", b"dir/\n")
    assert ignored(sandbox.root, path) == {path}
    assert ignored(sandbox.root, name) == set()


def test_a_thousand_paths_are_asked_in_one_go(sandbox: Sandbox) -> None:
    sandbox.write(".gitignore", b"*.log\n")
    paths = [f"d{number}/{'x' * 100}.{'log' if number % 2 else 'txt'}" for number in range(1000)]
    assert ignored(sandbox.root, *paths) == {path for path in paths if path.endswith(".log")}


def test_a_git_that_hangs_is_ended(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    # S127: git waits for a writer of the pipe
    monkeypatch.setattr(runner, "TIMEOUT_S", 0.3)
    os.mkfifo(sandbox.root / "src" / ".gitignore")
    with pytest.raises(GitFailed) as failure:
        ignored(sandbox.root, "src/x")
    assert failure.value.code == "GIT_TIMEOUT"


# --- HEAD, configuration, format --------------------------------------------------------------------------------------


def test_the_base_is_head_and_branch(sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD").decode().strip()
    assert open_repository(sandbox.root).base() == Base(head, "main")
    sandbox.git("checkout", "-q", "-b", "feature/é")
    assert open_repository(sandbox.root).base() == Base(head, "feature/é")
    sandbox.git("checkout", "-q", "--detach")
    assert open_repository(sandbox.root).base() == Base(head, None)


def test_an_unborn_branch_has_no_commit(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    assert open_repository(tmp_path / "new").base() == Base(None, "main")


def test_a_head_that_leads_nowhere_is_no_base(sandbox: Sandbox) -> None:
    (sandbox.root / ".git" / "refs" / "heads" / "main").write_text("1" * 40 + "\n")
    assert open_repository(sandbox.root).base() == Base(None, "main")


def test_a_linked_worktree_and_a_submodule_have_a_base_of_their_own(sandbox: Sandbox, tmp_path: Path) -> None:
    head = sandbox.git("rev-parse", "HEAD").decode().strip()
    sandbox.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    assert open_repository(tmp_path / "linked").base() == Base(head, "side")
    other = Sandbox.make(tmp_path / "other")
    other.git("commit", "-q", "--allow-empty", "-m", "another")
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "sub")
    there = other.git("rev-parse", "HEAD").decode().strip()
    assert open_repository(sandbox.root / "sub").base() == Base(there, "main")


def test_the_person_is_who_git_says(sandbox: Sandbox) -> None:
    repository = open_repository(sandbox.root)
    assert (repository.person_name, repository.person_email) == ("Ada Example", "ada@example.org")
    sandbox.git("config", "user.name", "Ada\nof the repository")
    assert open_repository(sandbox.root).person_name == "Ada\nof the repository"
    with open(sandbox.root / ".git" / "config", "ab") as file:
        file.write(b"[user]\n\tname = caf\xe9\n")
    assert os.fsencode(open_repository(sandbox.root).person_name) == b"caf\xe9"


def test_a_repository_of_sha_256_names_blobs_as_git_does(tmp_path: Path) -> None:
    root = tmp_path / "new"
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(root)], check=True)
    repository = open_repository(root)
    assert repository.object_format is ObjectFormat.SHA256
    asked = subprocess.run(
        ["git", "hash-object", "--stdin"], cwd=root, input=b"hello\n", check=True, capture_output=True
    )
    assert asked.stdout.decode().strip() == blob_id(b"hello\n", repository.object_format)
    assert ignored(root, "a") == set()


def test_what_describes_a_repository_counts_only_in_its_own_files(sandbox: Sandbox, tmp_path: Path) -> None:
    with open(tmp_path / "home" / "config" / "git" / "config", "a", encoding="utf-8") as file:
        file.write(f"[extensions]\n\tobjectFormat = sha256\n[core]\n\tworktree = {tmp_path}\n")
    assert open_repository(sandbox.root).object_format is ObjectFormat.SHA1


def test_the_folder_of_proposals_is_tracked_only_if_it_was_committed(sandbox: Sandbox) -> None:
    sandbox.write(".proposals/x", b"")
    assert not open_repository(sandbox.root).tracks_proposals()
    sandbox.git("add", "-f", ".proposals/x")
    assert open_repository(sandbox.root).tracks_proposals()


def _redirected(root: Path) -> None:
    with pytest.raises(RepositoryFault) as refusal:
        open_repository(root)
    assert refusal.value.code == "REPO_REDIRECTED"


@pytest.mark.parametrize("value", ["/", "../..", "elsewhere", ""])
def test_a_work_tree_elsewhere_is_refused(sandbox: Sandbox, value: str) -> None:
    # S23
    sandbox.git("config", "core.worktree", value)
    _redirected(sandbox.root)


@pytest.mark.parametrize("value", ["../", "."])
def test_a_work_tree_that_is_this_one_is_no_redirection(sandbox: Sandbox, value: str) -> None:
    sandbox.git("config", "core.worktree", str(sandbox.root) if value == "." else value)
    assert open_repository(sandbox.root).base().branch == "main"


def test_a_pointer_to_a_submodule_folder_that_does_not_point_back_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    plain = Sandbox.make(tmp_path / "modules" / "x")
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".git").write_text(f"gitdir: {plain.root / '.git'}\n")
    _redirected(evil)


@pytest.mark.skipif(os.getuid() != 0, reason="gives a repository to another account")
def test_a_repository_of_another_account_is_taken_only_as_git_takes_it(sandbox: Sandbox) -> None:
    # S95
    os.chown(sandbox.root / ".git", 12345, 12345)
    with pytest.raises(RepositoryFault) as refusal:
        open_repository(sandbox.root)
    assert refusal.value.code == "REPO_OWNER"
    with open(sandbox.root / ".git" / "config", "a", encoding="utf-8") as file:
        file.write("[safe]\n\tdirectory = *\n")
    with pytest.raises(RepositoryFault):
        open_repository(sandbox.root)
    subprocess.run(["git", "config", "--global", "safe.directory", str(sandbox.root)], check=True)
    assert open_repository(sandbox.root).base().branch == "main"


# --- the exclude file -------------------------------------------------------------------------------------------------


def _exclude(sandbox: Sandbox) -> Path:
    return sandbox.root / ".git" / "info" / "exclude"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"/.proposals/\n"),
        (b"", b"/.proposals/\n"),
        (b"x\n", b"x\n/.proposals/\n"),
        (b"x", b"x\n/.proposals/\n"),
        (b"caf\xe9\r\n", b"caf\xe9\r\n/.proposals/\n"),
        (b"/.proposals/\nx\n", b"/.proposals/\nx\n"),
        (b"x\n/.proposals/", b"x\n/.proposals/"),
    ],
)
def test_the_line_is_added_once_and_nothing_else_changes(sandbox: Sandbox, before: bytes | None, after: bytes) -> None:
    path = _exclude(sandbox)
    path.unlink()
    if before is None:
        path.parent.rmdir()
    else:
        path.write_bytes(before)
    for _ in range(2):
        exclude_proposals(find(str(sandbox.root)))
    assert path.read_bytes() == after
    assert ignored(sandbox.root, "a.txt") == set()


def test_git_leaves_the_folder_alone(sandbox: Sandbox) -> None:
    # S131
    sandbox.write(".proposals/x", b"")
    exclude_proposals(find(str(sandbox.root)))
    sandbox.git("add", "-A")
    assert sandbox.git("status", "--porcelain") == b""


@pytest.mark.parametrize("how", ["link", "pipe", "folder"])
def test_an_exclude_file_that_leads_elsewhere_is_not_written(sandbox: Sandbox, tmp_path: Path, how: str) -> None:
    path, outside = _exclude(sandbox), tmp_path / "outside"
    path.unlink()
    outside.write_bytes(b"outside\n")
    make: dict[str, Callable[[], None]] = {
        "link": lambda: os.symlink(outside, path),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
    }
    make[how]()
    with pytest.raises(RepositoryFault) as refusal:
        exclude_proposals(find(str(sandbox.root)))
    assert refusal.value.code == "EXCLUDE_UNWRITABLE"
    assert outside.read_bytes() == b"outside\n"


# --- hostility --------------------------------------------------------------------------------------------------------

PROGRAM_SETTINGS = (
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.alternateRefsCommand"),
    *("core.gitProxy", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean"),
    *("filter.evil.smudge", "filter.evil.process", "gpg.program", "gpg.ssh.program", "credential.helper"),
    *("interactive.diffFilter", "trailer.x.cmd", "merge.evil.driver", "sequence.editor", "pager.diff", "pager.config"),
    *("uploadpack.packObjectsHook", "ssh.variant"),
)
COMMANDS = ("diff", "config", "check-ignore", "rev-parse", "symbolic-ref", "ls-files", "version", "ls", "status")


@pytest.fixture
def hostile(sandbox: Sandbox, tmp_path: Path) -> Path:
    """A repository whose every configured program leaves a mark; returns the mark's path."""
    mark = tmp_path / "fired"
    canary = tmp_path / "canary"
    canary.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\ncat\n')
    canary.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (hooks / name).symlink_to(canary)
    for key in PROGRAM_SETTINGS:
        sandbox.git("config", key, str(canary))
    for command in COMMANDS:
        sandbox.git("config", f"alias.{command}", f"!{canary}")
    sandbox.git("config", "core.hooksPath", str(hooks))
    sandbox.git("config", "log.showSignature", "true")
    sandbox.git("config", "core.attributesFile", str(tmp_path / "attributes"))
    for path in (
        tmp_path / "attributes",
        sandbox.root / ".git" / "info" / "attributes",
        sandbox.root / ".gitattributes",
    ):
        path.write_text("* filter=evil diff=evil merge=evil\n*.txt -diff\n")
    sandbox.write("a.txt", b"changed\n")
    if mark.exists():
        mark.unlink()
    return mark


def _every_method(root: Path) -> None:
    repository = open_repository(root)
    assert repository.base().branch == "main"
    assert repository.ignored([RepoPath("a.txt"), RepoPath("new.txt")]) == frozenset()
    assert not repository.tracks_proposals()
    assert (repository.object_format, repository.person_name) == (ObjectFormat.SHA1, "Ada Example")
    assert _difference(root, b"one\n", b"two\n", "a.txt") == b"@@ -1 +1 @@\n-one\n+two\n"


def _difference(root: Path, before: bytes, after: bytes, name: str) -> bytes:
    sides = {Content(data, Mode.REGULAR).sha256: data for data in (before, after)}
    content = ContentChange(RepoPath(name), Content(before, Mode.REGULAR), Content(after, Mode.REGULAR))
    change = content.identify(ObjectFormat.SHA1)
    return DiffEngine(str(root)).compare([change], sides.__getitem__)[change.path].body


def test_the_canaries_do_fire_for_a_careless_git(sandbox: Sandbox, hostile: Path) -> None:
    subprocess.run(["git", "diff"], cwd=sandbox.root, check=False, capture_output=True)
    assert hostile.exists()


def test_no_configured_program_runs_whatever_is_asked(sandbox: Sandbox, hostile: Path) -> None:
    # S97, S47
    before = sandbox.git_state()
    _every_method(sandbox.root)
    assert not hostile.exists(), hostile.read_text()
    assert sandbox.git_state() == before


def test_no_program_of_the_persons_configuration_runs_either(sandbox: Sandbox, hostile: Path, tmp_path: Path) -> None:
    shared = (sandbox.root / ".git" / "config").read_text()
    with open(tmp_path / "home" / "config" / "git" / "config", "a", encoding="utf-8") as file:
        file.write(shared[shared.index("[core]", 10) if "[core]" in shared[10:] else 0 :])
    _every_method(sandbox.root)
    assert not hostile.exists(), hostile.read_text()


def test_attributes_hide_no_difference(sandbox: Sandbox, hostile: Path) -> None:
    # S46: the proposed file may itself be called .gitattributes
    assert (
        _difference(sandbox.root, b"* -diff\n", b"* binary\n", ".gitattributes")
        == b"@@ -1 +1 @@\n-* -diff\n+* binary\n"
    )


STEERING = {
    "GIT_DIR": "/nonexistent",
    "GIT_WORK_TREE": "/",
    "GIT_INDEX_FILE": "/nonexistent/index",
    "GIT_OBJECT_DIRECTORY": "/nonexistent/objects",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nonexistent/objects",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "@CANARY@",
    "GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='@CANARY@'",
    "GIT_CONFIG_GLOBAL": "/nonexistent",
    "GIT_EXTERNAL_DIFF": "@CANARY@",
    "GIT_EXEC_PATH": "/nonexistent",
    "GIT_TRACE": "@MARK@",
    "GIT_TRACE_SETUP": "@MARK@",
    "GIT_TRACE2": "@MARK@",
    "GIT_TRACE2_EVENT": "@MARK@",
    "GIT_NAMESPACE": "x",
    "GIT_REPLACE_REF_BASE": "refs/evil/",
    "GIT_SSH": "@CANARY@",
    "GIT_PAGER": "@CANARY@",
    "GIT_DIFF_OPTS": "--unified=0",
    "GIT_CEILING_DIRECTORIES": "/",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_DEFAULT_HASH": "sha256",
    "LD_PRELOAD": "/nonexistent.so",
}


def test_the_environment_of_a_hook_has_no_effect(
    sandbox: Sandbox, hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S99, S100
    for name, value in STEERING.items():
        monkeypatch.setenv(name, value.replace("@CANARY@", str(tmp_path / "canary")).replace("@MARK@", str(hostile)))
    scrub(os.environ)
    assert [name for name in os.environ if name.startswith(("GIT_", "LD_"))] == []
    _every_method(sandbox.root)
    assert not hostile.exists(), hostile.read_text()


def test_scrubbing_keeps_everything_else() -> None:
    environment = {
        "PATH": "/bin",
        "HOME": "/h",
        "GITHUB": "x",
        "GIT_DIR": "x",
        "LD_PRELOAD": "x",
        "DYLD_INSERT_LIBRARIES": "",
    }
    scrub(environment)
    assert environment == {"PATH": "/bin", "HOME": "/h", "GITHUB": "x"}


def test_a_program_called_git_in_the_repository_is_never_run(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S111
    mark = tmp_path / "fired"
    sandbox.write("git", f"#!/bin/sh\ntouch {mark}\n".encode(), executable=True)
    sandbox.write("bin/git", f"#!/bin/sh\ntouch {mark}\n".encode(), executable=True)
    (tmp_path / "link").symlink_to(sandbox.root / "bin")
    real = os.environ["PATH"]
    folders = ["", ".", "bin", "./bin", str(sandbox.root), str(sandbox.root / "bin"), str(tmp_path / "link"), real]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    monkeypatch.chdir(sandbox.root)
    found = git_executable(str(sandbox.root))
    assert found.startswith("/")
    assert not os.path.realpath(found).startswith(str(tmp_path))
    _every_method(sandbox.root)
    assert not mark.exists()


def test_a_missing_git_is_said_to_be_missing(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("no program")
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), str(tmp_path / "bin"), ".", ""]))
    with pytest.raises(GitFailed) as failure:
        open_repository(sandbox.root)
    assert failure.value.code == "GIT_MISSING"


def test_a_git_that_cannot_be_started_or_fails_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "git"
    broken.write_bytes(b"\x7fELF not really")
    broken.chmod(0o755)
    with pytest.raises(GitFailed, match="git version could not be run"):
        GitRunner(str(tmp_path), str(broken)).run("version")
    broken.write_bytes(b"#!/bin/sh\nprintf 'caf\\351 \\033[2J' >&2\nexit 3\n")
    with pytest.raises(GitFailed) as failure:
        GitRunner(str(tmp_path), str(broken)).run("version")
    assert failure.value.message == "git version ended with code 3: caf\ufffd \x1b[2J"
    assert GitRunner(str(tmp_path), str(broken)).run("version", ok=(3,)) == (3, b"")
    with pytest.raises(GitFailed, match="git version could not be run"):
        GitRunner(str(tmp_path), str(tmp_path / "none")).run("version")


def test_output_and_input_are_raw_bytes(tmp_path: Path) -> None:
    cat = tmp_path / "git"
    cat.write_bytes(b"#!/bin/sh\ncat\n")
    cat.chmod(0o755)
    data = bytes(range(256)) * 4000
    assert GitRunner(str(tmp_path), str(cat)).run("x", stdin=data) == (0, data)


# --- mentions ---------------------------------------------------------------------------------------------------------


def test_mentions_are_whole_words_in_other_tracked_text_files(sandbox: Sandbox) -> None:
    sandbox.write("src/window.py", b"window = 1\n")
    sandbox.write("by stem.py", b"import window\n")
    sandbox.write("by name.md", b"`window.py`\n")
    sandbox.write("part.py", b"windows, my_window\n")
    sandbox.write("data.bin", b"\0window.py\n")
    sandbox.git("add", ".")
    sandbox.write("untracked.py", b"import window\n")
    assert open_repository(sandbox.root).mentions(RepoPath("src/window.py")) == ("by name.md", "by stem.py")
    assert open_repository(sandbox.root).mentions(RepoPath("d/zz.qq")) == ()


def test_looking_for_mentions_runs_no_configured_program(sandbox: Sandbox, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/trapped\ncat\n")
    trap.chmod(0o755)
    sandbox.write(".gitattributes", b"* diff=evil filter=evil\n")
    sandbox.write("user.md", b"a.txt\n")
    sandbox.git("add", ".")
    for key in ("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "core.fsmonitor"):
        sandbox.git("config", key, str(trap))
    sandbox.git("config", "core.pager", str(trap))
    (tmp_path / "trapped").unlink(missing_ok=True)
    assert open_repository(sandbox.root).mentions(RepoPath("a.txt")) == ("user.md",)
    assert not (tmp_path / "trapped").exists()


def test_looking_for_mentions_ends_in_time(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.write("user.md", b"a.txt\n")
    sandbox.git("add", ".")
    asked = open_repository(sandbox.root)
    assert asked.mentions(RepoPath("a.txt")) == ("user.md",)
    monkeypatch.setattr("redline.adapters.git.repository.SEARCH_S", 0.0001)
    hurried = open_repository(sandbox.root)
    assert [hurried.mentions(RepoPath("a.txt")) for _ in range(2)] == [None, None]


def test_the_pager_is_the_persons_own(sandbox: Sandbox) -> None:
    assert open_repository(sandbox.root).pager is None
    sandbox.git("config", "core.pager", "evil")
    sandbox.git("config", "pager.redline", "evil")
    assert open_repository(sandbox.root).pager is None
    subprocess.run(["git", "config", "--global", "core.pager", "delta --dark"], check=True)
    assert open_repository(sandbox.root).pager == "delta --dark"
    for value, expected in (("false", ""), ("true", "delta --dark"), ("less -S", "less -S")):
        subprocess.run(["git", "config", "--global", "pager.redline", value], check=True)
        assert open_repository(sandbox.root).pager == expected
