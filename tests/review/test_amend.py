"""A part of a proposal is confirmed: what is written, what is filed, what the model hears."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.desks import Desks, in_memory

from redline.core.content import Content, Mode
from redline.core.decision import Level
from redline.core.lifecycle import Outcome
from redline.core.parts import Selection
from redline.core.paths import RepoPath
from redline.core.reviewed import Comment, CommentKind, Coverage, Reviewed, Shares
from redline.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.memory_tree import MemoryGuard, MemoryTree

    from redline.core.proposal import Proposal
    from redline.review.case import Ended

A, B = RepoPath("a.txt"), RepoPath("b.txt")
LINES = [str(number) for number in range(1, 31)]


def text(*replaced: str) -> bytes:
    """Thirty lines; `2=zwei` replaces the second."""
    lines = list(LINES)
    for pair in replaced:
        number, _, word = pair.partition("=")
        lines[int(number) - 1] = word
    return "".join(f"{line}\n" for line in lines).encode()


class Review:
    """A proposal with three hunks in a.txt (the first of two pieces) and b.txt made anew."""

    def __init__(self, folder: str) -> None:
        parts: tuple[Desks, MemoryTree, MemoryGuard] = in_memory(folder, a_txt=text())
        self.desks, self.tree, self.guard = parts
        self.proposal = self.propose(text("2=zwei", "5=fuenf", "15=fuenfzehn", "28=achtundzwanzig"))
        view = self.desks.viewer().preview(self.proposal.id)
        self.ids = [hunk.id for hunk in view.hunks[A]]
        self.names = [f"a.txt#{hunk_id}" for hunk_id in self.ids]
        self.new = f"b.txt#{view.hunks[B][0].id}"

    def propose(self, data: bytes, session: str | None = "s1") -> Proposal:
        edits = [
            {"op": "write", "path": "a.txt", "content": data.decode()},
            {"op": "write", "path": "b.txt", "content": "neu\n"},
        ]
        document = {"schema": "redline.edit/1", "reason": "numbers in German", "edits": edits}
        return self.desks.propose(json.dumps(document).encode(), session=session)

    def confirm(
        self,
        *names: str,
        edited: Mapping[RepoPath, bytes] | None = None,
        reviewed: Reviewed | None = None,
        proposal: Proposal | None = None,
    ) -> Ended:
        chosen = proposal or self.proposal
        selection = Selection(frozenset(names), edited or {})
        return self.desks.user().confirm(
            chosen.id, chosen.digest, Level.NONE, selection, reviewed or Reviewed(), "the rest later"
        )

    def files(self) -> dict[str, bytes]:
        return {str(path): content.data for path, content in self.tree.files.items()}

    def outcomes(self) -> dict[str, str]:
        return {name: filed.receipt.outcome.value for name, filed in self.desks.receipts().items()}


@pytest.fixture
def review(tmp_path: Path) -> Review:
    return Review(str(tmp_path / ".proposals"))


def test_a_part_is_applied_as_a_proposal_of_its_own_and_the_whole_is_superseded(review: Review) -> None:
    coverage = Coverage(4, (review.names[2],))
    comment = Comment(A, 28, CommentKind.ISSUE, "too long")
    ended = review.confirm(review.names[1], review.new, reviewed=Reviewed(coverage, (comment,)))
    child = ended.filed.receipt
    assert review.files() == {"a.txt": text("15=fuenfzehn"), "b.txt": b"neu\n"}
    assert review.outcomes() == {child.proposal: "applied", review.proposal.id: "superseded"}
    assert (child.detail, child.reason, child.outcome) == (
        f"2 of 4 parts of {review.proposal.id[:7]}",
        "the rest later",
        Outcome.APPLIED,
    )
    shares = Shares((review.names[1], review.new), (), (), (review.names[0], review.names[2]))
    assert child.reviewed == Reviewed(coverage, (comment,), shares)
    parent = review.desks.receipts()[review.proposal.id].receipt
    assert (parent.successor, parent.reviewed, parent.reason) == (child.proposal, child.reviewed, "the rest later")
    view = review.desks.viewer().preview(child.proposal)
    assert view.proposal.derived is not None
    assert (view.proposal.derived.origin_id, view.proposal.derived.how) == (review.proposal.id, "amend")
    assert view.proposal.reason == review.proposal.reason


def test_the_model_hears_of_a_part_once_and_what_is_not_in_the_files(review: Review) -> None:
    ended = review.confirm(review.names[1], review.new)
    desk = review.desks.model()
    told = desk.feedback("s1")
    (answer,) = told.answers
    assert answer.filed.receipt.proposal == review.proposal.id
    assert answer.applied == (review.names[1], review.new)
    assert (answer.replaced, answer.declined) == ((), (review.names[0], review.names[2]))
    assert answer.on_disk == tuple(
        (path, Content(data, Mode.REGULAR).sha256) for path, data in ((A, text("15=fuenfzehn")), (B, b"neu\n"))
    )
    assert (answer.insertions, answer.deletions) == (2, 1)
    desk.acknowledge("s1", told.cursor)
    assert desk.feedback("s1").answers == ()
    assert told.cursor > ended.filed.seq


def test_a_piece_of_a_hunk_is_applied_alone(review: Review) -> None:
    ended = review.confirm(f"{review.names[0]}.2")
    assert review.files() == {"a.txt": text("5=fuenf")}
    shares = ended.filed.receipt.reviewed.shares
    assert shares is not None
    assert shares.model == (f"{review.names[0]}.2",)
    assert shares.declined == (f"{review.names[0]}.1", *review.names[1:], review.new)


def test_what_the_person_wrote_instead_is_told_apart_from_the_models(review: Review) -> None:
    wanted = text("2=zwei", "5=fuenf", "15=FUENFZEHN", "28=achtundzwanzig")
    view = review.desks.viewer().preview(review.proposal.id)
    edited = review.desks.viewer().edited(view, A, wanted)
    mine = next(part.name for part in edited if part.name not in review.names)
    ended = review.confirm(review.names[0], mine, edited={A: wanted})
    assert review.files() == {"a.txt": text("2=zwei", "5=fuenf", "15=FUENFZEHN")}
    receipt = ended.filed.receipt
    assert receipt.reviewed.shares == Shares(
        (review.names[0],), (mine,), (review.names[1],), (review.names[2], review.new)
    )
    assert receipt.detail == f"1 of 4 parts of {review.proposal.id[:7]}, 1 as the person wrote it"


def test_an_edit_that_takes_a_hunk_back_declines_it(review: Review) -> None:
    wanted = text("2=zwei", "5=fuenf", "28=achtundzwanzig")
    ended = review.confirm(review.names[0], review.names[2], review.new, edited={A: wanted})
    assert review.files() == {"a.txt": wanted, "b.txt": b"neu\n"}
    assert ended.filed.receipt.reviewed.shares == Shares(
        (review.names[0], review.names[2], review.new), (), (), (review.names[1],)
    )


def test_a_file_that_is_edited_back_to_what_it_was_is_declined(review: Review) -> None:
    ended = review.confirm(review.new, edited={A: text()})
    assert review.files() == {"a.txt": text(), "b.txt": b"neu\n"}
    assert ended.filed.receipt.reviewed.shares == Shares((review.new,), (), (), tuple(review.names))


def test_a_selection_of_everything_is_the_proposal_itself(review: Review) -> None:
    ended = review.confirm(*review.names, review.new)
    assert ended.filed.receipt.proposal == review.proposal.id
    assert review.outcomes() == {review.proposal.id: "applied"}


def test_the_same_selection_again_returns_its_receipt_and_another_one_the_end_of_the_whole(review: Review) -> None:
    first = review.confirm(review.names[1])
    stamps = dict(review.tree.stamps)
    again = review.confirm(review.names[1])
    assert (again.filed, again.replayed) == (first.filed, True)
    other = review.confirm(review.names[0])
    assert (other.filed.receipt.proposal, other.filed.receipt.outcome) == (review.proposal.id, Outcome.SUPERSEDED)
    whole = review.desks.confirm(review.proposal)
    assert whole.filed == other.filed
    assert (review.tree.stamps, len(review.outcomes())) == (stamps, 2)


def test_drift_of_a_part_that_is_left_does_not_matter(review: Review) -> None:
    review.tree.put(B, Content(b"by hand\n", Mode.REGULAR))
    ended = review.confirm(review.names[0])
    assert ended.filed.receipt.outcome is Outcome.APPLIED
    assert review.files() == {"a.txt": text("2=zwei", "5=fuenf"), "b.txt": b"by hand\n"}


def test_drift_of_a_part_that_is_taken_ends_the_proposal(review: Review) -> None:
    review.tree.put(A, Content(text("30=by hand"), Mode.REGULAR))
    ended = review.confirm(review.names[0])
    assert (ended.filed.receipt.outcome, review.outcomes()) == (Outcome.STALE, {review.proposal.id: "stale"})
    assert review.files() == {"a.txt": text("30=by hand")}


def test_a_part_whose_write_fails_leaves_the_proposal_pending(review: Review) -> None:
    review.guard.fails_before = 0
    ended = review.confirm(review.names[0], review.new)
    child = ended.filed.receipt
    assert child.outcome is Outcome.FAILED_BEFORE_COMMIT
    assert review.outcomes() == {child.proposal: "failed_before_commit"}
    assert review.files() == {"a.txt": text()}
    assert review.confirm(review.names[0]).filed.receipt.outcome is Outcome.APPLIED
    assert review.outcomes()[review.proposal.id] == "superseded"


@pytest.mark.parametrize(
    ("names", "edited", "code"),
    [
        ([], {}, "NOTHING_TAKEN"),
        (["a.txt#ffffffffff"], {}, "NO_SUCH_PART"),
        ([], {RepoPath("c.txt"): b""}, "NO_SUCH_PART"),
    ],
)
def test_a_selection_without_a_meaning_is_refused(
    review: Review, names: list[str], edited: dict[RepoPath, bytes], code: str
) -> None:
    with pytest.raises(UsageFault) as refusal:
        review.confirm(*names, edited=edited)
    assert refusal.value.code == code
    assert (review.outcomes(), review.files()) == ({}, {"a.txt": text()})


def test_a_declined_part_is_marked_where_it_is_proposed_again(review: Review) -> None:
    review.confirm(review.names[1])
    again = review.propose(text("2=zwei", "5=fuenf", "15=fuenfzehn", "20=zwanzig"))
    marked = [finding for finding in again.findings if finding.code == "DECLINED_BEFORE"]
    why = f"was declined before (receipt {review.proposal.id[:7]}): the rest later"
    assert [(str(finding.path), finding.line, finding.text) for finding in marked] == [
        ("a.txt", 1, f"hunk #{review.ids[0]} {why}"),
        ("b.txt", 1, f"hunk {review.new.removeprefix('b.txt')} {why}"),
    ]


def test_a_whole_decline_marks_each_hunk_and_the_same_edit_as_a_whole(review: Review) -> None:
    review.desks.user().decline(review.proposal.id, "not now")
    same = review.propose(text("2=zwei", "5=fuenf", "15=fuenfzehn", "28=achtundzwanzig"), session=None)
    assert [finding.text for finding in same.findings if finding.code == "DECLINED_BEFORE"] == [
        f"the same edit was declined before (receipt {review.proposal.id[:7]}): not now"
    ]
    one_more = review.propose(text("2=zwei", "5=fuenf", "15=fuenfzehn"), session=None)
    marked = [finding for finding in one_more.findings if finding.code == "DECLINED_BEFORE"]
    assert [(str(finding.path), finding.line) for finding in marked] == [("a.txt", 1), ("a.txt", 12), ("b.txt", 1)]
    assert {finding.text.partition(" (")[2] for finding in marked} == {f"receipt {review.proposal.id[:7]}): not now"}
