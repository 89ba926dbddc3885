"""The appliers that are raced: redline's guard in several settings, its whole confirmation, and other ways to do it."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from bench.race.scene import BASE, NAME, OTHER_NAME, Kind, Verdict

from redline import app
from redline.adapters.worktree import leases as leases_module
from redline.adapters.worktree.exchange import Exchange, MoveAside
from redline.adapters.worktree.guard import Guard
from redline.core.content import Content, FileState, Mode, ObjectFormat
from redline.core.decision import Level
from redline.core.held import Held
from redline.core.lifecycle import Outcome
from redline.core.paths import RepoPath
from redline.core.plan import Step, WritePlan
from redline.core.proposal import Origin
from redline.errors import DriftFound, LockHeld, RecoveryIncomplete, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from redline.core.kept import Kept

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
_TX = "0123456789abcdef"


class Applier(Protocol):
    """One way to apply the change."""

    is_redline: bool

    def reset(self) -> None:
        """Make ready for the next trial, beyond the raced file itself."""
        ...

    def apply(self) -> Verdict:
        """Apply the change, or refuse; nothing here waits for the racer."""
        ...

    def settle(self) -> list[str]:
        """Where the next command, some time after the racer has ended, finds bytes to keep."""
        ...

    def leftovers(self) -> list[str]:
        """What is left of a write that has ended."""
        ...

    def close(self) -> None: ...


class RedlineFolder:
    """What both redline appliers share: the folders a write must leave as it found them."""

    is_redline = True

    def __init__(self, root: str) -> None:
        self._root = root
        self._proposals = os.path.join(root, ".proposals")

    def reset(self) -> None:
        kept = os.path.join(self._proposals, "kept")
        if os.path.isdir(kept):
            for name in os.listdir(kept):
                os.unlink(os.path.join(kept, name))

    def settle(self) -> list[str]:
        return []

    def leftovers(self) -> list[str]:
        lock, transactions = os.path.join(self._root, ".git", "index.lock"), os.path.join(self._proposals, "tx")
        return [lock] * os.path.exists(lock) + (os.listdir(transactions) if os.path.isdir(transactions) else [])


class GuardApplier(RedlineFolder):
    """The guard alone, called as `review.decide` calls it. With `undone` a second path has drifted in every trial."""

    def __init__(
        self,
        root: str,
        kind: Kind,
        *,
        exchange: Exchange | None = None,
        leases: bool = True,
        undone: bool = False,
    ) -> None:
        super().__init__(root)
        os.makedirs(self._proposals, mode=0o700, exist_ok=True)
        self._guard = Guard(root, self._proposals, os.path.join(root, ".git"), exchange)
        self._held = Held(os.path.join(self._proposals, "lock"))
        self._real_lease = leases_module._lease
        if not leases:
            leases_module._lease = lambda fd: None  # noqa: ARG005 -- a lease that cannot be had
        contents = [data for data in (kind.before, kind.after) if data is not None]
        self._contents = {Content(data, Mode.REGULAR).sha256: data for data in contents}
        steps = [Step(RepoPath(NAME), _state(kind.before), _state(kind.after))]
        if undone:
            self._drift(os.path.join(root, OTHER_NAME))
            steps.append(Step(RepoPath(OTHER_NAME), _state(BASE), None))
        self._plan = WritePlan(_TX, _TX, tuple(steps), ())

    def apply(self) -> Verdict:
        guard, held, plan = self._guard, self._held, self._plan
        guard.stage(held, plan, self._contents.__getitem__)
        with guard.held_back() as interrupted:
            try:
                guard.write(held, plan, interrupted)
            except (DriftFound, LockHeld, WriteFailed) as stop:
                kept = guard.roll_back(held, plan)
                return _verdict((*kept, *guard.tidy(held, plan)), stop.code)
            return _verdict(guard.tidy(held, plan))

    def settle(self) -> list[str]:
        if not os.path.exists(os.path.join(self._proposals, "tx", _TX)):
            return []
        later = Guard(self._root, self._proposals, os.path.join(self._root, ".git"))
        try:
            return [item.place for item in later.tidy(self._held, self._plan) if item.place is not None]
        finally:
            later.close()

    def close(self) -> None:
        leases_module._lease = self._real_lease
        self._guard.close()

    def _drift(self, path: str) -> None:
        with open(path, "wb") as file:
            file.write(BASE + b"drifted\n")


class ConfirmApplier(RedlineFolder):
    """A person's whole confirmation with the real journal, which each trial gets back as it was."""

    def __init__(self, root: str, kind: Kind) -> None:
        super().__init__(root)
        _allow_confirmation_without_a_look()
        app.start()
        app.initialise(root, self._world, adopt=False)
        request = app.request(
            text=kind.patch, origin=Origin("model"), format=None, path=None, strip=None, reason="", lifetime=None
        )
        with app.model(root, self._world) as desk:
            self._proposal = desk.prepare(request).proposal
        self._stack = ExitStack()
        self._desk = self._stack.enter_context(app.person(root, self._world)).desk
        self._state = os.path.join(os.environ["XDG_STATE_HOME"], "redline")
        self._copies = f"{root}.copies"
        shutil.copytree(self._state, os.path.join(self._copies, "state"))
        shutil.copytree(self._proposals, os.path.join(self._copies, "proposals"))

    _world = app.World(clock=lambda: NOW)

    def reset(self) -> None:
        super().reset()
        for name, place in (("state", self._state), ("proposals", self._proposals)):
            shutil.copytree(os.path.join(self._copies, name), place, dirs_exist_ok=True)

    def apply(self) -> Verdict:
        try:
            ended = self._desk.confirm(self._proposal.id, self._proposal.digest, Level.NONE)
        except (LockHeld, RecoveryIncomplete) as stop:
            return Verdict(applied=False, reason=stop.code)
        outcome = ended.filed.receipt.outcome
        return _verdict(ended.kept, "" if outcome is Outcome.APPLIED else outcome.value)

    def close(self) -> None:
        self._stack.close()
        shutil.rmtree(self._copies)


class Peer:
    """Another tool, or the code that is usually written for this."""

    is_redline = False

    def __init__(self, act: Callable[[], bool]) -> None:
        self._act = act

    def settle(self) -> list[str]:
        return []

    def reset(self) -> None:
        pass

    def apply(self) -> Verdict:
        return Verdict(applied=self._act())

    def leftovers(self) -> list[str]:
        return []

    def close(self) -> None:
        pass


def _git_apply(root: str, kind: Kind) -> Applier:
    return _spawned(root, kind, ["git", "apply"])


def _gnu_patch(root: str, kind: Kind) -> Applier:
    return _spawned(root, kind, ["patch", "-s", "-f", "-p1", "-i"])


def _spawned(root: str, kind: Kind, command: list[str]) -> Applier:
    """Another program, started as cheaply as possible; the current folder is the tree."""
    patch = f"{root}.patch"
    with open(patch, "wb") as file:
        file.write(kind.patch)
    argv = [shutil.which(command[0]) or command[0], *command[1:], patch]
    silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]

    def act() -> bool:
        child = os.posix_spawn(argv[0], argv, os.environ, file_actions=silent)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    return Peer(act)


def _check_then_write(_root: str, kind: Kind) -> Applier:
    """Compare, then open for writing."""

    def act() -> bool:
        if not _is_as_before(kind):
            return False
        if kind.after is None:
            os.unlink(NAME)
        else:
            with open(NAME, "wb") as file:
                file.write(kind.after)
        return True

    return Peer(act)


def _check_then_replace(_root: str, kind: Kind) -> Applier:
    """Write a temporary file, compare, then rename it over the name."""

    def act() -> bool:
        if kind.after is not None:
            with open("applier.tmp", "wb") as file:
                file.write(kind.after)
        if not _is_as_before(kind):
            return False
        if kind.after is None:
            os.unlink(NAME)
        else:
            os.replace("applier.tmp", NAME)
        return True

    return Peer(act)


def _is_as_before(kind: Kind) -> bool:
    try:
        with open(NAME, "rb") as file:
            return file.read() == kind.before
    except FileNotFoundError:
        return kind.before is None


METHODS: dict[str, Callable[[str, Kind], Applier]] = {
    "redline-guard": GuardApplier,
    "redline-guard-undone": lambda root, kind: GuardApplier(root, kind, undone=True),
    "redline-guard-no-leases": lambda root, kind: GuardApplier(root, kind, leases=False),
    "redline-guard-move-aside": lambda root, kind: GuardApplier(root, kind, exchange=MoveAside()),
    "redline-confirm": ConfirmApplier,
    "git-apply": _git_apply,
    "gnu-patch": _gnu_patch,
    "check-then-write": _check_then_write,
    "check-then-replace": _check_then_replace,
}


def _verdict(kept: Iterable[Kept], reason: str = "") -> Verdict:
    places = [item.place for item in kept]
    return Verdict(not reason, reason, [place for place in places if place is not None], None in places)


def _state(data: bytes | None) -> FileState | None:
    return Content(data, Mode.REGULAR).state(ObjectFormat.SHA1) if data is not None else None


def _allow_confirmation_without_a_look() -> None:
    folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "redline")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
        file.write('[confirm]\nlevel = "none"\n')
