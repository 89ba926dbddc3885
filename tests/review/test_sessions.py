"""What one session proposes: joined until it is sealed, stacked afterwards, and ended together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.desks import Desks, in_memory

from redline.core.decision import Level
from redline.core.lifecycle import Outcome
from redline.core.parts import Selection, parts_of
from redline.core.proposal import Origin
from redline.errors import DecisionRefused, EditMismatch
from redline.review.prepare import Request

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.memory_tree import MemoryTree

    from redline.core.proposal import Proposal
    from redline.review.offer import Prepared


def replace(before: str, after: str, path: str = "a.txt") -> dict[str, object]:
    return {"op": "replace", "path": path, "before": before, "after": after}


class Session:
    """One agent's session over a.txt ("one two three") and b.txt."""

    def __init__(self, folder: str) -> None:
        parts: tuple[Desks, MemoryTree, object] = in_memory(folder, a_txt=b"one\ntwo\nthree\n", b_txt=b"b\n")
        self.desks, self.tree, _ = parts

    def edit(
        self,
        *edits: dict[str, object],
        call: str | None = None,
        opens: bool = True,
        session: str = "s1",
        reason: str = "",
    ) -> Prepared:
        text = json.dumps({"schema": "redline.edit/1", "reason": reason, "edits": edits}).encode()
        request = Request(text, Origin("model", session, tool_call=call), opens=opens)
        return self.desks.model().prepare(request)

    def files(self) -> dict[str, bytes]:
        return {str(path): content.data for path, content in self.tree.files.items()}

    def outcomes(self) -> dict[str, str]:
        return {name: filed.receipt.outcome.value for name, filed in self.desks.receipts().items()}

    def pending(self) -> list[str]:
        return [standing.proposal.id for standing in self.desks.model().status(None)]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(str(tmp_path / ".proposals"))


def test_edits_of_one_turn_are_one_proposal(session: Session) -> None:
    first = session.edit(replace("two", "zwei"), reason="German")
    second = session.edit(replace("zwei", "ZWEI"), replace("b", "B", "b.txt"), reason="loud")
    third = session.edit({"op": "write", "path": "c.txt", "content": "c\n"}, reason="German")
    assert session.pending() == [third.proposal.id]
    assert session.outcomes() == dict.fromkeys((first.proposal.id, second.proposal.id), "superseded")
    assert [str(change.path) for change in third.proposal.changes] == ["a.txt", "b.txt", "c.txt"]
    assert third.proposal.reason == "German\nloud"
    assert third.proposal.derived is not None
    assert (third.proposal.derived.origin_id, third.proposal.derived.how) == (second.proposal.id, "extend")
    session.desks.confirm(third.proposal)
    assert session.files() == {"a.txt": b"one\nZWEI\nthree\n", "b.txt": b"B\n", "c.txt": b"c\n"}
    told = session.desks.model().feedback("s1")
    assert [(answer.filed.receipt.proposal, answer.filed.receipt.outcome.value) for answer in told.answers] == [
        (third.proposal.id, "applied")
    ]


def test_what_took_the_place_of_an_edit_is_named_as_it_is_stored(session: Session) -> None:
    """Findings belong to what a proposal is named by."""
    first = session.edit(replace("two", "zwei"), call="c1").proposal
    second = session.edit({"op": "delete", "path": "a.txt"}, call="c2").proposal
    assert [finding.code for finding in second.findings] == ["DELETES"]
    assert session.desks.receipts()[first.id].receipt.successor == second.id
    assert session.desks.model().feedback("s1").answers == ()
    assert session.edit(replace("two", "zwei"), call="c1").proposal == second


def test_a_call_that_is_made_twice_is_one_proposal(session: Session) -> None:
    first = session.edit(replace("two", "zwei"), call="c1")
    again = session.edit(replace("two", "zwei"), call="c1")
    assert (again.proposal, again.hunks, again.is_known) == (first.proposal, first.hunks, True)
    other = session.edit(replace("three", "drei"), call="c2")
    assert session.edit(replace("two", "zwei"), call="c1").proposal == other.proposal
    assert session.edit(replace("one", "eins"), call="c1").is_known is False
    assert session.edit(replace("b", "B", "b.txt"), call="c1", session="s2").is_known is False


def test_edits_after_the_seal_are_a_proposal_of_their_own_that_waits(session: Session) -> None:
    first = session.edit(replace("two", "zwei")).proposal
    assert session.desks.model().seal("s1") == first
    assert session.desks.model().seal("s1") is None
    second = session.edit(replace("zwei", "ZWEI")).proposal
    apart = session.edit(replace("b", "B", "b.txt"), session="s2").proposal
    assert (second.depends_on, apart.depends_on) == ((first.id,), ())
    assert set(session.pending()) == {first.id, second.id, apart.id}
    with pytest.raises(DecisionRefused) as refusal:
        session.desks.confirm(second)
    assert (refusal.value.code, refusal.value.details) == ("BLOCKED", {"waits_for": [first.id]})
    with pytest.raises(DecisionRefused):
        session.desks.user().lapse(second.id)
    view = session.desks.viewer().preview(second.id)
    assert (view.waits_for, view.drifts) == ((first.id,), ())
    session.desks.confirm(first)
    assert session.desks.confirm(second).filed.receipt.outcome is Outcome.APPLIED
    assert session.files()["a.txt"] == b"one\nZWEI\nthree\n"


def ends(session: Session, proposal: Proposal, how: str) -> None:
    if how == "declined":
        session.desks.user().decline(proposal.id, "keep it English")
    elif how == "withdrawn":
        session.desks.model().withdraw(proposal.id)
    else:
        session.tree.take(proposal.changes[0].path)
        session.desks.confirm(proposal)


@pytest.mark.parametrize("how", ["declined", "withdrawn", "stale"])
def test_what_rests_on_a_proposal_that_is_not_applied_ends_with_it(session: Session, how: str) -> None:
    chain: list[Proposal] = []
    for before, after in (("two", "zwei"), ("zwei", "ZWEI"), ("ZWEI", "2")):
        chain.append(session.edit(replace(before, after)).proposal)
        session.desks.model().seal("s1")
    ends(session, chain[0], how)
    assert session.outcomes() == {chain[0].id: how, chain[1].id: "stale", chain[2].id: "stale"}
    last = session.desks.receipts()[chain[2].id].receipt
    assert last.detail == f"it starts from what {chain[1].id[:7]} would have made, which is stale"
    assert last.reason == ("keep it English" if how == "declined" else "")
    told = session.desks.model().feedback("s1").answers
    assert [answer.filed.receipt.outcome.value for answer in told] == [how, "stale", "stale"]


def test_what_rests_on_a_part_goes_on_with_what_was_applied(session: Session) -> None:
    first = session.edit(replace("two", "zwei"), replace("b", "B", "b.txt")).proposal
    session.desks.model().seal("s1")
    second = session.edit(replace("zwei", "ZWEI")).proposal
    view = session.desks.viewer().preview(first.id)
    names = frozenset(part.name for part in parts_of(first.changes, view.hunks) if part.path == "a.txt")
    session.desks.user().confirm(first.id, first.digest, Level.NONE, Selection(names))
    assert session.desks.confirm(second).filed.receipt.outcome is Outcome.APPLIED


def test_an_edit_that_takes_everything_back_is_refused_with_what_to_do(session: Session) -> None:
    first = session.edit(replace("two", "zwei")).proposal
    with pytest.raises(EditMismatch) as refusal:
        session.edit(replace("zwei", "two"))
    assert (refusal.value.code, refusal.value.details) == ("NO_CHANGE", {"proposal": first.id})
    assert session.pending() == [first.id]


def test_a_session_that_opens_nothing_stacks_on_what_it_has_pending(session: Session) -> None:
    first = session.edit(replace("two", "zwei"), opens=False).proposal
    second = session.edit(replace("zwei", "ZWEI"), opens=False).proposal
    assert (first.depends_on, second.depends_on) == ((), (first.id,))
    assert session.outcomes() == {}


def test_an_undo_that_is_pending_is_nothing_that_the_session_believes(session: Session) -> None:
    first = session.edit(replace("two", "zwei")).proposal
    session.desks.confirm(first)
    session.desks.derivations().undo(first.id)
    assert session.edit(replace("zwei", "ZWEI")).proposal.depends_on == ()


def test_what_was_decided_is_what_the_next_edit_starts_from(session: Session) -> None:
    first = session.edit(replace("two", "zwei")).proposal
    session.desks.user().decline(first.id, "no")
    with pytest.raises(EditMismatch):
        session.edit(replace("zwei", "ZWEI"))
    again = session.edit(replace("two", "TWO")).proposal
    assert (again.derived, again.depends_on) == (None, ())


def test_what_was_joined_names_the_proposal_that_took_its_place_with_its_findings(session: Session) -> None:
    """A finding is part of a proposal and so of its id."""
    first = session.edit(replace("one", "eins")).proposal
    second = session.edit(replace("two", "\u202ezwei")).proposal
    assert [finding.code for finding in second.findings] == ["BIDI"]
    receipt = session.desks.receipts()[first.id].receipt
    assert (receipt.outcome, receipt.successor) == (Outcome.SUPERSEDED, second.id)
    assert session.desks.model().feedback("s1").answers == ()
    assert [standing.proposal.id for standing in session.desks.model().own("s1")] == [second.id]


def test_a_session_lists_its_own_joined_edits_counting_as_one(session: Session) -> None:
    session.edit(replace("one", "eins"))
    joined = session.edit(replace("two", "zwei")).proposal
    session.edit(replace("b", "c", "b.txt"), session="s2")
    session.desks.model().seal("s1")
    later = session.edit(replace("three", "drei")).proposal
    session.desks.model().withdraw(joined.id)
    own = session.desks.model().own("s1")
    assert [(standing.proposal.id, standing.status) for standing in own] == [
        (later.id, "stale"),
        (joined.id, "withdrawn"),
    ]
    assert session.desks.model().own("s3") == ()
