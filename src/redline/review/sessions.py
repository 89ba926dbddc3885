"""What an agent's session has pending: its next edits are meant for that, not for what is still on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.content import Content
from redline.core.fold import fold
from redline.core.proposal import UNDO

if TYPE_CHECKING:
    from redline.core.content import FileState
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal
    from redline.review.ports import Reader


@dataclass(frozen=True, slots=True)
class Pending:
    """`opened` is the proposal that the session's further edits join; `others` are the sealed ones, oldest first."""

    reader: Reader
    opened: Proposal | None
    others: tuple[Proposal, ...]

    def after(self, path: RepoPath) -> tuple[Content | None] | None:
        """What the session believes to be at the path: nothing, a content, or, with no pending change, None."""
        maker = self.maker(path)
        if maker is None:
            return None
        state = next(change.after for change in maker.changes if change.path == path)
        return (self._content(state),)

    def maker(self, path: RepoPath) -> Proposal | None:
        """The newest pending proposal that changes the path."""
        listed = (*self.others, *((self.opened,) if self.opened is not None else ()))
        found = (proposal for proposal in reversed(listed) if any(change.path == path for change in proposal.changes))
        return next(found, None)

    def joined(self, changes: tuple[ContentChange, ...]) -> tuple[ContentChange, ...]:
        """The changes together with those of the open proposal."""
        if self.opened is None:
            return changes
        older = tuple(
            ContentChange(change.path, self._content(change.before), self._content(change.after), change.renamed_from)
            for change in self.opened.changes
        )
        return fold(older, changes)

    def parents(self, changes: tuple[ContentChange, ...]) -> tuple[str, ...]:
        """The sealed proposals whose after the changes start from, sorted by id."""
        makers = {self.maker(change.path) for change in changes} - {self.opened, None}
        resting = {maker.id for maker in makers if maker is not None}
        return tuple(sorted(resting.union(self.opened.depends_on if self.opened is not None else ())))

    def _content(self, state: FileState | None) -> Content | None:
        return Content(self.reader.content(state.sha256), state.mode) if state is not None else None


def pending(reader: Reader, session: str | None, uid: int, *, opens: bool) -> Pending:
    """What the session has pending; the open proposal counts as sealed unless the next edit `opens` or joins one.

    An undo of what it proposed is the person's, and no news to the session until it is applied.
    """
    if session is None:
        return Pending(reader, None, ())
    mine = tuple(
        proposal
        for proposal in reader.pending_of(session)
        if proposal.owner_uid == uid and (proposal.derived is None or proposal.derived.how != UNDO)
    )
    open_id = reader.opened(session) if opens else None
    opened = next((proposal for proposal in mine if proposal.id == open_id), None)
    return Pending(reader, opened, tuple(proposal for proposal in mine if proposal is not opened))
