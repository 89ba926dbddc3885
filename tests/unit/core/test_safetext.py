"""Nothing untrusted reaches a terminal unescaped, and no two inputs look the same (checklist 2.2 and 4)."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.characters import LOOKS_BLANK, is_default_ignorable
from redline.core.safetext import SafeText, decode, safe

EVERY_CODE_POINT = range(sys.maxunicode + 1)
_ESCAPED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _is_harmless(character: str) -> bool:
    return character == " " or (
        unicodedata.category(character) not in _ESCAPED | {"Zs"}
        and not is_default_ignorable(character)
        and character not in LOOKS_BLANK
    )


def test_no_code_point_comes_out_as_a_control_or_unseen() -> None:
    shown = {point: safe(chr(point)) for point in EVERY_CODE_POINT}
    assert {character for character in set("".join(shown.values())) if not _is_harmless(character)} == set()
    assert len(set(shown.values())) == len(EVERY_CODE_POINT)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # S28, S29
        ("\x1b[2J", "⟦ESC⟧[2J"),
        ("\x1b]52;c;aGk=\x07", "⟦ESC⟧]52;c;aGk=⟦BEL⟧"),
        ("\x1bP1", "⟦ESC⟧P1"),
        # S30
        ("\u009b2J", "⟦U+009B⟧2J"),
        (decode(b"\x9b2J"), "⟦x9B⟧2J"),
        # S32
        ("evil()\r# safe", "evil()⟦CR⟧# safe"),
        ("abc\b\b\bxyz\x7f\0", "abc⟦BS⟧⟦BS⟧⟦BS⟧xyz⟦DEL⟧⟦NUL⟧"),
        # S33, S35, S36
        ("a\u202eb\u2066c\u200f\u061c", "a⟦U+202E⟧b⟦U+2066⟧c⟦U+200F⟧⟦U+061C⟧"),
        (
            "a\u200bb\ufeffc\u00ad\u034f\u180e\u2800\u3164",
            "a⟦U+200B⟧b⟦U+FEFF⟧c⟦U+00AD⟧⟦U+034F⟧⟦U+180E⟧⟦U+2800⟧⟦U+3164⟧",
        ),
        ("\U000e0041\ufe0f", "⟦U+E0041⟧⟦U+FE0F⟧"),
        # S38, S41
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg", "a⟦U+2028⟧b⟦U+2029⟧c⟦U+0085⟧d⟦VT⟧e⟦FF⟧f⟦U+001C⟧g"),
        ("a\u00a0b\u3000c\td\ne", "a⟦U+00A0⟧b⟦U+3000⟧c⟦TAB⟧d⟦LF⟧e"),
        # the markers themselves
        ("⟦ESC⟧", "⟦U+27E6⟧ESC⟦U+27E7⟧"),
        # plain text of any script
        ("naïve 日本語 שלום 🙂", "naïve 日本語 שלום 🙂"),
        ("", ""),
    ],
)
def test_a_hostile_text_is_spelt_out(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize("mark", ["\u0301", "\u0e47", "\u20dd", "\u0489"])
def test_at_most_two_marks_pile_up_on_one_letter(mark: str) -> None:
    # S39; the Thai and the enclosing marks have combining class 0
    assert safe("a" + mark * 5 + "b") == "a" + mark * 2 + f"⟦U+{ord(mark):04X}⟧" * 3 + "b"


def test_controls_that_the_caller_lays_out_itself_are_kept() -> None:
    assert safe("a\n\tb\r\x1b", keep="\n\t") == "a\n\tb⟦CR⟧⟦ESC⟧"


def test_every_byte_that_is_no_utf_8_shows_as_itself() -> None:
    data = bytes(range(0x80, 0x100))
    assert safe(decode(data)) == "".join(f"⟦x{byte:02X}⟧" for byte in data)


def test_the_result_is_a_type_of_its_own() -> None:
    assert type(safe("plain")) is SafeText
    assert type(safe("\x1b")) is SafeText


_nasty = st.text(st.sampled_from("ab⟦⟧ESCxU+027\x1b\u202e\u0301\u0e47\udc9b9B") | st.characters(), max_size=12)


@given(_nasty, _nasty)
def test_two_different_texts_never_look_the_same(one: str, other: str) -> None:
    assert (safe(one) == safe(other)) == (one == other)


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_two_different_byte_strings_never_look_the_same(one: bytes, other: bytes) -> None:
    assert (safe(decode(one)) == safe(decode(other))) == (one == other)


@given(st.text(max_size=60))
def test_nothing_but_harmless_characters_comes_out(text: str) -> None:
    assert all(map(_is_harmless, safe(text)))
