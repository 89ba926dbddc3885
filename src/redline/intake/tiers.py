"""The listed ways in which a text and a file's lines may differ, from narrow to wide, and where a text stands so."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from redline.intake.splicing import occurrences, overlaps_at
from redline.intake.stretches import BLANKS, is_blank, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from redline.intake.stretches import Stretch


@dataclass(frozen=True, slots=True)
class Window:
    """The file's lines that stand for the old text's: an index for each, None for a blank one that the file lacks.

    The file's are indented further by `added`, or less by `removed`.
    """

    stretch: Stretch
    indexes: tuple[int | None, ...]
    added: bytes = b""
    removed: bytes = b""

    @property
    def first(self) -> int:
        return next(index for index in self.indexes if index is not None)

    @property
    def last(self) -> int:
        return next(index for index in reversed(self.indexes) if index is not None)

    @property
    def number(self) -> int:
        """The number, from 1, of its first line in the file."""
        return self.stretch.above + self.first + 1

    @property
    def start(self) -> int:
        return self.stretch.offsets[self.first]


@dataclass(frozen=True, slots=True)
class Tier:
    """One way to differ: `alike` is the one that takes look-alike characters for each other."""

    code: str
    but_for: str
    find: Callable[[Stretch, Sequence[bytes]], list[Window]]
    alike: bool = False


def _joined(lines: Sequence[bytes]) -> bytes:
    """Join lines so that whole lines only are found in them."""
    return b"\n" + b"\n".join(lines) + b"\n"


def _hits(haystack: Sequence[bytes], needle: Sequence[bytes]) -> list[int]:
    """Find the indexes where the lines occur: all that stand apart, and of those that overlap at least two."""
    text, piece = _joined(haystack), _joined(needle)
    offsets: set[int] = set()
    for at in occurrences(text, piece, 1):
        before = text.find(piece, max(at - len(piece) + 2, 0))
        behind = overlaps_at(text, piece, 1, at)
        offsets |= {before, at, behind if behind >= 0 else at}
    hits, index, end = [], 0, 0
    for at in sorted(offsets):
        index += text.count(b"\n", end, at)
        end = at
        hits.append(index)
    return hits


def _edges(old: Sequence[bytes]) -> tuple[int, int]:
    """Count the blank lines above and below the rest of the text; all of them are above if there is no rest."""
    above = next((at for at, line in enumerate(old) if not is_blank(line)), len(old))
    below = next((at for at, line in enumerate(reversed(old[above:])) if not is_blank(line)), 0)
    return above, below


def _window(stretch: Stretch, old: Sequence[bytes], core_at: int) -> Window:
    """Extend the place of the text without its blank edges by as many blank lines as both it and the file have."""
    above, below = _edges(old)
    first, behind = core_at, core_at + len(old) - above - below
    while core_at - first < above and first and is_blank(stretch.lines[first - 1]):
        first -= 1
    end = behind
    while end - behind < below and end < len(stretch.lines) and is_blank(stretch.lines[end]):
        end += 1
    lacking_above, lacking_below = above - (core_at - first), below - (end - behind)
    return Window(stretch, (*[None] * lacking_above, *range(first, end), *[None] * lacking_below))


def _by_key(key: Callable[[bytes], bytes], *, edges: bool) -> Callable[[Stretch, Sequence[bytes]], list[Window]]:
    """Make a search for lines with equal keys; `edges` lets blank lines at the text's edges be missing."""

    def find(stretch: Stretch, old: Sequence[bytes]) -> list[Window]:
        above, below = _edges(old) if edges else (0, 0)
        core = old[above : len(old) - below]
        if not core:
            return []
        hits = _hits([key(line) for line in stretch.lines], [key(line) for line in core])
        if edges:
            return [_window(stretch, old, at) for at in hits]
        return [Window(stretch, tuple(range(at, at + len(old)))) for at in hits]

    return find


def without_cr(line: bytes) -> bytes:
    return line.removesuffix(b"\r")


def _without_trailing(line: bytes) -> bytes:
    return line.rstrip(BLANKS)


def _indented(stretch: Stretch, old: Sequence[bytes]) -> list[Window]:
    """Find the text indented by one constant prefix more, or less, on each line that is not blank."""
    above, below = _edges(old)
    core = old[above : len(old) - below]
    if not core:
        return []
    hits = [at // 2 for at in _hits(list(_relative(stretch.lines)), list(_relative(core))[1:])]
    overlap = any(later - earlier < len(core) for earlier, later in pairwise(hits))
    windows: list[Window] = []
    for at in hits:
        theirs, ours = _indent(stretch.lines[at]), _indent(core[0])
        window = _window(stretch, old, at)
        if theirs.endswith(ours):
            windows.append(Window(stretch, window.indexes, added=theirs.removesuffix(ours)))
        elif ours.endswith(theirs):
            windows.append(Window(stretch, window.indexes, removed=ours.removesuffix(theirs)))
        elif overlap:  # not all of them are known, so that what remains would not be known to be the only one
            windows.append(window)
    return windows


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _relative(lines: Sequence[bytes]) -> Iterator[bytes]:
    """Give each line as two: how its indentation differs from that of the last line not blank, and its text."""
    last = b""
    for line in lines:
        text = line.strip(BLANKS)
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


TIERS: Final = (
    Tier("LINE_ENDS", "line ends (CRLF and LF)", _by_key(without_cr, edges=False)),
    Tier("TRAILING_SPACE", "blanks at the end of a line", _by_key(_without_trailing, edges=False)),
    Tier("BLANK_EDGES", "blank lines at its edges", _by_key(_without_trailing, edges=True)),
    Tier("INDENTATION", "indentation", _indented),
    Tier("LOOK_ALIKE", "look-alike characters", _by_key(plain, edges=True), alike=True),
)
