"""Finding the repository by files alone (checklist S09, S23)."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.sandbox import Sandbox

from redline.adapters.git.discovery import Repository, find
from redline.errors import RepositoryFault

if TYPE_CHECKING:
    from pathlib import Path


def _fault(folder: Path | str) -> tuple[str, str]:
    with pytest.raises(RepositoryFault) as refusal:
        find(str(folder))
    assert refusal.value.hint
    return refusal.value.code, refusal.value.message


def _repository(root: Path) -> Repository:
    return Repository(str(root), str(root / ".git"), str(root / ".git"))


def test_a_repository_is_found_from_its_root_and_from_any_subfolder(sandbox: Sandbox) -> None:
    (sandbox.root / "src" / "deep" / "er").mkdir(parents=True)
    expected = _repository(sandbox.root)
    assert [find(str(sandbox.root / folder)) for folder in (".", "src", "src/deep/er")] == [expected] * 3
    assert expected.proposals == str(sandbox.root / ".proposals")


def test_a_relative_start_and_a_link_to_a_repository_are_resolved(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sandbox.root / "src")
    assert find(".") == find("..") == _repository(sandbox.root)
    (tmp_path / "link").symlink_to(sandbox.root)
    assert find(str(tmp_path / "link" / "src")) == _repository(sandbox.root)


def test_an_unborn_repository_is_one(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    assert find(str(tmp_path / "new")) == _repository(tmp_path / "new")


def test_a_folder_without_a_repository_is_none(tmp_path: Path) -> None:
    assert _fault(tmp_path)[0] == "NOT_A_REPOSITORY"
    assert _fault(tmp_path / "missing") == ("NOT_A_REPOSITORY", f"{tmp_path / 'missing'} is no folder")
    (tmp_path / "file").write_text("")
    assert _fault(tmp_path / "file") == ("NOT_A_REPOSITORY", f"{tmp_path / 'file'} is no folder")


def test_a_bare_repository_has_nothing_to_change(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    for folder in ("", "objects", "refs/heads"):
        code, message = _fault(tmp_path / "bare.git" / folder)
        assert (code, message) == (
            "BARE_REPOSITORY",
            f"{tmp_path / 'bare.git'} is a bare repository: it has no files to change",
        )


def test_gits_own_folder_is_no_place_to_work(sandbox: Sandbox) -> None:
    for folder in (".git", ".git/hooks", ".git/refs/heads"):
        code, message = _fault(sandbox.root / folder)
        assert code == "NOT_A_REPOSITORY"
        assert message == f"{sandbox.root / '.git'} is a repository's .git folder, not its work tree"


def test_a_planted_bare_repository_is_not_taken_for_one_to_work_in(sandbox: Sandbox) -> None:
    # S09
    for folder in ("x/objects", "x/refs", "x/sub"):
        (sandbox.root / folder).mkdir(parents=True)
    (sandbox.root / "x" / "HEAD").write_text("ref: refs/heads/main\n")
    assert _fault(sandbox.root / "x" / "sub")[0] == "BARE_REPOSITORY"


@pytest.fixture
def linked(sandbox: Sandbox, tmp_path: Path) -> Path:
    sandbox.git("worktree", "add", "-q", str(tmp_path / "linked"))
    return tmp_path / "linked"


def test_a_linked_worktree_is_found_with_its_shared_folder(sandbox: Sandbox, linked: Path) -> None:
    common = sandbox.root / ".git"
    assert find(str(linked / "src")) == Repository(str(linked), str(common / "worktrees" / "linked"), str(common))


def test_a_moved_linked_worktree_is_refused_until_it_is_repaired(
    sandbox: Sandbox, linked: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    linked.rename(moved)
    assert _fault(moved)[0] == "REPO_REDIRECTED"
    sandbox.git("worktree", "repair", str(moved))
    assert find(str(moved)).root == str(moved)


def test_a_submodule_is_a_repository_of_its_own(sandbox: Sandbox, tmp_path: Path) -> None:
    Sandbox.make(tmp_path / "other")
    sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"), "sub")
    git_dir = str(sandbox.root / ".git" / "modules" / "sub")
    assert find(str(sandbox.root / "sub" / "src")) == Repository(str(sandbox.root / "sub"), git_dir, git_dir)


def test_a_pointer_to_another_repository_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    # S23
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".git").write_text(f"gitdir: {sandbox.root / '.git'}\n")
    assert _fault(evil) == (
        "REPO_REDIRECTED",
        f"{evil / '.git'} points to {sandbox.root / '.git'}, which does not point back",
    )


def test_a_pointer_to_another_worktree_is_refused(sandbox: Sandbox, linked: Path, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".git").write_bytes((linked / ".git").read_bytes())
    assert _fault(evil)[0] == "REPO_REDIRECTED"


def test_a_worktree_whose_shared_folder_is_elsewhere_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    """It points back at its work tree, but takes objects, refs and configuration from a repository that has no such."""
    evil, git_dir = tmp_path / "evil", tmp_path / "gitdir"
    for folder in (evil, git_dir):
        folder.mkdir()
    (evil / ".git").write_text(f"gitdir: {git_dir}\n")
    (git_dir / "gitdir").write_text(f"{evil / '.git'}\n")
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "commondir").write_text(f"{sandbox.root / '.git'}\n")
    assert _fault(evil)[0] == "REPO_REDIRECTED"


def test_a_main_repository_that_shares_anothers_folder_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    other = Sandbox.make(tmp_path / "other")
    (other.root / ".git" / "commondir").write_text(f"{sandbox.root / '.git'}\n")
    assert _fault(other.root)[0] == "REPO_REDIRECTED"


@pytest.mark.parametrize("how", ["link to a folder", "dangling link", "pipe"])
def test_a_git_entry_that_is_a_link_or_special_is_refused(sandbox: Sandbox, tmp_path: Path, how: str) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    if how == "pipe":
        os.mkfifo(evil / ".git")
    else:
        (evil / ".git").symlink_to(sandbox.root / ".git" if how == "link to a folder" else "nothing")
    assert _fault(evil) == ("REPO_REDIRECTED", f"{evil / '.git'} is a link or a special file")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense\n",
        b"gitdir:\n",
        b"gitdir: \n",
        b"gitdir: nowhere\n",
        b"gitdir: a\0b\n",
        b"gitdir: \xff\xfe\n",
        b"gitdir: " + b"x" * 5000,
        b"\0" * 100,
    ],
)
def test_a_git_file_that_points_nowhere_is_refused(tmp_path: Path, data: bytes) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / ".git").write_bytes(data)
    assert _fault(evil)[0] in {"NOT_A_REPOSITORY", "REPO_REDIRECTED"}


@pytest.mark.parametrize("name", ["gitdir", "commondir"])
@pytest.mark.parametrize("data", [b"a\0b", b"", b"\xff", None])
def test_a_broken_pointer_in_a_linked_worktree_is_refused(
    sandbox: Sandbox, linked: Path, tmp_path: Path, name: str, data: bytes | None
) -> None:
    path = sandbox.root / ".git" / "worktrees" / "linked" / name
    if data is None:
        path.rename(tmp_path / "pointer")
        path.symlink_to(tmp_path / "pointer")
    else:
        path.write_bytes(data)
    assert _fault(linked)[0] in {"NOT_A_REPOSITORY", "REPO_REDIRECTED"}


def test_an_empty_git_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "x" / ".git").mkdir(parents=True)
    assert _fault(tmp_path / "x") == ("NOT_A_REPOSITORY", f"{tmp_path / 'x' / '.git'} is no git folder")


def test_a_folder_whose_name_is_no_utf_8_is_found(tmp_path: Path) -> None:
    root = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    subprocess.run(["git", "init", "-q", root], check=True)
    assert find(os.fsdecode(root)).root == os.fsdecode(root)
