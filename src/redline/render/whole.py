"""Hunks with all that lies between them: a file whole, what did not change as context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.hunks import Hunk, LineKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = LineKind.CONTEXT.value.encode()
_NO_NEWLINE = b"\\ No newline at end of file"


def whole(hunks: Sequence[Hunk], after: bytes) -> Iterator[Hunk]:
    """The hunks in order, and between them stretches of context without an id or a header."""
    lines = after.split(b"\n")
    ends_in_newline = not lines[-1]
    if ends_in_newline:
        lines.pop()
    before_at = after_at = 1
    for hunk in hunks:
        numbered = hunk.lines
        befores = [line.before_number for line in numbered if line.before_number is not None]
        afters = [line.after_number for line in numbered if line.after_number is not None]
        # A side of no lines is numbered by the line above it (git-diff(1)).
        first = afters[0] if afters else hunk.after_start + 1
        yield from _between(lines[after_at - 1 : first - 1], before_at, after_at, b"")
        yield hunk
        before_at = befores[-1] + 1 if befores else hunk.before_start + 1
        after_at = afters[-1] + 1 if afters else hunk.after_start + 1
    yield from _between(lines[after_at - 1 :], before_at, after_at, b"" if ends_in_newline else _NO_NEWLINE)


def _between(lines: list[bytes], before_at: int, after_at: int, remark: bytes) -> Iterator[Hunk]:
    if lines:
        body = b"\n".join([*(_CONTEXT + line for line in lines), *([remark] if remark else [])])
        yield Hunk("", "", before_at, after_at, 0, 0, body)
