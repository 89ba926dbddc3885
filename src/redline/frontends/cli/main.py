"""`redline`: the person's program."""

from __future__ import annotations

import sys

from redline import app
from redline.frontends import outermost


def main() -> None:
    sys.exit(run(sys.argv[1:], app.World()))


def run(arguments: list[str], world: app.World) -> int:
    """Run one command and return its exit code."""
    app.start()
    return outermost.run(lambda: _dispatch(arguments, world), arguments)


def _dispatch(arguments: list[str], world: app.World) -> int:
    """Prompts and hooks call `status` all the time: it starts without the command-line library."""
    if arguments[:1] == ["status"] and set(arguments[1:]) <= {"--json"}:
        from redline.frontends.cli.glance import print_status

        return print_status(".", as_json="--json" in arguments)
    from redline.frontends.cli.group import invoke

    return invoke(arguments, world)
