"""Runs of code points that are not drawn, spelt so that a person sees what they carry.

Two families carry text: tag characters mirror ASCII (U+E0020 is the blank, U+E007E the tilde), and the 256 variation
selectors can stand for bytes (U+FE00 is 0, U+E0100 is 16).
"""

from __future__ import annotations

from itertools import groupby

_FIRST_TAG, _LAST_TAG = 0xE0020, 0xE007E
_TAG_OF_NUL = 0xE0000


def spell_run(run: str) -> str:
    r"""Spell a run as `tags "…"`, `bytes "…"` and `U+200B*3`, in order, one blank between.

    Injective: in quotes stand printable ASCII, with a backslash before a quote or a backslash, and other bytes as
    `\x00`; so each item can be read back in one way only.
    """
    return " ".join(_spell_part(family, "".join(part)) for family, part in groupby(run, key=_family))


def _family(character: str) -> str:
    point = ord(character)
    if _FIRST_TAG <= point <= _LAST_TAG:
        return "tags"
    return "bytes" if _selected_byte(point) is not None else f"U+{point:04X}"


def _spell_part(family: str, part: str) -> str:
    if family == "tags":
        return f'tags "{"".join(_quoted(ord(character) - _TAG_OF_NUL) for character in part)}"'
    if family == "bytes":
        return f'bytes "{"".join(_quoted(_selected_byte(ord(character)) or 0) for character in part)}"'
    return family if len(part) == 1 else f"{family}*{len(part)}"


def _selected_byte(point: int) -> int | None:
    if 0xFE00 <= point <= 0xFE0F:
        return point - 0xFE00
    return point - 0xE0100 + 16 if 0xE0100 <= point <= 0xE01EF else None


def _quoted(byte: int) -> str:
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte <= 0x7E else f"\\x{byte:02X}"
