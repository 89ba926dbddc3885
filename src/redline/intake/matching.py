"""Find a text in a file and put another in its place: exactly, or under one of the listed tiers."""

from __future__ import annotations

from dataclasses import replace as altered
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.intake.lenient import leniently, stated_elsewhere
from redline.intake.line_ends import has_only, to_crlf, to_lf
from redline.intake.markup import BOM
from redline.intake.mismatch import empty_before, no_match, overlapping, wrong_count
from redline.intake.splicing import Fit, occurrences, overlaps_at, spliced

if TYPE_CHECKING:
    from redline.intake.edits import Replace


def replace(data: bytes, edit: Replace) -> tuple[bytes, list[Leniency]]:
    """Give the content after the edit, and what was taken leniently.

    Raises EditMismatch: EMPTY_BEFORE, NO_MATCH with the nearest places, AMBIGUOUS with the lines.
    """
    if not edit.before:
        if data:
            raise empty_before(edit)
        return edit.after, []
    edit = _with_line_end(data, edit) if edit.with_line_end else edit
    mark = BOM if data.startswith(BOM) and not edit.before.startswith(BOM) else b""
    body = data[len(mark) :]
    done = _exactly(body, edit)
    if done is None and not edit.exactly:
        done = _with_other_ends(body, edit) or leniently(body, edit)
    if done is None:
        raise no_match(body, edit)
    return mark + done[0], done[1]


def _with_line_end(data: bytes, edit: Replace) -> Replace:
    """Take the line end behind the text into it, if one stands behind each of its occurrences."""
    found = data.count(edit.before)
    if edit.after or edit.before.endswith(b"\n") or not found:
        return edit
    for end in (b"\r\n", b"\n"):
        if data.count(edit.before + end) == found:
            return altered(edit, before=edit.before + end)
    return edit


def _exactly(data: bytes, edit: Replace) -> tuple[bytes, list[Leniency]] | None:
    starts, from_behind = _starts(data, edit)
    if not starts or _splits_a_line_end(data, edit, starts):
        return None
    if edit.before == edit.after and not edit.exactly:
        return data, []
    noted = []
    at_stated = _at_stated_line(data, edit, starts)
    if at_stated is not None:
        text = f"the text stands at {len(starts)} places; the one at line {edit.line}, which the edit names, was taken"
        noted.append(Leniency("ONE_OF_SEVERAL", edit.path, text))
        starts = from_behind = [at_stated]
    if edit.count is not None and len(starts) != edit.count:
        raise wrong_count(data, edit, starts)
    after = edit.after if edit.exactly else _with_ends_of(data, edit.after)
    result = spliced(data, [_fit(data, edit, start, after) for start in starts])
    if starts != from_behind and result != spliced(data, [_fit(data, edit, at, after) for at in from_behind]):
        raise overlapping(data, edit, starts)
    noted += stated_elsewhere(edit, data.count(b"\n", 0, starts[0]) + 1)
    if after != edit.after:
        noted.append(Leniency("LINE_ENDS", edit.path, "the new lines were given the line ends that the file has"))
    if starts[-1] + len(edit.before) > len(data):
        text = "the text ends the file's last line, the file does not; its end was left so"
        noted.append(Leniency("LAST_LINE_END", edit.path, text))
    return result, noted


def _at_stated_line(data: bytes, edit: Replace, starts: list[int]) -> int | None:
    """Find the one of several offsets that is in the line at which the edit says its text begins."""
    if edit.line is None or len(starts) < 2:
        return None
    number, end = 1, 0
    for start in starts:
        number += data.count(b"\n", end, start)
        end = start
        if number == edit.line:
            return start
    return None


def _splits_a_line_end(data: bytes, edit: Replace, starts: list[int]) -> bool:
    """Whether a text that begins with LF was found inside a CRLF: then it means the whole line end."""
    if edit.exactly or not edit.before.startswith(b"\n"):
        return False
    return any(data[start - 1 : start] == b"\r" for start in starts)


def _starts(data: bytes, edit: Replace) -> tuple[list[int], list[int]]:
    """Find the text's offsets, once taken from the front and once from behind: they differ if places overlap."""
    haystack, needle, shared = data, edit.before, 0
    if edit.whole_lines and data:
        # A last line without its line end is a whole line too; whether it equals one that has it is a leniency.
        closed = not data.endswith(b"\n") and not (edit.exactly and edit.before.endswith(b"\n"))
        haystack = b"\n" + data + (b"\n" if closed else b"")
        needle, shared = b"\n" + edit.before + (b"" if edit.before.endswith(b"\n") else b"\n"), 1
    starts = occurrences(haystack, needle, shared)
    if not starts:
        return [], []
    if all(overlaps_at(haystack, needle, shared, at) < 0 for at in starts):
        return starts, starts
    behind = occurrences(haystack[::-1], needle[::-1], shared)
    return starts, [len(haystack) - len(needle) - at for at in reversed(behind)]


def _fit(data: bytes, edit: Replace, start: int, after: bytes) -> Fit:
    end = start + len(edit.before)
    if end <= len(data):
        return Fit(start, end, after)
    return Fit(start, len(data), after.removesuffix(b"\r\n" if after.endswith(b"\r\n") else b"\n"))


def _with_ends_of(data: bytes, after: bytes) -> bytes:
    """Give the text the line ends of the file, where both have one kind only."""
    if has_only(after, crlf=False) and has_only(data, crlf=True):
        return to_crlf(after)
    return to_lf(after) if has_only(after, crlf=True) and has_only(data, crlf=False) else after


def _with_other_ends(data: bytes, edit: Replace) -> tuple[bytes, list[Leniency]] | None:
    """Look for the text with the other line ends; a text that begins or ends within a line is found so."""
    for convert in (to_crlf, to_lf):
        converted = altered(edit, before=convert(edit.before), after=convert(edit.after))
        if converted.before != edit.before and (done := _exactly(data, converted)) is not None:
            text = (
                f"the text was taken as if its line ends were {'CRLF' if convert is to_crlf else 'LF'}, as in the file"
            )
            return done[0], [Leniency("LINE_ENDS", edit.path, text), *done[1]]
    return None
