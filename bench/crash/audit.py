"""What a death has left: each file compared with what it was before and with what it would have become."""

from __future__ import annotations

import os
import stat
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.crash.change import Files

_OUTSIDE = {".git", ".proposals"}


@dataclass
class Tally:
    """The deaths of one tool, counted by what they left. A row of the table.

    `half`: neither all before nor all after. `missing`: a file is gone that exists both before and after. `torn`: a
    file's bytes are neither the old nor the new ones. `left`: names of files that belong to no state.
    """

    tool: str
    deaths: int = 0
    half: int = 0
    missing: int = 0
    torn: int = 0
    all_before: int = 0
    all_after: int = 0
    left: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def count(self, found: Files, before: Files, after: Files, litter: set[str]) -> None:
        """Count one death."""
        self.deaths += 1
        known = before.keys() | after.keys()
        is_before, is_after = found == before, found == after
        self.all_before += is_before
        self.all_after += is_after and not is_before
        without_strangers = {path: state for path, state in found.items() if path in known}
        self.half += without_strangers not in (before, after)
        self.missing += any(path not in found for path in before.keys() & after.keys())
        self.torn += any(_is_torn(path, found, before, after) for path in without_strangers)
        strangers = {_kind_of_stranger(path) for path in found.keys() - known}
        for name in strangers | litter:
            self.left[name] = self.left.get(name, 0) + 1

    @property
    def record(self) -> dict[str, Any]:
        return asdict(self)


def files_of(root: str) -> Files:
    """The tree's files, without git's and redline's own."""
    found: Files = {}
    for folder, folders, names in os.walk(root):
        if folder == root:
            folders[:] = [name for name in folders if name not in _OUTSIDE]
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = (stat.S_IMODE(os.lstat(path).st_mode), file.read())
    return found


def litter_of_git(root: str) -> set[str]:
    """Locks and temporary files below `.git`: names that stand for one kind each."""
    found = set()
    for _, _, names in os.walk(os.path.join(root, ".git")):
        found |= {name for name in names if name.endswith(".lock")}
        found |= {"temporary object" for name in names if name.startswith("tmp_")}
    return found


def _is_torn(path: str, found: Files, before: Files, after: Files) -> bool:
    return found[path][1] not in {side[path][1] for side in (before, after) if path in side}


def _kind_of_stranger(path: str) -> str:
    """A tool's temporary names differ from run to run."""
    return {".orig": "backup (.orig)", ".rej": "reject (.rej)"}.get(os.path.splitext(path)[1], "temporary file")
