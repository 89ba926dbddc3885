"""One change of a proposal, whole: its rows, or in words what has none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from redline.render.hexdump import hexdump
from redline.render.layout import lay_out, page
from redline.render.lines import Line, Role, Span, plain
from redline.render.losses import losses
from redline.render.names import path_words
from redline.render.rows import side_by_side, unified
from redline.render.whole import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.core.change import Change
    from redline.core.content import FileState
    from redline.core.hunks import FileDiff, Hunk
    from redline.core.paths import RepoPath
    from redline.render.drawing import Drawing
    from redline.render.rows import Colours

_MOST_MENTIONS = 10


def body(source: Change, change: Change, diff: FileDiff, hunks: tuple[Hunk, ...], drawing: Drawing) -> Iterator[Line]:
    """`source` is the change itself, unless it is a rename: then the deletion that it continues."""
    yield from remarks(source, change, diff, hunks, drawing)
    shown, before, after = sides(source, change, hunks, drawing)
    yield from difference(shown, before, after, drawing)
    if change.path in drawing.since:
        since = drawing.since[change.path]
        yield from drift_remarks(since)
        yield from difference(drift(since), None, None, drawing)


def remarks(
    source: Change, change: Change, diff: FileDiff, hunks: tuple[Hunk, ...], drawing: Drawing
) -> Iterator[Line]:
    """What of a change has no rows, and what a deletion takes away."""
    before, after = source.before, change.after
    if before is not None and after is not None and before.mode is not after.mode:
        yield plain(f"  mode {before.mode.value} becomes {after.mode.value}")
    if diff.is_binary:
        yield from _binary(before, after, drawing)
    elif _is_of_an_empty_file(before, after):
        yield plain("  an empty file")
    elif after is None and hunks:
        yield plain(f"  {losses(hunks)}")
    if after is None and (hunks or diff.is_binary):
        yield from _mentions(change.path, drawing)


def sides(
    source: Change, change: Change, hunks: tuple[Hunk, ...], drawing: Drawing
) -> tuple[tuple[Hunk, ...], Colours | None, Colours | None]:
    """The hunks to draw, with all that lies between them if the drawing is full, and each side's colours."""
    before, after = source.before, change.after
    shown = hunks
    if drawing.is_full and drawing.content is not None and before is not None and after is not None and hunks:
        shown = tuple(whole(hunks, drawing.content(after.sha256)))
    return shown, *colours(source, change, drawing)


def colours(source: Change, change: Change, drawing: Drawing) -> tuple[Colours | None, Colours | None]:
    """Those of the text before and of the text after."""
    return _colours(source.path, source.before, drawing), _colours(change.path, change.after, drawing)


def drift(diff: FileDiff) -> tuple[Hunk, ...]:
    """What the tree did meanwhile, apart from what is proposed: no id, for its hunks are not to be selected."""
    return tuple(replace(hunk, id="") for hunk in diff.hunks())


def drift_remarks(diff: FileDiff) -> Iterator[Line]:
    yield ()
    yield (Span("  not proposed, but changed in it since then:", Role.ALARM),)
    if diff.is_binary:
        yield plain("  the bytes differ, and are no text")
    elif not diff.body:
        yield plain("  the bytes are the same")


def difference(
    hunks: Sequence[Hunk], before: Colours | None, after: Colours | None, drawing: Drawing
) -> Iterator[Line]:
    """The rows of the hunks, laid out."""
    has_two_sides = any(hunk.deletions for hunk in hunks) and any(hunk.insertions for hunk in hunks)
    beside = drawing.is_side_by_side(has_two_sides=has_two_sides)
    rows = side_by_side(hunks, before, after) if beside else unified(hunks, before, after)
    return lay_out(rows, page(drawing.width, hunks))


def _colours(path: RepoPath, side: FileState | None, drawing: Drawing) -> Colours | None:
    """Read only what is short enough to be coloured."""
    if side is None or not drawing.has_syntax or drawing.content is None:
        return None
    from redline.render.syntax import MAX_BYTES, Syntax  # noqa: PLC0415 -- start-up: Pygments, where there are colours

    return Syntax(path, drawing.content(side.sha256)) if side.size_bytes <= MAX_BYTES else None


def _binary(before: FileState | None, after: FileState | None, drawing: Drawing) -> Iterator[Line]:
    sides = [f"{side.size_bytes} bytes {side.sha256[:12]}" if side else "absent" for side in (before, after)]
    yield plain(f"  binary: {sides[0]} becomes {sides[1]}")
    if drawing.content is not None:
        yield from hexdump(*(drawing.content(side.sha256) if side is not None else b"" for side in (before, after)))


def _mentions(path: RepoPath, drawing: Drawing) -> Iterator[Line]:
    if drawing.mentions is None:
        return
    found = drawing.mentions(path)
    if found is None:
        yield (Span("  whether other files mention it could not be found out in time", Role.WARNING),)
    elif found:
        left = len(found) - _MOST_MENTIONS
        names = ", ".join(path_words(name) for name in found[:_MOST_MENTIONS])
        yield (Span(f"  still mentioned in {names}{f' and {left} more files' if left > 0 else ''}", Role.WARNING),)


def _is_of_an_empty_file(before: FileState | None, after: FileState | None) -> bool:
    """Whether an empty file is made or deleted: neither has a hunk."""
    only = before or after
    return (before is None or after is None) and only is not None and only.size_bytes == 0
