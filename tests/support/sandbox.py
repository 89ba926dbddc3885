"""A throw-away repository, and redline run on it as a process or in this one."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

BIN = os.path.dirname(sys.executable)


@dataclass(frozen=True)
class Result:
    """How a process ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Sandbox:
    """One repository on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def make(cls, root: Path) -> Sandbox:
        root.mkdir(parents=True)
        made = cls(root)
        made.git("init", "-q")
        made.write("a.txt", b"one\ntwo\nthree\n")
        made.write("src/b.py", b"def b():\n    return 1\n")
        made.git("add", ".")
        made.git("commit", "-q", "-m", "start")
        return made

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return subprocess.run(["git", *arguments], cwd=self.root, input=stdin, check=True, capture_output=True).stdout

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o755 if executable else 0o644)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def redline(self, *arguments: str, stdin: bytes = b"", folder: Path | None = None, **env: str) -> Result:
        """Run `redline` as a process of its own, without a controlling terminal."""
        return self._run("redline", arguments, stdin, folder, env)

    def agent(self, *arguments: str, stdin: bytes = b"", folder: Path | None = None, **env: str) -> Result:
        """Run `redline-agent` as a process of its own."""
        return self._run("redline-agent", arguments, stdin, folder, env)

    def propose(self, text: bytes | dict[str, object], *options: str) -> str:
        """Propose and return the proposal's id."""
        data = text if isinstance(text, bytes) else json.dumps(text).encode()
        result = self.redline("propose", "--json", *options, stdin=data)
        assert result.code == 0, (result.out, result.err)
        proposal: str = result.json["proposal"]
        self.check_patch(proposal)
        return proposal

    def check_patch(self, proposal: str) -> None:
        """`show --patch` is what `git apply` takes, for every proposal of the suite."""
        patch = self.redline("show", proposal, "--patch").out
        self.git("apply", "--check", "--whitespace=nowarn", "-", stdin=patch)

    def confirm(self, proposal: str) -> Result:
        """Confirm by digest; only after `allow_level_none`."""
        digest = self.redline("show", proposal, "--json").json["digest"]
        return self.redline("confirm", proposal, "--digest", digest, "--json")

    def allow_level_none(self) -> None:
        """The person's own configuration lets a digest stand for a look."""
        folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "redline")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write('[confirm]\nlevel = "none"\n')

    def tree(self) -> dict[str, tuple[int, bytes]]:
        """Every file outside `.git` and `.proposals`: path → (permission bits, bytes, for a link its target)."""
        return dict(self._files(skip=(".git", ".proposals")))

    def git_state(self) -> dict[str, tuple[int, bytes]]:
        """Every file of `.git`: HEAD, index, config, objects, the lot."""
        return {path: state for path, state in self._files(skip=(".proposals",)) if path.startswith(".git/")}

    def _files(self, skip: tuple[str, ...]) -> list[tuple[str, tuple[int, bytes]]]:
        found = []
        for folder, folders, names in os.walk(self.root):
            if folder == str(self.root):
                folders[:] = [name for name in folders if name not in skip]
            for name in names:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                if stat.S_ISLNK(status.st_mode):
                    data = os.fsencode(os.readlink(path))
                elif stat.S_ISREG(status.st_mode):
                    with open(path, "rb") as file:
                        data = file.read()
                else:
                    data = b""
                found.append((os.path.relpath(path, self.root), (stat.S_IMODE(status.st_mode), data)))
        return sorted(found)

    def _run(
        self, program: str, arguments: tuple[str, ...], stdin: bytes, folder: Path | None, env: dict[str, str]
    ) -> Result:
        done = subprocess.run(
            [os.path.join(BIN, program), *arguments],
            cwd=folder or self.root,
            input=stdin,
            capture_output=True,
            env={**os.environ, **env},
            start_new_session=True,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def edit(*edits: dict[str, object], reason: str = "because") -> dict[str, object]:
    """A native edit document."""
    return {"schema": "redline.edit/1", "reason": reason, "edits": list(edits)}


def replace(path: str, before: str, after: str, count: int = 1) -> dict[str, object]:
    return {"op": "replace", "path": path, "before": before, "after": after, "count": count}


def write(path: str, content: str, **more: object) -> dict[str, object]:
    return {"op": "write", "path": path, "content": content, **more}
