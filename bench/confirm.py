"""A durable confirmation against `git apply` of the same patch, in turn in one run.

Usage: confirm.py [--runs N] [--folder FOLDER] [FILES ...]. Each file has 8 KB and one changed line. `git apply` is
neither durable nor all-or-nothing, so two more ratios are shown: to `git apply` and an fsync of each file it wrote,
and, as the floor of any durable write, that of writing, syncing and renaming the same files and nothing else.
Prints a Markdown table of medians with the spread (10th to 90th percentile).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

BIN = os.path.dirname(sys.executable)
LINES = 128
FOLDER_FILES = 100


class Field:
    """A repository of N files, a patch that changes a line in each, and a person whose level is `none`."""

    def __init__(self, folder: str, files: int) -> None:
        self.root = os.path.join(folder, "repository")
        self.patch = os.path.join(folder, "change.patch")
        self._environment = {
            **os.environ,
            "HOME": folder,
            "XDG_STATE_HOME": os.path.join(folder, "state"),
            "XDG_CONFIG_HOME": os.path.join(folder, "config"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its byte code
        os.makedirs(os.path.join(folder, "config", "redline"))
        with open(os.path.join(folder, "config", "redline", "config.toml"), "w", encoding="utf-8") as file:
            file.write(f'[confirm]\nlevel = "none"\n[limits]\nfiles = {max(files, 1)}\ninput_mib = 1024\n')
        os.makedirs(self.root)
        self.paths = [f"d{number // FOLDER_FILES:03}/f{number:05}.txt" for number in range(files)]
        self._git("init", "-q")
        self._git("config", "user.name", "Bench")
        self._git("config", "user.email", "bench@example.org")
        for number, path in enumerate(self.paths):
            self._write(path, number)
        self._git("add", ".")
        self._git("commit", "-qm", "base")
        with open(self.patch, "w", encoding="utf-8") as file:
            file.writelines(_file_patch(path, number) for number, path in enumerate(self.paths))
        self.run(os.path.join(BIN, "redline"), "init")
        os.sync()

    def propose(self) -> tuple[str, ...]:
        """Store the patch as a proposal; the command that confirms it."""
        answer = json.loads(self.run(os.path.join(BIN, "redline-agent"), "propose", "--json", self.patch))
        return os.path.join(BIN, "redline"), "confirm", answer["proposal"], "--digest", answer["digest"]

    def run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.root, env=self._environment, check=True, capture_output=True, text=True)
        return done.stdout

    def elapsed_s(self, *command: str) -> float:
        start = time.perf_counter()
        self.run(*command)
        return time.perf_counter() - start

    def sync_each(self) -> float:
        """Make every file durable, one by one; the seconds that took."""
        start = time.perf_counter()
        for path in self.paths:
            fd = os.open(os.path.join(self.root, path), os.O_RDONLY)
            os.fsync(fd)
            os.close(fd)
        return time.perf_counter() - start

    def write_bare(self) -> float:
        """Write each file anew beside it, sync all with 16 threads, rename each, sync the folders; seconds."""
        contents = [b"x" * os.path.getsize(os.path.join(self.root, path)) for path in self.paths]
        start = time.perf_counter()
        fds = []
        for path, content in zip(self.paths, contents, strict=True):
            fds.append(os.open(os.path.join(self.root, f"{path}.new"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
            os.write(fds[-1], content)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(os.fsync, fds))
        for fd, path in zip(fds, self.paths, strict=True):
            os.close(fd)
            os.replace(os.path.join(self.root, f"{path}.new"), os.path.join(self.root, path))
        for folder in {os.path.dirname(path) for path in self.paths}:
            fd = os.open(os.path.join(self.root, folder), os.O_RDONLY)
            os.fsync(fd)
            os.close(fd)
        return time.perf_counter() - start

    def _write(self, path: str, number: int) -> None:
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.writelines(_line(number, line) for line in range(LINES))

    def _git(self, *arguments: str) -> None:
        self.run("git", *arguments)


def _line(file: int, line: int) -> str:
    return f"file {file:05}, line {line:03}: as many words as it takes to fill it\n"


def _file_patch(path: str, number: int) -> str:
    context = [_line(number, line) for line in range(60, 67)]
    return (
        f"--- a/{path}\n+++ b/{path}\n@@ -61,7 +61,7 @@\n"
        + "".join(f" {line}" for line in context[:3])
        + f"-{context[3]}+{context[3].replace('words', 'WORDS')}"
        + "".join(f" {line}" for line in context[4:])
    )


def applied(folder: str, files: int) -> tuple[float, float]:
    """Seconds of one `git apply`, and of syncing what it wrote, file by file."""
    field = Field(folder, files)
    return field.elapsed_s("git", "apply", field.patch), field.sync_each()


def confirmed(folder: str, files: int) -> float:
    """Seconds of one confirmation of the same patch."""
    field = Field(folder, files)
    confirm = field.propose()
    return field.elapsed_s(*confirm)


def measure(folder: str, files: int, *, confirm_first: bool) -> tuple[float, float, float, float]:
    """One of each, in a repository of its own: `git apply`, the syncing, the confirmation, the floor; in seconds."""
    mine, theirs, bare = (os.path.join(folder, name) for name in ("redline", "git", "bare"))
    early_s = confirmed(mine, files) if confirm_first else 0.0
    applied_s, synced_s = applied(theirs, files)
    return applied_s, synced_s, early_s or confirmed(mine, files), Field(bare, files).write_bare()


def row(files: int, runs: int, folder: str | None) -> str:
    """Nothing is deleted before the last run: where files were just removed, ext4 is slow to create new ones."""
    with tempfile.TemporaryDirectory(dir=folder) as inner:
        measured = [measure(os.path.join(inner, str(run)), files, confirm_first=run % 2 == 1) for run in range(runs)]
    ratios = sorted(confirm / applied for applied, _, confirm, _ in measured)
    durable = statistics.median(confirm / (applied + synced) for applied, synced, confirm, _ in measured)
    floor = statistics.median(bare / applied for applied, _, _, bare in measured)
    milliseconds = [statistics.median(column) * 1000 for column in zip(*measured, strict=True)]
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    figures = f"{statistics.median(ratios):.2f} | {low:.2f}-{high:.2f} | {durable:.2f} | {floor:.2f}"
    return f"| {files:,} | {figures} | {milliseconds[0]:,.0f} | {milliseconds[2]:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=int, nargs="*", default=[1, 100, 1000, 10000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the floor keeps every file open
    print("| files | confirm ÷ apply | spread | ÷ (apply + fsync of each) | floor ÷ apply | apply, ms | confirm, ms |")
    print("|---|---|---|---|---|---|---|")
    for files in arguments.files:
        print(row(files, arguments.runs, arguments.folder), flush=True)


if __name__ == "__main__":
    main()
