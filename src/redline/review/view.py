"""Look at proposals and their history; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from redline.core.change import Change
from redline.core.content import Content, ObjectFormat
from redline.core.displayed import displayed
from redline.core.draft import Draft, resumed
from redline.core.drift import compare_all, is_in_place
from redline.core.lifecycle import PENDING
from redline.core.parts import parts_of
from redline.core.proposal import EXTEND, REFRESH
from redline.core.renames import renames
from redline.errors import JournalFault, LimitExceeded, UsageFault
from redline.review.amend import amend, edit
from redline.review.dependencies import blocking
from redline.review.differences import differences
from redline.review.lookup import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.canonical import Record
    from redline.core.content import FileState, Sighting
    from redline.core.drift import Drift, Irregular
    from redline.core.hunks import FileDiff, Hunk
    from redline.core.listing import EventEntry, Listed
    from redline.core.parts import Part, Selection
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt
    from redline.review.ports import Differ, Journal, Reader, TreeView


@dataclass(frozen=True, slots=True)
class Preview:
    """A stored proposal rendered from the bytes that redline holds, and how it stands now.

    `drifts` compares with the tree only while the proposal is pending, and so does `is_in_place`: the tree drifted, and
    holds all of it already. `content` maps SHA-256 to bytes. What `waits_for` other proposals starts from what those
    would make, not from the tree.
    """

    proposal: Proposal
    diffs: dict[RepoPath, FileDiff]
    hunks: dict[RepoPath, tuple[Hunk, ...]]
    filed: FiledReceipt | None
    drifts: tuple[Drift, ...]
    content: Callable[[str], bytes]
    is_in_place: bool = False
    waits_for: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        return self.filed.receipt.outcome.value if self.filed is not None else PENDING

    @property
    def drifted(self) -> frozenset[str]:
        return frozenset(drift.path for drift in self.drifts)

    @property
    def displayed(self) -> Record:
        return displayed(self.proposal, self.hunks)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of `list`."""

    listed: Listed
    drifts: tuple[Drift, ...]
    filed: FiledReceipt | None
    waits_for: tuple[str, ...] = ()


class Viewer:
    """Reads for one account."""

    def __init__(self, journal: Journal, tree: TreeView, differ: Differ, uid: int) -> None:
        self._journal = journal
        self._tree = tree
        self._differ = differ
        self._uid = uid

    def preview(self, prefix: str) -> Preview:
        with self._journal.reading() as reader:
            proposal = find(reader, prefix, self._uid)
            diffs = differences(self._differ, proposal.changes, reader.content)
            filed = reader.receipt(proposal.id)
            waits_for = blocking(reader, proposal) if filed is None else ()
        hunks = {path: diff.hunks() for path, diff in diffs.items()}
        return self.anew(Preview(proposal, diffs, hunks, filed, (), self._content, waits_for=waits_for))

    def draft(self, view: Preview) -> Draft:
        """The review of a proposal as its person left it, or one that says nothing.

        A refreshed proposal goes on with the review of the one it was made from.
        """
        parts = parts_of(view.proposal.changes, view.hunks)
        with self._journal.reading() as reader:
            record, derived = reader.draft(view.proposal.id), view.proposal.derived
            is_own = record is not None
            while record is None and derived is not None and derived.how in {REFRESH, EXTEND}:
                record, derived = reader.draft(derived.origin_id), reader.proposal(derived.origin_id).derived
        if record is None:
            return Draft(parts)
        try:
            return resumed(parts, record, partial(self.edited, view) if is_own else None)
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            raise JournalFault(
                f"the unfinished review of {view.proposal.id} is none of redline's", code="JOURNAL_TAMPERED"
            ) from error

    def edited(self, view: Preview, path: RepoPath, data: bytes) -> tuple[Part, ...]:
        """The parts of a path for which the person wrote the text after it."""
        with self._journal.reading() as reader:
            return edit(self._differ, view.proposal, reader.content, {path: data}).parts

    def selected(self, view: Preview, selection: Selection) -> Preview:
        """What would be applied of a proposal, as a preview of its own.

        Raises UsageFault if the selection has no meaning.
        """
        with self._journal.reading() as reader:
            amendment = amend(self._differ, view.proposal, reader.content, selection, view.proposal.created_at)
            if amendment is None:
                return view
            contents = {side.sha256: side.data for change in amendment.changes for side in change.sides}
            diffs = differences(self._differ, amendment.proposal.changes, contents.__getitem__)
        proposal = replace(amendment.proposal, findings=view.proposal.findings)
        paths = {change.path for change in proposal.changes}
        return Preview(
            proposal,
            diffs,
            {path: diff.hunks() for path, diff in diffs.items()},
            view.filed,
            tuple(drift for drift in view.drifts if drift.path in paths),
            lambda sha256: contents[sha256] if sha256 in contents else view.content(sha256),
        )

    def text_after(self, view: Preview, draft: Draft, path: RepoPath) -> bytes:
        """What a path would hold if all of it were taken: the person's text where they wrote one.

        Raises UsageFault (NO_SUCH_PART) where it would hold nothing.
        """
        if path in draft.edited:
            return draft.edited[path]
        after = next(change.after for change in view.proposal.changes if change.path == path)
        if after is None:
            raise UsageFault(f"{path} is deleted: there is no text to edit", code="NO_SUCH_PART")
        return view.content(after.sha256)

    def since(self, view: Preview, *, max_bytes: int) -> dict[RepoPath, FileDiff]:
        """What the drifted files became: each difference from before to now.

        A path where no regular file is now is left out, and a file that is longer than `max_bytes`.
        """
        befores = {change.path: change.before for change in view.proposal.changes}
        now: dict[str, bytes] = {}
        changes: list[Change] = []
        for drift in view.drifts:
            found = self._present(drift.path, max_bytes)
            if isinstance(found, Content):
                now[found.sha256] = found.data
                # Compared by SHA-256: how git would name the bytes makes no difference.
                changes.append(Change(drift.path, befores[drift.path], found.state(ObjectFormat.SHA1)))
        return self._differ.compare(changes, lambda sha256: now[sha256] if sha256 in now else view.content(sha256))

    def sides(self, view: Preview, draft: Draft, path: RepoPath) -> tuple[bytes, bytes]:
        """What the lines of a path's difference are taken from, before and after; empty where there is nothing."""
        change = next(change for change in view.proposal.changes if change.path == path)
        before = renames(view.proposal.changes).get(path, change).before
        after = draft.edited[path] if path in draft.edited else _data(view, change.after)
        return _data(view, before), after

    def anew(self, view: Preview) -> Preview:
        """The same preview, compared with the tree as it is now."""
        if view.filed is not None or view.waits_for:
            return view
        drifts = self._drifts(view.proposal)
        in_place = bool(drifts) and is_in_place(view.proposal.changes, self._now(view.proposal))
        return replace(view, drifts=drifts, is_in_place=in_place)

    def rows(self, *, pending_only: bool, wanted: Callable[[Listed], bool]) -> tuple[Row, ...]:
        """The proposals of this account that are wanted, newest first."""
        with self._journal.reading() as reader:
            return tuple(
                self._row(reader, listed)
                for listed in reader.listed(pending_only=pending_only)
                if listed.proposal.owner_uid == self._uid and wanted(listed)
            )

    def _row(self, reader: Reader, listed: Listed) -> Row:
        if listed.outcome is not None:
            return Row(listed, (), reader.receipt(listed.proposal.id))
        waits_for = blocking(reader, listed.proposal)
        return Row(listed, () if waits_for else self._drifts(listed.proposal), None, waits_for)

    def receipt(self, prefix: str) -> FiledReceipt | None:
        with self._journal.reading() as reader:
            return reader.receipt(find(reader, prefix, self._uid).id)

    def receipts(self, *, since: str, prefix: str | None) -> tuple[FiledReceipt, ...]:
        """The receipts of this account, newest first; `since` is an instant's canonical spelling."""
        with self._journal.reading() as reader:
            proposal_id = find(reader, prefix, self._uid).id if prefix is not None else None
            return tuple(
                filed
                for filed in reader.receipts(since=since, proposal_id=proposal_id)
                if reader.proposal(filed.receipt.proposal).owner_uid == self._uid
            )

    def history(self, prefix: str) -> tuple[EventEntry, ...]:
        """What happened to one proposal, in order."""
        with self._journal.reading() as reader:
            return tuple(reader.entries(find(reader, prefix, self._uid).id))

    def _present(self, path: RepoPath, max_bytes: int) -> Content | Irregular | None:
        try:
            return self._tree.read(path, max_bytes=max_bytes)
        except LimitExceeded:
            return None

    def _content(self, sha256: str) -> bytes:
        with self._journal.reading() as reader:
            return reader.content(sha256)

    def _drifts(self, proposal: Proposal) -> tuple[Drift, ...]:
        return compare_all(proposal.changes, self._now(proposal))

    def _now(self, proposal: Proposal) -> dict[RepoPath, Sighting | Irregular | None]:
        return {change.path: self._tree.look(change.path) for change in proposal.changes}


def _data(view: Preview, state: FileState | None) -> bytes:
    return view.content(state.sha256) if state is not None else b""
