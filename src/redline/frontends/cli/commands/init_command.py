"""`redline init`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.options import json_option

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation

_WORDS = {
    "created": "made the journal",
    "found": "the journal is there already:",
    "adopted": "took over the journal",
}


@click.command("init", short_help="Make the journal of this repository.", epilog="Example: redline init")
@click.option("--adopt", is_flag=True, help="Trust a journal that was copied or moved here; it is checked first.")
@json_option
@click.pass_obj
def command(invocation: Invocation, adopt: bool, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Make `.proposals/`, private and outside git's sight, and register it as yours."""
    done = app.initialise(invocation.folder, invocation.world, adopt=adopt)
    if as_json:
        from redline.render.document import spell

        invocation.out.put(spell({"folder": done.folder, "did": done.did}))
        return
    invocation.out.say(f"{_WORDS[done.did]} {done.folder}")
    if done.did == "created":
        invocation.out.say("  Next: `redline propose FILE` hands over a model's edit.")
