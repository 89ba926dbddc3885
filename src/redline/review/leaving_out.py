"""Take of many paths those that a proposal may hold, and name each of the others with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.paths import RepoPath
from redline.errors import IntakeError, LimitExceeded, PathRefused, UnsafePath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.core.change import ContentChange
    from redline.core.content import Content
    from redline.core.drift import Footing
    from redline.review.admission import Admission

_IGNORED = "PATH_IGNORED"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path that a proposal cannot hold, as git names it, and why: a sentence that names it too."""

    path: str
    why: str


@dataclass(slots=True)
class Sieve:
    """Asks admission on and on, where it would stop at the first refusal itself; ignored files fall through unseen."""

    admission: Admission
    left_out: list[LeftOut] = field(default_factory=list)
    footings: dict[RepoPath, Footing] = field(default_factory=dict)

    def leave_out(self, path: str, why: str) -> None:
        self.left_out.append(LeftOut(path, why))

    def admit(self, paths: Iterable[str]) -> dict[str, RepoPath]:
        """The paths that may be changed, by git's own spelling.

        Raises LimitExceeded if they are too many for one proposal.
        """
        spelt: dict[str, RepoPath] = {}
        for path in paths:
            try:
                spelt[path] = RepoPath(path)
            except UnsafePath as fault:
                self.leave_out(path, fault.message)
        while True:
            try:
                self.footings = self.admission.admit([*spelt.values()])
            except PathRefused as refusal:
                path = str(refusal.details["path"])
                del spelt[path]
                if refusal.code != _IGNORED:
                    self.leave_out(path, refusal.message)
            else:
                return spelt

    def read(self, path: RepoPath) -> tuple[Content | None, bool]:
        """What stands at an admitted path, and whether it can be taken: it is left out if not."""
        try:
            return self.admission.read(path), True
        except (PathRefused, LimitExceeded) as refusal:
            self.leave_out(path, refusal.message)
            return None, False

    def results(self, changes: Iterable[ContentChange]) -> tuple[ContentChange, ...]:
        """The changes that may be made of the admitted paths."""
        return tuple(change for change in changes if self._may_be(change))

    def _may_be(self, change: ContentChange) -> bool:
        try:
            self.admission.refuse_results((change,), self.footings)
        except IntakeError as refusal:
            self.leave_out(change.path, refusal.message)
            return False
        return True
