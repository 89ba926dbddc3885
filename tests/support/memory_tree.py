"""A working tree in a dictionary and its guarded writer; tests/review holds both to the contract of the real ones."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from redline.core.content import Content
from redline.core.drift import Drift, DriftKind, Footing, Irregular
from redline.core.held import Held
from redline.core.kept import Kept
from redline.core.paths import RepoPath
from redline.errors import DriftFound, LimitExceeded, WriteFailed
from tests.support.build import sighting

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator

    from redline.core.content import FileState, Sighting
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

    def survey(self, path: RepoPath) -> Footing:
        found = self.read(path)
        return Footing(found if isinstance(found, Irregular) else None, int(path in self.files), is_read_only=False)

    def look(self, path: RepoPath) -> Sighting | Irregular | None:
        found = self.read(path)
        return sighting(found) if isinstance(found, Content) else found


class MemoryGuard:
    """Writes a `MemoryTree`. Before the step numbered `fails_before` it calls `fault`, once."""

    def __init__(self, tree: MemoryTree) -> None:
        self._tree = tree
        self._slots: dict[str, dict[int, Content]] = {}
        self.kept: dict[str, Content] = {}
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
        now = self._tree.read(step.path)
        if not is_at(now, step.before):
            gone = DriftKind.VANISHED if now is None else DriftKind.CHANGED
            drift = Drift(step.path, DriftKind.APPEARED if step.before is None else gone)
            raise DriftFound(f"{step.path} {drift.text}", details={"path": str(step.path), "drift": drift.kind.name})
        self._swap(step.path, position, slots)

    def _swap(self, path: RepoPath, position: int, slots: dict[int, Content]) -> None:
        """Slot and name trade places; either may be empty."""
        in_slot = slots.pop(position, None)
        if path in self._tree.files:
            slots[position] = self._tree.take(path)
        if in_slot is not None:
            self._tree.put(path, in_slot)

    def roll_back(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:
        slots = self._slots.get(plan.tx)
        if slots is None:
            return ()
        kept: list[Kept] = []
        for position, step in reversed([*enumerate(plan.steps)]):
            if not self._undo(step, position, slots):
                kept.append(Kept(step.path, None))
                if position in slots and not is_at(slots[position], step.after):
                    place = f"kept/{plan.tx}-{position}"
                    self.kept[place] = slots.pop(position)
                    kept.append(Kept(step.path, place))
        for folder in reversed(plan.new_folders):
            if not any(path.startswith(f"{folder}/") for path in (*self._tree.files, *self._tree.folders)):
                self._tree.folders.discard(folder)
        return tuple(kept)

    def _undo(self, step: Step, position: int, slots: dict[int, Content]) -> bool:
        """Follow the table in `redline.adapters.worktree.guard`; False if the name stays with somebody else's bytes."""
        in_slot, now = slots.get(position), self._tree.read(step.path)
        if is_at(in_slot, step.after):
            return True
        if is_at(now, step.before):
            return True
        if not is_at(now, step.after) or (in_slot is None and step.before is not None):
            return False
        self._swap(step.path, position, slots)
        return True

    def tidy(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:
        self._slots.pop(plan.tx, None)
        return ()

    def unsettled(self, held: Held) -> tuple[str, ...]:
        return tuple(sorted(self._slots))

    @property
    def weakness(self) -> str:
        return ""

    @contextmanager
    def held_back(self) -> Iterator[Callable[[], bool]]:
        yield lambda: self.is_interrupted


def is_at(content: Content | Irregular | None, state: FileState | None) -> bool:
    """Tell whether what stands somewhere is in the state that a plan names."""
    if not isinstance(content, Content) or state is None:
        return content is None and state is None
    return (content.sha256, content.mode) == (state.sha256, state.mode)
