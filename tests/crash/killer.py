"""The tests' side of the kill harness: a server under the preloaded shim, and a repository that can be put back."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Killer:
    """Starts acts of the person's side in processes of their own and kills them before a call."""

    def __init__(self, shim: str) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.server"],
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": shim},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.communicate()

    def run(
        self,
        act: str,
        case: Case,
        *,
        at: int = 0,
        error: int = 0,
        now: datetime | None = None,
        variant: str = "",
        record: str = "",
    ) -> dict[str, Any]:
        """Do one act; killed before (or failing at) the call numbered `at`, from 1; 0 is not at all.

        A negative `error` is a signal, which arrives just before that call.
        `variant` names a replacement of a part of redline, `record` a file to which the calls are recorded.
        """
        request = case.request(act) | {"at": at, "error": error, "variant": variant, "record": record}
        if now is not None:
            request["now"] = now.isoformat()
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        answer: dict[str, Any] = json.loads(self._server.stdout.readline())
        return answer


@dataclass
class Case:
    """A repository with one pending proposal, as it was and as it is."""

    root: Path
    state: Path
    copy: Path
    proposal: str
    digest: str
    now: datetime
    before: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def request(self, act: str) -> dict[str, Any]:
        """What the server takes: the act, unharmed."""
        return {
            "act": act,
            "root": str(self.root),
            "proposal": self.proposal,
            "digest": self.digest,
            "now": self.now.isoformat(),
            "at": 0,
            "error": 0,
            "variant": "",
            "record": "",
        }

    def freeze(self) -> None:
        """Remember the repository without `.git`, and the person's state."""
        _mirror(self.root, self.copy / "root")
        _mirror(self.state, self.copy / "state")
        self.before = self.everything()

    def restore(self) -> None:
        _mirror(self.copy / "root", self.root)
        _mirror(self.copy / "state", self.state)

    def everything(self) -> dict[str, tuple[int, bytes]]:
        """Files and folders outside `.git` and `.proposals`: path → (permission bits, bytes)."""
        found: dict[str, tuple[int, bytes]] = {}
        for folder, folders, names in os.walk(self.root):
            if folder == str(self.root):
                folders[:] = [name for name in folders if name not in {".git", ".proposals"}]
            for name in [*folders, *names]:
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                data = b""
                if stat.S_ISREG(mode):
                    with open(path, "rb") as file:
                        data = file.read()
                found[os.path.relpath(path, self.root)] = (stat.S_IMODE(mode), data)
        return found

    def leftovers(self) -> list[str]:
        """What a write has left, in `.git` and below `.proposals`, beside the journal and the lock.

        A rollback journal that is no longer hot is SQLite's own to reuse. An index lock stops every git.
        """
        found = [".git/index.lock"] if (self.root / ".git" / "index.lock").exists() else []
        for folder, folders, names in os.walk(self.root / ".proposals"):
            inner = os.path.relpath(folder, self.root / ".proposals")
            found += [os.path.normpath(os.path.join(inner, name)) for name in [*folders, *names]]
        return sorted(set(found) - {"journal.sqlite3", "journal.sqlite3-journal", "lock", "tx", "kept"})


def _mirror(source: Path, target: Path) -> None:
    """Make `target` hold what `source` holds, leaving `.git` alone."""
    if target.exists():
        for entry in os.scandir(target):
            if entry.name != ".git":
                shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
