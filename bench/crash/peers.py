"""Other programs that apply the change, each killed before every call that changes the disk.

Calls that libc's own buffered output makes, and utime(2), are not among them: the shim does not see these. They leave
no state of the tree that the next counted call does not find as well.
"""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.crash.audit import Tally, files_of, litter_of_git
from bench.crash.change import after, before, commit, fill, git

if TYPE_CHECKING:
    from collections.abc import Callable

_COUNTS = struct.Struct("ll")  # calls so far, the fatal one: see the shim


@dataclass(frozen=True)
class Tool:
    """A command, and how the repository is made ready for it. `PATCH` in the command is the patch's path."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[str], None]


def _as_committed(_root: str) -> None:
    pass


def _stash(root: str) -> None:
    fill(root, after())
    git(root, "add", ".")
    git(root, "stash", "-q")


def _add(root: str) -> None:
    """The index holds the files after, the tree those before."""
    fill(root, after())
    git(root, "add", ".")
    fill(root, before())


TOOLS = (
    Tool("git apply", ("git", "apply", "PATCH"), _as_committed),
    Tool("git apply --index", ("git", "apply", "--index", "PATCH"), _as_committed),
    Tool("git apply --3way", ("git", "apply", "--3way", "PATCH"), _as_committed),
    Tool("GNU patch -p1", ("patch", "-s", "-f", "-p1", "-i", "PATCH"), _as_committed),
    Tool("git stash apply", ("git", "stash", "apply"), _stash),
    Tool("git checkout -- .", ("git", "checkout", "--", "."), _add),
)


class Victim:
    """One tool, its repository and the copy that it is put back from."""

    def __init__(self, folder: str, tool: Tool, shim: str) -> None:
        self._tool = tool
        home = os.path.join(folder, tool.name.replace(" ", "_"))
        os.mkdir(home)
        self.root, self._copy = os.path.join(home, "repo"), os.path.join(home, "copy")
        self._counts, patch = os.path.join(home, "counts"), os.path.join(home, "patch")
        with open(patch, "wb") as file:
            file.write(commit(self.root))
        tool.prepare(self.root)
        os.rename(self.root, self._copy)
        self._command = [patch if word == "PATCH" else word for word in tool.command]
        self._env = {**os.environ, "LD_PRELOAD": shim, "REDLINE_KILL": self._counts}

    def run(self, *, at: int) -> tuple[int, int]:
        """Put the repository back and run the tool, killed before the call numbered `at`; 0 is not at all.

        Returns how it ended, as a return code, and the calls it made.
        """
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self._copy, self.root, symlinks=True)
        git(self.root, "update-index", "-q", "--refresh", "--ignore-missing")
        with open(self._counts, "wb") as file:
            file.write(_COUNTS.pack(0, at))
        done = subprocess.run(
            self._command, cwd=self.root, env=self._env, process_group=0, capture_output=True, check=False
        )
        with open(self._counts, "rb") as file:
            calls, _ = _COUNTS.unpack(file.read())
        return done.returncode, calls


def kill_peer(folder: str, tool: Tool, shim: str, stride: int) -> Tally:
    """Let the tool die everywhere.

    Raises RuntimeError if it fails undisturbed, or does not die where it should.
    """
    victim = Victim(folder, tool, shim)
    tally = Tally(tool.name)
    code, calls = victim.run(at=0)
    if code != 0:
        raise RuntimeError(f"undisturbed, {tool.name} ended with {code}")
    unharmed = files_of(victim.root)
    tally.notes += _shortfall(unharmed)
    for at in range(1, calls + 1, stride):
        code, _ = victim.run(at=at)
        if code != -signal.SIGKILL:
            raise RuntimeError(f"{tool.name} was to die before call {at} of {calls}, and ended with {code}")
        tally.count(files_of(victim.root), before(), unharmed, litter_of_git(victim.root))
    return tally


def _shortfall(unharmed: dict[str, tuple[int, bytes]]) -> list[str]:
    """What the tool leaves undone even when nothing goes wrong."""
    wanted = after()
    notes = []
    if any(unharmed[path][0] != mode for path, (mode, _) in wanted.items() if path in unharmed):
        notes.append("modes are not changed")
    if unharmed.keys() - wanted.keys():
        notes.append("deletions are not part of it")
    return notes
