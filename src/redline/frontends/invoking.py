"""Parse a command line with click and run the command: click's own ways to end become ours.

`Group.main` would do the same, but exits with 1 when the reader of our output went away.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.shell_completion import shell_complete

from redline.errors import UsageFault
from redline.frontends import exit_codes

if TYPE_CHECKING:
    from collections.abc import Sequence


def invoke(group: click.Group, program: str, arguments: Sequence[str], obj: object) -> int:
    """Run one command and return click's own exit code, which is 0 unless no command was named.

    Raises UsageFault where the command line has no meaning, and what the command raises.
    """
    completion = f"_{program.replace('-', '_').upper()}_COMPLETE"
    if completion in os.environ:
        return shell_complete(group, {"obj": obj}, program, completion, os.environ[completion])
    try:
        with group.make_context(program, list(arguments), obj=obj) as context:
            group.invoke(context)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return exit_codes.USAGE
    except click.ClickException as error:
        raise _usage(program, error) from error
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.Abort as abort:
        raise KeyboardInterrupt from abort
    return exit_codes.OK


def _usage(program: str, error: click.ClickException) -> UsageFault:
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context is not None else program
    return UsageFault(error.format_message(), hint=f"`{command} --help` shows what it takes.")
