"""How many terminal columns a text takes once it is shown, and texts cut or broken to fit.

Texts go in and come out raw; they are measured as the screen will show them (UAX #11 for wide characters).
"""

from __future__ import annotations

import unicodedata

from redline.core.safetext import safe

USUAL_WIDTH = 80
_LONGEST_ESCAPE = 10
_TAB = 8


def columns(text: str) -> int:
    """Count the columns, never too few."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(size, text))


def fit(text: str, width: int) -> str:
    """Pad the text to the width, or cut it there with an ellipsis."""
    shown = cut(text, width)
    return shown + " " * (width - columns(shown))


def cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    used = 1
    for index, character in enumerate(text):
        used += size(character)
        if used > width:
            return text[:index] + "\u2026"
    return text


def wrap(text: str, width: int) -> list[str]:
    """Break one line into lines that fit, at blanks where there are any; nothing is left out."""
    lines: list[str] = []
    start, used, behind_blank = 0, 0, 0
    for index, character in enumerate(text):
        taken = size(character)
        if used + taken > width and index > start:
            end = behind_blank if behind_blank > start else index
            lines.append(text[start:end])
            start, used = end, columns(text[end:index])
        used += taken
        if character == " ":
            behind_blank = index + 1
    return [*lines, text[start:]]


def size(character: str) -> int:
    """Count the columns of one character, never too few."""
    if " " <= character <= "~":
        return 1
    if character == "\t":
        return _TAB
    if unicodedata.combining(character):
        return _LONGEST_ESCAPE
    shown = safe(character)
    return sum(2 if unicodedata.east_asian_width(part) in "WF" else 1 for part in shown)
