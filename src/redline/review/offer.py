"""Put a proposal before a person: what was declined of it before, its findings, its row in the journal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from redline.core.findings import examine
from redline.core.memory import memory_key
from redline.core.notes import Finding, Severity
from redline.core.parts import parts_of
from redline.review.differences import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from redline.core.canonical import Record
    from redline.core.change import ContentChange
    from redline.core.hunks import Hunk
    from redline.core.parts import Part
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt, Receipt
    from redline.review.ports import Appender, Differ, Reader


@dataclass(frozen=True, slots=True)
class Prepared:
    """A stored proposal and its hunks: what a preview of it will show; `is_known` if it was stored before."""

    proposal: Proposal
    hunks: dict[RepoPath, tuple[Hunk, ...]]
    is_known: bool = False


class Joining(NamedTuple):
    """What is stored with a proposal: receipts of those it takes the place of, the call, whether further edits join.

    The receipts are yet to name their successor: a proposal has its id only once its findings are in it.
    """

    also: tuple[Receipt, ...] = ()
    call: str | None = None
    opens: bool = False


ALONE = Joining()


def offer(
    appender: Appender,
    differ: Differ,
    proposal: Proposal,
    changes: tuple[ContentChange, ...],
    actor: Record,
    findings: Iterable[Finding] = (),
    joining: Joining = ALONE,
) -> Prepared:
    """Store the proposal; `changes` are its own, with their bytes, `findings` those that bytes do not show."""
    contents = {side.sha256: side.data for change in changes for side in change.sides}
    diffs = differences(differ, proposal.changes, contents.__getitem__)
    hunks = {path: diff.hunks() for path, diff in diffs.items()}
    remembered = _declined_before(appender, proposal, parts_of(proposal.changes, hunks))
    marked = replace(proposal, findings=(*remembered, *findings, *examine(changes)))
    also = tuple(replace(receipt, successor=marked.id) for receipt in joining.also)
    appender.add(marked, contents, hunks, actor, also=also, call=joining.call, opens=joining.opens)
    return Prepared(marked, hunks)


def _declined_before(reader: Reader, proposal: Proposal, parts: tuple[Part, ...]) -> Iterator[Finding]:
    whole = reader.declined_before(proposal.changes_digest)
    if whole is not None:
        yield Finding("DECLINED_BEFORE", Severity.SENSITIVE, f"the same edit was declined before{_why(whole, None)}")
        return
    by_path = {change.path: change for change in proposal.changes}
    keys = {part: memory_key(part, by_path[part.path]) for part in parts}
    declined = reader.declined_parts(keys.values())
    for part, key in keys.items():
        if key in declined:
            what = f"hunk #{part.id}" if part.hunk is not None else f"this {part.kind.value}"
            text = f"{what} was declined before{_why(declined[key], part.path)}"
            line = part.hunk.after_start if part.hunk is not None else None
            yield Finding("DECLINED_BEFORE", Severity.SENSITIVE, text, part.path, line)


def _why(filed: FiledReceipt, path: RepoPath | None) -> str:
    """The receipt and the reason: the person's for all of it, else what they said to this path."""
    receipt = filed.receipt
    comments = [comment.text for comment in receipt.reviewed.comments if comment.path == path]
    reason = receipt.reason or (comments[0] if comments else "")
    return f" (receipt {receipt.proposal[:7]})" + (f": {reason}" if reason else " without a reason")
