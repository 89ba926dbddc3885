"""Replace a text under the first of the listed tiers under which it occurs, as often as the edit wants it to.

Lines that the new text keeps stay byte for byte as the file has them; only really new lines come from the text.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.intake.elision import elided
from redline.intake.mismatch import overlapping, wrong_count
from redline.intake.splicing import Fit, spliced
from redline.intake.stretches import is_blank, lines_of, stretches
from redline.intake.tiers import TIERS, without_cr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.intake.edits import Replace
    from redline.intake.tiers import Tier, Window

_ALIGNED_LINES = 500
_LISTED = 20


def leniently(data: bytes, edit: Replace) -> tuple[bytes, list[Leniency]] | None:
    """Apply the edit under the first tier under which its text occurs, or part by part; None if it is found nowhere."""
    found = _first_fit(data, lines_of(edit.before)) if data else None
    if found is None:
        return elided(data, edit)
    tier, windows = found
    starts = [window.start for window in windows]
    but_for = f" but for {tier.but_for}"
    if edit.count is not None and len(windows) != edit.count:
        raise wrong_count(data, edit, starts, but_for)
    if any(later.number <= earlier.number + earlier.last - earlier.first for earlier, later in pairwise(windows)):
        raise overlapping(data, edit, starts, but_for)
    return _rewritten(data, edit, windows, tier)


def stated_elsewhere(edit: Replace, line: int) -> list[Leniency]:
    """Note that the text stands at another line than the edit says, if it says one."""
    if edit.line in {None, line}:
        return []
    return [Leniency("LINE_DIFFERS", edit.path, f"the edit says line {edit.line}, but the text begins at line {line}")]


def _first_fit(data: bytes, old: Sequence[bytes]) -> tuple[Tier, list[Window]] | None:
    pieces = stretches(data, old, alike=False)
    for tier in TIERS:
        if tier.alike:
            pieces = stretches(data, old, alike=True)
        windows = [window for piece in pieces for window in tier.find(piece, old)]
        if windows:
            return tier, windows
    return None


def _rewritten(
    data: bytes, edit: Replace, windows: Sequence[Window], tier: Tier
) -> tuple[bytes, list[Leniency]] | None:
    old, new = ([without_cr(line) for line in lines_of(text)] for text in (edit.before, edit.after))
    kept = _kept(old, new)
    # What the file indents less must be indented far enough in the new text to be moved as well.
    for removed in {window.removed for window in windows}:
        if any(not is_blank(line) and not line.startswith(removed) for line in new):
            return None
    fits = [_fit(edit, window, new, kept) for window in windows]
    return spliced(data, fits), list(_notes(edit, windows, tier))


def _fit(edit: Replace, window: Window, new: Sequence[bytes], kept: dict[int, int]) -> Fit:
    file = window.stretch
    usual = b"\r\n" if file.has_crlf(window.first) else b"\n"
    pieces: list[bytes] = []  # the text of each line, then its end
    for at, line in enumerate(new):
        if at not in kept:
            pieces += [line if is_blank(line) else window.added + line.removeprefix(window.removed), usual]
        elif (index := window.indexes[kept[at]]) is not None:
            text, end = file.parts(index)
            pieces += [text, end or usual]
    text, end = file.parts(window.last)
    ends_line = edit.before.endswith(b"\n")
    if not edit.after.endswith(b"\n") or (ends_line and not end):
        del pieces[-1:]
    behind = file.offsets[window.last] + len(text)
    return Fit(window.start, behind + len(end) if ends_line else behind, b"".join(pieces))


def _kept(old: Sequence[bytes], new: Sequence[bytes]) -> dict[int, int]:
    """Map the indexes of new lines to those of the old lines that they repeat, in order.

    Between equal beginnings and ends, at most _ALIGNED_LINES lines of either side are aligned: it takes squared time.
    """
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    kept = {at: at for at in range(head)}
    kept |= {len(new) - 1 - at: len(old) - 1 - at for at in range(tail)}
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(removed), len(added)) <= _ALIGNED_LINES:
        for at_old, at_new, size in SequenceMatcher(None, removed, added, autojunk=False).get_matching_blocks():
            kept |= {head + at_new + at: head + at_old + at for at in range(size)}
    return kept


def _notes(edit: Replace, windows: Sequence[Window], tier: Tier) -> Iterator[Leniency]:
    lines = [window.number for window in windows]
    where = ("line " if len(lines) == 1 else "lines ") + ", ".join(map(str, lines[:_LISTED]))
    where += ", ..." if len(lines) > _LISTED else ""
    yield Leniency(tier.code, edit.path, f"the text to replace fits {where} only, but for {tier.but_for}")
    yield from stated_elsewhere(edit, lines[0])
    if tier.code != "BLANK_EDGES" and any(None in window.indexes for window in windows):
        yield Leniency("BLANK_EDGES", edit.path, f"the file lacks blank lines of the text's edges at {where}")
    ends_crlf = b"\r\n" in edit.after
    if tier.code != "LINE_ENDS" and any(window.stretch.has_crlf(window.first) != ends_crlf for window in windows):
        yield Leniency("LINE_ENDS", edit.path, f"new lines at {where} were given the line ends that the file has")
    if edit.before.endswith(b"\n") and windows[-1].stretch.is_open(windows[-1].last):
        text = "the text ends the file's last line, the file does not; its end was left so"
        yield Leniency("LAST_LINE_END", edit.path, text)
