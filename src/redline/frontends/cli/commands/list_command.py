"""`redline list`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.lifecycle import PENDING, Outcome
from redline.frontends.options import json_option
from redline.render.document import listed_document, spell
from redline.render.table import ListRow, list_lines

if TYPE_CHECKING:
    from redline.core.listing import Listed
    from redline.frontends.cli.group import Invocation

_STATUSES = [PENDING, "all", *(outcome.value for outcome in Outcome)]
_STATUS_HELP = f"One of {', '.join(_STATUSES)}; pending unless given."


@click.command(
    "list",
    short_help="List proposals, newest first, and what drifted.",
    epilog="Example: redline list --status all --path 'src/*.py'",
)
@click.option("--status", metavar="STATUS", type=click.Choice(_STATUSES), default=PENDING, help=_STATUS_HELP)
@click.option("--session", metavar="ID", help="Only those of one agent session.")
@click.option("--path", "glob", metavar="GLOB", help="Only those that change such a path.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    status: str,
    session: str | None,
    glob: str | None,
    as_json: bool,  # noqa: FBT001 -- click passes flags so
) -> None:
    """List proposals, newest first, and which of them the tree has drifted from."""

    def wanted(listed: Listed) -> bool:
        changes = listed.proposal.changes
        return (
            status in {"all", listed.status}
            and (session is None or listed.proposal.origin.session == session)
            and (glob is None or any(fnmatchcase(change.path, glob) for change in changes))
        )

    with app.person(invocation.folder, invocation.world) as redline:
        rows = redline.viewer.rows(pending_only=status == PENDING, wanted=wanted)
    if as_json:
        proposals = [listed_document(row.listed, frozenset(drift.path for drift in row.drifts)) for row in rows]
        invocation.out.put(spell({"proposals": [*proposals]}))
        return
    shown = [ListRow(row.listed, row.drifts, row.filed, row.waits_for) for row in rows]
    out = invocation.out
    out.show(list_lines(shown, invocation.world.clock(), out.width))
    if not rows:
        invocation.err.say(_none(status, filtered=session is not None or glob is not None))


def _none(status: str, *, filtered: bool) -> str:
    if filtered:
        return "no proposal fits what was asked for"
    if status == PENDING:
        return "no proposal is pending\n  Next: `redline list --status all` shows any that were decided."
    return "there is no proposal" if status == "all" else f"no proposal is {status}"
