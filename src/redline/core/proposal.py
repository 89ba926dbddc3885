"""The immutable proposal, its canonical record and its digest."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from redline.core.canonical import Record, digest, format_instant
from redline.core.states import change_record
from redline.errors import UnsafePath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.core.canonical import Json
    from redline.core.change import Change
    from redline.core.notes import Finding, Leniency

SCHEMA = "redline.proposal/2"
ID_LENGTH = 16
MAX_REASON_CHARACTERS = 2000
UNDO, REFRESH, AMEND, EXTEND = "undo", "refresh", "amend", "extend"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who prepared the proposal, as the caller's context says; never taken from a model's text."""

    author: str
    session: str | None = None
    task: str | None = None
    tool_call: str | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """Where the repository stood; both are None before the first commit or on a detached HEAD."""

    head: str | None
    branch: str | None


@dataclass(frozen=True, slots=True)
class Derivation:
    """The older proposal this one was made from, and how: UNDO, REFRESH, AMEND or EXTEND."""

    origin_id: str
    how: str


@dataclass(frozen=True)
class Proposal:
    """Changes offered for a decision.

    `changes` are sorted by path, one per path. `owner_uid` is the account whose tree it would change. `depends_on` are
    the proposals whose after its changes start from, sorted by id: until they are applied it cannot be.
    Raises UnsafePath (PATH_COLLISION) if two paths cannot live side by side.
    """

    repo_id: str
    owner_uid: int
    origin: Origin
    reason: str
    base: Base
    created_at: datetime
    expires_at: datetime
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()
    leniencies: tuple[Leniency, ...] = ()
    derived: Derivation | None = None
    depends_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.changes:
            raise ValueError("a proposal has at least one change")
        paths = [change.path for change in self.changes]
        if paths != sorted(set(paths)):
            raise ValueError("changes are sorted by path, one per path")
        if len(self.reason) > MAX_REASON_CHARACTERS:
            raise ValueError(f"a reason has at most {MAX_REASON_CHARACTERS} characters")
        for instant in (self.created_at, self.expires_at):
            if instant.utcoffset() != timedelta(0):
                raise ValueError("times are UTC")
        _refuse_collisions(paths)

    @property
    def record(self) -> Record:
        """The canonical record: all that is shown, stored and compared."""
        return {
            "schema": SCHEMA,
            "repo": self.repo_id,
            "owner_uid": self.owner_uid,
            "origin": {
                "author": self.origin.author,
                "session": self.origin.session,
                "task": self.origin.task,
                "tool_call": self.origin.tool_call,
            },
            "reason": self.reason,
            "base": {"head": self.base.head, "branch": self.base.branch},
            "created_at": format_instant(self.created_at),
            "expires_at": format_instant(self.expires_at),
            "changes": [change_record(change) for change in self.changes],
            "findings": [_finding_record(finding) for finding in self.findings],
            "leniencies": [
                {"code": leniency.code, "path": str(leniency.path), "text": leniency.text}
                for leniency in self.leniencies
            ],
            "derived": {"from": self.derived.origin_id, "how": self.derived.how} if self.derived else None,
            "depends_on": [*self.depends_on],
        }

    @cached_property
    def digest(self) -> str:
        return digest(self.record)

    @property
    def id(self) -> str:
        return self.digest[:ID_LENGTH]

    @property
    def changes_digest(self) -> str:
        """Name the edit itself, whoever proposed it and when."""
        return digest([change_record(change) for change in self.changes])

    def is_expired(self, now: datetime) -> bool:
        """The boundary belongs to expiry: at `expires_at` it is too late."""
        return now >= self.expires_at


def _finding_record(finding: Finding) -> Json:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "path": str(finding.path) if finding.path is not None else None,
        "line": finding.line,
        "text": finding.text,
    }


def _folded(path: str) -> str:
    """Case folding can take a character apart, so it comes before the normal form (Unicode 3.13, D145)."""
    return unicodedata.normalize("NFC", path.casefold())


def _refuse_collisions(paths: Sequence[str]) -> None:
    """Two spellings of one name, or a name that is both file and folder, cannot both be written everywhere."""
    seen: dict[str, str] = {}
    for path in paths:
        folded = _folded(path)
        if folded in seen:
            raise UnsafePath(
                f"{path!a} and {seen[folded]!a} are one name on file systems that ignore case",
                code="PATH_COLLISION",
                hint="Propose the two in separate proposals.",
                details={"paths": [seen[folded], path]},
            )
        seen[folded] = path
    for path in paths:
        parts = _folded(path).split("/")
        for depth in range(1, len(parts)):
            above = seen.get("/".join(parts[:depth]))
            if above is not None:
                raise UnsafePath(
                    f"{above!a} would be a file and the folder of {path!a} at once",
                    code="PATH_COLLISION",
                    hint="Propose the two in separate proposals, one after the other.",
                    details={"paths": [above, path]},
                )
