"""Text with roles instead of colours: what renderers make and a screen shows.

A span's text is raw and untrusted; the screen alone makes it safe, once, and adds the colours.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Role(Enum):
    """What a span is, from which a screen chooses its colour."""

    PLAIN = "plain"
    STRONG = "strong"
    FAINT = "faint"
    ADDED = "added"
    REMOVED = "removed"
    HUNK = "hunk"
    WARNING = "warning"
    ALARM = "alarm"
    GOOD = "good"


class Span(NamedTuple):
    text: str
    role: Role = Role.PLAIN


Line = tuple[Span, ...]


def plain(text: str) -> Line:
    return (Span(text),)
