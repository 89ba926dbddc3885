from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.support.build import ADA, NOW, a_proposal, a_receipt

from redline.core.decision import Decision, Level
from redline.core.lifecycle import Act, Outcome, end
from redline.core.receipt import FiledReceipt

if TYPE_CHECKING:
    from redline.core.canonical import Record

LEADS_TO = {
    (Act.CONFIRM, Outcome.APPLIED),
    (Act.CONFIRM, Outcome.STALE),
    (Act.CONFIRM, Outcome.EXPIRED),
    (Act.CONFIRM, Outcome.PERMISSION_REVOKED),
    (Act.CONFIRM, Outcome.FAILED_BEFORE_COMMIT),
    (Act.DECLINE, Outcome.DECLINED),
    (Act.WITHDRAW, Outcome.WITHDRAWN),
    (Act.REPLACE, Outcome.SUPERSEDED),
    (Act.RECOVER, Outcome.FAILED_BEFORE_COMMIT),
    (Act.CASCADE, Outcome.STALE),
}


@pytest.mark.parametrize(("act", "outcome"), list(product(Act, Outcome)))
def test_an_act_ends_a_proposal_only_as_the_table_says(act: Act, outcome: Outcome) -> None:
    if (act, outcome) in LEADS_TO:
        assert end(act, outcome) is outcome
    else:
        with pytest.raises(ValueError, match=f"^BUG: {act.value} cannot end a proposal as {outcome.value}$"):
            end(act, outcome)


def test_every_outcome_can_be_reached() -> None:
    assert {outcome for _, outcome in LEADS_TO} == set(Outcome)


def test_levels_are_ordered_weakest_first() -> None:
    assert [level.strength for level in (Level.NONE, Level.TTY)] == [0, 1]


def test_a_decision_names_the_person_and_the_level() -> None:
    expected: Record = {"name": "Ada Example", "email": "ada@example.org", "uid": 1000, "level": "tty"}
    assert Decision(ADA, Level.TTY, NOW, "0" * 64).decided_by == expected
    assert ADA.record == {"role": "person", "name": "Ada Example", "email": "ada@example.org", "uid": 1000}


def test_a_filed_receipt_adds_its_place_in_the_chain() -> None:
    receipt = a_receipt(a_proposal())
    assert FiledReceipt(receipt, 7, "f" * 64).record == {**receipt.record, "seq": 7, "chain": "f" * 64}
