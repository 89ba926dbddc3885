"""Outcomes and lists in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from redline.core.lifecycle import Outcome
from redline.core.proposal import UNDO
from redline.core.protection import Strength
from redline.render.columns import wrap
from redline.render.lines import Line, Role, Span, plain
from redline.render.times import minute, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.core.answer import Answer
    from redline.core.protection import Protection
    from redline.core.receipt import FiledReceipt, Receipt

SHORT_ID = 7
OUTCOME_ROLES = {
    Outcome.APPLIED: Role.GOOD,
    Outcome.DECLINED: Role.FAINT,
    Outcome.WITHDRAWN: Role.FAINT,
    Outcome.SUPERSEDED: Role.FAINT,
    Outcome.EXPIRED: Role.WARNING,
    Outcome.STALE: Role.WARNING,
    Outcome.PERMISSION_REVOKED: Role.WARNING,
    Outcome.FAILED_BEFORE_COMMIT: Role.ALARM,
}
_STRENGTHS = {Strength.HOLDS: Role.GOOD, Strength.WEAK: Role.WARNING, Strength.MISSING: Role.ALARM}
_STRENGTH_WIDTH = max(len(strength.value) for strength in Strength)
_LEAST_TEXT_WIDTH = 40
_NEXT = {
    Outcome.STALE: "`redline refresh {short}` makes it anew on the present files.",
    Outcome.EXPIRED: "`redline refresh {short}` makes it anew on the present files.",
    Outcome.FAILED_BEFORE_COMMIT: "put right what is named here, then have the model propose it again.",
}
_WHAT_NEXT = {
    Outcome.DECLINED: "Do not propose the same edit again; change it to meet the reason.",
    Outcome.STALE: "Read the files again and make a new proposal.",
    Outcome.EXPIRED: "Read the files again and make a new proposal.",
    Outcome.FAILED_BEFORE_COMMIT: (
        "The edit is not at fault: propose it again when the person has put right what is named here."
    ),
}
_NOTHING_WRITTEN = {
    Outcome.DECLINED: "nothing was written; the model is told",
    Outcome.STALE: "nothing was written",
    Outcome.EXPIRED: "nothing was written",
    Outcome.PERMISSION_REVOKED: "nothing was written",
    Outcome.FAILED_BEFORE_COMMIT: "everything is as before",
    Outcome.WITHDRAWN: "nothing was written",
    Outcome.SUPERSEDED: "another proposal took its place",
}


def ended(filed: FiledReceipt, *, replayed: bool) -> Iterator[Line]:
    """What came of a decision, and what to do next."""
    receipt = filed.receipt
    short = receipt.proposal[:SHORT_ID]
    word = Span(receipt.outcome.value, OUTCOME_ROLES[receipt.outcome])
    if replayed:
        when = f" on {minute(receipt.committed_at)}{by(receipt)} (receipt {short})"
        yield (Span("already "), word, Span(when))
        yield plain("  nothing was written")
    elif receipt.outcome is Outcome.APPLIED:
        count = f"{len(receipt.steps)} {'file' if len(receipt.steps) == 1 else 'files'}"
        yield (word, Span(f" {count}   receipt {short} \u00b7 journal {filed.seq}"))
    else:
        yield (
            word,
            Span(f"   {_NOTHING_WRITTEN[receipt.outcome]}   receipt {short} \u00b7 journal {filed.seq}"),
        )
    if receipt.detail:
        yield plain(f"  {receipt.detail}")
    if receipt.reason:
        yield plain(f"  reason: {receipt.reason}")
    if receipt.successor is not None:
        yield (Span(f"  Next: `redline show {receipt.successor[:SHORT_ID]}` has what took its place.", Role.FAINT),)
    if not replayed and receipt.outcome in _NEXT:
        yield (Span(f"  Next: {_NEXT[receipt.outcome].format(short=short)}", Role.FAINT),)


def receipt_lines(filed: FiledReceipt) -> Iterator[Line]:
    """A receipt in full."""
    receipt = filed.receipt
    word = Span(receipt.outcome.value, OUTCOME_ROLES[receipt.outcome])
    yield (Span("receipt ", Role.FAINT), Span(receipt.proposal, Role.STRONG), Span("  "), word)
    yield plain(f"  committed  {moment(receipt.committed_at)}")
    if receipt.decided_by is not None:
        yield plain(f"  decided   {by(receipt)}, level {receipt.decided_by['level']}")
    if receipt.reason:
        yield plain(f"  reason     {receipt.reason}")
    if receipt.detail:
        yield plain(f"  detail     {receipt.detail}")
    yield plain(f"  digest     {receipt.digest}")
    yield plain(f"  journal    {filed.seq} {filed.chain}")
    for line in receipt.steps:
        before = line.before.oid[:10] if line.before is not None else "absent"
        after = line.after.oid[:10] if line.after is not None else "absent"
        yield plain(f"  {before} \u2192 {after}  {line.path}")


def answer_lines(answer: Answer) -> Iterator[Line]:
    """A decision in short sentences that a model can act on."""
    receipt = answer.filed.receipt
    yield plain(f"{receipt.proposal}: {_what_became(answer)}")
    if receipt.reason:
        yield plain(f"  The person's reason: {receipt.reason}")
    for comment in receipt.reviewed.comments:
        side = " before" if comment.is_before else ""
        yield plain(f"  {comment.path}, line {comment.line}{side} ({comment.kind.value}): {comment.text}")
    if receipt.detail and receipt.outcome is not Outcome.SUPERSEDED:
        yield plain(f"  {receipt.detail}")
    yield from (plain(f"  {line}") for line in _in_part(answer))
    if receipt.outcome in _WHAT_NEXT:
        yield plain(f"  {_WHAT_NEXT[receipt.outcome]}")


def _what_became(answer: Answer) -> str:
    receipt, derived = answer.filed.receipt, answer.derived
    paths = ", ".join(str(step.path) for step in receipt.steps)
    if receipt.outcome is Outcome.APPLIED and derived is not None:
        how = "taken back" if derived.how == UNDO else "brought to the present files"
        return f"applied: proposal {derived.origin_id} was {how}: {paths}."
    if receipt.outcome is Outcome.APPLIED:
        return f"applied exactly as proposed: {paths}."
    if receipt.outcome is Outcome.SUPERSEDED and answer.on_disk:
        every = len(answer.applied) + len(answer.replaced) + len(answer.declined)
        return f"applied in part: {len(answer.applied)} of {every} parts as you proposed them."
    if receipt.outcome is Outcome.SUPERSEDED:
        return f"superseded: it was applied in another form, as proposal {receipt.successor}."
    return f"{receipt.outcome.value}; {paths}: unchanged by this proposal."


def _in_part(answer: Answer) -> Iterator[str]:
    """What a partial confirmation took and left: the model would otherwise believe that all of it is there."""
    if answer.filed.receipt.outcome is not Outcome.SUPERSEDED or not answer.on_disk:
        return
    if answer.applied:
        yield f"Applied: {', '.join(answer.applied)}."
    if answer.replaced:
        yield f"Applied as the person rewrote them: {', '.join(answer.replaced)}."
    if answer.declined:
        yield f"Declined, so NOT in the files: {', '.join(answer.declined)}."
    for path, sha256 in answer.on_disk:
        yield f"On disk now: {path}, {f'SHA-256 {sha256}' if sha256 is not None else 'deleted'}."
    yield "Read these files again before you change them; do not propose the declined parts again as they were."


def protection_lines(protections: Sequence[Protection], width: int) -> Iterator[Line]:
    """One protection a row, what is lacking with its advice below."""
    names = max(len(item.name) for item in protections)
    indent = " " * (names + 2 + _STRENGTH_WIDTH + 2)
    for item in protections:
        head = (
            Span(f"{item.strength.value:<{_STRENGTH_WIDTH}}", _STRENGTHS[item.strength]),
            Span(f"  {item.name:<{names}}  "),
        )
        first, *rest = wrap(item.text, max(width - len(indent), _LEAST_TEXT_WIDTH))
        yield (*head, Span(first.rstrip()))
        yield from (plain(indent + line.rstrip()) for line in rest)
        if item.advice:
            advice = wrap(item.advice, max(width - len(indent), _LEAST_TEXT_WIDTH))
            yield from ((Span(indent + line.rstrip(), Role.FAINT),) for line in advice)


def by(receipt: Receipt) -> str:
    """Who decided, as the end of a phrase; empty where nobody did."""
    if receipt.decided_by is None:
        return ""
    person = receipt.decided_by
    return f" by {cast('str', person['name']) or 'uid ' + str(person['uid'])}"
