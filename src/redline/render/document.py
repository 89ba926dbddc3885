"""JSON documents for machines: ASCII-escaped, one document, keys as CONTRACT lists them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from redline.core.reviewed import comment_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from redline.core.answer import Answer
    from redline.core.canonical import Json, Record
    from redline.core.listing import Listed
    from redline.core.protection import Protection
    from redline.core.receipt import FiledReceipt


_LISTED = (
    *("origin", "reason", "base", "created_at", "expires_at", "findings", "leniencies", "derived"),
    "depends_on",
)


def spell(document: Mapping[str, object]) -> str:
    return json.dumps(document, ensure_ascii=True, allow_nan=False)


def proposal_document(displayed: Record, status: str, drifted: frozenset[str]) -> Record:
    """What was displayed, with the facts of the moment: status, and which paths drifted."""
    changes = cast("list[Record]", displayed["changes"])
    marked: list[Json] = [{**change, "drifted": change["path"] in drifted} for change in changes]
    return {**displayed, "status": status, "changes": marked}


def listed_document(listed: Listed, drifted: frozenset[str]) -> Record:
    """A proposal as `show` gives it, without its hunks."""
    record = listed.proposal.record
    document: Record = {
        "proposal": listed.proposal.id,
        "digest": listed.proposal.digest,
        "status": listed.status,
        "changes": [_listed_change(change, listed, drifted) for change in cast("list[Record]", record["changes"])],
    }
    for key in (
        "origin",
        "reason",
        "base",
        "created_at",
        "expires_at",
        "findings",
        "leniencies",
        "derived",
        "depends_on",
    ):
        document[key] = record[key]
    return document


def _listed_change(change: Record, listed: Listed, drifted: frozenset[str]) -> Record:
    path = cast("str", change["path"])
    insertions, deletions = listed.counts[path]
    return {**change, "drifted": path in drifted, "insertions": insertions, "deletions": deletions}


def ended_document(filed: FiledReceipt, *, replayed: bool) -> Record:
    return {
        "proposal": filed.receipt.proposal,
        "outcome": filed.receipt.outcome.value,
        "replayed": replayed,
        "receipt": filed.record,
    }


def protections_document(protections: Iterable[Protection]) -> Record:
    found: list[Json] = [
        {"name": item.name, "strength": item.strength.value, "text": item.text, "advice": item.advice}
        for item in protections
    ]
    return {"protections": found}


def feedback_document(answers: Iterable[Answer], cursor: int) -> Record:
    events: list[Json] = [_feedback_event(answer) for answer in answers]
    return {"events": events, "cursor": cursor}


def error_document(code: str, message: str, hint: str, details: dict[str, object]) -> Record:
    return {"error": {"code": code, "message": message, "hint": hint, "details": cast("Record", details)}}


def diffstat(files: int, insertions: int, deletions: int) -> str:
    return f"{files} {'file' if files == 1 else 'files'}  +{insertions} \u2212{deletions}"


def _feedback_event(answer: Answer) -> Record:
    receipt, derived = answer.filed.receipt, answer.derived
    return {
        "proposal": receipt.proposal,
        "outcome": receipt.outcome.value,
        "reason": receipt.reason,
        "detail": receipt.detail,
        "comments": [comment_record(comment) for comment in receipt.reviewed.comments],
        "applied": [*answer.applied],
        "replaced": [*answer.replaced],
        "declined": [*answer.declined],
        "on_disk": [{"path": str(path), "sha256": sha256} for path, sha256 in answer.on_disk],
        "diffstat": diffstat(len(answer.on_disk or receipt.steps), answer.insertions, answer.deletions),
        "derived": {"from": derived.origin_id, "how": derived.how} if derived is not None else None,
        "successor": receipt.successor,
        "seq": answer.filed.seq,
    }
