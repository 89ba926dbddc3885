"""The rows of a review: made only when they come into sight, and all of them whatever way one scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redline.app import utc_now
from redline.frontends.tui.application import open_review
from redline.frontends.tui.document import Document, Position
from redline.frontends.tui.paint import Paint
from redline.frontends.tui.review import Review
from tests.support.sandbox import edit, write

if TYPE_CHECKING:
    from tests.frontends.tui.support import Desk


@pytest.fixture
def many(person: Desk) -> str:
    """Twenty files, some with long lines."""
    lines = [f"{number} " + "word " * (number % 40) for number in range(30)]
    for number in range(20):
        person.sandbox.write(f"f{number}.txt", "\n".join(lines).encode())
    lines[number % 30] = "changed " * 30
    return person.sandbox.propose(edit(*(write(f"f{number}.txt", "\n".join(lines)) for number in range(20))))


def document_of(person: Desk, proposal: str, *, is_split: bool = False) -> Document:
    review = open_review(person.redline, proposal)
    assert isinstance(review, Review)
    viewer = person.redline.viewer
    document = Document(review, Paint(color=True), lambda path: viewer.sides(review.view, review.draft, path), utc_now)
    document.fit(77, is_split=is_split)
    return document


def test_only_what_is_in_sight_is_made(person: Desk, many: str) -> None:
    document = document_of(person, many)
    document.window(Position(0, 0), 20)
    made = [len(block.rows.made) if block.rows is not None else 0 for block in document.blocks]
    assert sum(made) <= 30
    assert made[8:] == [0] * len(made[8:])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_way_leads_through_the_same_rows(person: Desk, many: str, data: Any) -> None:
    """Forwards from the top, or back from anywhere, no row is left out and none comes twice."""
    document = document_of(person, many, is_split=data.draw(st.booleans()))
    start = document.at(data.draw(st.integers(0, document.height)))
    back: list[Position] = [start]
    while back[-1] != Position(0, 0):
        back.append(document.moved(back[-1], -data.draw(st.integers(1, 3), label="step") if len(back) < 20 else -1))
    steps = [later > earlier for earlier, later in zip(back[1:], back, strict=False)]
    assert all(steps)
    every = document.window(Position(0, 0), 10**6)
    walked = [Position(0, 0)]
    while (following := document.moved(walked[-1], 1)) != walked[-1]:
        walked.append(following)
    assert walked == every
    assert document.height == len(every)
    assert [document.start(position.block) + position.row for position in every] == list(range(len(every)))


def test_no_row_is_wider_than_the_window(person: Desk, many: str) -> None:
    for is_split in (False, True):
        document = document_of(person, many, is_split=is_split)
        every = document.window(Position(0, 0), 10**6)
        assert max(document.row(position).strip.cell_length for position in every) <= 77
