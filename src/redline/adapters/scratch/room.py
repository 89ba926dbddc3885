"""Throw-away folders below the person's state, each with a lock that lives as long as what runs in it.

runs/lock           held while a room is made, and while what dead ones left is removed
runs/NAME/lock      held by redline, and through inheritance by the command and its children (flock(2))
runs/NAME/tree      the linked worktree
runs/NAME/base      what could not be found anywhere else, should the person change it meanwhile
runs/NAME/link      where git keeps its side of the worktree, which is removed first
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from redline.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_INTERRUPTED_BY_SHELL = 128 + signal.SIGINT


class Rooms:
    """The throw-away folders of one account."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.realpath(folder)

    @contextmanager
    def open(self) -> Iterator[Room]:
        """Make a room and remove it, whatever happens; first those whose processes are all dead."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with _locked(os.path.join(self._folder, "lock")):
            self._sweep()
            room = Room(tempfile.mkdtemp(prefix="run-", dir=self._folder))
        try:
            yield room
        finally:
            room.close()

    def _sweep(self) -> None:
        for entry in os.scandir(self._folder):
            if not entry.is_dir(follow_symlinks=False):
                continue
            with suppress(BlockingIOError), _locked(os.path.join(entry.path, "lock"), fcntl.LOCK_NB):
                _remove(entry.path)


class Room:
    """One throw-away folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock_fd = os.open(os.path.join(folder, "lock"), _LOCK_FLAGS, 0o600)
        fcntl.flock(self._lock_fd, fcntl.LOCK_EX)
        self.tree = os.path.join(folder, "tree")
        self.base = os.path.join(folder, "base")
        os.mkdir(self.base)

    def note_link(self, git_dir: str) -> None:
        """Remember git's side of the worktree, for whoever removes this room."""
        with open(os.path.join(self._folder, "link"), "x", encoding="utf-8", errors="surrogateescape") as file:
            file.write(git_dir)

    def run(self, command: Sequence[str], inner: str, *, quietly: bool) -> int:
        """Run a command in a folder of the tree and return its exit code, negative for the signal that ended it.

        It has the person's terminal and environment, but nothing that would lead git elsewhere. `quietly` sends its
        standard output where errors go. Raises KeyboardInterrupt if it was interrupted, UsageFault if it cannot be run.
        """
        folder = os.path.join(self.tree, inner)
        os.makedirs(folder, exist_ok=True)
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        with _forwarding() as (forward_to, has_come):
            try:
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env={**own, "PWD": folder},
                    stdout=2 if quietly else None,
                    pass_fds=(self._lock_fd,),
                )
            except OSError as error:
                raise UsageFault(
                    f"{command[0]} cannot be run: {error.strerror}",
                    code="COMMAND_UNRUNNABLE",
                    hint="The copy has no ignored files: name a program on PATH, or one that git does not ignore.",
                ) from error
            forward_to(process)
            code = process.wait()
        if has_come() and code in {-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, _INTERRUPTED_BY_SHELL}:
            raise KeyboardInterrupt
        return code

    def close(self) -> None:
        """Remove everything; what the system refuses to remove is left to the next room."""
        _remove(self._folder)
        os.close(self._lock_fd)


@contextmanager
def _forwarding() -> Iterator[tuple[Callable[[subprocess.Popen[bytes]], None], Callable[[], bool]]]:
    """Outlive the signals that are meant for a command: Ctrl-C reaches it through the terminal, others are handed on.

    Handlers, unlike an ignored signal, are not inherited by the command (execve(2)).
    """
    come: list[int] = []
    processes: list[subprocess.Popen[bytes]] = []

    def note(number: int, _: FrameType | None) -> None:
        come.append(number)
        if number != signal.SIGINT:
            for process in processes:
                process.send_signal(number)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    earlier = {number: handler for number, handler in handlers.items() if handler is not signal.SIG_IGN}
    for number in earlier:
        signal.signal(number, note)
    try:
        yield processes.append, lambda: bool(come)
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


@contextmanager
def _locked(path: str, extra: int = 0) -> Iterator[None]:
    """Hold a lock for the block. Raises BlockingIOError with LOCK_NB if somebody lives."""
    fd = os.open(path, _LOCK_FLAGS, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | extra)
        yield
    finally:
        os.close(fd)


def _remove(folder: str) -> None:
    """Git's side goes first: a worktree without it is only a folder, while git would name one without a folder."""
    tree = os.path.join(folder, "tree")
    for name, prefix in (("link", ""), (os.path.join("tree", ".git"), "gitdir: ")):
        with suppress(OSError):
            git_dir = _line(os.path.join(folder, name)).removeprefix(prefix)
            if os.path.realpath(_line(os.path.join(git_dir, "gitdir"))) == os.path.join(tree, ".git"):
                _remove_tree(git_dir)
    _remove_tree(folder)


def _line(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read().rstrip("\n")


def _remove_tree(folder: str) -> None:
    """Remove a folder, also what a command left read-only in it."""
    try:
        shutil.rmtree(folder)
    except OSError:
        for above, folders, _ in os.walk(folder):
            for name in folders:
                if not os.path.islink(os.path.join(above, name)):
                    os.chmod(os.path.join(above, name), stat.S_IRWXU)
        shutil.rmtree(folder, ignore_errors=True)
