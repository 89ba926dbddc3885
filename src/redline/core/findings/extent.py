"""How much a proposal asks a person to read at once."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from redline.core.change import ContentChange
    from redline.core.findings.text_change import TextChange

MOST_LINES = 400
MOST_FILES = 20
MOST_DELETIONS = 20
_TOKEN = re.compile(r"\w+|[^\w\s]")


def extent(changes: Sequence[ContentChange], texts: Sequence[TextChange]) -> Iterator[Finding]:
    """What is true of the whole proposal; such a finding has no path."""
    lines = sum(text.lines for text in texts)
    if lines > MOST_LINES or len(changes) > MOST_FILES:
        files = "1 file" if len(changes) == 1 else f"{len(changes)} files"
        words = f"at least {lines} changed lines in {files}: much to read at once{_beside_layout(changes, texts)}"
        yield Finding("MASS_CHANGE", Severity.SENSITIVE, words)
    moved = {change.renamed_from for change in changes}
    deleted = sum(change.after is None and change.path not in moved for change in changes)
    if deleted > MOST_DELETIONS:
        yield Finding("MASS_DELETION", Severity.CRITICAL, f"deletes {deleted} files")


def _beside_layout(changes: Sequence[ContentChange], texts: Sequence[TextChange]) -> str:
    """What a reformatting would hide. The order of words is not compared, so that the cost stays linear."""
    edited = [text for change, text in zip(changes, texts, strict=True) if change.before and change.after]
    if not edited:
        return ""
    new = _count(line.text for text in edited for line in text.new)
    gone = _count(line for text in edited for line in text.gone)
    differing = (new - gone).total() + (gone - new).total()
    return f"; beside white space and order, {differing} words or signs of the edited files change"


def _count(lines: Iterable[str]) -> Counter[str]:
    return Counter(_TOKEN.findall("\n".join(lines)))
