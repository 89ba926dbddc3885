"""`redline status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline.frontends.cli.glance import print_status
from redline.frontends.options import json_option

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command(
    "status", short_help="Count what is pending, drifted and unfinished.", epilog="Example: redline status --json"
)
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Count what is pending, drifted and unfinished; fast enough for a prompt."""
    print_status(invocation.folder, as_json=as_json)
