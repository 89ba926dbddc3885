"""What a confirmation asks first: where two things are wrong at once, the earlier check answers.

Each test sets up a neighbouring pair of DESIGN's order; the tree and the receipts are held to nothing having happened.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.support.desks import UID, Desks, in_memory

from redline.core.content import Content, Mode
from redline.core.decision import Level
from redline.core.held import Held
from redline.core.lifecycle import Outcome
from redline.core.paths import RepoPath
from redline.errors import ConfirmationMismatch, DecisionRefused, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.memory_tree import MemoryGuard, MemoryTree

    from redline.core.proposal import Proposal
    from redline.review.case import Ended

WRONG_DIGEST = "0" * 64
A = RepoPath("a.txt")
BEFORE = b"one\ntwo\n"
AFTER = b"one\nzwei\n"
EDIT = json.dumps(
    {"schema": "redline.edit/1", "edits": [{"op": "replace", "path": "a.txt", "before": "two", "after": "zwei"}]}
).encode()


class Situation:
    """One pending proposal; each method makes one thing wrong with confirming it."""

    def __init__(self, folder: str) -> None:
        parts: tuple[Desks, MemoryTree, MemoryGuard] = in_memory(folder, a_txt=BEFORE)
        self.desks, self.tree, self.guard = parts
        self.proposal: Proposal = self.desks.propose(EDIT)
        self.uid = UID
        self.digest = self.proposal.digest
        self.bytes = BEFORE

    def as_another_person(self) -> None:
        self.uid = UID + 1

    def with_a_wrong_digest(self) -> None:
        self.digest = WRONG_DIGEST

    def already_applied(self) -> None:
        self.desks.confirm(self.proposal)
        self.bytes = AFTER

    def already_declined(self) -> None:
        self.desks.user().decline(self.proposal.id, "no")

    def below_the_level(self) -> None:
        self.desks.policy = replace(self.desks.policy, level=Level.TTY)

    def denied(self) -> None:
        self.desks.policy = replace(self.desks.policy, denied_paths=(("a.txt",),))

    def expired(self) -> None:
        self.desks.now = self.proposal.expires_at

    def drifted(self) -> None:
        self.bytes = b"by hand\n"
        self.tree.put(A, Content(self.bytes, Mode.REGULAR))

    def failing(self) -> None:
        self.guard.fails_before = 0

    def confirm(self) -> Ended:
        return self.desks.user(self.uid).confirm(self.proposal.id, self.digest, Level.NONE)

    def outcomes(self) -> list[Outcome]:
        return [filed.receipt.outcome for filed in self.desks.receipts().values()]

    def left(self) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
        """The file's bytes, writes without an end, transactions with a folder."""
        return self.tree.files[A].data, self.desks.unfinished(), self.guard.unsettled(Held("lock"))


@pytest.fixture
def situation(tmp_path: Path) -> Situation:
    return Situation(str(tmp_path / ".proposals"))


S = Situation
REFUSED = [
    ((S.as_another_person, S.with_a_wrong_digest), DecisionRefused, "NOT_AUTHORIZED", []),
    ((S.already_applied, S.as_another_person), DecisionRefused, "NOT_AUTHORIZED", [Outcome.APPLIED]),
    ((S.already_applied, S.with_a_wrong_digest), ConfirmationMismatch, "CONFIRMATION_MISMATCH", [Outcome.APPLIED]),
    ((S.already_declined, S.with_a_wrong_digest), ConfirmationMismatch, "CONFIRMATION_MISMATCH", [Outcome.DECLINED]),
    ((S.with_a_wrong_digest, S.below_the_level), ConfirmationMismatch, "CONFIRMATION_MISMATCH", []),
    ((S.with_a_wrong_digest, S.denied), ConfirmationMismatch, "CONFIRMATION_MISMATCH", []),
    ((S.with_a_wrong_digest, S.expired), ConfirmationMismatch, "CONFIRMATION_MISMATCH", []),
    ((S.with_a_wrong_digest, S.drifted), ConfirmationMismatch, "CONFIRMATION_MISMATCH", []),
    ((S.below_the_level, S.denied), DecisionRefused, "CONFIRM_LEVEL", []),
    ((S.below_the_level, S.expired), DecisionRefused, "CONFIRM_LEVEL", []),
    ((S.below_the_level, S.drifted), DecisionRefused, "CONFIRM_LEVEL", []),
]
ENDED = [
    ((S.denied, S.expired), Outcome.PERMISSION_REVOKED),
    ((S.denied, S.drifted), Outcome.PERMISSION_REVOKED),
    ((S.expired, S.drifted), Outcome.EXPIRED),
    ((S.expired, S.failing), Outcome.EXPIRED),
    ((S.drifted, S.failing), Outcome.STALE),
    ((S.failing,), Outcome.FAILED_BEFORE_COMMIT),
]
REPLAYED = [
    (S.already_applied, Outcome.APPLIED),
    (S.already_declined, Outcome.DECLINED),
]
SINCE = [S.below_the_level, S.denied, S.expired, S.drifted, S.failing]


def names(value: object) -> str | None:
    acts = value if isinstance(value, tuple) else (value,)
    return " and ".join(str(act.__name__) for act in acts) if callable(acts[0]) else None


@pytest.mark.parametrize(("wrong", "error", "code", "outcomes"), REFUSED, ids=names)
def test_a_refusal_leaves_everything_as_it_is(
    situation: Situation,
    wrong: tuple[Callable[[Situation], None], ...],
    error: type[DecisionRefused | ConfirmationMismatch],
    code: str,
    outcomes: list[Outcome],
) -> None:
    for make in wrong:
        make(situation)
    with pytest.raises(error) as caught:
        situation.confirm()
    assert caught.value.code == code
    assert (situation.outcomes(), situation.left()) == (outcomes, (situation.bytes, (), ()))


@pytest.mark.parametrize(("wrong", "outcome"), ENDED, ids=names)
def test_the_earlier_check_names_the_outcome(
    situation: Situation, wrong: tuple[Callable[[Situation], None], ...], outcome: Outcome
) -> None:
    for make in wrong:
        make(situation)
    ended = situation.confirm()
    assert (ended.filed.receipt.outcome, ended.replayed, ended.kept) == (outcome, False, ())
    assert (situation.outcomes(), situation.left()) == ([outcome], (situation.bytes, (), ()))


@pytest.mark.parametrize("since", SINCE, ids=names)
@pytest.mark.parametrize(("end", "outcome"), REPLAYED, ids=names)
def test_a_filed_receipt_answers_before_all_that_came_since(
    situation: Situation, end: Callable[[Situation], None], outcome: Outcome, since: Callable[[Situation], None]
) -> None:
    end(situation)
    first = situation.desks.receipts()[situation.proposal.id]
    since(situation)
    ended = situation.confirm()
    assert (ended.filed, ended.replayed) == (first, True)
    assert (situation.outcomes(), situation.left()) == ([outcome], (situation.bytes, (), ()))


def test_one_microsecond_before_expiry_is_in_time(situation: Situation) -> None:
    situation.desks.now = situation.proposal.expires_at - timedelta(microseconds=1)
    assert situation.confirm().filed.receipt.outcome is Outcome.APPLIED
    assert situation.left() == (AFTER, (), ())


@pytest.mark.parametrize("wrong", [S.denied, S.expired, S.drifted, S.below_the_level], ids=names)
def test_a_decline_needs_no_more_than_the_right_person(
    situation: Situation, wrong: Callable[[Situation], None]
) -> None:
    wrong(situation)
    ended = situation.desks.user().decline(situation.proposal.id, "no")
    assert (ended.filed.receipt.outcome, ended.filed.receipt.reason) == (Outcome.DECLINED, "no")
    assert (situation.outcomes(), situation.left()) == ([Outcome.DECLINED], (situation.bytes, (), ()))


def test_another_persons_decline_is_refused(situation: Situation) -> None:
    with pytest.raises(DecisionRefused) as caught:
        situation.desks.user(UID + 1).decline(situation.proposal.id, "no")
    assert caught.value.code == "NOT_AUTHORIZED"
    assert (situation.outcomes(), situation.left()) == ([], (BEFORE, (), ()))


def test_an_unfinished_write_is_settled_before_anything_is_asked(situation: Situation) -> None:
    """Here the death falls on another proposal's write: it gets its own end, then this one is asked about."""
    other = situation.desks.propose(EDIT.replace(b"zwei", b"deux"))

    class Death(BaseException):
        pass

    situation.guard.fails_before, situation.guard.fault = 0, Death
    with pytest.raises(Death):
        situation.desks.confirm(other)
    assert situation.desks.unfinished() == (other.id,)
    situation.guard.fault = lambda: WriteFailed("never reached")
    assert situation.confirm().filed.receipt.outcome is Outcome.APPLIED
    ends = {proposal: filed.receipt.outcome for proposal, filed in situation.desks.receipts().items()}
    assert ends == {other.id: Outcome.FAILED_BEFORE_COMMIT, situation.proposal.id: Outcome.APPLIED}
    assert situation.left() == (AFTER, (), ())
