"""Rows of `list`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from redline.core.change import Change
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.listing import Listed
from redline.core.paths import RepoPath
from redline.core.proposal import Base, Origin, Proposal
from redline.render.table import ListRow, list_lines

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_pending_proposal_past_its_time_is_listed_as_too_late() -> None:
    after = Content(b"x\n", Mode.REGULAR).state(ObjectFormat.SHA1)
    proposal = Proposal(
        repo_id="r",
        owner_uid=0,
        origin=Origin("codex"),
        reason="why",
        base=Base(None, None),
        created_at=NOON,
        expires_at=NOON + timedelta(hours=1),
        changes=(Change(RepoPath("a"), None, after),),
    )
    row = ListRow(Listed(proposal, {"a": (1, 0)}, None), (), None)
    shown = {
        hours: ["".join(span.text for span in line) for line in list_lines([row], NOON + timedelta(hours=hours), 80)]
        for hours in (0, 3)
    }
    columns = f"{proposal.id[:7]}  pending  codex  {'why':<28}  1 file  +1 \u22120  "
    assert shown == {
        0: [f"{columns}just now"],
        3: [f"{columns}3 h ago", "         too late to confirm: it was open until 2 h ago"],
    }
