"""`redline-agent`: the model's program.

It has no way to confirm, decline, change policy or write outside `.proposals/`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.app import World


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], world: World | None = None) -> int:
    """Run one command and return its exit code.

    Agents call `hook` before each of their tools: it starts with what an event that changes no file needs.
    """
    if arguments[:1] == ["hook"] and len(arguments) == 2:
        from redline.frontends.agent.hooks import command

        if arguments[1] in command.AGENTS:
            return command.run(arguments[1], world)
    from redline import app
    from redline.frontends import outermost

    app.start()
    return outermost.run(lambda: _invoke(arguments, world or app.World()), arguments)


def _invoke(arguments: list[str], world: World) -> int:
    from redline.frontends.agent.group import invoke

    return invoke(arguments, world)
