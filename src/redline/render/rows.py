"""The rows of a file's difference, for every front-end: lazily, hunk by hunk, nothing cut.

A row knows its hunk and its lines, so that a cursor, comments and what was displayed can be kept by it; laying it out
to a width is `render.layout`. A stretch of context between hunks is a hunk without a header, and has no
header row; a hunk that is no part of a proposal has no id.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from redline.core.hunks import LineKind
from redline.core.safetext import decode
from redline.render.emphasis import pairs
from redline.render.lines import Role, Span, Tone
from redline.render.whitespace import marked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from redline.core.hunks import Hunk, HunkLine
    from redline.render.emphasis import Pair, Range

T = TypeVar("T")
U = TypeVar("U")
_TONES = {LineKind.ADDED: (Tone.ADDED, Tone.ADDED_PART), LineKind.REMOVED: (Tone.REMOVED, Tone.REMOVED_PART)}
_STACKING = frozenset(("Mn", "Me"))


class Colours(Protocol):
    """The tokens of one side's lines, by number; they count only where joined they are the line."""

    def line(self, number: int) -> Sequence[Span]: ...


class Cell(NamedTuple):
    """One line as it is drawn: the texts of its spans joined are the line, but for what `render.drawn` makes of them.

    `lacks_newline` says that the file ends here without one, which its last span shows.
    """

    line: HunkLine
    spans: tuple[Span, ...]
    lacks_newline: bool = False


class HeaderRow(NamedTuple):
    """A hunk begins."""

    hunk: Hunk


class LineRow(NamedTuple):
    """One cell in the unified layout; side by side two, before and after, of which one may be missing."""

    hunk_id: str
    cells: tuple[Cell | None, ...]


Row = HeaderRow | LineRow


class _Entry(NamedTuple):
    line: HunkLine
    lacks_newline: bool


def unified(hunks: Iterable[Hunk], before: Colours | None = None, after: Colours | None = None) -> Iterator[Row]:
    """One row for each line, in the order of the difference."""
    for hunk in hunks:
        if hunk.header:
            yield HeaderRow(hunk)
        for removed, added, _ in _regions(hunk, before, after):
            for cell in (*removed, *added):
                yield LineRow(hunk.id, (cell,))


def side_by_side(hunks: Iterable[Hunk], before: Colours | None = None, after: Colours | None = None) -> Iterator[Row]:
    """Before and after beside each other; a line stands beside the one that continues it, if there is one."""
    for hunk in hunks:
        if hunk.header:
            yield HeaderRow(hunk)
        for removed, added, paired in _regions(hunk, before, after):
            for cells in _beside(removed, added, paired):
                yield LineRow(hunk.id, cells)


def _regions(
    hunk: Hunk, before: Colours | None, after: Colours | None
) -> Iterator[tuple[list[Cell], list[Cell], list[Pair]]]:
    """Removed and added lines that belong together; a context line is a region of its own, on both sides the same."""
    for is_context, group in groupby(_entries(hunk), lambda entry: entry.line.kind is LineKind.CONTEXT):
        if is_context:
            for entry in group:
                yield [_cell(entry, after, ())], [], []
            continue
        lines = list(group)
        removed = [entry for entry in lines if entry.line.kind is LineKind.REMOVED]
        added = [entry for entry in lines if entry.line.kind is LineKind.ADDED]
        paired = pairs([decode(entry.line.data) for entry in removed], [decode(entry.line.data) for entry in added])
        gone = {pair.removed: pair.removed_ranges for pair in paired}
        come = {pair.added: pair.added_ranges for pair in paired}
        yield (
            [_cell(entry, before, gone.get(index, ())) for index, entry in enumerate(removed)],
            [_cell(entry, after, come.get(index, ())) for index, entry in enumerate(added)],
            paired,
        )


def _beside(removed: list[Cell], added: list[Cell], paired: list[Pair]) -> Iterator[tuple[Cell | None, Cell | None]]:
    if len(removed) == 1 and removed[0].line.kind is LineKind.CONTEXT:
        yield removed[0], removed[0]
        return
    left = right = 0
    for pair in paired:
        yield from zip_longest(removed[left : pair.removed], added[right : pair.added])
        yield removed[pair.removed], added[pair.added]
        left, right = pair.removed + 1, pair.added + 1
    yield from zip_longest(removed[left:], added[right:])


def _entries(hunk: Hunk) -> Iterator[_Entry]:
    """The hunk's lines; git's remark on a missing newline becomes a property of the line above it."""
    held: HunkLine | None = None
    for line in hunk.lines:
        if held is not None:
            yield _Entry(held, line.kind is LineKind.NO_NEWLINE)
        held = line if line.kind is not LineKind.NO_NEWLINE else None
    if held is not None:
        yield _Entry(held, lacks_newline=False)


def _cell(entry: _Entry, colours: Colours | None, changed: Sequence[Range]) -> Cell:
    line = entry.line
    text = decode(line.data)
    tone, part = _TONES.get(line.kind, (Tone.NONE, Tone.NONE))
    number = line.after_number if line.after_number is not None else line.before_number
    tokens = colours.line(number) if colours is not None and number is not None else ()
    if "".join(token.text for token in tokens) != text:
        tokens = ()
    signs = list(marked(text))
    if len(tokens) <= 1 and not changed and not signs:
        spans = [Span(text, tokens[0].role if tokens else Role.PLAIN, tone)] if text else []
    else:
        spans = _merged(text, tokens, signs, changed, (tone, part))
    if entry.lacks_newline:
        spans.append(Span("", Role.NO_NEWLINE, tone))
    return Cell(line, tuple(spans), entry.lacks_newline)


def _merged(
    text: str,
    tokens: Sequence[Span],
    signs: Sequence[tuple[int, int, Role]],
    changed: Sequence[Range],
    tones: tuple[Tone, Tone],
) -> list[Span]:
    """Cut the line wherever its syntax, its signs or what changed begins or ends."""
    roles: dict[int, Role] = {}
    at = 0
    for token in tokens:
        roles[at] = token.role
        at += len(token.text)
    sign_at = _steps(((start, end, role) for start, end, role in signs), None)
    tone_at = _steps(((start, end, tones[1]) for start, end in changed), tones[0])
    spans: list[Span] = []
    role, sign, tone = Role.PLAIN, None, tones[0]
    for start, end in pairwise(sorted({0, *roles, *sign_at, *tone_at, len(text)})):
        role, sign, tone = roles.get(start, role), sign_at.get(start, sign), tone_at.get(start, tone)
        if spans and _is_stacking(text[start]):
            spans[-1] = spans[-1]._replace(text=spans[-1].text + text[start:end])
        else:
            spans.append(Span(text[start:end], sign or role, tone))
    return spans


def _steps(ranges: Iterable[tuple[int, int, T]], otherwise: U) -> dict[int, T | U]:
    """What holds from each position on, until the next."""
    steps: dict[int, T | U] = {}
    for start, end, value in ranges:
        steps[start] = value
        steps[end] = otherwise
    return steps


def _is_stacking(character: str) -> bool:
    """Whether a character is drawn over the one before it: apart from it, it would escape being counted."""
    return not character.isascii() and unicodedata.category(character) in _STACKING
