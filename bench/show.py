"""`redline show` of a large proposal as ratios to `git diff --no-index --color` of the same files, in turn in one run.

Usage: show.py [RUNS [FILES]]. Each file's 50 lines change: 100 lines of difference. Prints a Markdown table of whole
runs, the time to the first byte and the peak of memory.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

BIN = os.path.dirname(sys.executable)
LINES = 50


class Run(NamedTuple):
    first_byte_s: float
    whole_s: float
    peak_mib: float


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "HOME": folder,
            "XDG_STATE_HOME": os.path.join(folder, "state"),
            "XDG_CONFIG_HOME": os.path.join(folder, "config"),
        }
        repository = os.path.join(folder, "repository")
        proposal = propose(repository, files, environment)
        redline = [os.path.join(BIN, "redline")]
        commands = {
            "show --unified": [*redline, "show", proposal, "--unified"],
            "show --unified, coloured": [*redline, "--color", "always", "show", proposal, "--unified"],
            "show --side-by-side, coloured": [*redline, "--color", "always", "show", proposal, "--side-by-side"],
            "show --patch": [*redline, "show", proposal, "--patch"],
        }
        git = ["git", "diff", "--no-index", "--color", os.path.join(folder, "a"), os.path.join(folder, "b")]
        print(f"| {files} files, {runs} runs in turn | ÷ `git diff --no-index --color` | first byte | peak |")
        print("|---|--:|--:|--:|")
        for name, command in commands.items():
            pairs = [(run(command, repository, environment), run(git, folder, environment)) for _ in range(runs)]
            ratio = statistics.median(ours.whole_s / theirs.whole_s for ours, theirs in pairs)
            first = statistics.median(ours.first_byte_s for ours, _ in pairs)
            peak = max(ours.peak_mib for ours, _ in pairs)
            print(f"| `{name}` | {ratio:.0f} | {first:.1f} s | {peak:.0f} MiB |")


def propose(repository: str, files: int, environment: dict[str, str]) -> str:
    """Make the repository, both sides beside it for git, and the proposal; its id."""
    edits = []
    for number in range(files):
        before = "".join(f"    value_{i} = compute({i}, {number})  # row {i}\n" for i in range(LINES))
        after = before.replace("compute(", "calculate(")
        for folder, text in ((repository, before), ("a", before), ("b", after)):
            path = os.path.join(os.path.dirname(repository), folder, f"m{number}.py")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        edits.append({"op": "write", "path": f"m{number}.py", "content": after})
    subprocess.run(["git", "init", "-q"], cwd=repository, env=environment, check=True)
    document = json.dumps({"schema": "redline.edit/1", "reason": "rename", "edits": edits}).encode()
    command = [os.path.join(BIN, "redline"), "propose", "--json"]
    done = subprocess.run(command, cwd=repository, env=environment, input=document, check=True, capture_output=True)
    proposal: str = json.loads(done.stdout)["proposal"]
    return proposal


def run(command: list[str], folder: str, environment: dict[str, str]) -> Run:
    """Read everything through a pipe, as `| cat` would."""
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        first = time.perf_counter() - start
        while process.stdout.read(1 << 16):
            pass
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return Run(first, time.perf_counter() - start, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
