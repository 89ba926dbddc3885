"""`redline capture`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.cli.made import need_journal, tell_document, tell_header
from redline.frontends.cli.recovered import settle
from redline.frontends.options import json_option
from redline.render.document import spell
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from redline.app import Captured
    from redline.frontends.cli.group import Invocation


@click.command(
    "capture",
    short_help="Turn uncommitted changes into a proposal.",
    epilog="Example: redline capture src --reason 'what the agent did'",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option("--keep", is_flag=True, help="Leave the files as they are.")
@click.option("--reason", metavar="TEXT", default="", help="Why; shown to the person who decides.")
@click.option("--author", metavar="NAME", help="Whose work it is; yours unless given.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    paths: tuple[str, ...],
    keep: bool,  # noqa: FBT001 -- click passes flags so
    reason: str,
    author: str | None,
    as_json: bool,  # noqa: FBT001 -- as above
) -> None:
    """Turn uncommitted changes into a proposal, and put the files back to HEAD.

    Edits, deletions, modes, moves and untracked files are taken, ignored ones never. Everything is stored before a
    file is touched; confirming the proposal brings it back. git's index is left alone.
    """
    need_journal(invocation, as_json=as_json)
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline)
        selected = tuple(redline.selected(path, invocation.folder) for path in paths)
        captured = redline.captures.capture(selected, app.origin(author or redline.name), reason, keep=keep)
    if captured is None:
        if as_json:
            invocation.out.put(spell({"proposal": None}))
        else:
            invocation.out.say("nothing is uncommitted: there is nothing to capture")
    elif as_json:
        tell_document(invocation, captured.prepared)
    else:
        _tell(invocation, captured)


def _tell(invocation: Invocation, captured: Captured) -> None:
    out, short = invocation.out, captured.prepared.proposal.id[:SHORT_ID]
    tell_header(invocation, captured.prepared)
    for item in captured.kept:
        out.say(f"  look at this: {item.text}", [item.path, item.place or ""])
    if captured.staged_count:
        out.say("  What is staged in git's index stays staged: capture takes the files, and leaves the index alone.")
    if captured.is_put_back:
        out.say("  These files are as HEAD has them now; the change is in the journal.")
        out.say(f"  Next: `redline show {short}` to read it, `redline confirm {short}` to have it back.")
    else:
        out.say("  The files were left as they are.")
        out.say(f"  Next: `redline show {short}` to read it, `redline confirm {short} --in-place` to agree to it.")
