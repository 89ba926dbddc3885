"""The tools as a client lists them. None decides: to confirm, decline or change policy is in no row of this table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from redline.frontends.agent.mcp import schemas

if TYPE_CHECKING:
    from redline.core.canonical import Record

INSTRUCTIONS: Final = """\
redline stands between you and the files of this repository. You propose edits; a person sees them as a diff, in a \
program of their own, and decides. No tool here writes a file or confirms anything, and nothing that you write can.

Propose with propose_edits or propose_patch instead of writing files. Edits of this session join into one proposal; \
each is meant for the files as your earlier ones would leave them. When the change is whole, call await_decision: it \
seals the proposal and waits. If the proposal is still pending then, the person has not decided: go on with something \
else, or call it again. After `declined`, change the edit to meet the reason and the comments; never propose the same \
one again. After `stale` or `expired`, or where only a part was applied, read the files again first.\
"""


class Hint(Enum):
    """What a host may assume of a call; the SDK spells it."""

    READS = "reads"
    ADDS = "adds"
    ADDS_ONCE = "adds once"
    ENDS_ONCE = "ends once"


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    takes: Record
    gives: Record
    hint: Hint


TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "propose_edits",
            "Propose edits",
            "Propose edits of files to the person; no file is changed. They join what this session has open. All or"
            " none are taken: an edit that does not fit is refused, with what is in the file instead.",
            schemas.EDITS,
            schemas.PREPARED,
            Hint.ADDS,
        ),
        Tool(
            "propose_patch",
            "Propose a patch",
            "Propose a change that is written as a text: a git or unified diff, a Codex patch, SEARCH/REPLACE blocks, a"
            " tool call of another agent, or a whole file. No file is changed; it joins what this session has open.",
            schemas.PATCH,
            schemas.PREPARED,
            Hint.ADDS,
        ),
        Tool(
            "seal",
            "Seal the open proposal",
            "Say that the open proposal is complete: no further edit joins it. Later edits make a new one.",
            schemas.NOTHING,
            schemas.SEALED,
            Hint.ADDS_ONCE,
        ),
        Tool(
            "await_decision",
            "Wait for the person's decision",
            "Seal what is open and wait until the person decides on a proposal of this session, or until timeout_s is"
            " over. Each outcome comes with the person's reason and comments, and is told once.",
            schemas.WAIT,
            schemas.DECISIONS,
            Hint.ADDS,
        ),
        Tool(
            "read_status",
            "Read a proposal's status",
            "Tell how a proposal stands: pending, or how it ended and why.",
            schemas.ID,
            schemas.STANDING,
            Hint.READS,
        ),
        Tool(
            "list_own_proposals",
            "List this session's proposals",
            "List what this session has proposed, decided or not, newest first; at most the latest 100.",
            schemas.NOTHING,
            schemas.STANDINGS,
            Hint.READS,
        ),
        Tool(
            "withdraw",
            "Withdraw a proposal",
            "Take back a proposal that the person has not decided. It ends for good, with all edits that joined it.",
            schemas.ID,
            schemas.ENDED,
            Hint.ENDS_ONCE,
        ),
    )
}
