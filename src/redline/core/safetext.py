"""The boundary between untrusted strings and a terminal.

`safe` is injective: two different inputs never look the same, because the marker pair is itself escaped.
"""

from __future__ import annotations

import unicodedata

from redline.core.characters import LOOKS_BLANK, is_default_ignorable

_NAMES = {
    0x00: "NUL",
    0x07: "BEL",
    0x08: "BS",
    0x09: "TAB",
    0x0A: "LF",
    0x0B: "VT",
    0x0C: "FF",
    0x0D: "CR",
    0x1B: "ESC",
    0x7F: "DEL",
}
_OPEN, _CLOSE = "\u27e6", "\u27e7"
_MARKERS = frozenset((_OPEN, _CLOSE))
_SHOWN_CATEGORIES = frozenset("LMNPS")
_STACKING = frozenset(("Mn", "Me"))  # of any combining class: Thai vowels pile up as well as accents do
_MAX_MARKS = 2


class SafeText(str):
    """Text that holds no control, invisible or reordering code point; only `safe` makes it."""

    __slots__ = ()


def safe(text: str, *, keep: str = "") -> SafeText:
    r"""Escape all that could act on a terminal or hide from a reader, as `⟦ESC⟧` or `⟦U+202E⟧`.

    `keep` lists controls that the caller lays out itself (`"\n"`, `"\t"`). Bytes that are no UTF-8 arrive as
    surrogate escapes (`os.fsdecode`) and show as `⟦xFF⟧`.
    """
    if text.isascii() and text.isprintable():
        return SafeText(text)
    shown: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in _STACKING else 0
        plain = character in keep or (_is_shown(character) and marks <= _MAX_MARKS)
        shown.append(character if plain else _escape(character))
    return SafeText("".join(shown))


def decode(data: bytes) -> str:
    """View bytes as text for display: UTF-8, other bytes as surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def _is_shown(character: str) -> bool:
    if character == " ":
        return True
    return (
        unicodedata.category(character)[0] in _SHOWN_CATEGORIES
        and character not in _MARKERS
        and character not in LOOKS_BLANK
        and not is_default_ignorable(character)
    )


def _escape(character: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:
        return f"{_OPEN}x{point - 0xDC00:02X}{_CLOSE}"
    return f"{_OPEN}{_NAMES.get(point, f'U+{point:04X}')}{_CLOSE}"
