"""Kill tools that apply one fifty-file change, before every call that changes the disk, and look at what is left.

Usage, from the repository's root: python -m bench.crash [--stride N] [--tools A,B] [--json FILE]. Needs Linux and a C
compiler. Prints a Markdown table; ends with 1 if redline, after recovery, is anything but all before or all after.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

from bench.crash.own import kill_redline
from bench.crash.peers import TOOLS, kill_peer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.crash.audit import Tally

_SHIM = os.path.join("tests", "crash", "shim.c")
_HEAD = (
    "| tool | kill points | half-applied | files missing | torn file | left behind | note |\n"
    "|---|--:|--:|--:|--:|---|---|"
)


def main() -> int:
    options = _options()
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="redline-crash-", dir=in_memory) as folder:
        _enter(folder)
        shim = _build(folder)
        print(_HEAD)
        for tally in _tallies(folder, shim, options.stride, options.tools.split(",") if options.tools else []):
            tallies.append(tally)
            print(row(tally), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([tally.record for tally in tallies], file, indent=1)
    settled = [tally for tally in tallies if tally.tool.endswith("after recovery")]
    return int(any(tally.half or tally.left or tally.notes for tally in settled))


def row(tally: Tally) -> str:
    def share(count: int) -> str:
        return f"{count} ({count / tally.deaths:.0%})" if count else "0"

    left = ", ".join(f"{name} in {count}" for name, count in sorted(tally.left.items())) or "nothing"
    counts = f"{tally.deaths} | {share(tally.half)} | {share(tally.missing)} | {share(tally.torn)}"
    return f"| {tally.tool} | {counts} | {left} | {'; '.join(tally.notes[:5])} |"


def _tallies(folder: str, shim: str, stride: int, names: list[str]) -> Iterator[Tally]:
    for tool in TOOLS:
        if not names or tool.name in names:
            yield kill_peer(folder, tool, shim, stride)
    if not names or "redline" in names:
        yield from kill_redline(folder, shim, stride)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.crash", description=__doc__)
    parser.add_argument("--stride", type=int, default=1, help="take every N-th point (default 1)")
    names = ", ".join([*(tool.name for tool in TOOLS), "redline"])
    parser.add_argument("--tools", default="", help=f"comma-separated, of: {names} (default all)")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


def _enter(folder: str) -> None:
    """Give the programs a home and an identity of their own; no configuration of this machine takes part."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": folder, "XDG_CONFIG_HOME": f"{folder}/config", "XDG_STATE_HOME": f"{folder}/state"}
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    os.makedirs(f"{folder}/config/git")
    with open(f"{folder}/config/git/config", "w", encoding="utf-8") as file:
        file.write("[user]\n\tname = Ada Example\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")


def _build(folder: str) -> str:
    """Compile the shim that kills."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.exit("no C compiler: the shim that kills cannot be built")
    library = os.path.join(folder, "shim.so")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, _SHIM, "-ldl"], check=True)
    return library


if __name__ == "__main__":
    sys.exit(main())
