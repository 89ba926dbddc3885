"""A tree with a `.proposals` beside it, and plans on it: what the guard needs, without git and journal."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from redline.adapters.worktree.guard import Guard
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.held import Held
from redline.core.paths import RepoPath
from redline.core.plan import Step, WritePlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from redline.adapters.worktree.exchange import Exchange

HELD = Held("lock")
TX = "0123456789abcdef"
Files = dict[str, tuple[int, bytes]]
NEVER: Callable[[], bool] = lambda: False  # noqa: E731


class Workplace:
    """A tree with a `.proposals` beside it, and plans on it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.proposals = root / ".proposals"
        self.proposals.mkdir(parents=True, mode=0o700)
        self.contents: dict[str, bytes] = {}
        self.guards: list[Guard] = []

    @contextmanager
    def opened_proposals(self) -> Iterator[int]:
        fd = os.open(self.proposals, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield fd
        finally:
            os.close(fd)

    def guard(self, exchange: Exchange | None = None) -> Guard:
        guard = Guard(str(self.root), str(self.proposals), str(self.root.parent), exchange)
        self.guards.append(guard)
        return guard

    def put(self, path: str, data: bytes, permissions: int = 0o644) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(permissions)

    def files(self) -> Files:
        """Every entry of the tree, empty folders as well."""
        found: Files = {}
        for folder, folders, names in os.walk(self.root):
            if folder == str(self.root):
                folders.remove(".proposals")
            for name in [*folders, *names]:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                if stat.S_ISLNK(status.st_mode):
                    data = os.fsencode(os.readlink(path))
                else:
                    data = b"" if stat.S_ISDIR(status.st_mode) else _bytes(path)
                found[os.path.relpath(path, self.root)] = (stat.S_IMODE(status.st_mode), data)
        return found

    def kept(self) -> list[bytes]:
        folder = self.proposals / "kept"
        return sorted(path.read_bytes() for path in folder.iterdir()) if folder.exists() else []

    def plan(self, *changes: tuple[str, bytes | None, bytes | None], mode: Mode | None = None) -> WritePlan:
        """Steps from (path, before, after); both sides have the file's present mode unless `mode` is the new one."""
        steps = []
        for path, before, after in sorted(changes):
            here = self.root / path
            now = Mode.EXECUTABLE if before is not None and here.stat().st_mode & 0o100 else Mode.REGULAR
            sides = (self._state(before, now), self._state(after, mode or now))
            steps.append(Step(RepoPath(path), *sides))
        guard = self.guard()
        folders = guard.missing_folders(step.path for step in steps if step.after is not None)
        return WritePlan(TX, TX, tuple(steps), folders)

    def _state(self, data: bytes | None, mode: Mode) -> Any:
        if data is None:
            return None
        state = Content(data, mode).state(ObjectFormat.SHA1)
        self.contents[state.sha256] = data
        return state

    def stage(self, guard: Guard, plan: WritePlan) -> None:
        guard.stage(HELD, plan, self.contents.__getitem__)

    def put_slot(self, slot: str, data: bytes) -> None:
        """Another file in a slot; not the old one written into, for a lease may hold that off."""
        new = self.proposals / "new"
        new.write_bytes(data)
        os.replace(new, self.proposals / "tx" / TX / slot)

    def leftovers(self) -> list[str]:
        """What is left of transactions."""
        folder = self.proposals / "tx"
        return sorted(os.listdir(folder)) if folder.exists() else []


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
