"""Words that are not what they look like (UTS #39, CVE-2021-42694): told, never refused."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from redline.core.confusables import LOOKALIKES, skeleton_of_word
from redline.core.findings.file_kinds import is_prose
from redline.core.findings.text_change import count_lines
from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.findings.text_change import TextChange

_WORD = re.compile(r"[^\W\d]\w*")
_BETWEEN_PARTS = re.compile(r"[\W\d_]+")
_SCRIPTS = frozenset(["ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GEORGIAN", "GREEK", "LATIN", "LISU"])


def lookalikes(text: TextChange) -> Iterator[Finding]:
    """In prose only words that mix scripts count: other scripts and typographic letters are at home there."""
    if text.after.isascii():
        return
    words = set(_WORD.findall(text.added))
    found = {word: why for word in words if not word.isascii() and (why := _mixed(word)) is not None}
    if not is_prose(text.path):
        twins = _twins(text.after)
        for word in words.difference(found):
            why = _compatible(word) or _twin(word, twins)
            if why is not None:
                found[word] = why
    if found:
        yield _finding(text, found)


def _finding(text: TextChange, found: dict[str, str]) -> Finding:
    places = [(line.number, word) for line in text.new for word in _WORD.findall(line.text) if word in found]
    number, word = places[0]
    lines = count_lines(len({number for number, _ in places}))
    words = f'{lines} with letters that look like others, first at line {number}: "{word}" {found[word]}'
    return Finding("CONFUSABLE", Severity.SENSITIVE, words, text.path, number)


def _mixed(word: str) -> str | None:
    """A lookalike among letters of another script; one Greek letter alone between underscores is a formula's name."""
    parts = [part for part in _BETWEEN_PARTS.split(word) if len(part) > 1 or _script(part or "_") != "GREEK"]
    scripts = {_script(letter) for part in parts for letter in part} & _SCRIPTS
    odd = next((letter for part in parts for letter in part if letter in LOOKALIKES), None)
    if len(scripts) < 2 or odd is None:
        return None
    names = " and ".join(sorted(script.capitalize() for script in scripts))
    return f"mixes {names} (U+{ord(odd):04X} looks like {LOOKALIKES[odd]})"


def _compatible(word: str) -> str | None:
    """Python takes such a name for its plain form (PEP 3131), whatever other tools take it for."""
    if word.isascii():
        return None
    for letter in word:
        plain = unicodedata.normalize("NFKC", letter)
        if letter.isalpha() and not letter.isascii() and plain.isascii():
            return f"is {unicodedata.normalize('NFKC', word)} to Python (U+{ord(letter):04X})"
    return None


def _twins(text: str) -> dict[str, str]:
    """Words of a text that look like another one in it, of which one at least is not plain ASCII."""
    words = set(_WORD.findall(text))
    twins: dict[str, str] = {}
    odd = sorted(word for word in words if not word.isascii())
    shapes = {skeleton_of_word(word): word for word in odd}
    plain = (word for word in words if word.isascii()) if any(map(str.isascii, shapes)) else ()
    for word in (*odd, *plain):
        other = shapes.get(skeleton_of_word(word), word)
        if other != word:
            twins[word] = other
            twins[other] = word
    return twins


def _twin(word: str, twins: dict[str, str]) -> str | None:
    other = twins.get(word)
    return f'looks like "{other}" of the same file ({_points(word, other)})' if other is not None else None


def _points(word: str, other: str) -> str:
    """The first letter in which two words differ, by number: they look the same."""
    one, two = next((one, two) for one, two in zip(word, other, strict=False) if one != two)
    return f"U+{ord(one):04X} for U+{ord(two):04X}"


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """The script by the first word of the letter's name, which it is for the scripts that matter here."""
    return unicodedata.name(unicodedata.normalize("NFKC", letter)[0], "").partition(" ")[0]
