"""A proposal for a person to read: reason, findings, every change whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.change import ChangeKind
from redline.core.hunks import count
from redline.core.lifecycle import PENDING
from redline.core.notes import Severity
from redline.core.parts import PartKind
from redline.core.renames import renames
from redline.render.body import body, colours, difference, remarks
from redline.render.columns import USUAL_WIDTH, columns, cut, wrap
from redline.render.document import diffstat
from redline.render.drawing import Drawing, drawings, sourced
from redline.render.layout import hanging
from redline.render.lines import Line, Role, Span, plain
from redline.render.names import path_words, quoted
from redline.render.times import ago, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from redline.core.hunks import FileDiff, Hunk
    from redline.core.notes import Finding
    from redline.core.parts import Part
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal

GUTTER = "\u2503 "
MAX_REASON_LINES = 40
_AUTHOR_WIDTH = 40
_MOST_WARNINGS = 5
_LEAST_WIDTH = 20
_SEVERITY_ROLES = {Severity.INFO: Role.FAINT, Severity.SENSITIVE: Role.WARNING, Severity.CRITICAL: Role.ALARM}
_KIND_WORDS = {
    ChangeKind.EDIT: "edited",
    ChangeKind.CREATE: "new file",
    ChangeKind.DELETE: "deleted",
    ChangeKind.MODE: "mode changed",
}


def preview(
    proposal: Proposal,
    hunks: Mapping[RepoPath, tuple[Hunk, ...]],
    diffs: Mapping[RepoPath, FileDiff],
    status: str,
    drifted: Mapping[RepoPath, str],
    now: datetime,
    width: int = USUAL_WIDTH,
    drawing: Drawing | None = None,
) -> Iterator[Line]:
    """Everything: what a person confirms is what these lines show. `drifted` maps a path to what became of it."""
    how = drawing if drawing is not None else Drawing(width)
    yield from header(proposal, hunks, status, now, how.width, is_full=how.is_full)
    listed = list(titles(proposal, hunks, diffs, drifted))
    if len(listed) > 1:
        yield ()
        for title in listed:
            yield from hanging((Span("  "), *title), how.width)
    changes = sourced(proposal.changes)
    for (source, change), title, drawn in zip(changes, listed, drawings(how, changes), strict=True):
        yield ()
        yield from hanging(title, how.width)
        yield from body(source, change, diffs[change.path], hunks[change.path], drawn)


def stat(
    proposal: Proposal,
    hunks: Mapping[RepoPath, tuple[Hunk, ...]],
    diffs: Mapping[RepoPath, FileDiff],
    drifted: Mapping[RepoPath, str],
    width: int,
) -> Iterator[Line]:
    """One title for each path."""
    for title in titles(proposal, hunks, diffs, drifted):
        yield from hanging(title, width)


def titles(
    proposal: Proposal,
    hunks: Mapping[RepoPath, tuple[Hunk, ...]],
    diffs: Mapping[RepoPath, FileDiff],
    drifted: Mapping[RepoPath, str],
) -> Iterator[Line]:
    """Each path whole, with what happens to it and what became of it."""
    for path, what in _kinds(proposal):
        if diffs[path].is_binary:
            counts: Line = (Span("  binary"),)
        else:
            added, removed = count({path: hunks[path]})
            counts = (Span(f"  +{added}", Role.ADDED), Span(f" \u2212{removed}", Role.REMOVED))
        drift: Line = (Span(f"  {drifted[path]}", Role.ALARM),) if path in drifted else ()
        yield (Span(quoted(path), Role.STRONG), Span(f"  {what}"), *counts, *drift)


def header(
    proposal: Proposal,
    hunks: Mapping[RepoPath, tuple[Hunk, ...]],
    status: str,
    now: datetime,
    width: int = USUAL_WIDTH,
    *,
    is_full: bool = False,
) -> Iterator[Line]:
    """Who proposed what and why; a reason of more lines than usual only if it `is_full`."""
    counts = diffstat(len(proposal.changes), *count(hunks))
    yield (Span("proposal ", Role.FAINT), Span(proposal.id, Role.STRONG), Span(f"  {status}  {counts}"))
    still_open = f", open {until(proposal.expires_at, now)}" if status == PENDING else ""
    author = cut(proposal.origin.author, _AUTHOR_WIDTH)
    yield (Span(f"from {author}, {ago(proposal.created_at, now)}{still_open}", Role.FAINT),)
    yield from reason_lines(proposal.origin.author, proposal.reason, width, is_full=is_full)
    for finding in proposal.findings:
        yield from hanging(_finding_line(finding), width)
    for leniency in proposal.leniencies:
        said = Span(f"{path_words(leniency.path)}: {leniency.text}")
        yield from hanging((Span("not exact  ", Role.WARNING), said), width)


def warnings(proposal: Proposal) -> Iterator[Line]:
    """What is grave, once more below a change that may have scrolled its header away."""
    grave = [finding for finding in proposal.findings if finding.severity is not Severity.INFO]
    if grave or proposal.leniencies:
        yield plain("")
    for finding in grave[:_MOST_WARNINGS]:
        yield _finding_line(finding)
    if len(grave) > _MOST_WARNINGS:
        yield plain(f"and {len(grave) - _MOST_WARNINGS} more findings like these, in the header")
    if proposal.leniencies:
        count = len(proposal.leniencies)
        yield plain(f"the edit was not exact in {count} {'place' if count == 1 else 'places'}: the header says how")


def reason_lines(author: str, reason: str, width: int, *, is_full: bool = False) -> Iterator[Line]:
    """The model's words behind a gutter on every line that is drawn, so that they are never taken for redline's own."""
    if not reason:
        yield (Span(GUTTER, Role.FAINT), Span(f"{cut(author, _AUTHOR_WIDTH)} gave no reason", Role.FAINT))
        return
    space = max(width - columns(GUTTER), _LEAST_WIDTH)
    said = f"{cut(author, _AUTHOR_WIDTH)} says: {reason}"
    lines = [piece for line in said.split("\n") for piece in wrap(line, space)]
    shown = len(lines) if is_full else MAX_REASON_LINES
    for line in lines[:shown]:
        yield (Span(GUTTER, Role.FAINT), Span(line))
    left = len(lines) - shown
    if left > 0:
        yield (
            Span(GUTTER, Role.FAINT),
            Span(f"({left} more lines of the reason: `redline show ID --full`)", Role.FAINT),
        )


def part_lines(proposal: Proposal, diffs: Mapping[RepoPath, FileDiff], part: Part, drawing: Drawing) -> Iterator[Line]:
    """One part of a proposal below the name of its file."""
    change = next(change for change in proposal.changes if change.path == part.path)
    source = renames(proposal.changes).get(part.path, change)
    yield (Span(quoted(part.path), Role.STRONG), Span(f"  {dict(_kinds(proposal))[part.path]}"))
    if part.hunk is not None:
        yield from difference((part.hunk,), *colours(source, change, drawing), drawing)
    elif part.kind is not PartKind.RENAME:
        yield from remarks(source, change, diffs[part.path], (), drawing)


def _finding_line(finding: Finding) -> Line:
    where = f"{path_words(finding.path)}: " if finding.path is not None else ""
    return (
        Span(f"{finding.severity.value}  ", _SEVERITY_ROLES[finding.severity]),
        Span(f"{where}{finding.text}"),
        Span(f"  {finding.code}", Role.FAINT),
    )


def _kinds(proposal: Proposal) -> Iterator[tuple[RepoPath, str]]:
    """Each path with what happens to it, in words."""
    sources = renames(proposal.changes)
    becomes = {source.path: path for path, source in sources.items()}
    for change in proposal.changes:
        if change.path in becomes:
            yield change.path, f"renamed to {path_words(becomes[change.path])}"
        elif change.path in sources:
            yield change.path, f"renamed from {path_words(sources[change.path].path)}"
        elif change.before is None and change.after is not None and change.after.mode.is_executable:
            yield change.path, "new executable file"
        else:
            yield change.path, _KIND_WORDS[change.kind]
