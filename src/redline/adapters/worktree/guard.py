"""The guarded write: every path from *before* to *after*, or none.

Calling sequence, all of it under `.proposals/lock`:

    stage      after-contents complete and durable in `.proposals/tx/<proposal>/`, which has its name only then
               (the caller commits the intent to the journal)
    write      git's index lock and a lease on every file taken; folders made, then each path exchanged with its slot
               and what came out compared with *before*; every touched folder synced; the leases looked at once more
               (the caller commits the receipt: the commit point)
    tidy       leases and index lock let go; the slots go; what is neither before nor after is kept

    roll_back  instead of the receipt, after any failure, and by recovery after a crash

States of a path (name, slot) and what `roll_back` does:

    edit       (any, after)      not reached, or undone           nothing
               (after, before)   exchanged                        exchange back
               (before, before)  somebody restored it himself     nothing
               (other, before)   somebody wrote or removed it     the name stays, the slot is kept, a person is told
    creation   (any, after)      not reached                      nothing
               (after, absent)   created                          move back into the slot
               (other, absent)   somebody wrote after us          the name stays, a person is told
    deletion   (any, absent)     not reached                      nothing
               (absent, before)  moved aside                      move back
               (other, before)   somebody re-created it           the name stays, the slot is kept, a person is told

A folder that is gone, or is none any more, makes its paths absent, and what was displaced from them is kept. A kept
file moves to `.proposals/kept/`, where redline deletes nothing.

The exchange is its own check: whatever the name held at that instant is in the slot, and only then compared. Nothing
that redline did not stage is overwritten or deleted on the way.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.adapters import durable
from redline.adapters.worktree import staging, walk
from redline.adapters.worktree.descriptors import make_room
from redline.adapters.worktree.exchange import Exchange, probe
from redline.adapters.worktree.folders import Folders
from redline.adapters.worktree.index_lock import IndexLock
from redline.adapters.worktree.leases import Leases, can_lease
from redline.adapters.worktree.rollback import put_back, roll_back, tidy
from redline.adapters.worktree.signals import held_back
from redline.adapters.worktree.transaction import Transactions, holds, slot_name
from redline.core.drift import Drift, DriftKind
from redline.core.paths import RepoPath
from redline.core.protection import Protection, Strength
from redline.errors import DriftFound, EnvironmentFault, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from redline.core.held import Held
    from redline.core.kept import Kept
    from redline.core.plan import Step, WritePlan


_WITHOUT_LEASE = "other programs could not be held off from the files: what one wrote late is kept where it was seen"


@dataclass(slots=True)
class _Run:
    """What a write remembers of itself: the metadata that was copied, and each path's new file."""

    tx: str
    copied: staging.Copied = field(default_factory=dict)
    placed: dict[RepoPath, tuple[int, int] | None] = field(default_factory=dict)
    has_begun: bool = False


class Guard:
    """The only writer of a working tree. Each method asks for the held lock."""

    def __init__(self, root: str, proposals: str, git_dir: str, exchange: Exchange | None = None) -> None:
        self._root_fd = walk.open_folder(root)
        self._transactions = Transactions(proposals)
        self._index_lock = IndexLock(git_dir)
        self._leases = Leases()
        self._chosen = exchange
        self._run = _Run("")

    def close(self) -> None:
        self._leases.release()
        os.close(self._root_fd)

    def missing_folders(self, paths: Iterable[RepoPath]) -> tuple[RepoPath, ...]:
        """The folders that a write of these paths has to make, outermost first.

        Raises EnvironmentFault if the tree cannot be read.
        """
        above = dict.fromkeys(folder for path in paths for folder in path.parents)
        return tuple(folder for folder in map(RepoPath, above) if self._is_missing(folder))

    def stage(self, held: Held, plan: WritePlan, contents: Callable[[str], bytes]) -> None:
        """Put the after-contents on disk, durable, outside the tree.

        Raises WriteFailed, or the KeyboardInterrupt of `contents`, having removed what it staged.
        """
        try:
            _refuse_more_folders_than_can_be_open(plan)
            with Folders(self._root_fd) as folders:
                _refuse_read_only(plan, folders)
                with self._transactions.create(plan.tx) as tx_fd:
                    self._run = _Run(plan.tx, staging.stage(plan, contents, folders, tx_fd))
        except OSError as error:
            self.tidy(held, plan)
            raise _failed("the new content could not be staged", error) from error
        except KeyboardInterrupt:
            self.tidy(held, plan)
            raise

    def write(self, held: Held, plan: WritePlan, interrupted: Callable[[], bool]) -> None:  # noqa: ARG002 -- the lock
        """Bring every path of the plan to *after*; git and other writers are held off until `tidy` or `roll_back`.

        Raises DriftFound, WriteFailed, LockHeld or KeyboardInterrupt (when `interrupted` says so) with the tree
        part-way: the caller must `roll_back`.
        """
        folder_count = _folder_count(plan)
        room = make_room(len(plan.steps) + folder_count) - folder_count
        try:
            with self._transactions.open(plan.tx) as tx_fd, Folders(self._root_fd) as folders:
                exchange = self._exchange(tx_fd)
                self._index_lock.acquire(plan.tx, tx_fd)
                self._lease(plan, folders, room)
                self._run.has_begun = True
                for folder in plan.new_folders:
                    _make_folder(folder, folders)
                for position, step in enumerate(plan.steps):
                    if interrupted():
                        raise KeyboardInterrupt
                    self._write_one(step, slot_name(position), tx_fd, exchange, folders)
                folders.sync()
                durable.sync(tx_fd)
                self._look_again(plan, folders, tx_fd)
        except OSError as error:
            raise _failed("the write was stopped", error) from error

    def roll_back(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:  # noqa: ARG002 -- the lock
        """Bring every path of the plan back to *before*, as far as nobody else wrote it since. Idempotent.

        Raises WriteFailed if the file system refuses; the next recovery goes on from there.
        """
        make_room(_folder_count(plan))
        self._run = self._run_of(plan)
        self._run.has_begun = True  # what stood under a name may be open in another program

        def keep(tx_fd: int, file_name: str) -> str:
            return self._transactions.keep(tx_fd, file_name, plan.tx)

        try:
            if not self._transactions.exists(plan.tx):
                return ()
            with self._transactions.open(plan.tx) as tx_fd:
                kept = roll_back(plan, self._root_fd, tx_fd, self._exchange(tx_fd), keep, self._run.copied)
            self._index_lock.release()
        except OSError as error:
            raise _failed("the write could not be rolled back", error) from error
        finally:
            self._leases.release()
        return kept

    def tidy(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]:  # noqa: ARG002 -- the lock
        """Remove the transaction's folder, keeping any file that is neither before nor after. Idempotent.

        Never fails: what cannot be removed now is left to the next recovery. A file that somebody has open for
        writing, having found it before it was displaced or taken back, is kept for them as well.
        """
        self._release_index_lock()
        kept = tidy(plan, self._transactions, self._leases, is_fresh=self._run_of(plan).has_begun)
        self._leases.release()
        return kept

    def unsettled(self, held: Held) -> tuple[str, ...]:  # noqa: ARG002 -- the lock
        """The transactions that still have a folder; a lock on git's index that a dead redline left is let go."""
        self._release_index_lock()
        return self._transactions.names()

    def _release_index_lock(self) -> None:
        """Whatever hinders that now: the next command lets go of it."""
        with suppress(OSError):
            self._index_lock.release()

    def held_back(self) -> AbstractContextManager[Callable[[], bool]]:
        """Hold interrupts back for the block; the question it yields tells whether one arrived."""
        return held_back()

    def protections(self, held: Held) -> tuple[Protection, ...]:  # noqa: ARG002 -- the lock
        """Try out, beside the journal, what a write would rely on.

        Raises WriteFailed if the file system refuses.
        """
        try:
            with self._transactions.beside() as fd, held_back():
                return (_exchange_protection(self._exchange(fd)), _lease_protection(fd), self._index_lock.protection())
        except OSError as error:
            raise _failed("the file system could not be tried out", error) from error

    @property
    def weakness(self) -> str:
        """What the last write had to do without, in words for its receipt; empty where nothing was missing."""
        lacks = [self._chosen.weakness] if self._chosen is not None and self._chosen.weakness else []
        if self._leases.lacking:
            lacks.append(_WITHOUT_LEASE)
        return "; ".join(lacks)

    def _run_of(self, plan: WritePlan) -> _Run:
        """What this process knows of the plan's write: nothing, if another has begun it."""
        return self._run if self._run.tx == plan.tx else _Run(plan.tx)

    def _exchange(self, folder_fd: int) -> Exchange:
        if self._chosen is None:
            self._chosen = probe(folder_fd)
        return self._chosen

    def _is_missing(self, folder: RepoPath) -> bool:
        try:
            return walk.look(self._root_fd, folder).kind == walk.ABSENT
        except OSError as error:
            raise EnvironmentFault(
                f"{folder} cannot be looked at: {error.strerror}",
                code="FILE_UNREADABLE",
                hint="Check the permissions of the folders above it.",
                details={"path": str(folder)},
            ) from error

    def _lease(self, plan: WritePlan, folders: Folders, room: int) -> None:
        """Hold off writers of every file that will be displaced, before the first one moves; as many as can be open."""
        displaced = [step.path for step in plan.steps if step.before is not None]
        leased = displaced[: max(room, 0)]
        self._leases.lacking = len(displaced) - len(leased)
        for path in leased:
            folder_fd, name = _holding(path, folders)
            try:
                self._leases.take(path, folder_fd, name)
            except FileNotFoundError as error:
                raise _drift(path, DriftKind.VANISHED) from error

    def _look_again(self, plan: WritePlan, folders: Folders, tx_fd: int) -> None:
        """Look once more, just before the commit: is every file still the one that was put in its place?

        And has a displaced one still its mode? A chmod(2) that waited for the exchange comes after it, and breaks no
        lease.
        """
        for position, step in enumerate(plan.steps):
            if self._leases.has_other_mode(step.path, tx_fd, slot_name(position)):
                raise _drift(step.path, DriftKind.MODE_CHANGED)
            if walk.identity_at(*_holding(step.path, folders)) != self._run.placed[step.path]:
                raise _drift(step.path, DriftKind.CHANGED if step.after is not None else DriftKind.APPEARED)
        opened = self._leases.broken()
        if opened is not None:
            raise _drift(opened, DriftKind.CHANGED)
        moved = folders.moved()
        if moved is not None:
            raise _drift(RepoPath(moved), DriftKind.VANISHED)

    def _write_one(
        self,
        step: Step,
        slot: str,
        tx_fd: int,
        exchange: Exchange,
        folders: Folders,
    ) -> None:
        folder_fd, name = _holding(step.path, folders)
        if step.before is not None and not holds(self._leases.look_at(step.path, folder_fd, name), step.before):
            raise _drift(step.path, DriftKind.CHANGED)
        ours = walk.identity_at(tx_fd, slot)
        _trade_places(step, slot, tx_fd, exchange, folder_fd, name)
        self._run.placed[step.path] = ours
        if step.before is None:
            return
        fault = self._displaced_fault(step, self._leases.look_at(step.path, tx_fd, slot))
        if fault is not None:
            put_back(step, slot, tx_fd, folder_fd, name, exchange, ours)
            raise _drift(step.path, fault)

    def _displaced_fault(self, step: Step, displaced: walk.Entry) -> DriftKind | None:
        """Why what came out of the name is not the file that the after-content was staged for."""
        if not holds(displaced, step.before) or not self._leases.covers(step.path, displaced):
            return DriftKind.CHANGED
        copied = self._run.copied.get(step.path)
        return DriftKind.MODE_CHANGED if copied is not None and copied != displaced.attributes else None


def _trade_places(step: Step, slot: str, tx_fd: int, exchange: Exchange, folder_fd: int, name: str) -> None:
    try:
        if step.before is None:
            exchange.rename_new(tx_fd, slot, folder_fd, name)
        elif step.after is None:
            exchange.take(folder_fd, name, tx_fd, slot)
        else:
            exchange.swap(tx_fd, slot, folder_fd, name)
    except FileNotFoundError as error:
        raise _drift(step.path, DriftKind.VANISHED) from error
    except FileExistsError as error:
        raise _drift(step.path, DriftKind.APPEARED if step.before is None else DriftKind.CHANGED) from error
    except OSError as error:
        why = "it lies on another mount than .proposals" if error.errno == errno.EXDEV else error.strerror
        name = errno.errorcode.get(error.errno or 0, "")
        raise WriteFailed(f"{step.path} could not be put in place: {why}", details={"errno": name}) from error


def _exchange_protection(exchange: Exchange) -> Protection:
    if exchange.weakness:
        advice = "Keep the repository on ext4, XFS, btrfs, tmpfs or APFS."
        return Protection("exchange", Strength.WEAK, exchange.weakness, advice)
    text = "old and new file trade places in one step, and what came out is compared"
    return Protection("exchange", Strength.HOLDS, text)


def _lease_protection(folder_fd: int) -> Protection:
    if can_lease(folder_fd):
        text = "a file that another program has open for writing is seen and left alone"
        return Protection("leases", Strength.HOLDS, text)
    text = "a program that has a file open for writing is noticed late; what it writes is kept beside the journal"
    return Protection("leases", Strength.WEAK, text)


def _folder_count(plan: WritePlan) -> int:
    """How many folders a write or its rollback has open at once."""
    return len({path.rpartition("/")[0] for path in (*(step.path for step in plan.steps), *plan.new_folders)})


def _refuse_more_folders_than_can_be_open(plan: WritePlan) -> None:
    """Before anything moves: what cannot be open at once could not be taken back either."""
    wanted = _folder_count(plan)
    possible = make_room(wanted)
    if possible < wanted:
        raise WriteFailed(
            f"the change touches {wanted} folders, and only {possible} may be open at once here;"
            " raise the limit of open files (`ulimit -n`)"
        )


def _refuse_read_only(plan: WritePlan, folders: Folders) -> None:
    for step in plan.steps:
        found = folders.holding(step.path)
        if isinstance(found, str):
            found = folders.nearest(step.path), "."
        if walk.survey_at(*found).is_read_only:
            raise WriteFailed(f"{step.path} is read-only, or its folder is", details={"path": str(step.path)})


def _make_folder(folder: RepoPath, folders: Folders) -> None:
    fd, name = _holding(folder, folders)
    try:
        os.mkdir(name, 0o777, dir_fd=fd)
    except FileExistsError as error:
        raise _drift(folder, DriftKind.APPEARED) from error


def _holding(path: RepoPath, folders: Folders) -> tuple[int, str]:
    found = folders.holding(path)
    if isinstance(found, str):
        raise _drift(path, DriftKind.VANISHED if found == walk.ABSENT else DriftKind.NOT_REGULAR)
    return found


def _drift(path: RepoPath, kind: DriftKind) -> DriftFound:
    drift = Drift(path, kind)
    return DriftFound(f"{path} {drift.text}", details={"path": str(path), "drift": kind.name})


def _failed(what: str, error: OSError) -> WriteFailed:
    where = f" ({error.filename})" if error.filename is not None else ""
    name = errno.errorcode.get(error.errno or 0, "")
    return WriteFailed(f"{what}: {error.strerror or name}{where}", details={"errno": name})
