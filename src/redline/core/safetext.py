"""The boundary between untrusted strings and a terminal.

`safe` is injective: two different inputs never look the same, for what is shown is read back in one way only. Outside
the marker pair a character stands for itself, since neither half of the pair is ever shown as itself. A marker ends at
its first closing half, and its content is of one of four kinds that no two inputs share: a name, `U+` and the number of
a code point, `x` and a byte, or, beginning with a digit, a run of invisible characters in the words of `spell_run`,
which is injective too.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from redline.core.characters import LOOKS_BLANK, is_default_ignorable
from redline.core.invisible import spell_run

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

# What a character is to the reader, one letter for each, so that runs are found by a regular expression.
_PLAIN, _BASE, _MARK, _INVISIBLE, _UNSHOWN = ".bmix"
_HIDDEN = re.compile(
    f"(?P<run>{_INVISIBLE}+)"
    f"|{_UNSHOWN}+"
    f"|(?<={_BASE}{_MARK}{_MARK}){_MARK}+"  # all but two marks on one letter
    f"|(?<![{_BASE}{_MARK}]){_MARK}+"  # marks on no letter: they would change a sign of ours, such as the + of a diff
)


class SafeText(str):
    """Text that holds no control, invisible or reordering code point; only `safe` makes it."""

    __slots__ = ()


def safe(text: str, *, keep: str = "") -> SafeText:
    r"""Escape all that could act on a terminal or hide from a reader, as `⟦ESC⟧` or `⟦U+202E⟧`.

    A run of invisible characters is one marker, `⟦87 invisible: tags "…"⟧`, wherever that is shorter. `keep` lists
    controls that the caller lays out itself (`"\n"`, `"\t"`). Bytes that are no UTF-8 arrive as surrogate escapes
    (`os.fsdecode`) and show as `⟦xFF⟧`.
    """
    if text.isascii() and text.isprintable():
        return SafeText(text)
    kinds = text.translate(_kinds(keep))
    if not kinds.strip(_PLAIN + _BASE):
        return SafeText(text)
    shown: list[str] = []
    start = 0
    for hidden in _HIDDEN.finditer(kinds):
        begins, ends = hidden.span()
        spell = _spell_invisible if hidden["run"] else _escape_all
        shown += (text[start:begins], spell(text[begins:ends]))
        start = ends
    return SafeText("".join((*shown, text[start:])))


def decode(data: bytes) -> str:
    """View bytes as text for display: UTF-8, other bytes as surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


class _Kinds(dict[int, str]):
    """The kind of each code point, found out when it is first asked for (`str.translate`)."""

    def __missing__(self, point: int) -> str:
        kind = self[point] = _kind(chr(point))
        return kind


@cache
def _kinds(keep: str) -> _Kinds:
    return _Kinds({ord(character): _PLAIN for character in keep})


def _kind(character: str) -> str:
    if is_default_ignorable(character) or character in LOOKS_BLANK:
        return _INVISIBLE
    category = unicodedata.category(character)
    if category in _STACKING:
        return _MARK
    if category[0] == "L" or category == "Mc":
        return _BASE
    is_shown = category[0] in _SHOWN_CATEGORIES and character not in _MARKERS
    return _PLAIN if is_shown or character == " " else _UNSHOWN


def _spell_invisible(run: str) -> str:
    """Never longer than each alone, so that a text takes no more columns than its characters do one by one."""
    whole = f"{_OPEN}{len(run)} invisible: {spell_run(run)}{_CLOSE}"
    each = _escape_all(run)
    return whole if len(whole) < len(each) else each


def _escape_all(characters: str) -> str:
    return "".join(map(_escape, characters))


def _escape(character: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:
        return f"{_OPEN}x{point - 0xDC00:02X}{_CLOSE}"
    return f"{_OPEN}{_NAMES.get(point, f'U+{point:04X}')}{_CLOSE}"
