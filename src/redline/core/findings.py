"""Facts about a change that a reviewer could miss, read from its bytes alone."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from redline.core.characters import BIDI_CONTROLS, is_default_ignorable
from redline.core.content import Mode, is_binary
from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.change import ContentChange

LONG_LINE_CHARACTERS = 500
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
_BOM = b"\xef\xbb\xbf"
_LARGE_LOSS_LINES = 10


def examine(changes: tuple[ContentChange, ...]) -> tuple[Finding, ...]:
    """List the findings in the order of the changes, gravest first within a path."""
    found: list[Finding] = []
    moved = {change.renamed_from for change in changes if change.renamed_from is not None}
    for change in changes:
        of_path = [
            *(_presence(change) if change.path not in moved else ()),
            *_mode(change),
            *_encoding(change),
            *_text(change),
        ]
        found += sorted(of_path, key=lambda finding: -list(Severity).index(finding.severity))
    return tuple(found)


def _presence(change: ContentChange) -> Iterator[Finding]:
    if change.before is None:
        return
    lines = _count_lines(change.before.data)
    if change.after is None:
        yield _about(change, "DELETES", Severity.SENSITIVE, f"deletes the file, {_lines(lines)}")
    elif not change.after.data and change.before.data:
        yield _about(change, "EMPTIED", Severity.SENSITIVE, f"empties the file, {_lines(lines)} removed")
    else:
        lost = lines - _count_lines(change.after.data)
        if lost >= _LARGE_LOSS_LINES and lost * 2 > lines:
            yield _about(change, "SHRINKS", Severity.SENSITIVE, f"{lost} of {_lines(lines)} are gone")


def _mode(change: ContentChange) -> Iterator[Finding]:
    before = change.before.mode if change.before is not None else Mode.REGULAR
    after = change.after.mode if change.after is not None else before
    if after is Mode.EXECUTABLE and before is not after:
        yield _about(change, "EXECUTABLE", Severity.CRITICAL, "becomes executable")
    elif before is not after:
        yield _about(change, "NOT_EXECUTABLE", Severity.INFO, "is no longer executable")


def _encoding(change: ContentChange) -> Iterator[Finding]:
    if change.before is None or change.after is None or not change.after.data:
        return
    before, after = change.before.data, change.after.data
    if is_binary(after) and not is_binary(before):
        yield _about(change, "BINARY", Severity.SENSITIVE, "turns from text into binary")
    if before.startswith(_BOM) != after.startswith(_BOM):
        what = "removed" if before.startswith(_BOM) else "added"
        yield _about(change, "BOM", Severity.INFO, f"byte order mark {what}")
    if not is_binary(after):
        ends = _line_ends(before), _line_ends(after)
        if "none" not in ends and ends[0] != ends[1]:
            yield _about(change, "LINE_ENDS", Severity.SENSITIVE, f"line ends go from {ends[0]} to {ends[1]}")


def _text(change: ContentChange) -> Iterator[Finding]:
    if change.after is None or is_binary(change.after.data):
        return
    known = set(change.before.data.split(b"\n")) if change.before is not None else set()
    new = [
        (number, line.removesuffix(b"\r").decode("utf-8", "surrogateescape"))
        for number, line in enumerate(change.after.data.split(b"\n"), 1)
        if line not in known
    ]
    for code, severity, what, test in _LINE_TESTS:
        numbers = [number for number, line in new if test(line)]
        if numbers:
            text = f"{_lines(len(numbers))} with {what}, first at line {numbers[0]}"
            yield Finding(code, severity, text, change.path, numbers[0])


def _has_bidi(line: str) -> bool:
    return not line.isascii() and not BIDI_CONTROLS.isdisjoint(line)


def _has_invisible(line: str) -> bool:
    if line.isascii():
        return False
    return any(is_default_ignorable(character) and character not in BIDI_CONTROLS for character in line)


def _has_control(line: str) -> bool:
    if line.isprintable():
        return False
    return any(unicodedata.category(character) == "Cc" and character != "\t" for character in line)


def _is_elision(line: str) -> bool:
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


def _is_long(line: str) -> bool:
    return len(line) > LONG_LINE_CHARACTERS


_LINE_TESTS: tuple[tuple[str, Severity, str, Callable[[str], bool]], ...] = (
    ("ELISION", Severity.CRITICAL, "words that seem to stand for text that was left out", _is_elision),
    ("BIDI", Severity.CRITICAL, "bidirectional controls", _has_bidi),
    ("INVISIBLE", Severity.SENSITIVE, "invisible characters", _has_invisible),
    ("CONTROL", Severity.SENSITIVE, "control characters", _has_control),
    ("LONG_LINE", Severity.INFO, f"more than {LONG_LINE_CHARACTERS} characters", _is_long),
)


def _about(change: ContentChange, code: str, severity: Severity, text: str) -> Finding:
    return Finding(code, severity, text, change.path)


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _line_ends(data: bytes) -> str:
    crlf = data.count(b"\r\n")
    lf = data.count(b"\n") - crlf
    if crlf and lf:
        return "mixed"
    if crlf:
        return "CRLF"
    return "LF" if lf else "none"
