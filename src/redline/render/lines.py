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
    NUMBER = "number"
    KEYWORD = "keyword"
    NAME = "name"
    STRING = "string"
    LITERAL = "literal"
    COMMENT = "comment"
    BLANK = "blank"
    LOOKALIKE = "lookalike"
    NO_NEWLINE = "no newline"

    __hash__ = object.__hash__  # an enumeration's own is written in Python, and every span is looked up by its role


class Tone(Enum):
    """What happens to the line that a span belongs to, and whether the span itself is what changed in it."""

    NONE = "none"
    ADDED = "added"
    REMOVED = "removed"
    ADDED_PART = "added part"
    REMOVED_PART = "removed part"

    __hash__ = object.__hash__  # as above


class Span(NamedTuple):
    text: str
    role: Role = Role.PLAIN
    tone: Tone = Tone.NONE


Line = tuple[Span, ...]


def plain(text: str) -> Line:
    return (Span(text),)
