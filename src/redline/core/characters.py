"""Classes of code points that hide or reorder text (Unicode 15: DerivedCoreProperties, UAX #9)."""

from __future__ import annotations

import re

_DEFAULT_IGNORABLE_RANGES = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
# The blocks whose letters have bidirectional class R or AL (DerivedBidiClass), without controls.
_RIGHT_TO_LEFT_RANGES = (
    (0x0590, 0x061B),
    (0x061D, 0x08FF),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10800, 0x10FFF),
    (0x1E800, 0x1EFFF),
)


BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# Not Default_Ignorable, but drawn as nothing or as a plain blank by common terminal fonts.
LOOKS_BLANK = frozenset("\u2800\U0001d159\U00016fe4\U00013441\U00013442")


def _set_of(ranges: tuple[tuple[int, int], ...], others: frozenset[str] = frozenset()) -> str:
    """Spell a set of a regular expression."""
    return "[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "".join(sorted(others)) + "]"


BIDI_CONTROL = re.compile(_set_of((), BIDI_CONTROLS))
INVISIBLE_RUN = re.compile(f"(?:(?!{_set_of((), BIDI_CONTROLS)}){_set_of(_DEFAULT_IGNORABLE_RANGES, LOOKS_BLANK)})+")
RIGHT_TO_LEFT = re.compile(_set_of(_RIGHT_TO_LEFT_RANGES))


def is_default_ignorable(character: str) -> bool:
    point = ord(character)
    return point >= 0xAD and any(low <= point <= high for low, high in _DEFAULT_IGNORABLE_RANGES)
