"""`redline refresh`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.cli.derived import tell
from redline.frontends.options import json_option

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command(
    "refresh",
    short_help="Bring a proposal to the present files.",
    epilog="Example: redline refresh 41be",
)
@click.argument("prefix", metavar="ID")
@json_option
@click.pass_obj
def command(invocation: Invocation, prefix: str, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Bring a proposal to the files as they are now, as a new one.

    The texts are merged in memory; where both sides changed the same lines, the regions are listed and nothing is
    stored.
    """
    with app.person(invocation.folder, invocation.world) as redline:
        tell(invocation, redline.derivations.refresh(prefix), as_json=as_json)
