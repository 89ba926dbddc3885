"""Files that go, shrink, or change their executable bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.content import Mode
from redline.core.findings.text_change import count_lines
from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.change import ContentChange

_LARGE_LOSS_LINES = 10


def presence(change: ContentChange) -> Iterator[Finding]:
    if change.before is None:
        return
    lines = _count(change.before.data)
    if change.after is None:
        yield _about(change, "DELETES", Severity.SENSITIVE, f"deletes the file, {count_lines(lines)}")
    elif not change.after.data and change.before.data:
        yield _about(change, "EMPTIED", Severity.SENSITIVE, f"empties the file, {count_lines(lines)} removed")
    else:
        lost = lines - _count(change.after.data)
        if lost >= _LARGE_LOSS_LINES and lost * 2 > lines:
            yield _about(change, "SHRINKS", Severity.SENSITIVE, f"{lost} of {count_lines(lines)} are gone")


def mode(change: ContentChange) -> Iterator[Finding]:
    before = change.before.mode if change.before is not None else Mode.REGULAR
    after = change.after.mode if change.after is not None else before
    if after is Mode.EXECUTABLE and before is not after:
        yield _about(change, "EXECUTABLE", Severity.CRITICAL, "becomes executable")
    elif before is not after:
        yield _about(change, "NOT_EXECUTABLE", Severity.INFO, "is no longer executable")


def _about(change: ContentChange, code: str, severity: Severity, text: str) -> Finding:
    return Finding(code, severity, text, change.path)


def _count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
