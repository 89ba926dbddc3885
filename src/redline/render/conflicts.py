"""Where a proposal and the present tree changed the same lines: both sides, for a person and for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.safetext import decode
from redline.render.lines import Line, Role, Span, plain
from redline.render.names import path_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.core.canonical import Json, Record
    from redline.core.merge import Conflict, Region

_MOST_LINES = 20


def conflict_lines(conflicts: Sequence[Conflict]) -> Iterator[Line]:
    """Each path with its regions; of a long side the first lines, and how many more there are."""
    count = len(conflicts)
    yield plain(f"nothing was stored: {count} {'file' if count == 1 else 'files'} in conflict with the present tree")
    for conflict in conflicts:
        yield (Span(f"  {path_words(conflict.path)}", Role.STRONG), Span(f" {conflict.text}"))
        for region in conflict.regions:
            yield (Span(f"    line {region.line}", Role.HUNK),)
            yield from _side("before", region.before, Role.PLAIN)
            yield from _side("now", region.present, Role.ADDED)
            yield from _side("proposed", region.proposed, Role.ADDED)
    yield (Span("  Next: have the model propose it again on the present files.", Role.FAINT),)


def conflicts_document(conflicts: Sequence[Conflict]) -> Record:
    return {
        "conflicts": [
            {
                "path": str(conflict.path),
                "text": conflict.text,
                "regions": [_region_record(region) for region in conflict.regions],
            }
            for conflict in conflicts
        ]
    }


def _side(name: str, lines: tuple[bytes, ...], role: Role) -> Iterator[Line]:
    if not lines:
        yield (Span(f"      {name:<9}", Role.FAINT), Span("(nothing)", Role.FAINT))
    for number, line in enumerate(lines[:_MOST_LINES]):
        yield (Span(f"      {name if number == 0 else '':<9}", Role.FAINT), Span(decode(line), role))
    if len(lines) > _MOST_LINES:
        yield (Span(f"      {'':<9}and {len(lines) - _MOST_LINES} more lines: `--json` has them all", Role.FAINT),)


def _region_record(region: Region) -> Json:
    return {
        "line": region.line,
        "before": [decode(line) for line in region.before],
        "present": [decode(line) for line in region.present],
        "proposed": [decode(line) for line in region.proposed],
    }
