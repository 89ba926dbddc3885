"""A copy of a tree and its net change, by content."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters.worktree.copying import TreeCopy
from redline.core.content import Content, Mode
from redline.core.net import NetChange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Files = Mapping[str, tuple[bytes, bool]]

_names = st.sampled_from(["a", "b", "d/a", "d/e/a", "\udcff", "日"])
_states = st.tuples(st.sampled_from([0, 1, 2, (1 << 20) + 1]), st.booleans())
_trees = st.dictionaries(_names, _states, max_size=5)


def files(sizes: dict[str, tuple[int, bool]]) -> Files:
    return {path: (b"x" * size_bytes, is_executable) for path, (size_bytes, is_executable) in sizes.items()}


def put(folder: str, files: Files) -> None:
    for path, (data, is_executable) in files.items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
        os.chmod(target, 0o755 if is_executable else 0o644)


def content(state: tuple[bytes, bool] | None) -> Content | None:
    return Content(state[0], Mode.EXECUTABLE if state[1] else Mode.REGULAR) if state is not None else None


def nothing(_: Sequence[str]) -> dict[str, bytes]:
    return {}


@settings(deadline=None, max_examples=60)
@given(_trees, _trees, st.sets(_names))
def test_the_net_change_is_the_difference_of_the_two_trees(
    had: dict[str, tuple[int, bool]], has: dict[str, tuple[int, bool]], unsafe: set[str]
) -> None:
    before, after = files(had), files(has)
    with TemporaryDirectory() as root, TemporaryDirectory() as target, TemporaryDirectory() as base:
        put(root, before)
        with TreeCopy(root, target, base) as copy:
            assert copy.fill(sorted(before), unsafe) == ()
            for path in before:
                os.unlink(os.path.join(target, path))
            put(target, after)
            assert list(copy.net(after, nothing)) == [
                NetChange(path, content(before.get(path)), content(after.get(path)))
                for path in sorted({*before, *after})
                if before.get(path) != after.get(path)
            ]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str, str]:
    names = ("root", "target", "base")
    for name in names:
        (tmp_path / name).mkdir()
    root, target, base = (str(tmp_path / name) for name in names)
    return root, target, base


@pytest.mark.parametrize(
    ("unsafe", "committed", "is_known"),
    [({"a"}, {}, True), (set(), {"a": b"was"}, True), (set(), {"a": b"other"}, False), (set(), {}, False)],
)
def test_a_text_that_changed_at_its_origin_is_found_elsewhere_or_named(
    folders: tuple[str, str, str], unsafe: set[str], committed: dict[str, bytes], is_known: bool
) -> None:
    root, target, _ = folders
    put(root, {"a": (b"was", False)})
    with TreeCopy(*folders) as copy:
        copy.fill(["a"], unsafe)
        put(root, {"a": (b"mine", False)})
        put(target, {"a": (b"theirs", False)})
        (change,) = copy.net([], lambda paths: {path: committed[path] for path in paths if path in committed})
    if is_known:
        assert change == NetChange("a", content((b"was", False)), content((b"theirs", False)))
    else:
        assert (change.path, "its text is gone" in change.fault) == ("a", True)


def test_links_are_copied_as_links_and_what_is_neither_is_named(folders: tuple[str, str, str]) -> None:
    root, target, _ = folders
    os.symlink("/elsewhere", os.path.join(root, "link"))
    os.symlink("root", os.path.join(root, "folder-link"))
    os.mkfifo(os.path.join(root, "pipe"))
    os.mkdir(os.path.join(root, "folder"))
    with TreeCopy(*folders) as copy:
        paths = ["absent", "absent/deep", "folder", "folder-link/x", "link", "pipe"]
        assert copy.fill(paths, set()) == ("folder", "folder-link/x", "pipe")
        assert os.readlink(os.path.join(target, "link")) == "/elsewhere"
        assert list(copy.net(["link"], nothing)) == []
        os.unlink(os.path.join(target, "link"))
        (gone,) = copy.net([], nothing)
    assert gone.fault == "link was a symbolic link"
