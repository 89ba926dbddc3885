"""Race appliers of one change against another program that writes the same file, and count what gets lost.

Usage, from the repository's root: python -m bench.race [--trials N] [--methods A,B] [--styles A,B] [--kinds A,B]
[--folder DIR] [--seed N] [--json FILE]. Prints a Markdown table; ends with 1 if redline lost an update.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from typing import TYPE_CHECKING

from bench.race.methods import METHODS
from bench.race.racer import STYLES
from bench.race.scene import Kind
from bench.race.trials import Tally, race

if TYPE_CHECKING:
    from collections.abc import Collection

_HEAD = (
    "| applier | change | racer | trials | met | applied | refused | lost | torn | missing | told | left | µs |\n"
    "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)

_MAKES_NO_SENSE: dict[Kind, set[str]] = {
    Kind.EDIT: set(),
    Kind.CREATION: {"held", "chmod"},  # nothing is there that could be held open
    Kind.DELETION: {"chmod"},
}


def main() -> int:
    options = _options()
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="redline-race-", dir=options.folder) as folder:
        _enter(folder)
        print(_HEAD)
        for method in _chosen(options.methods, METHODS):
            for kind in map(Kind, _chosen(options.kinds, {kind.value: kind for kind in Kind})):
                for style in _chosen(options.styles, STYLES):
                    if style in _MAKES_NO_SENSE[kind]:
                        continue
                    draw = random.Random(f"{options.seed} {method} {kind} {style}")
                    tally = race(folder, method, kind, style, options.trials, draw)
                    tallies.append(tally)
                    print(row(tally), flush=True)
        os.chdir("/")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([tally.record for tally in tallies], file, indent=1)
    return int(any(tally.lost for tally in tallies if tally.is_redline))


def row(tally: Tally) -> str:
    ends = (tally.applied, tally.refused, tally.lost, tally.torn, tally.missing, tally.told, tally.left)
    numbers = " | ".join(f"{count:,}" for count in (tally.trials, tally.met, *ends))
    return f"| {tally.method} | {tally.kind} | {tally.style} | {numbers} | {tally.duration_us:,.0f} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.race", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000, help="for each cell of the table (default 1000)")
    parser.add_argument("--methods", default="", help=f"comma-separated, of: {', '.join(METHODS)} (default all)")
    parser.add_argument("--styles", default="", help=f"of: {', '.join(STYLES)} (default all)")
    parser.add_argument("--kinds", default="edit", help="of: edit, creation, deletion (default edit)")
    parser.add_argument(
        "--folder",
        type=os.path.abspath,
        default=_in_memory(),
        help="where the trees are (default: memory, if there is one)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", type=os.path.abspath)
    return parser.parse_args()


def _chosen(text: str, known: Collection[str]) -> list[str]:
    """The names of a comma-separated list, or all; ends the program at a name that is not known."""
    names = text.split(",") if text else list(known)
    for name in names:
        if name not in known:
            sys.exit(f"{name!r} is none of: {', '.join(known)}")
    return names


def _in_memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _enter(folder: str) -> None:
    """Give the programs a home of their own: no configuration of this machine takes part."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": folder, "XDG_CONFIG_HOME": f"{folder}/config", "XDG_STATE_HOME": f"{folder}/state"}
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"


if __name__ == "__main__":
    sys.exit(main())
