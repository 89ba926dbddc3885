"""The lines of a change that were not there before: what a finding about a text looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from redline.core.content import is_binary
from redline.core.notes import Finding

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from redline.core.change import ContentChange
    from redline.core.content import Content
    from redline.core.notes import Severity
    from redline.core.paths import RepoPath

_BOM = "\ufeff"


class Line(NamedTuple):
    """`number` counts from 1 in the after-text; `text` has no line end, and bytes that are no UTF-8 as surrogates."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class TextChange:
    """What a change brings and takes; of a file that is absent or binary afterwards it brings nothing.

    `new` and `gone` are lines whose text the other side has nowhere, and `lines` counts the longer way: never more
    than a diff would show. `added` is all of `new`, line by line, and `signs` each character of it.
    """

    path: RepoPath
    new: tuple[Line, ...]
    gone: tuple[str, ...]
    lines: int
    added: str
    signs: str
    after: str

    def matching(self, pattern: re.Pattern[str]) -> list[int]:
        """The numbers of the new lines in which a pattern is found that can match a single character."""
        if pattern.search(self.signs) is None:
            return []
        return [line.number for line in self.new if pattern.search(line.text) is not None]


def compare(change: ContentChange) -> TextChange:
    after = _text(change.after)
    old, now = _lines(_text(change.before)), _lines(after)
    known, kept = set(old), set(now)
    new = tuple(Line(number, line.removesuffix("\r")) for number, line in enumerate(now, 1) if line not in known)
    gone = tuple(line.removesuffix("\r") for line in old if line not in kept)
    added = "\n".join(line.text for line in new)
    lines = max(len(new) + len(gone), abs(len(now) - len(old)))
    signs = added if added.isascii() else "".join(set(added))
    return TextChange(change.path, new, gone, lines, added, signs, after)


def _text(content: Content | None) -> str:
    """The text without the mark of its byte order; none of an absent or binary file."""
    if content is None or is_binary(content.data):
        return ""
    return content.data.decode("utf-8", "surrogateescape").removeprefix(_BOM)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def count_lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def about_lines(
    text: TextChange, code: str, severity: Severity, what: str, numbers: Sequence[int]
) -> Iterator[Finding]:
    """One finding for all lines of a kind, none if there are none."""
    if numbers:
        words = f"{count_lines(len(numbers))} with {what}, first at line {numbers[0]}"
        yield Finding(code, severity, words, text.path, numbers[0])
