"""A working tree in a dictionary, and a guarded writer of it; tests/review holds both to the contract of the real ones."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from redline.core.content import Content, ObjectFormat
from redline.core.drift import Drift, DriftKind, Irregular
from redline.core.held import Held
from redline.core.kept import Kept
from redline.core.paths import RepoPath
from redline.errors import DriftFound, LimitExceeded, WriteFailed

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator

    from redline.core.content import FileState
    from redline.core.plan import Step, WritePlan


class MemoryLock:
    """One holder at a time, among threads."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    @contextmanager
    def hold(self) -> Iterator[Held]:
        with self._lock:
            yield Held("memory")


class MemoryTree:
    """Files by path. Each write gives a path a new stamp, as a new inode would."""

    object_format = ObjectFormat.SHA1

    def __init__(self) -> None:
        self.files: dict[RepoPath, Content] = {}
        self.folders: set[RepoPath] = set()
        self.stamps: dict[RepoPath, int] = {}
        self._next = count(1)

    def put(self, path: RepoPath, content: Content) -> None:
        self.folders.update(map(RepoPath, path.parents))
        self.files[path] = content
        self.stamps[path] = next(self._next)

    def take(self, path: RepoPath) -> Content:
        del self.stamps[path]
        return self.files.pop(path)

    def read(self, path: RepoPath, *, max_bytes: int = 1 << 62) -> Content | Irregular | None:
        if any(parent in self.files for parent in map(RepoPath, path.parents)):
            return Irregular.BELOW_FILE
        if path in self.folders:
            return Irregular.FOLDER
        found = self.files.get(path)
        if found is not None and len(found.data) > max_bytes:
            raise LimitExceeded(f"{path} is larger than {max_bytes} bytes")
        return found

    def look(self, path: RepoPath) -> FileState | Irregular | None:
        found = self.read(path)
        return found.state(self.object_format) if isinstance(found, Content) else found


class MemoryGuard:
    """Writes a `MemoryTree`. Before the step numbered `fails_before` it calls `fault`, once."""

    def __init__(self, tree: MemoryTree) -> None:
        self._tree = tree
        self._slots: dict[str, dict[int, Content]] = {}
        self.is_interrupted = False
        self.fails_before: int | None = None
        self.fault: Callable[[], BaseException] = lambda: WriteFailed("the write was stopped: Input/output error")

    def missing_folders(self, paths: Iterable[RepoPath]) -> tuple[RepoPath, ...]:
        parents = (RepoPath(parent) for path in paths for parent in path.parents)
        return tuple(dict.fromkeys(parent for parent in parents if parent not in self._tree.folders))

    def stage(self, held: Held, plan: WritePlan, contents: Callable[[str], bytes]) -> None:
        self._slots[plan.tx] = {
            position: Content(contents(step.after.sha256), step.after.mode)
            for position, step in enumerate(plan.steps)
            if step.after is not None
        }

    def write(self, held: Held, plan: WritePlan, interrupted: Callable[[], bool]) -> None:
        self._tree.folders.update(plan.new_folders)
        for position, step in enumerate(plan.steps):
            if interrupted():
                raise KeyboardInterrupt
            if position == self.fails_before:
                self.fails_before = None
                raise self.fault()
            self._exchange(step, position, self._slots[plan.tx])

    def _exchange(self, step: Step, position: int, slots: dict[int, Content]) -> None:
        now = self._tree.look(step.path)
        if now != step.before:
            kind = DriftKind.APPEARED if step.before is None else DriftKind.VANISHED if now is None else DriftKind.CHANGED
            drift = Drift(step.path, kind)
            raise DriftFound(f"{step.path} {drift.text}", details={"path": str(step.path), "drift": kind.name})
        after = slots.pop(position, None)
        if step.before is not None:
            slots[position] = self._tree.take(step.path)
        if after is not None:
            self._tree.put(step.path, after)

    def roll_back(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:
        slots = self._slots.get(plan.tx)
        if slots is None:
            return ()
        undone = [self._undo(step, position, slots) for position, step in reversed([*enumerate(plan.steps)])]
        for folder in reversed(plan.new_folders):
            if not any(path.startswith(f"{folder}/") for path in (*self._tree.files, *self._tree.folders)):
                self._tree.folders.discard(folder)
        return tuple(kept for kept in undone if kept is not None)

    def _undo(self, step: Step, position: int, slots: dict[int, Content]) -> Kept | None:
        in_slot = slots[position].state(self._tree.object_format) if position in slots else None
        if in_slot == step.after and (step.before is None or in_slot is not None):
            return None
        now = self._tree.look(step.path)
        if step.before is None and now is None:
            return None
        if in_slot is None and step.after is None:
            return None
        if now != step.after:
            return Kept(step.path, None)
        displaced = slots.pop(position, None)
        if now is not None:
            slots[position] = self._tree.take(step.path)
        if displaced is not None:
            self._tree.put(step.path, displaced)
        return None

    def tidy(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:
        self._slots.pop(plan.tx, None)
        return ()

    def transactions(self) -> tuple[str, ...]:
        return tuple(sorted(self._slots))

    @contextmanager
    def held_back(self) -> Iterator[Callable[[], bool]]:
        yield lambda: self.is_interrupted
