"""The stage of the demo: a throw-away repository with a home of its own, and redline run on it as a person would."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from git import Repo

if TYPE_CHECKING:
    from collections.abc import Callable

_PROMPT_END = b"pending: "
_SETTLE_S = 0.15
_REPEAT_S = 1.5
_PATIENCE_S = 30.0


class Stage:
    """One repository under a temporary folder; every child process sees only that folder as its home."""

    def __init__(self, folder: str) -> None:
        self.root = os.path.join(folder, "sample")
        home = os.path.join(folder, "home")
        os.makedirs(home)
        self._environment = {
            **os.environ,
            "HOME": home,
            "XDG_CONFIG_HOME": os.path.join(home, "config"),
            "XDG_STATE_HOME": os.path.join(home, "state"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }

    def write(self, path: str, text: str) -> None:
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path: str) -> str:
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def commit_all(self, name: str, email: str) -> None:
        """Make a repository of the files written so far, with the person's name in its configuration."""
        with Repo.init(self.root, initial_branch="main") as repository:
            repository.git.update_environment(**self._environment)
            with repository.config_writer() as configuration:
                configuration.set_value("user", "name", name)
                configuration.set_value("user", "email", email)
            repository.git.add(".")
            repository.git.commit("--quiet", "--message=start")

    def redline(self, *arguments: str, program: str = "redline") -> tuple[int, str]:
        """Run one command without a terminal; its exit code and all it said."""
        done = subprocess.run(
            self._command(program, arguments),
            cwd=self.root,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def at_terminal(
        self, *arguments: str, answers: tuple[str, ...], watch: Callable[[], bool] | None = None
    ) -> tuple[int, str]:
        """Run one command on a pseudo-terminal, answering its questions in turn.

        With `watch`, kill -9 the process as soon as the question is answered and `watch()` is true.
        """
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.root)
            command = self._command("redline", arguments)
            os.execve(command[0], command, self._environment)  # noqa: S606 -- constant arguments
        try:
            said = self._converse(fd, list(answers), pid, watch)
        finally:
            os.close(fd)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), said.replace(b"\r\n", b"\n").decode("utf-8", "replace")

    def _converse(self, fd: int, answers: list[str], pid: int, watch: Callable[[], bool] | None) -> bytes:
        """Read until the process is gone; answer once it has asked, and again if it did not hear.

        The program throws away what was typed before its question stood, as it should: an answer may come too early.
        """
        said = b""
        given = 0
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            chunk = _read(fd, _SETTLE_S if given < len(answers) else _REPEAT_S)
            if chunk is None:
                break
            said += chunk
            asks = given < len(answers) and said.endswith(_PROMPT_END)
            if chunk or not (asks or given):
                continue
            given += asks
            os.write(fd, answers[given - 1].encode() + b"\n")
            if watch is not None and _kill_when(watch, pid):
                break
        return said

    def _command(self, program: str, arguments: tuple[str, ...]) -> list[str]:
        module = {"redline": "redline", "redline-agent": "redline.frontends.agent"}[program]
        return [sys.executable, "-m", module, *arguments]


def _read(fd: int, timeout_s: float) -> bytes | None:
    """The next output, empty if there was none in time, None at its end (a pseudo-terminal answers EIO)."""
    ready, _, _ = select.select([fd], [], [], timeout_s)
    if not ready:
        return b""
    try:
        return os.read(fd, 65536) or None
    except OSError:
        return None


def _kill_when(watch: Callable[[], bool], pid: int) -> bool:
    """Kill the process as soon as `watch` sees what it waits for; False if that does not come in time."""
    deadline = time.monotonic() + _REPEAT_S
    while time.monotonic() < deadline:
        if watch():
            os.kill(pid, signal.SIGKILL)
            return True
    return False
