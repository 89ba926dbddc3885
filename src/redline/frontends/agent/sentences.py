"""What a model is told of a proposal that it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.hunks import count
from redline.frontends.endings import end_lines
from redline.render.document import diffstat
from redline.render.lines import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.app import Prepared, Standing
    from redline.render.lines import Line


def how_taken(prepared: Prepared) -> str:
    """Whether the edit is a proposal of its own, joined an open one, or was taken before."""
    return "known already" if prepared.is_known else "joined" if prepared.proposal.derived is not None else "stored"


def prepared_lines(prepared: Prepared) -> Iterator[str]:
    proposal, hunks = prepared.proposal, prepared.hunks
    counts = diffstat(len(proposal.changes), *count(hunks))
    yield f"{proposal.id}: {how_taken(prepared)}, pending; {counts}. No file was changed; a person decides."
    for parent in proposal.depends_on:
        yield f"  It starts from what {parent} would make, so the person decides that one first."
    for finding in proposal.findings:
        where = f"{finding.path}: " if finding.path is not None else ""
        yield f"  {finding.severity.value}: {where}{finding.text}"
    for leniency in proposal.leniencies:
        yield f"  not exact: {leniency.path}: {leniency.text}"


def standing_lines(standing: Standing) -> Iterator[Line]:
    if standing.filed is None:
        yield plain(f"{standing.proposal.id}: pending; the person has not decided.")
    else:
        yield from end_lines(standing.filed, replayed=True)
