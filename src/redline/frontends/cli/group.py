"""The command line: options that every command shares, and one module for each command, loaded when it is asked for."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from redline import __version__
from redline.frontends import exit_codes, invoking
from redline.frontends.screen import Screen, wants_color

if TYPE_CHECKING:
    from redline.app import World

_COMMANDS = (
    "init",
    "propose",
    "capture",
    "run",
    "list",
    "show",
    "review",
    "confirm",
    "decline",
    "refresh",
    "undo",
    "status",
    "log",
    "receipt",
    "recover",
    "verify",
    "doctor",
    "demo",
)


@dataclass
class Invocation:
    """One run of the program: where, in which world, in which colours; `code` is what it will exit with."""

    world: World
    folder: str = "."
    color: str = "auto"
    code: int = field(default=exit_codes.OK)

    @property
    def out(self) -> Screen:
        return Screen(sys.stdout, color=wants_color(sys.stdout, self.color))

    @property
    def err(self) -> Screen:
        return Screen(sys.stderr, color=wants_color(sys.stderr, self.color))

    def end(self, code: int) -> None:
        """Exit with the first code that is not 0."""
        self.code = self.code or code


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- as above
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"redline.frontends.cli.commands.{cmd_name}_command")
        command: click.Command = module.command
        return command


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: redline propose fix.patch && redline confirm 9f3c",
)
@click.option("-C", "folder", metavar="DIR", default=".", help="Run as if started in DIR.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colour the output; auto: on a terminal, unless NO_COLOR is set.",
)
@click.version_option(__version__, prog_name="redline", message="%(prog)s %(version)s")
@click.pass_obj
def redline(invocation: Invocation, folder: str, color: str) -> None:
    """Approve exactly the change an AI proposed, and nothing else."""
    invocation.folder = folder
    invocation.color = color


def invoke(arguments: list[str], world: World) -> int:
    """Run one command and return its exit code.

    Raises UsageFault where the command line has no meaning, and what the command raises.
    """
    invocation = Invocation(world)
    return invoking.invoke(redline, "redline", arguments, invocation) or invocation.code
