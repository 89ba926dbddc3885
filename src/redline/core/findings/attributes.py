"""The lines of `.gitattributes`: they change the bytes that git stores, and what it shows (gitattributes(5))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.notes import Finding, Severity
from redline.core.paths import skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.findings.text_change import TextChange

_MOST_LISTED = 20
_SHOWN_CHARACTERS = 100


def attributes(text: TextChange) -> Iterator[Finding]:
    """List the new lines one by one: which attributes a later git or another tool obeys cannot be known."""
    if skeleton(text.path.name) != ".gitattributes":
        return
    rules = [line for line in text.new if line.text.strip() and not line.text.lstrip().startswith("#")]
    for line in rules[:_MOST_LISTED]:
        rule = line.text.strip()[:_SHOWN_CHARACTERS]
        words = f"line {line.number} changes how git stores, shows or merges files: {rule!a}"
        yield Finding("ATTRIBUTE", Severity.CRITICAL, words, text.path, line.number)
    if len(rules) > _MOST_LISTED:
        yield Finding("ATTRIBUTE", Severity.CRITICAL, f"and {len(rules) - _MOST_LISTED} more such lines", text.path)
