"""Words that stand for text that a model left out."""

from __future__ import annotations

import re

# An ellipsis, and words that stand for code that was not written out; `...` alone is Python, `...name` JavaScript.
_ELISION_CHARACTERS = 300
_DOTS = re.compile(r"\.\.\.|\u2026")
_LEFT_OUT = re.compile(r"(?:\.\.\.|\u2026)\s*(?:[\[(]\s*)?(?:truncated|omitted|snip(?:ped)?)\b", re.IGNORECASE)
_DOTS_REST = re.compile(
    r"(?:\.\.\.|\u2026)\s+[\[(]?(?:the\s+)?(?:rest|remainder|remaining|existing|previous|unchanged|other|same)\b",
    re.IGNORECASE,
)
_REST = re.compile(r"\b(?:rest of|remaining|existing|unchanged)\b", re.IGNORECASE)
_WHAT = re.compile(
    r"\b(?:code|files?|contents?|lines|functions?|methods?|class(?:es)?|implementation|tests|imports|unchanged|here)\b",
    re.IGNORECASE,
)
# Without an ellipsis, only a comment that says nothing else.
_PART = "(?:code|files?|contents?|lines|functions?|methods?|class(?:es)?|implementations?|tests|imports|body|logic)"
_KEPT = (
    "(?:here|unchanged|omitted|goes? here|follows|as before"
    "|(?:remains?|stays?|is|are)(?: the)? (?:same|unchanged|as before|as is|here))"
)
_COMMENT = re.compile(
    r"\s*(?:#+|//+|/\*+|<!--|--|;+|%+|\{/\*)[ \t]*(?:"
    rf"[\[(]?(?:(?:the )?(?:rest|remainder) of (?:the |this |your )?(?:[\w.]+ )?{_PART}(?: {_KEPT})?"
    rf"|(?:the )?(?:remaining|existing|unchanged) {_PART}(?: {_KEPT})?"
    rf"|(?:(?:the )?previous )?{_PART} {_KEPT}"
    r"|snip(?:ped)?|(?:omitted|truncated)(?: for brevity)?)[\])]?[.:]?"
    r"|(?:\.\.\.|\u2026) ?\(?(?:unchanged|same as before|no changes?)\)?(?: ?(?:\.\.\.|\u2026))?"
    r")\s*(?:\*/\}?|-->)?\s*\Z",
    re.IGNORECASE,
)
# Each text that is found holds one of these, and most files hold none.
_HINTS = (
    *(
        "...",
        "\u2026",
        "rest",
        "remain",
        "existing",
        "unchanged",
        "here",
        "omitted",
        "follows",
        "before",
        "same",
        "as is",
    ),
    *("snip", "truncated"),
)


def may_elide(text: str) -> bool:
    """Tell fast that no line of a text elides; True may be wrong."""
    folded = text.lower()
    return any(hint in folded for hint in _HINTS)


def is_elision(line: str) -> bool:
    if len(line) > _ELISION_CHARACTERS:
        return False
    if _COMMENT.match(line) is not None:
        return True
    if "..." not in line and "\u2026" not in line:
        return False
    return (
        _LEFT_OUT.search(line) is not None
        or _stand_in_order(line, _DOTS_REST, _WHAT)
        or _stand_in_order(line, _REST, _WHAT, _DOTS)
    )


def _stand_in_order(line: str, *words: re.Pattern[str]) -> bool:
    """Whether the words follow each other, whatever stands between them; no step goes back."""
    at = 0
    for word in words:
        found = word.search(line, at)
        if found is None:
            return False
        at = found.end()
    return True
