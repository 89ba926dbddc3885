"""An unfinished review is kept, gone on with, and carried to a refreshed proposal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.desks import Desks, in_memory

from redline.core.content import Content, Mode
from redline.core.draft import Draft, Verdict
from redline.core.paths import RepoPath
from redline.core.reviewed import Comment, CommentKind
from redline.errors import JournalFault
from redline.review.derive import Derived

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.memory_tree import MemoryTree

    from redline.core.proposal import Proposal

A = RepoPath("a.txt")


def text(**words: str) -> bytes:
    """Thirty numbered lines; `_2="zwei"` replaces the second."""
    lines = [str(number) for number in range(1, 31)]
    for key, word in words.items():
        lines[int(key[1:]) - 1] = word
    return "".join(f"{line}\n" for line in lines).encode()


class Review:
    """A proposal with two hunks."""

    def __init__(self, folder: str) -> None:
        parts: tuple[Desks, MemoryTree, object] = in_memory(folder, a_txt=text())
        self.desks, self.tree, _ = parts
        content = text(_2="zwei", _20="zwanzig").decode()
        edit = {"schema": "redline.edit/1", "edits": [{"op": "write", "path": "a.txt", "content": content}]}
        self.proposal = self.desks.propose(json.dumps(edit).encode())

    def draft(self, proposal: Proposal | None = None) -> Draft:
        viewer = self.desks.viewer()
        return viewer.draft(viewer.preview((proposal or self.proposal).id))

    def keep(self, draft: Draft) -> None:
        self.desks.user().keep_draft(self.proposal.id, draft)

    def refreshed(self) -> Proposal:
        derived = self.desks.derivations().refresh(self.proposal.id)
        assert isinstance(derived, Derived)
        return derived.prepared.proposal


@pytest.fixture
def review(tmp_path: Path) -> Review:
    return Review(str(tmp_path / ".proposals"))


def test_a_review_is_gone_on_with_by_another_process(review: Review) -> None:
    first, _ = review.draft().parts
    wanted = text(_2="zwei", _20="TWENTY")
    viewer = review.desks.viewer()
    draft = review.draft().decide([first.name], Verdict.LEAVE).see([first.name])
    draft = draft.comment(Comment(A, 2, CommentKind.NOTE, "odd"))
    draft = draft.edit(A, wanted, viewer.edited(viewer.preview(review.proposal.id), A, wanted))
    review.keep(draft)
    assert review.draft() == draft
    review.keep(Draft(draft.offered))
    assert review.draft() == Draft(draft.offered)


def test_a_refreshed_proposal_keeps_what_was_said_of_hunks_that_are_the_same(review: Review) -> None:
    first, second = review.draft().parts
    review.keep(review.draft().decide([first.name, second.name], Verdict.LEAVE).see([first.name, second.name]))
    review.tree.put(A, Content(text(_18="by hand"), Mode.REGULAR))
    assert review.desks.confirm(review.proposal).filed.receipt.outcome.value == "stale"
    carried = review.draft(review.refreshed())
    assert carried.parts[0].name == first.name
    assert carried.parts[1].name != second.name
    assert (carried.left, carried.unseen) == ((carried.parts[0],), (carried.parts[1],))


def test_what_ended_for_good_leaves_no_review_behind(review: Review) -> None:
    review.keep(review.draft().decide_path(A, Verdict.TAKE))
    review.desks.confirm(review.proposal)
    assert review.draft().is_blank
    review.keep(review.draft().decide_path(A, Verdict.TAKE))
    assert review.draft().is_blank


def test_a_review_that_redline_did_not_write_is_refused(review: Review) -> None:
    with review.desks.lock.hold() as held, review.desks.journal.writing(held) as appender:
        appender.keep_draft(review.proposal.id, {"verdicts": {}})
    with pytest.raises(JournalFault) as refusal:
        review.draft()
    assert refusal.value.code == "JOURNAL_TAMPERED"
