"""Find the proposal that a person or a model names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.core.proposal import ID_LENGTH
from redline.errors import DecisionRefused, UsageFault

if TYPE_CHECKING:
    from redline.core.proposal import Proposal
    from redline.review.ports import Reader

MIN_PREFIX = 4
_PREFIX = re.compile(rf"[0-9a-f]{{{MIN_PREFIX},{ID_LENGTH}}}\Z")


def find(reader: Reader, prefix: str, uid: int) -> Proposal:
    """The one proposal of this account whose id begins with the prefix.

    Raises DecisionRefused, the same for an unknown proposal and for another person's, and UsageFault
    (ID_AMBIGUOUS) if several fit.
    """
    ids = reader.find(prefix) if _PREFIX.match(prefix) else ()
    visible = [proposal for proposal in map(reader.proposal, ids) if proposal.owner_uid == uid]
    if not visible:
        raise DecisionRefused(
            f"there is no proposal {prefix!a} that you may see here",
            hint=f"Give {MIN_PREFIX} or more digits of an id. A person sees them all with `redline list --status all`,"
            " a model those that are pending with `redline-agent status`.",
        )
    if len(visible) > 1:
        raise UsageFault(
            f"{prefix!a} names {len(visible)} proposals: {', '.join(proposal.id for proposal in visible)}",
            code="ID_AMBIGUOUS",
            hint="Give more digits.",
            details={"ids": [proposal.id for proposal in visible]},
        )
    return visible[0]
