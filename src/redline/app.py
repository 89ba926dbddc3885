"""The composition root: the only place that wires adapters into the flow. It decides nothing.

Each function imports what it wires when it is called, so that a command starts with what it uses.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime, timedelta

    from redline.adapters.agents.installation import FileChange
    from redline.adapters.git.diff import DiffEngine
    from redline.adapters.git.discovery import Repository
    from redline.adapters.git.repository import GitRepository
    from redline.adapters.journal.glance import PendingPath
    from redline.adapters.journal.session_glance import SessionGlance
    from redline.adapters.journal.store import Journal, Trust
    from redline.adapters.worktree.guard import Guard
    from redline.adapters.worktree.lock import ProposalsLock
    from redline.adapters.worktree.tree import Tree
    from redline.core.decision import Person
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.core.proposal import Origin
    from redline.core.protection import Protection
    from redline.review.capture import Captured as Captured
    from redline.review.capture import CaptureDesk
    from redline.review.capture import Taken as Taken
    from redline.review.case import Ended as Ended
    from redline.review.decide import UserDesk
    from redline.review.derive import DerivationDesk
    from redline.review.derive import Derived as Derived
    from redline.review.offer import Prepared as Prepared
    from redline.review.prepare import ModelDesk as ModelDesk
    from redline.review.prepare import Request as Request
    from redline.review.prepare import Standing as Standing
    from redline.review.prepare import Told as Told
    from redline.review.recovery import Recovered as Recovered
    from redline.review.recovery import Recovery
    from redline.review.run import Ran as Ran
    from redline.review.run import RunDesk
    from redline.review.view import Preview as Preview
    from redline.review.view import Viewer


def utc_now() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)


class World(NamedTuple):
    """What a process takes from outside: the time, and the account that acts."""

    clock: Callable[[], datetime] = utc_now
    uid: int = os.getuid()


class Summary(NamedTuple):
    """Counts for `status`; `drifted` counts proposals."""

    pending: int
    drifted: int
    unfinished: int
    seq: int
    chain: str


class OwnPager(NamedTuple):
    """A shell command, empty for no pager at all, and the PATH to run it with."""

    command: str
    search_path: str


class Initialised(NamedTuple):
    """Where the journal is, and what `initialise` did: "created", "adopted" or "found"."""

    folder: str
    did: str


def start() -> None:
    """Clean the environment that every child process will get; the first act of each program."""
    from redline.adapters.git.environment import scrub

    scrub(os.environ)


def summarise(folder: str) -> Summary:
    """Count what is pending, drifted and unfinished, without git and without the core.

    Raises EnvironmentFault.
    """
    from redline.adapters.git.discovery import find
    from redline.adapters.identity.registry import Registry, state_home
    from redline.adapters.journal.glance import glance

    repository = find(folder)
    seen = glance(repository.proposals, Registry(state_home(), repository.proposals).check)
    drifted = _drifted(repository.root, seen.paths) if seen.paths else frozenset()
    return Summary(seen.pending, len(drifted), seen.unfinished, seen.seq, seen.chain)


def _drifted(root: str, paths: list[PendingPath]) -> frozenset[str]:
    """The proposals with a path that no longer holds its before, or cannot be read."""
    from redline.adapters.worktree import walk

    def is_as_before(row: PendingPath) -> bool:
        try:
            entry = walk.look(root_fd, row.path)
        except OSError:
            return False
        return walk.is_at(entry, row.sha256, row.size_bytes, row.mode == "100755")

    root_fd = walk.open_folder(root)
    try:
        return frozenset(row.proposal for row in paths if not is_as_before(row))
    finally:
        os.close(root_fd)


def initialise(folder: str, world: World, *, adopt: bool) -> Initialised:
    """Make the journal of the folder's repository, or find the one that is there; idempotent.

    Raises JournalFault if there is one that this person did not make, unless it is to be adopted.
    """
    from redline.adapters.git.discovery import find
    from redline.adapters.git.repository import GitRepository, exclude_proposals
    from redline.adapters.identity.registry import OwnershipOnly
    from redline.adapters.journal import files
    from redline.adapters.journal.store import Journal, create
    from redline.adapters.worktree.lock import ProposalsLock
    from redline.errors import JournalFault

    repository = find(folder)
    git = GitRepository(repository)
    if git.tracks_proposals():
        raise JournalFault(
            f"{repository.proposals} is tracked by git: it came, or would go, with a clone",
            hint="`git rm -r --cached .proposals`, commit, move the folder away, then run `redline init`.",
        )
    files.make_folder(repository.proposals)
    files.check_folder(repository.proposals)
    exclude_proposals(repository)
    registry = _registry(repository)
    with ProposalsLock(repository.proposals).hold() as held:
        if not files.exists(repository.proposals):
            person = _person(git, world)
            create(repository.proposals, os.urandom(16).hex(), registry, person.record, world.clock())
            return Initialised(repository.proposals, "created")
        if not adopt:
            with Journal(repository.proposals, registry).reading():
                return Initialised(repository.proposals, "found")
        foreign = Journal(repository.proposals, OwnershipOnly())
        contradictions = foreign.faults()
        if contradictions:
            raise JournalFault(
                f"{repository.proposals} cannot be adopted: {contradictions[0]}", code="JOURNAL_TAMPERED"
            )
        with foreign.writing(held) as writer:
            registry.remember(writer.repo_id, writer.head())
    return Initialised(repository.proposals, "adopted")


class HookPlan(NamedTuple):
    """What the hooks of agents need in the repository, and what is left to the person, by agent."""

    root: str
    changes: tuple[FileChange, ...]
    to_do: dict[str, str]


def plan_agent_hooks(folder: str, agents: tuple[str, ...], *, remove: bool) -> HookPlan:
    """Put the agents' hooks into their configurations, or take them out: what would be written.

    Raises EnvironmentFault.
    """
    from redline.adapters.agents import installation
    from redline.adapters.agents.catalogue import HOMES
    from redline.adapters.git.discovery import find

    root = find(folder).root
    program = None if remove else installation.own_program(root)
    changes = tuple(change for agent in agents for change in installation.plan(root, agent, program))
    return HookPlan(root, changes, {} if remove else {agent: HOMES[agent].to_do for agent in agents})


def carry_out(plan: HookPlan) -> None:
    """Write what was planned, file by file."""
    from redline.adapters.agents.installation import write

    for change in plan.changes:
        write(plan.root, change)


class PersonApp:
    """Everything that a person's commands use, for one repository; each part is wired when it is first asked for."""

    def __init__(self, repository: Repository, world: World, stack: ExitStack) -> None:
        self._repository = repository
        self._world = world
        self._stack = stack

    @cached_property
    def desk(self) -> UserDesk:
        from redline.review.decide import UserDesk

        return UserDesk(
            lock=self._lock,
            journal=self._journal,
            tree=self._tree,
            writer=self._guard,
            differ=self._differ,
            recovery=self._recovery,
            policy=self.policy,
            clock=self._world.clock,
            person=_person(self._git, self._world),
        )

    @cached_property
    def derivations(self) -> DerivationDesk:
        from redline.adapters.git.merge import MergeEngine
        from redline.review.derive import DerivationDesk

        return DerivationDesk(
            lock=self._lock,
            journal=self._journal,
            tree=self._tree,
            repository=self._git,
            differ=self._differ,
            merger=MergeEngine(self._repository.root),
            recovery=self._recovery,
            policy=self.policy,
            clock=self._world.clock,
            person=_person(self._git, self._world),
        )

    @cached_property
    def captures(self) -> CaptureDesk:
        from redline.adapters.git.uncommitted import Uncommitted
        from redline.review.capture import CaptureDesk

        return CaptureDesk(
            lock=self._lock,
            journal=self._journal,
            tree=self._tree,
            writer=self._guard,
            repository=self._git,
            uncommitted=lambda: Uncommitted(self._repository, self._git),
            differ=self._differ,
            recovery=self._recovery,
            policy=self.policy,
            clock=self._world.clock,
            person=_person(self._git, self._world),
        )

    @cached_property
    def runs(self) -> RunDesk:
        from redline.adapters.git.linked import Worktrees
        from redline.adapters.git.uncommitted import Uncommitted
        from redline.adapters.identity.registry import state_home
        from redline.adapters.scratch.room import Rooms
        from redline.adapters.worktree.copying import TreeCopy
        from redline.review.run import RunDesk

        return RunDesk(
            rooms=Rooms(os.path.join(state_home(), "redline", "runs")).open,
            worktrees=Worktrees(self._repository, self._git),
            copies=lambda tree, base: TreeCopy(self._repository.root, tree, base),
            uncommitted=lambda: Uncommitted(self._repository, self._git),
            captures=self.captures,
        )

    @property
    def name(self) -> str:
        """The person's name, as git knows it, or their account's number."""
        return self._git.person_name or f"uid {self._world.uid}"

    def selected(self, text: str, folder: str) -> str:
        """A file or folder that the person names from `folder`, as a path from the root, which itself is empty.

        Raises UsageFault if it is outside the repository.
        """
        from redline.errors import UsageFault

        above, name = os.path.split(os.path.normpath(os.path.join(folder, text)))
        path = os.path.relpath(os.path.join(os.path.realpath(above), name), self._repository.root)
        if path == ".." or path.startswith("../"):
            raise UsageFault(
                f"{text} is outside this repository",
                code="PATH_OUTSIDE",
                hint="Name files and folders inside it, from where you stand.",
                details={"path": text},
            )
        return "" if path == "." else path

    @cached_property
    def model(self) -> ModelDesk:
        """The model's port for a text that the person hands over."""
        return _model_desk(self._repository, self._git, self._journal, self._tree, self._world)

    @cached_property
    def viewer(self) -> Viewer:
        from redline.review.view import Viewer

        return Viewer(self._journal, self._tree, self._differ, self._world.uid)

    def policy(self) -> Policy:
        """The policy as it is now."""
        from redline.adapters.settings.files import load

        return load(self._repository.root)

    def recover(self) -> Recovered:
        """Settle what a crash left."""
        with self._lock.hold() as held, self._guard.held_back():
            return self._recovery.run(held)

    def recover_or_stop(self) -> Recovered:
        """Settle what a crash left; raises RecoveryIncomplete if a person must look first."""
        with self._lock.hold() as held, self._guard.held_back() as interrupted:
            recovered = self._recovery.run_or_stop(held)
        if interrupted():
            raise KeyboardInterrupt
        return recovered

    def own_pager(self) -> OwnPager | None:
        """The pager that the person's own git configuration names, if it names one."""
        command = self._git.pager
        return OwnPager(command, self._git.program_path) if command is not None else None

    def mentions(self, path: RepoPath) -> tuple[str, ...] | None:
        """The tracked files that speak of another one; None if that could not be found out in time."""
        return self._git.mentions(path)

    def verify(self) -> tuple[str, ...]:
        """The journal's contradictions, in words."""
        return self._journal.faults()

    def protections(self) -> tuple[Protection, ...]:
        """What protects the person here, and what does not."""
        from redline.adapters.agents.probe import protections
        from redline.adapters.identity.terminal import protection
        from redline.review.checkup import Checkup

        found = Checkup(
            lock=self._lock,
            journal=self._journal,
            writer=lambda: self._guard,
            repository=self._git,
            policy=self.policy,
            terminal=protection,
        ).run()
        return (*found, *protections(self._repository.root))

    @cached_property
    def _git(self) -> GitRepository:
        from redline.adapters.git.repository import GitRepository

        return GitRepository(self._repository)

    @cached_property
    def _journal(self) -> Journal:
        from redline.adapters.journal.store import Journal

        return Journal(self._repository.proposals, _registry(self._repository))

    @cached_property
    def _lock(self) -> ProposalsLock:
        from redline.adapters.worktree.lock import ProposalsLock

        return ProposalsLock(self._repository.proposals)

    @cached_property
    def _tree(self) -> Tree:
        from redline.adapters.worktree.tree import Tree

        tree = Tree(self._repository.root)
        self._stack.callback(tree.close)
        return tree

    @cached_property
    def _guard(self) -> Guard:
        from redline.adapters.worktree.guard import Guard

        guard = Guard(self._repository.root, self._repository.proposals, self._repository.git_dir)
        self._stack.callback(guard.close)
        return guard

    @cached_property
    def _differ(self) -> DiffEngine:
        from redline.adapters.git.diff import DiffEngine

        return DiffEngine(self._repository.root)

    @cached_property
    def _recovery(self) -> Recovery:
        from redline.review.recovery import Recovery

        return Recovery(self._journal, self._guard, self._world.clock)


@contextmanager
def person(folder: str, world: World) -> Iterator[PersonApp]:
    """Wire a person's side.

    Raises RepositoryFault if the folder is in no repository.
    """
    from redline.adapters.git.discovery import find

    with ExitStack() as stack:
        yield PersonApp(find(folder), world, stack)


@contextmanager
def model(folder: str, world: World) -> Iterator[ModelDesk]:
    """Wire a model's side: nothing that could decide or write to the tree is imported."""
    from redline.adapters.git.discovery import find
    from redline.adapters.git.repository import GitRepository
    from redline.adapters.identity.registry import OwnershipOnly
    from redline.adapters.journal.store import Journal
    from redline.adapters.worktree.tree import Tree

    repository = find(folder)
    journal = Journal(repository.proposals, OwnershipOnly())
    tree = Tree(repository.root)
    try:
        yield _model_desk(repository, GitRepository(repository), journal, tree, world)
    finally:
        tree.close()


@contextmanager
def model_viewer(folder: str, world: World) -> Iterator[Viewer]:
    """Wire what a model's side may look at: the stored proposals, as a person sees them."""
    from redline.adapters.git.diff import DiffEngine
    from redline.adapters.git.discovery import find
    from redline.adapters.identity.registry import OwnershipOnly
    from redline.adapters.journal.store import Journal
    from redline.adapters.worktree.tree import Tree
    from redline.review.view import Viewer

    repository = find(folder)
    tree = Tree(repository.root)
    try:
        journal = Journal(repository.proposals, OwnershipOnly())
        yield Viewer(journal, tree, DiffEngine(repository.root), world.uid)
    finally:
        tree.close()


def session_at_a_glance(folder: str, session: str) -> SessionGlance:
    """Whether an agent's session has anything to hear or to seal, without git and without the core.

    Raises EnvironmentFault.
    """
    from redline.adapters.git.discovery import find
    from redline.adapters.journal.session_glance import glance_at_session

    return glance_at_session(find(folder).proposals, session)


def request(
    *,
    text: bytes,
    origin: Origin,
    format: str | None,  # noqa: A002 -- the word of the command line
    path: RepoPath | None,
    strip: int | None,
    reason: str,
    lifetime: timedelta | None,
    opens: bool = False,
) -> Request:
    """A text for `ModelDesk.prepare`."""
    from redline.review.prepare import Request

    return Request(text, origin, format, path, strip, reason, lifetime, opens)


def origin(author: str) -> Origin:
    """Who made a change that no agent's session stands behind."""
    from redline.core.proposal import Origin

    return Origin(author)


def path_below(text: str, root: str) -> RepoPath:
    """The path that a caller names from the root, or as an absolute one below it, also through links above it.

    Raises UnsafePath.
    """
    from redline.core.paths import RepoPath
    from redline.intake.markup import below

    path = below(text, root)
    if os.path.isabs(path):
        path = below(os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)), root)
    return RepoPath(path)


def is_initialised(folder: str) -> bool:
    from redline.adapters.git.discovery import find
    from redline.adapters.journal import files

    return files.exists(find(folder).proposals)


def parse_duration(text: str) -> timedelta:
    from redline.adapters.settings.files import parse_duration as parse

    return parse(text)


def crash_folder() -> str:
    """Where an account of an unexpected error goes."""
    from redline.adapters.identity.registry import state_home

    return os.path.join(state_home(), "redline")


def _model_desk(repository: Repository, git: GitRepository, journal: Journal, tree: Tree, world: World) -> ModelDesk:
    from redline import intake
    from redline.adapters.git.diff import DiffEngine
    from redline.adapters.settings.files import load
    from redline.adapters.worktree.lock import ProposalsLock
    from redline.review.prepare import ModelDesk

    return ModelDesk(
        lock=ProposalsLock(repository.proposals),
        journal=journal,
        tree=tree,
        repository=git,
        differ=DiffEngine(repository.root),
        intake=intake,
        policy=load(repository.root),
        clock=world.clock,
        uid=world.uid,
    )


def _registry(repository: Repository) -> Trust:
    from redline.adapters.identity.registry import Registry, state_home

    return Registry(state_home(), repository.proposals)


def _person(git: GitRepository, world: World) -> Person:
    from redline.core.decision import Person

    return Person(world.uid, git.person_name, git.person_email)
