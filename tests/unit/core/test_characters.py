from __future__ import annotations

import sys
import unicodedata

from redline.core.characters import (
    BIDI_CONTROL,
    BIDI_CONTROLS,
    INVISIBLE_RUN,
    LOOKS_BLANK,
    RIGHT_TO_LEFT,
    is_default_ignorable,
)

EVERY_CHARACTER = [chr(point) for point in range(sys.maxunicode + 1)]


def test_the_patterns_match_the_classes_that_they_are_made_of() -> None:
    assert set(filter(BIDI_CONTROL.match, EVERY_CHARACTER)) == BIDI_CONTROLS
    expected = {character for character in EVERY_CHARACTER if is_default_ignorable(character)} | LOOKS_BLANK
    assert set(filter(INVISIBLE_RUN.match, EVERY_CHARACTER)) == expected - BIDI_CONTROLS
    assert INVISIBLE_RUN.findall("a\u200b\u2800\u202e\ufe0fb") == ["\u200b\u2800", "\ufe0f"]


def test_every_right_to_left_letter_is_known_and_no_left_to_right_letter() -> None:
    matched = set(filter(RIGHT_TO_LEFT.match, EVERY_CHARACTER))
    letters = {character for character in EVERY_CHARACTER if unicodedata.bidirectional(character) in {"R", "AL"}}
    assert letters - matched == {"\u061c", "\u200f"}  # controls, told as such
    assert {character for character in matched if unicodedata.bidirectional(character) == "L"} == set()
