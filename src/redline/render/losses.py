"""What a deletion takes away, as far as a plain rule can tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.core.safetext import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.core.hunks import Hunk

_DEFINITION = re.compile(
    r"(?:export\s+|default\s+|pub(?:\([a-z]+\))?\s+|public\s+|abstract\s+|final\s+|async\s+|static\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|type|module)\s+(\w+)"
)
_MOST_NAMES = 8


def losses(hunks: Iterable[Hunk]) -> str:
    """The lines that go, and the names that unindented lines of common languages define."""
    removed = [decode(line.data) for hunk in hunks for line in hunk.lines if line.before_number is not None]
    names = [found[1] for found in map(_DEFINITION.match, removed) if found is not None]
    words = f"loses {len(removed)} {'line' if len(removed) == 1 else 'lines'}"
    if names:
        left = len(names) - _MOST_NAMES
        words += (
            f", and with them {', '.join(names[:_MOST_NAMES])}{f' and {left} more definitions' if left > 0 else ''}"
        )
    return words
