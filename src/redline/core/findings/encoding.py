"""Bytes that a text does not have, or has in another way than before: binary, byte order mark, line ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.content import is_binary
from redline.core.findings.file_kinds import says_text
from redline.core.notes import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.change import ContentChange

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def encoding(change: ContentChange) -> Iterator[Finding]:
    after = change.after.data if change.after is not None else b""
    if not after:
        return
    before = change.before.data if change.before is not None else b""
    yield from _binary(change, before, after)
    if before.startswith(_BOM) != after.startswith(_BOM):
        what = "removed" if before.startswith(_BOM) else "added"
        yield Finding("BOM", Severity.INFO, f"byte order mark {what}", change.path)
    ends = _line_ends(before), _line_ends(after)
    if not is_binary(after) and "none" not in ends and ends[0] != ends[1]:
        text = f"line ends go from {ends[0]} to {ends[1]}"
        yield Finding("LINE_ENDS", Severity.SENSITIVE, text, change.path)


def _binary(change: ContentChange, before: bytes, after: bytes) -> Iterator[Finding]:
    if not is_binary(after):
        return
    if says_text(change.path):
        what = "UTF-16, or bytes that pass for it," if after.startswith(_UTF_16) else "binary bytes"
        text = f"holds {what} under the name of a text: its lines cannot be shown"
        yield Finding("BINARY_AS_TEXT", Severity.CRITICAL, text, change.path)
    elif change.before is not None and not is_binary(before):
        yield Finding("TEXT_TO_BINARY", Severity.SENSITIVE, "turns from text into binary", change.path)


def _line_ends(data: bytes) -> str:
    crlf = data.count(b"\r\n")
    lf = data.count(b"\n") - crlf
    if crlf and lf:
        return "mixed"
    if crlf:
        return "CRLF"
    return "LF" if lf else "none"
