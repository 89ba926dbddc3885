"""Runs of code points that are not drawn, spelt so that a person sees what they carry.

Two families carry text: tag characters mirror ASCII (U+E0020 is the blank, U+E007E the tilde), and the 256 variation
selectors can stand for bytes (U+FE00 is 0, U+E0100 is 16).
"""

from __future__ import annotations

from itertools import groupby


def spell_run(run: str) -> str:
    r"""Spell a run as `tags "…"`, `bytes "…"` and `U+200B*3`, in order, one blank between.

    Injective: in quotes stand printable ASCII, with a backslash before a quote or a backslash, and other bytes as
    `\x00`; so each item can be read back in one way only.
    """
    return " ".join(_spell_part(family, "".join(part)) for family, part in groupby(run, key=_family))


def _family(character: str) -> str:
    point = ord(character)
    if 0xE0020 <= point <= 0xE007E:
        return "tags"
    return "bytes" if 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF else f"U+{point:04X}"


def _spell_part(family: str, part: str) -> str:
    if family in {"tags", "bytes"}:
        return f'{family} "{"".join(_quoted(_carried(ord(character))) for character in part)}"'
    return family if len(part) == 1 else f"{family}*{len(part)}"


def _carried(point: int) -> int:
    """The byte that a tag character or a variation selector stands for."""
    if point <= 0xFE0F:
        return point - 0xFE00
    return point - 0xE0000 if point <= 0xE007E else point - 0xE0100 + 16


def _quoted(byte: int) -> str:
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte <= 0x7E else f"\\x{byte:02X}"
