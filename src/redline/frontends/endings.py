"""How a proposal ended, in words; a write that was taken back is more than its outcome's name says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.lifecycle import Outcome
from redline.render.lines import Line, Role, Span, plain
from redline.render.sentences import SHORT_ID, by, ended
from redline.render.times import minute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.receipt import FiledReceipt

_FEW_FILES = 3


def end_lines(filed: FiledReceipt, *, replayed: bool) -> Iterator[Line]:
    """What came of a decision, and what to do next."""
    if filed.receipt.outcome is Outcome.FAILED_BEFORE_COMMIT:
        return _taken_back(filed)
    return ended(filed, replayed=replayed)


def _taken_back(filed: FiledReceipt) -> Iterator[Line]:
    receipt = filed.receipt
    paths = [str(step.path) for step in receipt.steps]
    more = f" and {len(paths) - _FEW_FILES} more" if len(paths) > _FEW_FILES else ""
    when = f"confirmed on {minute(receipt.decided_at or receipt.committed_at)}{by(receipt)}"
    yield (
        Span("not applied", Role.ALARM),
        Span(f"   the write stopped before its end and was taken back: {', '.join(paths[:_FEW_FILES])}{more}"),
    )
    yield plain(f"  {when}   receipt {receipt.proposal[:SHORT_ID]} \u00b7 journal {filed.seq}")
    if receipt.detail:
        yield plain(f"  {receipt.detail}")
    again = f"`redline refresh {receipt.proposal[:SHORT_ID]}` makes it anew; this proposal has ended"
    yield (Span(f"  Next: {again}.", Role.FAINT),)
