"""Classes of code points that hide or reorder text (Unicode 15: DerivedCoreProperties, UAX #9)."""

from __future__ import annotations

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

BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# Not Default_Ignorable, but drawn as nothing or as a plain blank by common terminal fonts.
LOOKS_BLANK = frozenset("\u2800\U0001d159\U00016fe4\U00013441\U00013442")


def is_default_ignorable(character: str) -> bool:
    point = ord(character)
    return point >= 0xAD and any(low <= point <= high for low, high in _DEFAULT_IGNORABLE_RANGES)
