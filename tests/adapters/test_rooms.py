"""Throw-away folders: removed whatever happens, and nothing else with them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from redline.adapters.git.discovery import find
from redline.adapters.git.linked import Worktrees
from redline.adapters.git.repository import GitRepository
from redline.adapters.scratch.room import Rooms

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox


@pytest.fixture
def rooms(tmp_path: Path) -> Rooms:
    return Rooms(str(tmp_path / "runs"))


def left(tmp_path: Path) -> list[str]:
    return sorted(set(os.listdir(tmp_path / "runs")) - {"lock"})


def test_a_room_is_private_and_gone_after_an_error(rooms: Rooms, tmp_path: Path) -> None:
    def use() -> None:
        with rooms.open() as room:
            (name,) = left(tmp_path)
            assert os.stat(tmp_path / "runs" / name).st_mode & 0o777 == 0o700
            os.makedirs(room.tree)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use()
    assert left(tmp_path) == []


def test_a_room_that_is_open_is_left_alone_by_the_next_and_a_dead_one_is_not(rooms: Rooms, tmp_path: Path) -> None:
    (tmp_path / "runs" / "run-dead" / "tree").mkdir(parents=True)
    with rooms.open():
        mine = left(tmp_path)
        assert "run-dead" not in mine
        with rooms.open():
            assert set(mine) < set(left(tmp_path))
    assert left(tmp_path) == []


@pytest.mark.parametrize("is_noted", [True, False])
def test_gits_side_of_the_worktree_goes_too(rooms: Rooms, sandbox: Sandbox, is_noted: bool) -> None:
    repository = find(str(sandbox.root))
    with rooms.open() as room:
        linked = Worktrees(repository, GitRepository(repository)).link(room.tree)
        if is_noted:
            room.note_link(linked.git_dir)
            os.unlink(os.path.join(room.tree, ".git"))
        assert os.path.isdir(linked.git_dir)
    assert not os.path.exists(linked.git_dir)
    assert sandbox.git("worktree", "list", "--porcelain").count(b"worktree ") == 1


def test_a_link_that_does_not_lead_back_removes_nothing(rooms: Rooms, sandbox: Sandbox, tmp_path: Path) -> None:
    """A command can write what it likes into its worktree's pointer file."""
    other = tmp_path / "other"
    sandbox.git("worktree", "add", "-q", str(other))
    with rooms.open() as room:
        os.makedirs(room.tree)
        with open(os.path.join(room.tree, ".git"), "w", encoding="ascii") as file:
            file.write(f"gitdir: {find(str(other)).git_dir}\n")
        room.note_link(str(tmp_path / "home"))
    assert (find(str(other)).root, (tmp_path / "home").is_dir()) == (str(other), True)


def test_a_state_folder_behind_a_link_works(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "state").symlink_to("real")
    repository = find(str(sandbox.root))
    with Rooms(str(tmp_path / "state" / "runs")).open() as room:
        linked = Worktrees(repository, GitRepository(repository)).link(room.tree)
    assert not os.path.exists(linked.git_dir)
