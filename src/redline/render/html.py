"""A proposal as one page that needs nothing else: no script, no resource from elsewhere, both layouts by its width.

All text passes `drawn` and then HTML's own escaping; classes come from our own roles alone, and the page's policy
allows nothing but its one style sheet, by digest (CSP Level 3).
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING

from redline.render.body import drift, drift_remarks, remarks, sides
from redline.render.drawing import drawings, sourced
from redline.render.drawn import drawn
from redline.render.lines import Line, Role, Span, Tone
from redline.render.preview import header, titles
from redline.render.rows import HeaderRow, side_by_side, unified

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from redline.core.hunks import FileDiff, Hunk
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal
    from redline.render.drawing import Drawing
    from redline.render.rows import Cell, Colours, Row

MARK = "<!doctype html><!-- made by redline show --html -->"
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --ground: #fff; --faint: #656d76; --line: #d0d7de;
  --added: #dafbe1; --added-part: #7ee2a8; --removed: #ffebe9; --removed-part: #ffb3ad; --alarm: #b3261e;
  --warning: #7d4e00; --good: #116329; --keyword: #8250df; --string: #0a3069; --name: #953800; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --ground: #0d1117; --faint: #8d96a0; --line: #30363d;
  --added: #12261e; --added-part: #1f6f3f; --removed: #2d1517; --removed-part: #8e2a2a; --alarm: #ff7b72;
  --warning: #e3b341; --good: #56d364; --keyword: #d2a8ff; --string: #a5d6ff; --name: #ffa657; } }
body { margin: 1.5rem; color: var(--ink); background: var(--ground); font: 13px/1.5 ui-monospace, monospace; }
.said { overflow-x: auto; white-space: pre; }
section { margin-top: 1.5rem; border-top: 1px solid var(--line); padding-top: .5rem; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
td { vertical-align: top; padding: 0 .4rem; }
.n { width: 3.5rem; text-align: right; color: var(--faint); user-select: none; }
.m { width: 1rem; user-select: none; }
.t { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; direction: ltr; }
.h { color: var(--faint); padding-top: .5rem; }
.added { background: var(--added); } .removed { background: var(--removed); }
.added-part { background: var(--added-part); } .removed-part { background: var(--removed-part); }
.strong, .name { font-weight: bold; } .name { color: var(--name); } .keyword { color: var(--keyword); }
.string, .literal { color: var(--string); } .good { color: var(--good); }
.faint, .comment, .blank, .no-newline, .number, .hunk { color: var(--faint); }
.warning, .lookalike { color: var(--warning); } .alarm { color: var(--alarm); font-weight: bold; }
.beside { display: none; }
@media (min-width: 1200px) { .beside { display: table; } .beside + .stacked { display: none; } }
"""
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'"
)
_PARTS = frozenset((Tone.ADDED_PART, Tone.REMOVED_PART))
_SIDE = '<col class="n"><col class="m"><col>'
_COLUMNS = {"beside": (6, _SIDE * 2), "stacked": (4, '<col class="n">' + _SIDE)}


def html(
    proposal: Proposal,
    hunks: Mapping[RepoPath, tuple[Hunk, ...]],
    diffs: Mapping[RepoPath, FileDiff],
    status: str,
    drifted: Mapping[RepoPath, str],
    now: datetime,
    drawing: Drawing,
) -> Iterator[str]:
    """The page in pieces, ASCII but for what is shown of the proposal; the first begins with `MARK`."""
    yield (
        f'{MARK}\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">\n'
        f"<title>proposal {proposal.id}</title><style>{_STYLE}</style></head><body>\n"
    )
    yield _said(header(proposal, hunks, status, now, drawing.width, is_full=drawing.is_full))
    changes = sourced(proposal.changes)
    listed = titles(proposal, hunks, diffs, drifted)
    for (source, change), title, drawn_so in zip(changes, listed, drawings(drawing, changes), strict=True):
        yield "<section>\n" + _said([title])
        yield _said(remarks(source, change, diffs[change.path], hunks[change.path], drawn_so))
        yield from _tables(*sides(source, change, hunks[change.path], drawn_so))
        if change.path in drawing.since:
            yield _said(drift_remarks(drawing.since[change.path]))
            yield from _tables(drift(drawing.since[change.path]), None, None)
        yield "</section>\n"
    yield "</body></html>\n"


def _said(lines: Iterable[Line]) -> str:
    """Words, line by line as they are: a browser breaks none, so the gutter before a model's words is never lost."""
    return "".join(f'<div class="said">{_spell(line) or "&nbsp;"}</div>\n' for line in lines)


def _tables(hunks: Sequence[Hunk], before: Colours | None, after: Colours | None) -> Iterator[str]:
    if any(hunk.deletions for hunk in hunks) and any(hunk.insertions for hunk in hunks):
        yield from _table("beside", side_by_side(hunks, before, after))
    if hunks:
        yield from _table("stacked", unified(hunks, before, after))


def _table(kind: str, rows: Iterable[Row]) -> Iterator[str]:
    count, columns = _COLUMNS[kind]
    yield f'<table class="{kind}"><colgroup>{columns}</colgroup>\n'
    for row in rows:
        if isinstance(row, HeaderRow):
            name = f"  #{row.hunk.id}" if row.hunk.id else ""
            yield f'<tr><td class="h" colspan="{count}">{_spell((Span(row.hunk.header + name),))}</td></tr>\n'
        elif len(row.cells) == 1:
            yield f"<tr>{_stacked(row.cells[0])}</tr>\n"
        else:
            yield f"<tr>{_side(row.cells[0], is_before=True)}{_side(row.cells[1], is_before=False)}</tr>\n"
    yield "</table>\n"


def _stacked(cell: Cell | None) -> str:
    return _number(cell.line.before_number) + _number(cell.line.after_number) + _text(cell) if cell is not None else ""


def _side(cell: Cell | None, *, is_before: bool) -> str:
    if cell is None:
        return '<td class="n"></td><td class="m"></td><td class="t"></td>'
    return _number(cell.line.before_number if is_before else cell.line.after_number) + _text(cell)


def _number(number: int | None) -> str:
    return f'<td class="n">{"" if number is None else number}</td>'


def _text(cell: Cell) -> str:
    kind = {"+": " added", "-": " removed"}.get(cell.line.kind.value, "")
    return f'<td class="m{kind}">{cell.line.kind.value}</td><td class="t{kind}">{_spell(cell.spans)}</td>'


def _spell(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    classes = [span.role.value] if span.role is not Role.PLAIN else []
    classes += [span.tone.value] if span.tone in _PARTS else []
    text = escape(drawn(span))
    return f'<span class="{" ".join(name.replace(" ", "-") for name in classes)}">{text}</span>' if classes else text
