"""`redline run -- true` as a ratio to `git worktree add` and `remove`, measured in turn in one run.

Usage: run.py [--runs N] [FILES...]. Prints a Markdown table of medians with the spread (10th to 90th percentile).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

REDLINE = os.path.join(os.path.dirname(sys.executable), "redline")
FILE_BYTES = 4000
FILES_PER_FOLDER = 100


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("files", type=int, nargs="*", default=[1000, 20000])
    options = parser.parse_args()
    print(
        "| files | ÷ `git worktree add` + `remove` | spread | git, ms | redline, ms | copied, MB/s |\n"
        "|--:|--:|---|--:|--:|--:|"
    )
    for count in options.files:
        with tempfile.TemporaryDirectory(dir=os.environ.get("REDLINE_BENCH_DIR")) as folder:
            print(row(folder, count, options.runs), flush=True)


def row(folder: str, count: int, runs: int) -> str:
    environment = {
        **os.environ,
        "HOME": folder,
        "XDG_STATE_HOME": os.path.join(folder, "state"),
        "XDG_CONFIG_HOME": os.path.join(folder, "config"),
    }
    repository = os.path.join(folder, "repository")
    make(repository, count, environment)
    other = os.path.join(folder, "other")
    by_git = [["git", "worktree", "add", "--quiet", "--detach", other], ["git", "worktree", "remove", "--force", other]]
    by_redline = [[REDLINE, "run", "--", "true"]]
    pairs = [
        (elapsed_s(by_git, repository, environment), elapsed_s(by_redline, repository, environment))
        for _ in range(runs)
    ]
    ratios = sorted(ours / gits for gits, ours in pairs)
    git_s, ours_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    speed = count * FILE_BYTES / ours_s / 1e6
    return (
        f"| {count:,} | {statistics.median(ratios):.2f} | {low:.2f}-{high:.2f} "
        f"| {git_s * 1000:.0f} | {ours_s * 1000:.0f} | {speed:.0f} |"
    )


def make(repository: str, count: int, environment: dict[str, str]) -> None:
    """A repository of text files, a hundred in each folder, all committed, one edited and one untracked."""
    for number in range(count):
        inner = os.path.join(repository, f"f{number // FILES_PER_FOLDER % 50}", f"g{number // FILES_PER_FOLDER}")
        os.makedirs(inner, exist_ok=True)
        with open(os.path.join(inner, f"{number}.txt"), "w", encoding="ascii") as file:
            file.write((f"line of file {number}\n" * FILE_BYTES)[:FILE_BYTES])
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *command], cwd=repository, env=environment, check=True, capture_output=True)
    subprocess.run([REDLINE, "init"], cwd=repository, env=environment, check=True, capture_output=True)
    for name in ("f0/g0/0.txt", "new.txt"):
        with open(os.path.join(repository, name), "w", encoding="ascii") as file:
            file.write("edited\n")


def elapsed_s(commands: list[list[str]], folder: str, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    for command in commands:
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
