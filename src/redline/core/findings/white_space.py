"""Changes of blanks and line breaks alone, which a quick reader takes for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.content import is_binary
from redline.core.findings.file_kinds import is_indented
from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.change import ContentChange

_WHITE_SPACE = b" \t\n\r\x0b\x0c"


def white_space(change: ContentChange) -> Iterator[Finding]:
    """Line ends that change alone are a finding of their own (`encoding`)."""
    if change.before is None or change.after is None or is_binary(change.after.data):
        return
    before, after = change.before.data, change.after.data
    if before.translate(None, b"\r") == after.translate(None, b"\r") or not after:
        return
    if before.translate(None, _WHITE_SPACE) == after.translate(None, _WHITE_SPACE):
        is_layout = before.split() == after.split() and not is_indented(change.path)
        severity = Severity.INFO if is_layout else Severity.SENSITIVE
        yield Finding("WHITESPACE_ONLY", severity, "only blanks and line breaks change", change.path)
