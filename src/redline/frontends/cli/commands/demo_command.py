"""`redline demo`."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import click

from redline.frontends.cli.demo.stage import Stage
from redline.frontends.cli.demo.story import Story

if TYPE_CHECKING:
    from redline.frontends.cli.group import Invocation


@click.command("demo", short_help="Watch the whole story in a throw-away repository.", epilog="Example: redline demo")
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Tell the whole story in a throw-away repository: propose, preview, drift, confirm, replay, decline, crash."""
    with tempfile.TemporaryDirectory(prefix="redline-demo-") as folder:
        Story(Stage(folder), invocation.out).tell()
