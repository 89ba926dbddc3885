"""New lines that show something else than they hold: reordered, invisible, out of sight, or left out."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from redline.core.characters import BIDI_CONTROL, INVISIBLE_RUN, RIGHT_TO_LEFT
from redline.core.findings.elision import is_elision, may_elide
from redline.core.findings.file_kinds import is_prose
from redline.core.findings.text_change import about_lines
from redline.core.invisible import spell_run
from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.findings.text_change import TextChange

LONG_LINE_CHARACTERS = 500
MINIFIED_LINE_CHARACTERS = 2000
_LONG_RUN = 4
_PREVIEW_CHARACTERS = 60
_LAID_OUT = {9: " ", 10: " "}
_FAR = " " * 100
_TAB = " " * 8
_EMOJI_PARTS = frozenset(("\ufe0f", "\u200d", "\ufe0f\u200d"))
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_ODD_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_NO_UTF_8 = re.compile("[\udc80-\udcff]")


def hidden(text: TextChange) -> Iterator[Finding]:
    if not text.new:
        return
    yield from _left_out(text)
    if not text.added.isascii() or not text.added.translate(_LAID_OUT).isprintable():
        yield from _reordered(text)
        yield from _invisible(text)
        yield from _controls(text)
    yield from _out_of_sight(text)


def _left_out(text: TextChange) -> Iterator[Finding]:
    what = "words that seem to stand for text that was left out"
    if may_elide(text.added):
        numbers = [line.number for line in text.new if is_elision(line.text)]
        yield from about_lines(text, "ELISION", Severity.CRITICAL, what, numbers)


def _reordered(text: TextChange) -> Iterator[Finding]:
    prose = is_prose(text.path)
    controls = Severity.SENSITIVE if prose else Severity.CRITICAL
    yield from about_lines(text, "BIDI", controls, "bidirectional controls", text.matching(BIDI_CONTROL))
    letters = Severity.INFO if prose else Severity.SENSITIVE
    what = "right-to-left text, which moves what stands beside it"
    yield from about_lines(text, "RIGHT_TO_LEFT", letters, what, text.matching(RIGHT_TO_LEFT))


def _invisible(text: TextChange) -> Iterator[Finding]:
    numbers = text.matching(INVISIBLE_RUN)
    if not numbers:
        return
    affected = set(numbers)
    runs = [
        (line.number, run.group(), run.group() in _EMOJI_PARTS and _follows_a_symbol(run))
        for line in text.new
        if line.number in affected
        for run in INVISIBLE_RUN.finditer(line.text)
    ]
    number, longest, _ = max(runs, key=lambda found: len(found[1]))
    if all(is_emoji for *_, is_emoji in runs):
        what = "invisible characters, all in emoji"
        yield from about_lines(text, "INVISIBLE", Severity.INFO, what, numbers)
    elif len(longest) <= _LONG_RUN:
        yield from about_lines(text, "INVISIBLE", Severity.SENSITIVE, "invisible characters", numbers)
    else:
        carried = spell_run(longest)
        preview = carried if len(carried) <= _PREVIEW_CHARACTERS else carried[:_PREVIEW_CHARACTERS] + "\u2026"
        what = f"invisible characters, {len(longest)} in a row at line {number} ({preview})"
        yield from about_lines(text, "INVISIBLE", Severity.CRITICAL, what, numbers)


def _follows_a_symbol(run: re.Match[str]) -> bool:
    return run.start() > 0 and unicodedata.category(run.string[run.start() - 1]) in {"So", "Sk"}


def _controls(text: TextChange) -> Iterator[Finding]:
    for code, severity, what, pattern in (
        ("CONTROL", Severity.SENSITIVE, "control characters", _CONTROL),
        ("NOT_UTF8", Severity.SENSITIVE, "bytes that are not UTF-8", _NO_UTF_8),
        ("ODD_BLANK", Severity.INFO, "blanks that are not the usual one", _ODD_BLANK),
    ):
        yield from about_lines(text, code, severity, what, text.matching(pattern))


def _out_of_sight(text: TextChange) -> Iterator[Finding]:
    if _has_text_far_away(text.added):
        what = f"text behind {len(_FAR)} or more blanks"
        numbers = [line.number for line in text.new if _has_text_far_away(line.text)]
        yield from about_lines(text, "FAR_RIGHT", Severity.SENSITIVE, what, numbers)
    long = [(line.number, len(line.text)) for line in text.new if len(line.text) > LONG_LINE_CHARACTERS]
    minified = [number for number, length in long if length > MINIFIED_LINE_CHARACTERS]
    what = f"more than {MINIFIED_LINE_CHARACTERS} characters, as minified code has"
    yield from about_lines(text, "MINIFIED", Severity.SENSITIVE, what, minified)
    numbers = [number for number, length in long if length <= MINIFIED_LINE_CHARACTERS]
    what = f"more than {LONG_LINE_CHARACTERS} characters"
    yield from about_lines(text, "LONG_LINE", Severity.INFO, what, numbers)


def _has_text_far_away(line: str) -> bool:
    return _FAR in line.rstrip().replace("\t", _TAB)
