"""Nothing untrusted reaches a terminal unescaped, and no two inputs look the same (checklist 2.2 and 4)."""

from __future__ import annotations

import re
import sys
import unicodedata
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.characters import LOOKS_BLANK, is_default_ignorable
from redline.core.safetext import SafeText, decode, safe

EVERY_CODE_POINT = range(sys.maxunicode + 1)
_ESCAPED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) for character in text)


def _selectors(data: bytes) -> str:
    return "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in data)


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
        ("a" + "\u200b" * 87 + "b", "a⟦87 invisible: U+200B*87⟧b"),
        ("\u200b\u200c" * 2, "⟦U+200B⟧⟦U+200C⟧⟦U+200B⟧⟦U+200C⟧"),
        ("\ufeff\u2800" + "\u200b" * 4, "⟦6 invisible: U+FEFF U+2800 U+200B*4⟧"),
        ("x" + _tags('rm "a\\b" ~') + "y", 'x⟦10 invisible: tags "rm \\"a\\\\b\\" ~"⟧y'),
        ("x" + _selectors(b"hi\n\xff\x0f") + "y", r'x⟦5 invisible: bytes "hi\x0A\xFF\x0F"⟧y'),
        (_tags("run") + _selectors(b"\0abc") + "\U000e0001", r'⟦8 invisible: tags "run" bytes "\x00abc" U+E0001⟧'),
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


@pytest.mark.parametrize("before", ["", "+", "-", " ", "1", "\u200b", "\x1b"])
def test_a_mark_without_a_letter_would_change_a_sign_of_ours(before: str) -> None:
    # S39: a vertical stroke makes a plus of the minus in front of a removed line
    assert safe(before + "\u20d2a") == safe(before) + "⟦U+20D2⟧a"


def test_marks_of_scripts_that_need_them_are_shown() -> None:
    for text in ("cafe\u0301", "\u0915\u093f\u0902", "\u05e9\u05c1\u05b8", "\u0e01\u0e35\u0e48"):
        assert safe(text) == text


def test_controls_that_the_caller_lays_out_itself_are_kept() -> None:
    assert safe("a\n\tb\r\x1b", keep="\n\t") == "a\n\tb⟦CR⟧⟦ESC⟧"


def test_every_byte_that_is_no_utf_8_shows_as_itself() -> None:
    data = bytes(range(0x80, 0x100))
    assert safe(decode(data)) == "".join(f"⟦x{byte:02X}⟧" for byte in data)


def test_the_result_is_a_type_of_its_own() -> None:
    assert type(safe("plain")) is SafeText
    assert type(safe("\x1b")) is SafeText


_INVISIBLE = "\u200b\u200c\u2800\ufeff\U000e0001\U000e007f" + _tags('a" \\*2U') + _selectors(b'\0\x0fa"\\\xff')
_ITEM = re.compile(
    r'(?P<family>tags|bytes) "(?P<quoted>(?:[^"\\]|\\["\\]|\\x..)*)"|U\+(?P<point>[0-9A-F]+)(?:\*(?P<times>\d+))?'
)
_NAMES = {"NUL": 0, "BEL": 7, "BS": 8, "TAB": 9, "LF": 10, "VT": 11, "FF": 12, "CR": 13, "ESC": 27, "DEL": 127}


def _read_back(shown: str) -> str:
    """The text that was made safe: that there is such a function is what injective means."""
    return re.sub("⟦([^⟧]*)⟧", lambda marker: _of_marker(marker[1]), shown)


def _of_marker(content: str) -> str:
    if content in _NAMES:
        return chr(_NAMES[content])
    if content.startswith("x"):
        return chr(0xDC00 + int(content[1:], 16))
    head, colon, items = content.partition(": ")
    if not colon:
        return chr(int(content.removeprefix("U+"), 16))
    run = "".join(chain.from_iterable(map(_of_item, _ITEM.finditer(items))))
    assert head == f"{len(run)} invisible"
    return run


def _of_item(item: re.Match[str]) -> str:
    if item["point"]:
        return chr(int(item["point"], 16)) * int(item["times"] or 1)
    spelt = re.finditer(r"\\x(?P<hex>..)|\\?(?P<sign>.)", item["quoted"])
    data = bytes(int(part["hex"], 16) if part["hex"] else ord(part["sign"]) for part in spelt)
    return _tags(data.decode()) if item["family"] == "tags" else _selectors(data)


_runs = st.text(st.sampled_from(_INVISIBLE), max_size=40)
_mixed = st.text(
    st.sampled_from('ab⟦⟧ESCxU+027"\\*: \x1b\u202e\u0301\u0e47\udc9b\ud8009B') | st.characters(), max_size=12
)
_nasty = st.lists(_runs | _mixed, max_size=4).map("".join)


@given(_nasty)
def test_what_is_shown_can_be_read_back_in_one_way_only(text: str) -> None:
    assert _read_back(safe(text)) == text


def test_a_run_of_every_invisible_code_point_can_be_read_back() -> None:
    for point in filter(lambda point: is_default_ignorable(chr(point)), EVERY_CODE_POINT):
        run = chr(point) * 20
        assert _read_back(safe(run)) == run


@given(_nasty, _nasty)
def test_two_different_texts_never_look_the_same(one: str, other: str) -> None:
    assert (safe(one) == safe(other)) == (one == other)


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_two_different_byte_strings_never_look_the_same(one: bytes, other: bytes) -> None:
    assert (safe(decode(one)) == safe(decode(other))) == (one == other)


@given(_nasty | st.text(max_size=60))
def test_nothing_but_harmless_characters_comes_out(text: str) -> None:
    assert all(map(_is_harmless, safe(text)))


@given(_nasty)
def test_a_text_is_never_longer_than_its_characters_shown_one_by_one(text: str) -> None:
    """Columns are counted character by character (render/columns)."""
    assert len(safe(text)) <= sum(map(len, map(safe, text)))
