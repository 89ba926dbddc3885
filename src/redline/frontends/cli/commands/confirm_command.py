"""`redline confirm`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import click

from redline import app
from redline.core.decision import Level
from redline.core.displayed import mismatches
from redline.core.lifecycle import Outcome
from redline.errors import DecisionRefused, UsageFault
from redline.frontends.cli.each import decide_each
from redline.frontends.cli.recovered import settle
from redline.frontends.cli.terminal import Terminal, own_terminal
from redline.frontends.options import json_option
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.app import Ended, PersonApp, Preview
    from redline.frontends.cli.group import Invocation

_CODE_LENGTH = 4


@click.command("confirm", epilog="Example: redline confirm 9f3c")
@click.argument("prefixes", metavar="ID...", nargs=-1, required=True)
@click.option("--digest", metavar="D", help="The digest of what you were shown; for one ID.")
@click.option(
    "--intent",
    "intent_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="What you were shown, as `show --json` printed it; for one ID.",
)
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    prefixes: tuple[str, ...],
    digest: str | None,
    intent_file: str | None,
    as_json: bool,  # noqa: FBT001 -- click passes flags so
) -> None:
    """Read the whole change, then apply exactly that, or nothing.

    On a terminal you are shown everything and asked for the proposal's short code. Repeating a confirmation
    returns the receipt and writes nothing.
    """
    shown = _shown(prefixes, digest, intent_file)
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline, prefixes)
        decide = partial(_confirm_one, invocation, redline, shown)
        decide_each(invocation, prefixes, decide, Outcome.APPLIED, as_json=as_json)


def _shown(prefixes: tuple[str, ...], digest: str | None, intent_file: str | None) -> str | Mapping[str, object] | None:
    if digest is None and intent_file is None:
        return None
    if len(prefixes) != 1 or (digest is not None and intent_file is not None):
        raise UsageFault("--digest or --intent goes with one ID", hint="Confirm them one by one.")
    if digest is not None:
        return digest
    from redline.frontends.intent import read_intent

    return read_intent(cast("str", intent_file))


def _confirm_one(
    invocation: Invocation, redline: PersonApp, shown: str | Mapping[str, object] | None, prefix: str
) -> Ended:
    if shown is not None and redline.policy().level is Level.NONE:
        return redline.desk.confirm(prefix, shown, Level.NONE)
    view = redline.viewer.preview(prefix)
    proposal_id = view.proposal.id
    if view.filed is not None or not _is_of(shown, view):
        return redline.desk.confirm(proposal_id, shown if shown is not None else view.displayed, Level.NONE)
    with own_terminal(invocation.color) as terminal:
        lapsed = redline.desk.lapse(proposal_id)
        if lapsed is not None:
            return lapsed
        answer = _ask(terminal, invocation, view)
        if answer == "n":
            reason = terminal.ask("Why? The model is told (Enter for no reason): ")
            return redline.desk.decline(proposal_id, reason, Level.TTY)
        if answer != proposal_id[:_CODE_LENGTH]:
            was = "" if answer in {"", "q"} else f"{answer!a} is not its code: "
            raise DecisionRefused(
                f"{was}{proposal_id[:SHORT_ID]} is left pending; nothing was written",
                code="NOT_CONFIRMED",
                hint=f"`redline confirm {proposal_id[:SHORT_ID]}` asks again.",
            )
        return redline.desk.confirm(proposal_id, shown if shown is not None else view.displayed, Level.TTY)


def _is_of(shown: str | Mapping[str, object] | None, view: Preview) -> bool:
    """Whether a question makes sense: anything but what is stored is refused whatever is answered."""
    if isinstance(shown, str):
        return shown == view.proposal.digest
    return shown is None or not mismatches(shown, view.displayed)


def _ask(terminal: Terminal, invocation: Invocation, view: Preview) -> str:
    from redline.render.preview import preview, warnings

    proposal = view.proposal
    now, screen = invocation.world.clock(), terminal.screen
    screen.show(preview(proposal, view.hunks, view.diffs, view.status, {}, now, screen.width))
    files, hunks = len(proposal.changes), sum(map(len, view.hunks.values()))
    code = proposal.id[:_CODE_LENGTH]
    counts = f"{files} {'file' if files == 1 else 'files'}, {hunks} {'hunk' if hunks == 1 else 'hunks'}"
    unseen = sum(diff.is_binary for diff in view.diffs.values())
    but = f" but the bytes of {unseen} binary {'file' if unseen == 1 else 'files'}" if unseen else ""
    screen.show(warnings(proposal))
    screen.say(f"\n{counts}, all shown{but}. Confirm?")
    return terminal.ask(f"Type {code} to apply, n to decline, q to leave it pending: ")
