"""A proposal for a person to read: reason, findings, every change whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.change import ChangeKind
from redline.core.hunks import LineKind, count
from redline.core.lifecycle import PENDING
from redline.core.notes import Severity
from redline.core.parts import PartKind
from redline.core.renames import renames
from redline.core.safetext import decode
from redline.render.columns import USUAL_WIDTH, columns, cut, wrap
from redline.render.document import diffstat
from redline.render.lines import Line, Role, Span, plain
from redline.render.times import ago, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from redline.core.change import Change
    from redline.core.content import FileState
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
_LINE_ROLES = {
    LineKind.CONTEXT: Role.PLAIN,
    LineKind.ADDED: Role.ADDED,
    LineKind.REMOVED: Role.REMOVED,
    LineKind.NO_NEWLINE: Role.FAINT,
}
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
) -> Iterator[Line]:
    """Everything: what a person confirms is what these lines show. `drifted` maps a path to what became of it."""
    yield from header(proposal, hunks, status, now, width)
    sources = renames(proposal.changes)
    titles = stat(proposal, hunks, drifted)
    for change, title in zip(proposal.changes, titles, strict=True):
        yield ()
        yield title
        yield from _body(sources.get(change.path, change), change, diffs[change.path], hunks[change.path])


def stat(
    proposal: Proposal, hunks: Mapping[RepoPath, tuple[Hunk, ...]], drifted: Mapping[RepoPath, str]
) -> Iterator[Line]:
    """One line for each path."""
    sources = renames(proposal.changes)
    becomes = {source.path: path for path, source in sources.items()}
    for change in proposal.changes:
        if change.path in becomes:
            what = f"renamed to {path_words(becomes[change.path])}"
        elif change.path in sources:
            what = f"renamed from {path_words(sources[change.path].path)}"
        else:
            what = _KIND_WORDS[change.kind]
        yield _file_line(change.path, what, hunks[change.path], drifted.get(change.path))


def header(
    proposal: Proposal,
    hunks: Mapping[RepoPath, tuple[Hunk, ...]],
    status: str,
    now: datetime,
    width: int = USUAL_WIDTH,
) -> Iterator[Line]:
    counts = diffstat(len(proposal.changes), *count(hunks))
    yield (Span("proposal ", Role.FAINT), Span(proposal.id, Role.STRONG), Span(f"  {status}  {counts}"))
    still_open = f", open {until(proposal.expires_at, now)}" if status == PENDING else ""
    author = cut(proposal.origin.author, _AUTHOR_WIDTH)
    yield (Span(f"from {author}, {ago(proposal.created_at, now)}{still_open}", Role.FAINT),)
    yield from reason_lines(proposal.origin.author, proposal.reason, width)
    for finding in proposal.findings:
        yield _finding_line(finding)
    for leniency in proposal.leniencies:
        yield (Span("not exact  ", Role.WARNING), Span(f"{path_words(leniency.path)}: {leniency.text}"))


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


def reason_lines(author: str, reason: str, width: int) -> Iterator[Line]:
    """The model's words behind a gutter on every line that is drawn, so that they are never taken for redline's own."""
    if not reason:
        yield (Span(GUTTER, Role.FAINT), Span(f"{cut(author, _AUTHOR_WIDTH)} gave no reason", Role.FAINT))
        return
    space = max(width - columns(GUTTER), _LEAST_WIDTH)
    said = f"{cut(author, _AUTHOR_WIDTH)} says: {reason}"
    lines = [piece for line in said.split("\n") for piece in wrap(line, space)]
    for line in lines[:MAX_REASON_LINES]:
        yield (Span(GUTTER, Role.FAINT), Span(line))
    if len(lines) > MAX_REASON_LINES:
        left = len(lines) - MAX_REASON_LINES
        yield (
            Span(GUTTER, Role.FAINT),
            Span(f"({left} more lines of the reason: `redline show ID --json`)", Role.FAINT),
        )


def part_lines(proposal: Proposal, diffs: Mapping[RepoPath, FileDiff], part: Part) -> Iterator[Line]:
    """One part of a proposal below the name of its file."""
    change = next(change for change in proposal.changes if change.path == part.path)
    source = renames(proposal.changes).get(part.path, change)
    what = f"renamed from {path_words(source.path)}" if source is not change else _KIND_WORDS[change.kind]
    yield (Span(path_words(part.path), Role.STRONG), Span(f"  {what}"))
    if part.hunk is not None:
        yield from _hunk_lines(part.hunk)
    elif part.kind is not PartKind.RENAME:
        yield from _body(source, change, diffs[part.path], ())


def path_words(path: str) -> str:
    """A path that cannot be mistaken for words of ours: in quotes if it holds a blank, as a path with none never is."""
    return '"' + path.replace('"', '\\"') + '"' if " " in path or '"' in path else path


def _finding_line(finding: Finding) -> Line:
    where = f"{path_words(finding.path)}: " if finding.path is not None else ""
    return (
        Span(f"{finding.severity.value}  ", _SEVERITY_ROLES[finding.severity]),
        Span(f"{where}{finding.text}"),
        Span(f"  {finding.code}", Role.FAINT),
    )


def _file_line(path: RepoPath, what: str, hunks: tuple[Hunk, ...], drift: str | None) -> Line:
    added, removed = sum(hunk.insertions for hunk in hunks), sum(hunk.deletions for hunk in hunks)
    spans = [Span(path_words(path), Role.STRONG), Span(f"  {what}")]
    spans += [Span(f"  +{added}", Role.ADDED), Span(f" \u2212{removed}", Role.REMOVED)]
    if drift is not None:
        spans.append(Span(f"  {drift}", Role.ALARM))
    return tuple(spans)


def _body(source: Change, change: Change, diff: FileDiff, hunks: tuple[Hunk, ...]) -> Iterator[Line]:
    """`source` is the change itself, unless it is a rename: then the deletion that it continues."""
    before, after = source.before, change.after
    if before is not None and after is not None and before.mode is not after.mode:
        yield plain(f"  mode {before.mode.value} becomes {after.mode.value}")
    if diff.is_binary:
        sides = [f"{side.size_bytes} bytes {side.sha256[:12]}" if side else "absent" for side in (before, after)]
        yield plain(f"  binary: {sides[0]} becomes {sides[1]}")
    elif _is_of_an_empty_file(before, after):
        yield plain("  an empty file")
    for hunk in hunks:
        yield from _hunk_lines(hunk)


def _hunk_lines(hunk: Hunk) -> Iterator[Line]:
    yield (Span(hunk.header, Role.HUNK), Span(f"  #{hunk.id}", Role.FAINT))
    for line in hunk.lines:
        yield (Span(line.kind.value + decode(line.data), _LINE_ROLES[line.kind]),)


def _is_of_an_empty_file(before: FileState | None, after: FileState | None) -> bool:
    """Whether an empty file is made or deleted: neither has a hunk."""
    only = before or after
    return (before is None or after is None) and only is not None and only.size_bytes == 0
