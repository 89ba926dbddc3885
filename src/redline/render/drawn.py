"""What is drawn for a span: safe text, with the blanks that matter in a line of a file made visible.

No two texts are drawn alike: a character of the file that could be taken for one of these signs is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.safetext import SafeText, safe
from redline.render.columns import columns, size
from redline.render.lines import Role

if TYPE_CHECKING:
    from redline.render.lines import Span

TAB_SIGN = "\u2192"
BLANK_SIGN = "\u00b7"
TAB_COLUMNS = 4
_TAB = TAB_SIGN + " " * (TAB_COLUMNS - 1)
_NO_NEWLINE = "\u27e6no newline at end\u27e7"
_BLANKS = str.maketrans({" ": BLANK_SIGN, "\t": _TAB})


def drawn(span: Span) -> SafeText:
    """Make a span safe to show; only tabs outside a file's lines are left, for the terminal to lay out."""
    if span.role is Role.BLANK:
        return SafeText(safe(span.text, keep="\t").translate(_BLANKS))
    if span.role is Role.LOOKALIKE:
        return SafeText("".join(f"\u27e6U+{ord(character):04X}\u27e7" for character in span.text))
    if span.role is Role.NO_NEWLINE:
        return SafeText(_NO_NEWLINE)
    return safe(span.text, keep="\t")


def drawn_columns(span: Span) -> int:
    """Count the columns that a span takes, never too few."""
    if span.role in _DRAWN_OTHERWISE:
        return len(drawn(span))
    return columns(span.text)


def drawn_sizes(span: Span) -> list[int]:
    """Count the columns of each character of a span."""
    if span.role in _DRAWN_OTHERWISE:
        return [len(drawn(span._replace(text=character))) for character in span.text]
    return [size(character) for character in span.text]


_DRAWN_OTHERWISE = frozenset((Role.BLANK, Role.LOOKALIKE, Role.NO_NEWLINE))
