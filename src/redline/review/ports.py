"""What the flow asks of the world. Adapters fit these by shape; `app` puts them in.

The two ports of redline itself are `prepare.ModelDesk` (a model's side) and `decide.UserDesk` (a person's side): the
first has no way to confirm, and nothing that could write to the tree is handed to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from redline.core.canonical import Record
    from redline.core.change import Change, ContentChange
    from redline.core.committed import Blob, Candidate, Committed
    from redline.core.content import Content, ObjectFormat, Sighting
    from redline.core.drift import Footing, Irregular
    from redline.core.held import Held
    from redline.core.hunks import FileDiff, Hunk
    from redline.core.kept import Kept
    from redline.core.listing import EventEntry, Listed
    from redline.core.merge import Merged
    from redline.core.notes import Leniency
    from redline.core.paths import RepoPath
    from redline.core.plan import WritePlan
    from redline.core.proposal import Base, Proposal
    from redline.core.protection import Protection
    from redline.core.receipt import FiledReceipt, Receipt

Clock = Callable[[], "datetime"]


class Lock(Protocol):
    def hold(self) -> AbstractContextManager[Held]: ...


class TreeView(Protocol):
    """Read-only: what stands at a path now; None where there is nothing."""

    def survey(self, path: RepoPath) -> Footing: ...

    def read(self, path: RepoPath, *, max_bytes: int) -> Content | Irregular | None: ...

    def look(self, path: RepoPath) -> Sighting | Irregular | None: ...


class Writer(Protocol):
    """The guarded write; the calling sequence is in `adapters.worktree.guard`."""

    @property
    def weakness(self) -> str: ...

    def missing_folders(self, paths: Iterable[RepoPath]) -> tuple[RepoPath, ...]: ...

    def stage(self, held: Held, plan: WritePlan, contents: Callable[[str], bytes]) -> None: ...

    def write(self, held: Held, plan: WritePlan, interrupted: Callable[[], bool]) -> None: ...

    def roll_back(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]: ...

    def tidy(self, held: Held, plan: WritePlan) -> tuple[Kept, ...]: ...

    def unsettled(self, held: Held) -> tuple[str, ...]: ...

    def held_back(self) -> AbstractContextManager[Callable[[], bool]]: ...


class CheckedWriter(Protocol):
    def protections(self, held: Held) -> tuple[Protection, ...]: ...


class Reader(Protocol):
    """The journal's content; the queries are described at `adapters.journal.reader`."""

    @property
    def repo_id(self) -> str: ...

    def find(self, prefix: str) -> tuple[str, ...]: ...

    def proposal(self, proposal_id: str) -> Proposal: ...

    def content(self, sha256: str) -> bytes: ...

    def receipt(self, proposal_id: str) -> FiledReceipt | None: ...

    def told(self, session: str) -> int: ...

    def told_after(self, seq: int, session: str | None) -> Iterator[FiledReceipt]: ...

    def declined_before(self, changes_digest: str) -> FiledReceipt | None: ...

    def declined_parts(self, keys: Iterable[str]) -> Mapping[str, FiledReceipt]: ...

    def hunk_ids(self, proposal_id: str) -> Mapping[str, Sequence[str]]: ...

    def call(self, call: str) -> str | None: ...

    def opened(self, session: str) -> str | None: ...

    def pending_of(self, session: str) -> Iterator[Proposal]: ...

    def proposed_by(self, session: str) -> Iterator[Proposal]: ...

    def pending_on(self, parent: str) -> Iterator[Proposal]: ...

    def counts(self, proposal_id: str) -> Mapping[str, tuple[int, int]]: ...

    def draft(self, proposal_id: str) -> Record | None: ...

    def unfinished(self) -> tuple[tuple[WritePlan, Record], ...]: ...

    def listed(self, *, pending_only: bool) -> Iterator[Listed]: ...

    def receipts(self, *, since: str, proposal_id: str | None) -> Iterator[FiledReceipt]: ...

    def entries(self, proposal_id: str) -> Iterator[EventEntry]: ...


class Appender(Reader, Protocol):
    """The journal under the held lock; each method is one durable transaction."""

    def add(
        self,
        proposal: Proposal,
        contents: Mapping[str, bytes],
        hunks: Mapping[RepoPath, tuple[Hunk, ...]],
        actor: Record,
        *,
        also: Iterable[Receipt] = (),
        call: str | None = None,
        opens: bool = False,
    ) -> None: ...

    def seal(self, session: str) -> None: ...

    def open_intent(self, plan: WritePlan, decision: Record, at: datetime) -> None: ...

    def drop_intent(self, plan: WritePlan, why: str, at: datetime, actor: Record) -> None: ...

    def record_put_back(self, plan: WritePlan, at: datetime, actor: Record) -> None: ...

    def file(
        self, receipt: Receipt, actor: Record, *, also: Iterable[Receipt] = (), declined: Iterable[str] = ()
    ) -> FiledReceipt: ...

    def keep_draft(self, proposal_id: str, record: Record | None) -> None: ...

    def mark_told(self, session: str, seq: int) -> None: ...


class Journal(Protocol):
    def reading(self) -> AbstractContextManager[Reader]: ...

    def writing(self, held: Held) -> AbstractContextManager[Appender]: ...


class CheckedJournal(Protocol):
    def reading(self) -> AbstractContextManager[Reader]: ...

    def faults(self) -> tuple[str, ...]: ...


class Repository(Protocol):
    @property
    def root(self) -> str: ...

    @property
    def object_format(self) -> ObjectFormat: ...

    def base(self) -> Base: ...

    def ignored(self, paths: Iterable[RepoPath]) -> frozenset[RepoPath]: ...


class Uncommitted(Protocol):
    """HEAD, and where the tree may differ from it."""

    def candidates(self) -> tuple[Candidate, ...]: ...

    def staged_count(self) -> int: ...

    def blobs(self, wanted: Sequence[tuple[str, Committed]]) -> Mapping[str, Blob]: ...


class CheckedRepository(Protocol):
    def excludes_proposals(self) -> bool: ...


class Differ(Protocol):
    def compare(self, changes: Iterable[Change], contents: Callable[[str], bytes]) -> dict[RepoPath, FileDiff]: ...


class Merger(Protocol):
    def merge(self, before: bytes, present: bytes, proposed: bytes) -> Merged: ...


class Reading(Protocol):
    """A parsed text that still needs the files it names."""

    @property
    def reason(self) -> str: ...

    @property
    def paths(self) -> tuple[RepoPath, ...]: ...


class Resolved(Protocol):
    @property
    def changes(self) -> tuple[ContentChange, ...]: ...

    @property
    def leniencies(self) -> tuple[Leniency, ...]: ...


ReadingT = TypeVar("ReadingT", bound=Reading)


class Intake(Protocol[ReadingT]):
    """Two phases, so that no parser opens a file: the desk reads the paths in between."""

    def read(
        self,
        text: bytes,
        *,
        format: str | None,  # noqa: A002 -- the word of the command line
        path: RepoPath | None,
        strip: int | None,
        root: str | None,
    ) -> ReadingT: ...

    def resolve(self, reading: ReadingT, contents: Mapping[RepoPath, Content | None]) -> Resolved: ...
