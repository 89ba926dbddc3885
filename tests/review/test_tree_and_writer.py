"""One contract for the tree and its guarded writer: held by the real ones on disk and by the fakes in memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.support.build import sighting
from tests.support.memory_tree import MemoryGuard, MemoryTree

from redline.adapters.worktree.guard import Guard
from redline.adapters.worktree.tree import Tree
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.drift import Irregular
from redline.core.held import Held
from redline.core.paths import RepoPath
from redline.core.plan import Step, WritePlan
from redline.errors import DriftFound, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from redline.review.ports import TreeView, Writer

HELD = Held("test")
TX = "0123456789abcdef"
SHA1 = ObjectFormat.SHA1


def text(data: str, mode: Mode = Mode.REGULAR) -> Content:
    return Content(data.encode(), mode)


BEFORE = {"a.txt": text("a\n"), "old.txt": text("old\n"), "run.sh": text("run\n"), "deep/kept.txt": text("kept\n")}
AFTER: dict[str, Content | None] = {
    "a.txt": text("A\n"),
    "deep/er/new.txt": text("new\n"),
    "old.txt": None,
    "run.sh": text("run\n", Mode.EXECUTABLE),
}
WRITTEN = {path: content for path, content in {**BEFORE, **AFTER}.items() if content is not None}


class World(Protocol):
    tree: TreeView
    writer: Writer

    def put(self, path: str, content: Content | None) -> None: ...
    def files(self) -> dict[str, Content]: ...
    def folders(self) -> set[str]: ...


class InMemory:
    def __init__(self) -> None:
        self._tree = MemoryTree()
        self.tree: TreeView = self._tree
        self.writer: Writer = MemoryGuard(self._tree)

    def put(self, path: str, content: Content | None) -> None:
        if content is None:
            self._tree.take(RepoPath(path))
        else:
            self._tree.put(RepoPath(path), content)

    def files(self) -> dict[str, Content]:
        return {str(path): content for path, content in self._tree.files.items()}

    def folders(self) -> set[str]:
        return {str(folder) for folder in self._tree.folders}


@dataclass
class OnDisk:
    root: Path
    tree: TreeView
    writer: Writer

    def put(self, path: str, content: Content | None) -> None:
        target = self.root / path
        if content is None:
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.data)
        target.chmod(0o755 if content.mode.is_executable else 0o644)

    def files(self) -> dict[str, Content]:
        found = {}
        for path in self.root.rglob("*"):
            if path.is_file() and ".proposals" not in path.parts:
                mode = Mode.EXECUTABLE if os.access(path, os.X_OK) else Mode.REGULAR
                found[str(path.relative_to(self.root))] = Content(path.read_bytes(), mode)
        return found

    def folders(self) -> set[str]:
        folders = (path for path in self.root.rglob("*") if path.is_dir() and ".proposals" not in path.parts)
        return {str(path.relative_to(self.root)) for path in folders}


@pytest.fixture(params=["memory", "disk"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "memory":
        yield _filled(InMemory())
        return
    root = tmp_path / "tree"
    (root / ".proposals").mkdir(parents=True)
    tree, guard = Tree(str(root)), Guard(str(root), str(root / ".proposals"), str(root / ".proposals"))
    yield _filled(OnDisk(root, tree, guard))
    guard.close()
    tree.close()


def _filled(world: World) -> World:
    for path, content in BEFORE.items():
        world.put(path, content)
    return world


def plan_of(world: World, changes: dict[str, Content | None]) -> WritePlan:
    steps = tuple(
        Step(RepoPath(path), before.state(SHA1) if before else None, after.state(SHA1) if after else None)
        for path, after in sorted(changes.items())
        for before in (BEFORE.get(path),)
    )
    missing = world.writer.missing_folders(step.path for step in steps if step.after is not None)
    return WritePlan(TX, TX, steps, missing)


def stage(world: World, changes: dict[str, Content | None]) -> WritePlan:
    plan = plan_of(world, changes)
    contents = {content.sha256: content.data for content in changes.values() if content is not None}
    world.writer.stage(HELD, plan, contents.__getitem__)
    return plan


def write(world: World, plan: WritePlan) -> None:
    world.writer.write(HELD, plan, lambda: False)


def test_a_file_is_read_and_looked_at(world: World) -> None:
    content = BEFORE["a.txt"]
    assert world.tree.read(RepoPath("a.txt"), max_bytes=100) == content
    assert world.tree.look(RepoPath("a.txt")) == sighting(content)


def test_what_is_no_file_is_named(world: World) -> None:
    found = [world.tree.look(RepoPath(path)) for path in ("missing.txt", "no/such.txt", "deep", "a.txt/below.txt")]
    assert found == [None, None, Irregular.FOLDER, Irregular.BELOW_FILE]


def test_a_file_beyond_the_limit_is_not_read(world: World) -> None:
    assert world.tree.read(RepoPath("a.txt"), max_bytes=2) == BEFORE["a.txt"]
    with pytest.raises(LimitExceeded):
        world.tree.read(RepoPath("a.txt"), max_bytes=1)


def test_missing_folders_come_outermost_first(world: World) -> None:
    paths = map(RepoPath, ("deep/er/st/new.txt", "deep/er/other.txt", "top/new.txt", "a.txt"))
    assert world.writer.missing_folders(paths) == ("deep/er", "deep/er/st", "top")


def test_a_staged_write_changes_nothing_yet(world: World) -> None:
    stage(world, AFTER)
    assert (world.files(), world.folders(), world.writer.unsettled(HELD)) == (BEFORE, {"deep"}, (TX,))


def test_a_write_brings_every_path_to_after(world: World) -> None:
    plan = stage(world, AFTER)
    write(world, plan)
    assert (world.files(), world.folders()) == (WRITTEN, {"deep", "deep/er"})
    assert (world.writer.tidy(HELD, plan), world.writer.unsettled(HELD), world.files()) == ((), (), WRITTEN)


@pytest.mark.parametrize("times", [1, 2])
def test_a_write_is_rolled_back_as_often_as_asked(world: World, times: int) -> None:
    plan = stage(world, AFTER)
    write(world, plan)
    assert [world.writer.roll_back(HELD, plan) for _ in range(times)] == [()] * times
    assert (world.files(), world.folders()) == (BEFORE, {"deep"})
    assert (world.writer.tidy(HELD, plan), world.writer.unsettled(HELD), world.files()) == ((), (), BEFORE)


def test_rolling_back_what_was_only_staged_changes_nothing(world: World) -> None:
    plan = stage(world, AFTER)
    assert world.writer.roll_back(HELD, plan) == ()
    assert (world.files(), world.folders()) == (BEFORE, {"deep"})


def test_rolling_back_what_was_never_staged_changes_nothing(world: World) -> None:
    assert world.writer.roll_back(HELD, plan_of(world, AFTER)) == ()
    assert world.files() == BEFORE


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("a.txt", text("by hand\n"), "CHANGED"),
        ("a.txt", text("a\n", Mode.EXECUTABLE), "CHANGED"),
        ("deep/er/new.txt", text("by hand\n"), "APPEARED"),
        ("old.txt", text("by hand\n"), "CHANGED"),
        ("run.sh", text("by hand\n"), "CHANGED"),
    ],
)
def test_bytes_that_are_not_before_stop_the_write(world: World, path: str, content: Content, kind: str) -> None:
    plan = stage(world, AFTER)
    world.put(path, content)
    with pytest.raises(DriftFound) as caught:
        write(world, plan)
    drifted = path if path != "deep/er/new.txt" else str(caught.value.details["path"])
    assert caught.value.details == {"path": drifted, "drift": kind}
    assert drifted in {path, "deep/er"}
    assert world.writer.roll_back(HELD, plan) == ()
    assert world.files() == {**BEFORE, path: content}


def test_an_interrupted_write_is_rolled_back(world: World) -> None:
    plan = stage(world, AFTER)
    asked = iter([False, False, True])
    with pytest.raises(KeyboardInterrupt):
        world.writer.write(HELD, plan, lambda: next(asked))
    assert world.files() != BEFORE
    assert world.writer.roll_back(HELD, plan) == ()
    assert (world.files(), world.folders()) == (BEFORE, {"deep"})


@pytest.mark.parametrize(
    ("path", "content", "slot_is_kept"),
    [
        ("a.txt", text("by hand\n"), True),
        ("a.txt", None, True),
        ("deep/er/new.txt", text("by hand\n"), False),
        ("old.txt", text("by hand\n"), True),
        ("run.sh", text("by hand\n"), True),
    ],
)
def test_bytes_written_after_us_stay_and_are_named(
    world: World, path: str, content: Content | None, slot_is_kept: bool
) -> None:
    plan = stage(world, AFTER)
    write(world, plan)
    world.put(path, content)
    kept = world.writer.roll_back(HELD, plan)
    assert [(str(one.path), one.place is None) for one in kept] == [(path, True), (path, False)][: 1 + slot_is_kept]
    expected = {**BEFORE, path: content}
    assert world.files() == {name: one for name, one in expected.items() if one is not None}
    assert (world.writer.tidy(HELD, plan), world.writer.unsettled(HELD)) == ((), ())


def test_a_path_that_somebody_restored_himself_is_no_surprise(world: World) -> None:
    plan = stage(world, AFTER)
    write(world, plan)
    world.put("a.txt", BEFORE["a.txt"])
    assert world.writer.roll_back(HELD, plan) == ()
    assert world.files() == BEFORE
