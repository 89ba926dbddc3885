"""Whatever is typed: without the code on the confirm screen nothing is confirmed and nothing is written."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redline.frontends.tui.application import Answer
from redline.frontends.tui.keys import DECIDING, READING
from redline.frontends.tui.review_screen import Act
from tests.frontends.tui.support import LOOK, SMALL, WIDE, Desk

_KEYS = [name for key in (*READING, *DECIDING) for name in key.keys.split(",") if name != "e"]
_MORE = ["tab", "backspace", "left", "ctrl+c", "ctrl+q", "f1", "h", "i", "z", "9", LOOK]
_OFTEN = ["space", "n", "enter", "s", "c", "x"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=st.lists(st.sampled_from(_KEYS + _MORE + 4 * _OFTEN), max_size=25), size=st.sampled_from([SMALL, WIDE]))
def test_no_keys_but_the_code_write_anything(
    person: Desk, proposal: str, keys: list[str], size: tuple[int, int]
) -> None:
    before = person.sandbox.tree()
    seen = person.review(proposal, *keys, size=size)
    assert person.sandbox.tree() == before
    assert person.redline.viewer.preview(proposal).status == "pending"
    if isinstance(seen.answer, Answer):
        assert seen.answer.act is Act.DECLINE
        assert "x" in keys


@pytest.mark.parametrize("keys", [("enter", LOOK, "enter"), ("enter", "enter", "enter"), ("enter", LOOK, "y", "enter")])
def test_enter_alone_says_no(person: Desk, proposal: str, keys: tuple[str, ...]) -> None:
    assert person.review(proposal, *keys).answer is None
