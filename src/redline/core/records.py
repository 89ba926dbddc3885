"""A proposal read back from its canonical record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from redline.core.canonical import parse_instant
from redline.core.notes import Finding, Leniency, Severity
from redline.core.paths import RepoPath
from redline.core.proposal import Base, Derivation, Origin, Proposal
from redline.core.states import change_from

if TYPE_CHECKING:
    from redline.core.canonical import Record


def proposal_from(record: Record) -> Proposal:
    """Rebuild the proposal; its record and digest equal the given ones.

    Raises KeyError, TypeError or ValueError if the record is not one of ours.
    """
    proposal = _build(cast("dict[str, Any]", record))
    if proposal.record != record:
        raise ValueError("the record says more than a proposal can hold")
    return proposal


def _build(fields: dict[str, Any]) -> Proposal:
    origin, base, derived = fields["origin"], fields["base"], fields["derived"]
    return Proposal(
        repo_id=fields["repo"],
        owner_uid=fields["owner_uid"],
        origin=Origin(origin["author"], origin["session"], origin["task"], origin["tool_call"]),
        reason=fields["reason"],
        base=Base(base["head"], base["branch"]),
        created_at=parse_instant(fields["created_at"]),
        expires_at=parse_instant(fields["expires_at"]),
        changes=tuple(change_from(change) for change in fields["changes"]),
        findings=tuple(_finding_from(finding) for finding in fields["findings"]),
        leniencies=tuple(
            Leniency(leniency["code"], RepoPath(leniency["path"]), leniency["text"])
            for leniency in fields["leniencies"]
        ),
        derived=Derivation(derived["from"], derived["how"]) if derived is not None else None,
        depends_on=tuple(fields["depends_on"]),
    )


def _finding_from(fields: dict[str, Any]) -> Finding:
    return Finding(
        fields["code"],
        Severity(fields["severity"]),
        fields["text"],
        RepoPath(fields["path"]) if fields["path"] is not None else None,
        fields["line"],
    )
