"""The listed ways in which a text and a file's lines may differ, from narrow to wide.

The first tier under which the text occurs must give as many places as the edit wants. Lines that the new text keeps
stay byte for byte as the file has them; only really new lines come from the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from redline.core.notes import Leniency
from redline.intake.mismatch import overlapping, wrong_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from redline.intake.edits import Replace

_ALIGNED_LINES = 500
_LISTED = 20
_BLANKS = b" \t\r"
_ELISION = re.compile(rb"(?m)^[ \t]*\.\.\.[ \t]*\r?\n")
_LOOK_ALIKES = re.compile(
    rb"(\xe2\x80[\x90-\x95]|\xe2\x88\x92)|(\xe2\x80[\x98-\x9b])|(\xe2\x80[\x9c-\x9f])"
    rb"|(\xc2\xa0|\xe2\x80[\x82-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
)
_PLAIN = (b"-", b"'", b'"', b" ")


@dataclass(frozen=True, slots=True)
class Fit:
    """A place in the file, by offsets, and what comes there."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True)
class _File:
    """A file's lines, without LF, and where each of them starts."""

    data: bytes

    @cached_property
    def lines(self) -> list[bytes]:
        return _lines_of(self.data)

    @cached_property
    def offsets(self) -> list[int]:
        offsets, at = [], 0
        for line in self.lines:
            offsets.append(at)
            at += len(line) + 1
        return offsets

    def is_open(self, index: int) -> bool:
        """Whether the line is the last one and has no line end."""
        return index == len(self.lines) - 1 and not self.data.endswith(b"\n")

    def parts(self, index: int) -> tuple[bytes, bytes]:
        """Return the line's text and its line end."""
        line = self.lines[index]
        if self.is_open(index):
            return line, b""
        return (line[:-1], b"\r\n") if line.endswith(b"\r") else (line, b"\n")

    def has_crlf(self, index: int) -> bool:
        """Whether the line, or the one before if it has no line end, ends CRLF."""
        index -= self.is_open(index)
        return index >= 0 and self.lines[index].endswith(b"\r")


@dataclass(frozen=True, slots=True)
class _Window:
    """The file's lines that stand for the old text's: an index for each, None for a blank one that the file lacks.

    The file's are indented further by `added`, or less by `removed`.
    """

    indexes: tuple[int | None, ...]
    added: bytes = b""
    removed: bytes = b""

    @property
    def first(self) -> int:
        return next(index for index in self.indexes if index is not None)

    @property
    def last(self) -> int:
        return next(index for index in reversed(self.indexes) if index is not None)


@dataclass(frozen=True, slots=True)
class _Tier:
    code: str
    but_for: str
    find: Callable[[_File, list[bytes]], list[_Window]]


def leniently(data: bytes, edit: Replace) -> tuple[bytes, list[Leniency]] | None:
    """Apply the edit under the first tier under which its text occurs; None if it occurs under none."""
    if not data:
        return None
    file, old = _File(data), _lines_of(edit.before)
    for tier in _TIERS:
        windows = tier.find(file, old)
        if not windows:
            continue
        starts = [file.offsets[window.first] for window in windows]
        but_for = f" but for {tier.but_for}"
        if edit.count is not None and len(windows) != edit.count:
            raise wrong_count(data, edit, starts, but_for)
        if any(later.first <= earlier.last for earlier, later in pairwise(windows)):
            raise overlapping(data, edit, starts, but_for)
        return _rewritten(file, edit, windows, tier)
    return _elided(file, edit)


def occurrences(haystack: bytes, needle: bytes, shared: int) -> list[int]:
    """Find the needle's offsets from the front; an occurrence's `shared` last bytes may begin the next."""
    found: list[int] = []
    at = haystack.find(needle)
    while at >= 0:
        found.append(at)
        at = haystack.find(needle, at + len(needle) - shared)
    return found


def spliced(data: bytes, fits: Sequence[Fit]) -> bytes:
    pieces, end = [], 0
    for fit in fits:
        pieces += [data[end : fit.start], fit.new]
        end = fit.end
    return b"".join([*pieces, data[end:]])


def _lines_of(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _joined(lines: Sequence[bytes]) -> bytes:
    """Join lines so that whole lines only are found in them."""
    return b"\n" + b"\n".join(lines) + b"\n"


def _hits(haystack: Sequence[bytes], needle: Sequence[bytes]) -> list[int]:
    """Find the indexes where the lines occur: all that stand apart, and of those that overlap at least two."""
    text, piece = _joined(haystack), _joined(needle)
    offsets: set[int] = set()
    for at in occurrences(text, piece, 1):
        before = text.find(piece, max(at - len(piece) + 2, 0))
        behind = text.find(piece, at + 1, at + 2 * len(piece) - 2)
        offsets |= {before, at, behind if behind >= 0 else at}
    hits, index, end = [], 0, 0
    for at in sorted(offsets):
        index += text.count(b"\n", end, at)
        end = at
        hits.append(index)
    return hits


def _is_blank(line: bytes) -> bool:
    return not line.strip(_BLANKS)


def _edges(old: Sequence[bytes]) -> tuple[int, int]:
    """Count the blank lines above and below the rest of the text; all of them are above if there is no rest."""
    above = next((at for at, line in enumerate(old) if not _is_blank(line)), len(old))
    below = next((at for at, line in enumerate(reversed(old[above:])) if not _is_blank(line)), 0)
    return above, below


def _window(file: _File, old: Sequence[bytes], core_at: int) -> _Window:
    """Extend the place of the text without its blank edges by as many blank lines as both it and the file have."""
    above, below = _edges(old)
    first, behind = core_at, core_at + len(old) - above - below
    while core_at - first < above and first and _is_blank(file.lines[first - 1]):
        first -= 1
    end = behind
    while end - behind < below and end < len(file.lines) and _is_blank(file.lines[end]):
        end += 1
    lacking_above, lacking_below = above - (core_at - first), below - (end - behind)
    return _Window((*[None] * lacking_above, *range(first, end), *[None] * lacking_below))


def _by_key(key: Callable[[bytes], bytes], *, edges: bool) -> Callable[[_File, list[bytes]], list[_Window]]:
    """Make a search for lines with equal keys; `edges` lets blank lines at the text's edges be missing."""

    def find(file: _File, old: list[bytes]) -> list[_Window]:
        above, below = _edges(old) if edges else (0, 0)
        core = old[above : len(old) - below]
        if not core:
            return []
        hits = _hits([key(line) for line in file.lines], [key(line) for line in core])
        if edges:
            return [_window(file, old, at) for at in hits]
        return [_Window(tuple(range(at, at + len(old)))) for at in hits]

    return find


def _without_cr(line: bytes) -> bytes:
    return line.removesuffix(b"\r")


def _without_trailing(line: bytes) -> bytes:
    return line.rstrip(_BLANKS)


def _plain(line: bytes) -> bytes:
    return _LOOK_ALIKES.sub(lambda found: _PLAIN[(found.lastindex or 1) - 1], line).rstrip(_BLANKS)


def _indented(file: _File, old: list[bytes]) -> list[_Window]:
    """Find the text indented by one constant prefix more, or less, on each line that is not blank."""
    above, below = _edges(old)
    core = old[above : len(old) - below]
    if not core:
        return []
    hits = [at // 2 for at in _hits(list(_relative(file.lines)), list(_relative(core))[1:])]
    overlap = any(later - earlier < len(core) for earlier, later in pairwise(hits))
    windows: list[_Window] = []
    for at in hits:
        theirs, ours = _indent(file.lines[at]), _indent(core[0])
        window = _window(file, old, at)
        if theirs.endswith(ours):
            windows.append(_Window(window.indexes, added=theirs.removesuffix(ours)))
        elif ours.endswith(theirs):
            windows.append(_Window(window.indexes, removed=ours.removesuffix(theirs)))
        elif overlap:  # not all of them are known, so that what remains would not be known to be the only one
            windows.append(window)
    return windows


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _relative(lines: Sequence[bytes]) -> Iterator[bytes]:
    """Give each line as two: how its indentation differs from that of the last line not blank, and its text."""
    last = b""
    for line in lines:
        text = line.strip(_BLANKS)
        if not text:
            yield b"="
        else:
            indent = _indent(line)
            same = _common(last, indent)
            yield b"=" + last[same:] + b"|" + indent[same:]
            last = indent
        yield b">" + text


def _common(one: bytes, other: bytes) -> int:
    if one == other:
        return len(one)
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


_TIERS: Final = (
    _Tier("LINE_ENDS", "line ends (CRLF and LF)", _by_key(_without_cr, edges=False)),
    _Tier("TRAILING_SPACE", "blanks at the end of a line", _by_key(_without_trailing, edges=False)),
    _Tier("BLANK_EDGES", "blank lines at its edges", _by_key(_without_trailing, edges=True)),
    _Tier("INDENTATION", "indentation", _indented),
    _Tier("LOOK_ALIKE", "look-alike characters", _by_key(_plain, edges=True)),
)


def _rewritten(
    file: _File, edit: Replace, windows: Sequence[_Window], tier: _Tier
) -> tuple[bytes, list[Leniency]] | None:
    old, new = ([_without_cr(line) for line in _lines_of(text)] for text in (edit.before, edit.after))
    kept = _kept(old, new)
    # What the file indents less must be indented far enough in the new text to be moved as well.
    for removed in {window.removed for window in windows}:
        if any(not _is_blank(line) and not line.startswith(removed) for line in new):
            return None
    fits = [_fit(file, edit, window, new, kept) for window in windows]
    return spliced(file.data, fits), list(_notes(file, edit, windows, tier))


def _fit(file: _File, edit: Replace, window: _Window, new: Sequence[bytes], kept: dict[int, int]) -> Fit:
    usual = b"\r\n" if file.has_crlf(window.first) else b"\n"
    pieces: list[bytes] = []  # the text of each line, then its end
    for at, line in enumerate(new):
        if at not in kept:
            pieces += [line if _is_blank(line) else window.added + line.removeprefix(window.removed), usual]
        elif (index := window.indexes[kept[at]]) is not None:
            text, end = file.parts(index)
            pieces += [text, end or usual]
    text, end = file.parts(window.last)
    ends_line = edit.before.endswith(b"\n")
    if not edit.after.endswith(b"\n") or (ends_line and not end):
        del pieces[-1:]
    start, behind = file.offsets[window.first], file.offsets[window.last] + len(text)
    return Fit(start, behind + len(end) if ends_line else behind, b"".join(pieces))


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


def _notes(file: _File, edit: Replace, windows: Sequence[_Window], tier: _Tier) -> Iterator[Leniency]:
    lines = [window.first + 1 for window in windows]
    where = ("line " if len(lines) == 1 else "lines ") + ", ".join(map(str, lines[:_LISTED]))
    where += ", ..." if len(lines) > _LISTED else ""
    yield Leniency(tier.code, edit.path, f"the text to replace fits {where} only, but for {tier.but_for}")
    if tier.code != "BLANK_EDGES" and any(None in window.indexes for window in windows):
        yield Leniency("BLANK_EDGES", edit.path, f"the file lacks blank lines of the text's edges at {where}")
    ends_crlf = b"\r\n" in edit.after
    if tier.code != "LINE_ENDS" and any(file.has_crlf(window.first) != ends_crlf for window in windows):
        yield Leniency("LINE_ENDS", edit.path, f"new lines at {where} were given the line ends that the file has")
    if edit.before.endswith(b"\n") and file.is_open(windows[-1].last):
        text = "the text ends the file's last line, the file does not; its end was left so"
        yield Leniency("LAST_LINE_END", edit.path, text)


def _elided(file: _File, edit: Replace) -> tuple[bytes, list[Leniency]] | None:
    """Apply a text that leaves out the same lines, as `...`, from both sides; each part must occur exactly once."""
    olds, news = _ELISION.split(edit.before), _ELISION.split(edit.after)
    whole = edit.count == 1 and all(text.endswith(b"\n") for text in (edit.before, edit.after))
    if not whole or len(olds) < 2 or len(olds) != len(news):
        return None
    fits: list[Fit] = []
    for old, new in zip(olds, news, strict=True):
        hits = _hits(file.lines, _lines_of(old)) if old else []
        if len(hits) != 1 and (old or new):
            return None
        fits += [Fit(file.offsets[at], file.offsets[at] + len(old), new) for at in hits]
    if not fits or fits[-1].end > len(file.data) or any(next_.start < fit.end for fit, next_ in pairwise(fits)):
        return None
    parts = ", ".join(str(file.data.count(b"\n", 0, fit.start) + 1) for fit in fits[:_LISTED])
    text = f"the text leaves out lines with `...`; its parts stand once each, at lines {parts}"
    return spliced(file.data, fits), [Leniency("ELISION", edit.path, text)]
