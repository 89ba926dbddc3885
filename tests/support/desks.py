"""The two ports wired without a repository: a tree in memory, a journal in a folder, a clock that is moved by hand."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from redline import intake
from redline.adapters.git.diff import DiffEngine
from redline.adapters.git.merge import MergeEngine
from redline.adapters.journal import files
from redline.adapters.journal.store import Journal, create
from redline.core.committed import Blob, Candidate, Committed, EntryKind
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.decision import Level, Person
from redline.core.paths import RepoPath
from redline.core.policy import Policy
from redline.core.proposal import Base, Origin
from redline.review.capture import CaptureDesk
from redline.review.decide import UserDesk
from redline.review.derive import DerivationDesk
from redline.review.prepare import ModelDesk, Request
from redline.review.recovery import Recovery
from redline.review.view import Viewer
from tests.support.memory_tree import MemoryGuard, MemoryLock, MemoryTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt
    from redline.review.case import Ended
    from redline.review.ports import TreeView, Writer

START = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
UID = os.getuid()


class AnyJournal:
    """Trusts every journal: the registry has tests of its own."""

    def check(self, repo_id: str, event_hash: Callable[[int], str | None]) -> None:
        pass

    def remember(self, repo_id: str, head: tuple[int, str]) -> None:
        pass


@dataclass
class Surroundings:
    """What the desks ask about the repository."""

    ignored_patterns: tuple[str, ...] = ()
    object_format: ObjectFormat = ObjectFormat.SHA1
    root: str = "/repo"

    def base(self) -> Base:
        return Base("1" * 40, "main")

    def ignored(self, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
        spec = GitIgnoreSpec.from_lines(self.ignored_patterns)
        return frozenset(path for path in paths if spec.match_file(path))


@dataclass(frozen=True)
class CommittedFiles:
    """A commit that holds some files; at the `candidates` the tree may differ from it."""

    files: dict[str, Content]
    paths: tuple[str, ...]

    def candidates(self) -> tuple[Candidate, ...]:
        return tuple(Candidate(path, self._entry(path)) for path in sorted(self.paths))

    def staged_count(self) -> int:
        return 0

    def blobs(self, wanted: Sequence[tuple[str, Committed]]) -> dict[str, Blob]:
        return {path: Blob(self.files[path].data, "") for path, _ in wanted}

    def _entry(self, path: str) -> Committed | None:
        found = self.files.get(path)
        if found is None:
            return None
        return Committed(EntryKind(found.mode.value), found.state(ObjectFormat.SHA1).oid)


@dataclass
class Desks:
    """One tree, one journal; each call of `model` or `user` is a program started anew."""

    folder: str
    tree: TreeView
    writer: Writer
    surroundings: Surroundings = field(default_factory=Surroundings)
    now: datetime = START
    policy: Policy = field(default_factory=lambda: Policy(level=Level.NONE))
    lock: MemoryLock = field(default_factory=lambda: MemoryLock(threading.Lock()))

    def __post_init__(self) -> None:
        files.make_folder(self.folder)
        self.journal = Journal(self.folder, AnyJournal())
        if not files.exists(self.folder):
            create(self.folder, "0" * 32, AnyJournal(), {"role": "person", "uid": UID}, self.now)

    def clock(self) -> datetime:
        return self.now

    def model(self, uid: int = UID) -> ModelDesk:
        return ModelDesk(
            lock=self.lock,
            journal=self.journal,
            tree=self.tree,
            repository=self.surroundings,
            differ=DiffEngine(self.folder),
            intake=intake,
            policy=self.policy,
            clock=self.clock,
            uid=uid,
        )

    def user(self, uid: int = UID) -> UserDesk:
        return UserDesk(
            lock=self.lock,
            journal=self.journal,
            tree=self.tree,
            writer=self.writer,
            differ=DiffEngine(self.folder),
            recovery=self.recovery,
            policy=lambda: self.policy,
            clock=self.clock,
            person=Person(uid, "Ada Example", "ada@example.org"),
        )

    def derivations(self, uid: int = UID) -> DerivationDesk:
        return DerivationDesk(
            lock=self.lock,
            journal=self.journal,
            tree=self.tree,
            repository=self.surroundings,
            differ=DiffEngine(self.folder),
            merger=MergeEngine(self.folder),
            recovery=self.recovery,
            policy=lambda: self.policy,
            clock=self.clock,
            person=Person(uid, "Ada Example", "ada@example.org"),
        )

    def captures(self, uncommitted: CommittedFiles, uid: int = UID) -> CaptureDesk:
        return CaptureDesk(
            lock=self.lock,
            journal=self.journal,
            tree=self.tree,
            writer=self.writer,
            repository=self.surroundings,
            uncommitted=lambda: uncommitted,
            differ=DiffEngine(self.folder),
            recovery=self.recovery,
            policy=lambda: self.policy,
            clock=self.clock,
            person=Person(uid, "Ada Example", "ada@example.org"),
        )

    @property
    def recovery(self) -> Recovery:
        return Recovery(self.journal, self.writer, self.clock)

    def recover(self) -> None:
        with self.lock.hold() as held:
            self.recovery.run_or_stop(held)

    def viewer(self, uid: int = UID) -> Viewer:
        return Viewer(self.journal, self.tree, DiffEngine(self.folder), uid)

    def propose(self, text: bytes, *, session: str | None = None, lifetime: timedelta | None = None) -> Proposal:
        request = Request(text, Origin("model", session), lifetime=lifetime)
        return self.model().prepare(request).proposal

    def confirm(self, proposal: Proposal, level: Level = Level.NONE) -> Ended:
        return self.user().confirm(proposal.id, proposal.digest, level)

    def receipts(self) -> dict[str, FiledReceipt]:
        with self.journal.reading() as reader:
            return {filed.receipt.proposal: filed for filed in reader.receipts(since="", proposal_id=None)}

    def unfinished(self) -> tuple[str, ...]:
        with self.journal.reading() as reader:
            return tuple(plan.proposal for plan, _ in reader.unfinished())


def in_memory(folder: str, **contents: bytes) -> tuple[Desks, MemoryTree, MemoryGuard]:
    """Desks over a tree in memory that holds the files: `a_txt` is a.txt."""
    tree = MemoryTree()
    for name, data in contents.items():
        tree.put(RepoPath(name.replace("_", ".")), Content(data, Mode.REGULAR))
    guard = MemoryGuard(tree)
    return Desks(folder, tree, guard), tree, guard
