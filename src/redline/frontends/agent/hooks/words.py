"""What a hook says to a model: short sentences, each string of which is safe to show."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Final

from redline.core.hunks import count
from redline.core.lifecycle import Outcome
from redline.core.safetext import safe
from redline.errors import EditMismatch, IntakeError
from redline.frontends.screen import Screen
from redline.render.document import diffstat
from redline.render.sentences import answer_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.app import Prepared
    from redline.core.answer import Answer
    from redline.errors import RedlineError

# The smallest of the agents' limits, with room for what they put around it.
_MOST_CHARACTERS: Final = 8_000
_NO_OTHER_WAY: Final = "do not use another tool or a shell for it"
_RETRY: Final = "Correct it, then retry with an editing tool, never through a shell"


def recorded(prepared: Prepared) -> tuple[str, str]:
    """The reason for the model and the note for the person.

    Some agents go on with a period of their own, so that there is none at the end.
    """
    proposal = prepared.proposal
    counts = diffstat(len(proposal.changes), *count(prepared.hunks))
    before = [finding.text for finding in proposal.findings if finding.code == "DECLINED_BEFORE"]
    reason = [
        f"Not written. Recorded as proposal {proposal.id} ({counts}), which a person decides",
        *(safe(text) for text in before),
        f"Do not retry this edit and {_NO_OTHER_WAY}: go on with other work",
        "Your further edits are taken as if this one were in place",
    ]
    return ". ".join(reason), f"redline: proposal {proposal.id} recorded, {counts}"


def refused(error: RedlineError) -> tuple[str, str]:
    """The reason for the model and the note for the person, of an edit that was not recorded."""
    what = safe(error.message.rstrip("."))
    if isinstance(error, EditMismatch):
        next_step = "It was compared with the files as your pending proposals would leave them. " + _RETRY
    elif isinstance(error, IntakeError):
        next_step = _RETRY
    else:
        next_step = f"Tell the person, and {_NO_OTHER_WAY}"
    hint = [safe(error.hint.rstrip("."))] if error.hint else []
    reason = ". ".join([f"Not written and not recorded: {what}", *hint, next_step])
    return reason, f"redline: a write was refused: {what}"


def outcomes(answers: Iterable[Answer]) -> str:
    """What was decided, declines first, for they say what to do otherwise."""
    told = [_told(answer) for answer in sorted(answers, key=_is_agreed)]
    text = "What the person decided about your proposals (redline):\n"
    for number, lines in enumerate(told):
        if len(text) + len(lines) > _MOST_CHARACTERS:
            left = len(told) - number
            return f"{text}{left} more: `redline-agent feedback` lists the latest.\n"
        text += lines
    return text


def not_told(error: RedlineError) -> str:
    """Why outcomes could not be looked up."""
    return f"redline could not look up what became of your proposals: {safe(error.message)}"


def _is_agreed(answer: Answer) -> bool:
    return answer.filed.receipt.outcome is not Outcome.DECLINED and not answer.declined


def _told(answer: Answer) -> str:
    stream = StringIO()
    Screen(stream, color=False).show(answer_lines(answer))
    return stream.getvalue()
