"""Tables of proposals and of their ends: one row each that fits the width, what matters besides on a line below."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from redline.core.canonical import parse_instant
from redline.core.lifecycle import Outcome
from redline.render.columns import columns, cut, fit
from redline.render.document import diffstat
from redline.render.lines import Line, Role, Span
from redline.render.sentences import OUTCOME_ROLES, SHORT_ID, by
from redline.render.times import ago, minute, moment, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from redline.core.drift import Drift
    from redline.core.listing import EventEntry, Listed
    from redline.core.receipt import FiledReceipt, Receipt

_AUTHOR_WIDTH = 14
_TIME_WIDTH = 10
_LEAST_REASON_WIDTH = 12
_INDENT = " " * (SHORT_ID + 2)


class ListRow(NamedTuple):
    """A proposal as `list` shows it; `filed` is None while it is pending."""

    listed: Listed
    drifts: tuple[Drift, ...]
    filed: FiledReceipt | None
    waits_for: tuple[str, ...] = ()


def list_lines(rows: Sequence[ListRow], now: datetime, width: int) -> Iterator[Line]:
    """One row for each proposal, its columns as wide as the rows need."""
    cells = [_cells(row, now) for row in rows]
    statuses, authors, counts, times = (max((columns(cell[i]) for cell in cells), default=0) for i in range(4))
    left = width - len(_INDENT) - (statuses + authors + counts + max(times, _TIME_WIDTH) + 2 * 4)
    for row, (status, author, count, when) in zip(rows, cells, strict=True):
        first_line = row.listed.proposal.reason.split("\n", 1)[0]
        yield (
            Span(row.listed.proposal.id[:SHORT_ID], Role.STRONG),
            Span(f"  {fit(status, statuses)}  ", _role(row)),
            Span(f"{fit(author, authors)}  {fit(first_line, max(left, _LEAST_REASON_WIDTH))}  {fit(count, counts)}  "),
            Span(when, Role.FAINT),
        )
        yield from _below(row, now, width)


def log_lines(receipts: Sequence[FiledReceipt], width: int) -> Iterator[Line]:
    """How each proposal ended, in the order given."""
    outcomes = max((len(filed.receipt.outcome.value) for filed in receipts), default=0)
    for filed in receipts:
        receipt = filed.receipt
        outcome, when = f"  {receipt.outcome.value:<{outcomes}}", f"  {minute(receipt.committed_at)}{by(receipt)}"
        left = width - len(_INDENT) - len(outcome) - columns(when)
        yield (
            Span(receipt.proposal[:SHORT_ID], Role.STRONG),
            Span(outcome, OUTCOME_ROLES[receipt.outcome]),
            Span(when),
            Span(f"  {_paths(receipt, max(left, _LEAST_REASON_WIDTH))}"),
        )
        note = f'"{receipt.reason}"' if receipt.reason else receipt.detail
        if note:
            yield (Span(_INDENT + cut(note, width - len(_INDENT)), Role.FAINT),)


def history_lines(entries: Sequence[EventEntry]) -> Iterator[Line]:
    """What happened to one proposal, in the order given."""
    for entry in entries:
        when = moment(parse_instant(entry.at))
        yield (Span(f"{_INDENT}{when}  {entry.kind}"), Span(f"  journal {entry.seq}", Role.FAINT))


def _paths(receipt: Receipt, width: int) -> str:
    more = f" and {len(receipt.steps) - 1} more" if len(receipt.steps) > 1 else ""
    return cut(receipt.steps[0].path, max(width - len(more), SHORT_ID)) + more


def _cells(row: ListRow, now: datetime) -> tuple[str, str, str, str]:
    proposal = row.listed.proposal
    return (
        "drifted" if row.drifts else "blocked" if row.waits_for else row.listed.status,
        cut(proposal.origin.author, _AUTHOR_WIDTH),
        diffstat(len(proposal.changes), *row.listed.total),
        ago(proposal.created_at, now),
    )


def _role(row: ListRow) -> Role:
    if row.drifts:
        return Role.ALARM
    if row.waits_for:
        return Role.FAINT
    return OUTCOME_ROLES[row.listed.outcome] if row.listed.outcome is not None else Role.PLAIN


def _below(row: ListRow, now: datetime, width: int) -> Iterator[Line]:
    """Why a row stands as it does: its time is over, the path that drifted, or the person's reason."""
    space = width - len(_INDENT)
    if row.listed.outcome is None and row.listed.proposal.is_expired(now):
        over = until(row.listed.proposal.expires_at, now)
        yield (Span(f"{_INDENT}too late to confirm: it was open {over}", Role.WARNING),)
    elif row.drifts:
        first = row.drifts[0]
        more = f"; {len(row.drifts) - 1} more" if len(row.drifts) > 1 else ""
        ending = f" {first.text}{more}"
        yield (Span(_INDENT + cut(first.path, max(space - columns(ending), SHORT_ID)) + ending, Role.ALARM),)
    elif row.waits_for:
        waiting = ", ".join(parent[:SHORT_ID] for parent in row.waits_for)
        yield (Span(_INDENT + cut(f"starts from what {waiting} would make: decide that first", space), Role.FAINT),)
    elif row.filed is not None and row.filed.receipt.reason:
        yield (Span(_INDENT + cut(f'"{row.filed.receipt.reason}"', space), Role.FAINT),)
    elif row.listed.outcome is Outcome.STALE and row.filed is not None:
        yield (Span(_INDENT + cut(row.filed.receipt.detail, space), Role.FAINT),)
