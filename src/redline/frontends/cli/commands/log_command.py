"""`redline log`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.canonical import format_instant
from redline.errors import UsageFault
from redline.frontends.options import json_option
from redline.render.document import ended_document, spell
from redline.render.table import history_lines, log_lines

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command("log", epilog="Example: redline log --since 7d")
@click.argument("prefix", metavar="[ID]", required=False)
@click.option("--since", metavar="WHEN", help="A date (2026-11-30, 2026-11-30T14:00) or how long ago (7d).")
@json_option
@click.pass_obj
def command(invocation: Invocation, prefix: str | None, since: str | None, as_json: bool) -> None:  # noqa: FBT001 -- click
    """Show how proposals ended, newest first.

    With an ID: all that happened to that proposal.
    """
    start = format_instant(_instant(since, invocation.world.clock())) if since is not None else ""
    with app.person(invocation.folder, invocation.world) as redline:
        receipts = redline.viewer.receipts(since=start, prefix=prefix)
        history = redline.viewer.history(prefix) if prefix is not None else ()
    if as_json:
        events = [ended_document(filed, replayed=False) for filed in receipts]
        invocation.out.put(spell({"events": [*events]}))
        return
    out = invocation.out
    out.show(log_lines(receipts, out.width))
    out.show(history_lines(history))
    if not receipts and not history:
        invocation.err.say("nothing was decided yet" if since is None else "nothing was decided since then")


def _instant(text: str, now: datetime) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        pass
    try:
        return now - app.parse_duration(text)
    except UsageFault as fault:
        raise UsageFault(
            f"{text!a} is neither a date nor a duration", hint="Write 2026-11-30, 2026-11-30T14:00 or 7d."
        ) from fault
