"""`redline doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.options import json_option
from redline.render.document import protections_document, spell
from redline.render.sentences import protection_lines

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command("doctor", short_help="Say what protects you here and what does not.", epilog="Example: redline doctor")
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Say what protects you here and what does not: journal, git, file system, terminal. Nothing is changed."""
    with app.person(invocation.folder, invocation.world) as redline:
        protections = redline.protections()
    if as_json:
        invocation.out.put(spell(protections_document(protections)))
    else:
        invocation.out.show(protection_lines(protections, invocation.out.width))
