"""Hunks of a unified diff: inside a hunk the counts of its header rule, whatever the lines look like.

Only where they cannot be right, and where something proves that the hunk is not cut off, its lines are counted instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.errors import MalformedEdit
from redline.intake.diff_text import ends_mail
from redline.intake.edits import Hunk

if TYPE_CHECKING:
    from redline.intake.diff_text import Cursor

_HEADER = re.compile(rb"@@ -([0-9]{1,10})(?:,([0-9]{1,10}))? \+([0-9]{1,10})(?:,([0-9]{1,10}))? @@")
_RUN = re.compile(rb"[ +-]+")
_MARKER = 0x5C
_BLANK = (b"\n", b"\r\n")
_HINT = "Count again (old: context and removed lines, new: context and added lines), or send `git diff` output."


def read_hunks(source: Cursor) -> tuple[tuple[Hunk, ...], int]:
    """Read the hunks that stand here; also count the blank context lines that had lost their space."""
    hunks: list[Hunk] = []
    repaired = 0
    while (line := source.peek()) is not None and line.startswith(b"@@"):
        hunk, blanks = _read_hunk(source, line)
        hunks.append(hunk)
        repaired += blanks
    return tuple(hunks), repaired


def _read_hunk(source: Cursor, header: bytes) -> tuple[Hunk, int]:
    found = _HEADER.match(header)
    if found is None:
        code = "COMBINED_DIFF" if header.startswith(b"@@@") else "HUNK_HEADER"
        raise MalformedEdit(
            f"line {source.number}: {header.decode('utf-8', 'replace')!a} is no hunk header",
            code=code,
            hint="A hunk starts with `@@ -LINE,COUNT +LINE,COUNT @@`; a merge's combined diff is not taken.",
            details={"line": source.number},
        )
    number = source.number
    source.at += 1
    old, new = int(found[2] or 1), int(found[4] or 1)
    body, blanks, is_recounted = _counted_body(source, number, old, new)
    if (old == new or is_recounted) and all(line[0] == 0x20 for line in body):
        if count_body(source.lines, number - source.first + 1) != (old, new):
            raise wrong_count(source, number, old, new)
        raise _fault(number, "it adds and removes nothing", "HUNK_EMPTY")
    if source.number - number - 1 > len(body):
        _check_ends(body, number)
    return Hunk(int(found[1]), int(found[3]), tuple(body), number, is_recounted), blanks


def _counted_body(source: Cursor, number: int, old: int, new: int) -> tuple[list[bytes], int, bool]:
    """Take as many lines as the header says or, where that cannot be, as many as there are."""
    start = source.at
    taken = _take_plain_body(source, old, new) or _take_body(source, old, new)
    if taken is not None and not source.at_part_of_hunk:
        return *taken, False
    behind = source.at
    found_old, found_new, end = _measure(source.lines, start)
    if (found_old, found_new) != (old, new) and _is_proven_end(source, end):
        source.at = start
        recounted = _take_body(source, found_old, found_new)
        # Added lines that the header leaves out may be remarks, in any but a new file; other lines the file bears out.
        if recounted is not None and (taken is None or not found_old or not recounted[0][-1].startswith(b"+")):
            return *recounted, True
    if taken is None:
        raise wrong_count(source, number, old, new)
    source.at = behind
    return *taken, False


def _is_proven_end(source: Cursor, end: int) -> bool:
    """Whether something stands behind a body that no hunk can hold, so that it is not cut off there."""
    lines = source.lines
    while end < len(lines) and lines[end] in _BLANK:
        end += 1
    if end == len(lines):
        return source.is_fenced
    source.at, at = end, source.at
    is_proven = lines[end].startswith(b"@@ -") or source.at_section or source.at_signature
    source.at = at
    return is_proven


def _take_body(source: Cursor, old: int, new: int) -> tuple[list[bytes], int] | None:
    """Take the lines that the counts ask for, and the blanks among them; None, and nothing taken, if they are not."""
    lines, end, odd = source.lines, source.at, False
    old_left, new_left = old, new
    # A body has at most twice as many lines as it counts: each may have a marker behind it.
    for line in lines[end : end + 2 * (old + new)]:
        tag = line[0]
        if tag == 0x20:
            old_left -= 1
            new_left -= 1
        elif tag == 0x2D:
            old_left -= 1
        elif tag == 0x2B:
            new_left -= 1
        elif line in _BLANK or (tag == _MARKER and end > source.at):
            counts = tag != _MARKER
            old_left, new_left, odd = old_left - counts, new_left - counts, True
        else:
            break
        end += 1
        if old_left <= 0 >= new_left:
            break
    if old_left or new_left:
        return None
    if end < len(lines) and lines[end].startswith(b"\\"):
        end, odd = end + 1, True
    body = lines[source.at : end]
    source.at = end
    return _mended(body) if odd else (body, 0)


def _take_plain_body(source: Cursor, old: int, new: int) -> tuple[list[bytes], int] | None:
    """Take the lines as `_take_body` does where each has its tag, which is nearly always: only tags are looked at."""
    tags, start = source.tags, source.at
    run = _RUN.match(tags, start, start + old + new)
    end = run.end() if run is not None else start
    counts = end - start - tags.count(b"+", start, end), end - start - tags.count(b"-", start, end)
    if counts != (old, new) or tags[end : end + 1] == b"\\":
        return None
    source.at = end
    return source.lines[start:end], 0


def _mended(raw: list[bytes]) -> tuple[list[bytes], int]:
    """Give blank lines their space back, and take the line end off the line before each marker."""
    body: list[bytes] = []
    blanks = 0
    for line in raw:
        if line in _BLANK:
            body.append(b" " + line)
            blanks += 1
        elif line[0] != _MARKER:
            body.append(line)
        elif body:
            body[-1] = body[-1].removesuffix(b"\n")
    return body, blanks


def _check_ends(body: list[bytes], number: int) -> None:
    """Refuse a hunk that goes on behind a line that ends its side of the file."""
    for at in [at for at, line in enumerate(body) if not line.endswith(b"\n")]:
        sides = b" -+" if body[at].startswith(b" ") else b" " + body[at][:1]
        if any(later[:1] in sides for later in body[at + 1 :]):
            raise _fault(number, "a `\\` line says that the file ends before it does", "NEWLINE_MARKER")


def wrong_count(source: Cursor, number: int, old: int, new: int) -> MalformedEdit:
    """Say which count of the hunk whose header stands in line `number` is wrong."""
    found_old, found_new = count_body(source.lines, number - source.first + 1)
    wrong = [
        f"its header says {said} {side} lines, its body has {found}"
        for side, said, found in (("old", old, found_old), ("new", new, found_new))
        if said != found
    ]
    what = " and ".join(wrong) or "its body is interrupted"
    details: dict[str, object] = {"line": number, "stated": [old, new], "found": [found_old, found_new]}
    return MalformedEdit(f"line {number}: hunk: {what}", code="HUNK_COUNT", hint=_HINT, details=details)


def count_body(lines: list[bytes], start: int) -> tuple[int, int]:
    """Count old and new lines up to the next line that can belong to no hunk."""
    old, new, _ = _measure(lines, start)
    return old, new


def _measure(lines: list[bytes], start: int) -> tuple[int, int, int]:
    """Count old and new lines, and give the index behind the last of them; blank lines at the end do not count."""
    old = new = blank = 0
    end = start
    for at in range(start, len(lines)):
        line = lines[at]
        tag = line[:1]
        if line in _BLANK:
            blank += 1
            continue
        following = lines[at + 1] if at + 1 < len(lines) else b""
        is_header = line.startswith(b"--- ") and following.startswith(b"+++ ")
        if tag not in b" +-\\" or is_header or ends_mail(line, following):
            break
        old += blank + (tag in b" -")
        new += blank + (tag in b" +")
        blank, end = 0, at + 1
    return old, new, end


def _fault(number: int, what: str, code: str) -> MalformedEdit:
    return MalformedEdit(f"line {number}: hunk: {what}", code=code, hint=_HINT, details={"line": number})
