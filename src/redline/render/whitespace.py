"""Where a line holds blanks that a reader could miss, and characters that look like the signs drawn for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.render.drawn import BLANK_SIGN, TAB_COLUMNS, TAB_SIGN
from redline.render.lines import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRAILING = " \t\r" + BLANK_SIGN
_TABS = re.compile(rf"\t+|{TAB_SIGN}(?={' ' * (TAB_COLUMNS - 1)})")
_TAIL = re.compile(rf"[ \t\r]+|{BLANK_SIGN}+")


def marked(text: str) -> Iterator[tuple[int, int, Role]]:
    """Give the ranges to draw as signs (BLANK), or to escape (LOOKALIKE), in order and apart from each other."""
    tail = len(text.rstrip(_TRAILING))
    for found in (*_TABS.finditer(text, 0, tail), *_TAIL.finditer(text, tail)):
        role = Role.LOOKALIKE if found[0][0] in (TAB_SIGN, BLANK_SIGN) else Role.BLANK
        yield found.start(), found.end(), role
