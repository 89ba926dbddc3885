"""Tell of a write that a crash had cut off and that a command settled on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from redline.app import PersonApp
    from redline.frontends.cli.group import Invocation


def settle(invocation: Invocation, redline: PersonApp, asked_for: tuple[str, ...] = ()) -> None:
    """Settle what a crash left, and tell of it, except of the proposals that the command tells of anyway.

    Raises RecoveryIncomplete if a person must look first.
    """
    recovered = redline.recover_or_stop()
    for proposal in recovered.rolled_back:
        short = proposal[:SHORT_ID]
        if proposal in recovered.pending:
            invocation.err.say(
                f"note: a capture, of {short}, had been cut off; every file is as before it,"
                " and the same `redline capture` goes on with it"
            )
        elif not proposal.startswith(asked_for):
            invocation.err.say(
                f"note: an earlier write, of {short}, had been cut off; it was taken back,"
                f" and every file is as before it (`redline receipt {short}`)"
            )
