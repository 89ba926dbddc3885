"""`redline recover`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.options import json_option
from redline.render.document import spell
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from redline.app import Recovered
    from redline.frontends.cli.group import Invocation
    from redline.frontends.screen import Screen

_A_PERSON_MUST_LOOK = 8


@click.command("recover", short_help="Settle what a crash left.", epilog="Example: redline recover")
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Settle what a crash left; every command that writes does this first."""
    with app.person(invocation.folder, invocation.world) as redline:
        recovered = redline.recover()
    if recovered.kept:
        invocation.end(_A_PERSON_MUST_LOOK)
    if as_json:
        kept = [{"path": str(item.path), "place": item.place} for item in recovered.kept]
        invocation.out.put(
            spell({"rolled_back": [*recovered.rolled_back], "pending": sorted(recovered.pending), "kept": [*kept]})
        )
        return
    _tell(invocation.out, recovered)


def _tell(out: Screen, recovered: Recovered) -> None:
    but = " but those named here" if any(item.place is None for item in recovered.kept) else ""
    for proposal in recovered.rolled_back:
        what = "its capture" if proposal in recovered.pending else "its write"
        out.say(f"{proposal[:SHORT_ID]}: {what} was cut off; every file is as before{but}")
    for item in recovered.kept:
        out.say(f"  look at this: {item.text}", [item.path, item.place or ""])
    if any(item.place is not None for item in recovered.kept):
        out.say("  Next: compare them, keep what you want, and remove the copy below .proposals/kept.")
    elif recovered.kept:
        out.say("  Next: see whether these files are as you want them.")
    elif recovered.pending:
        out.say("  Next: the same `redline capture` goes on; the proposal is still pending.")
    elif recovered.rolled_back:
        out.say("  Next: have the model propose the edit again; a proposal whose write was cut off has ended.")
    else:
        out.say("nothing is unfinished")
