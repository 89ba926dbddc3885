"""A copy of the working tree as it is, and what became of the copy.

Bytes are copied by reading, so that each is hashed on the way: no filter runs, and what the copy started from is known
to the byte. A file whose inode, size and times are those of the moment it was copied was not written since: the time
of change cannot be set (utimensat(2)).
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Self

from redline.adapters.worktree import walk
from redline.core.content import Content, Mode
from redline.core.net import NetChange

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from types import TracebackType

_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK_BYTES = 1 << 20
_ALL_BYTES = 1 << 62

Stamp = tuple[int, int, int, int, int]


class Copied(NamedTuple):
    """A file as it was put into the copy; `kept` names its own safe copy, if it has one."""

    sha256: str
    is_executable: bool
    stamp: Stamp
    kept: str | None


class TreeCopy:
    """A copy of some paths of a tree, in a folder that holds none of them yet."""

    def __init__(self, root: str, target: str, base: str) -> None:
        self._stack = ExitStack()
        self._root_fd = self._open(root)
        self._target = target
        self._target_fd = self._open(target)
        self._base = base
        self._files: dict[str, Copied] = {}
        self._links: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def fill(self, paths: Iterable[str], unsafe: Collection[str]) -> tuple[str, ...]:
        """Copy files and links; the paths that could not be copied, such as submodules, are returned.

        Of the `unsafe` ones, which stand nowhere else, a second copy is kept for comparison.
        """
        missing: list[str] = []
        for folder, names in _by_folder(paths):
            source = walk.open_below(self._root_fd, folder)
            if isinstance(source, str):
                missing += [_join(folder, name) for name in names if source != walk.ABSENT]
                continue
            try:
                os.makedirs(self._place(folder), exist_ok=True)
                for name in names:
                    path = _join(folder, name)
                    if not self._copy(source, walk.spelt(name), path, is_unsafe=path in unsafe):
                        missing.append(path)
            finally:
                os.close(source)
        return tuple(sorted(missing))

    def net(self, paths: Iterable[str], committed: Callable[[Sequence[str]], dict[str, bytes]]) -> Iterator[NetChange]:
        """What became of the paths, and of all that was copied, by content.

        What a path was is read from the tree, the safe copy or the last commit: whichever still has it.
        """
        changed = [path for path in sorted({*paths, *self._files, *self._links}) if self._is_touched(path)]
        lost = [path for path in changed if path in self._files and self._before(path) is None]
        commits = committed(lost) if lost else {}
        for path in changed:
            change = self._change(path, commits.get(path))
            if change is not None:
                yield change

    def _open(self, folder: str) -> int:
        fd = walk.open_folder(folder)
        self._stack.callback(os.close, fd)
        return fd

    def _place(self, path: str) -> str:
        return os.path.join(self._target, walk.spelt(path))

    def _copy(self, source_fd: int, name: str, path: str, *, is_unsafe: bool) -> bool:
        """Copy one entry; False if it is neither a file nor a link. What is not there is no loss."""
        try:
            fd = os.open(name, _READ_FLAGS, dir_fd=source_fd)
        except FileNotFoundError:
            return True
        except OSError as error:
            if error.errno not in {errno.ELOOP, errno.EMLINK}:
                return False
            self._links[path] = os.readlink(name, dir_fd=source_fd)
            os.symlink(self._links[path], self._place(path))
            return True
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                return False
            self._files[path] = self._copy_file(fd, status, path, is_unsafe=is_unsafe)
        finally:
            os.close(fd)
        return True

    def _copy_file(self, fd: int, status: os.stat_result, path: str, *, is_unsafe: bool) -> Copied:
        targets = [self._place(path)]
        if is_unsafe:
            targets.append(os.path.join(self._base, str(len(self._files))))
        digest = hashlib.sha256()
        with ExitStack() as stack:
            fds = [os.open(target, _WRITE_FLAGS, stat.S_IMODE(status.st_mode) & 0o777) for target in targets]
            for target_fd in fds:
                stack.callback(os.close, target_fd)
            while chunk := os.read(fd, _CHUNK_BYTES):
                digest.update(chunk)
                for target_fd in fds:
                    _write(target_fd, chunk)
            stamp = _stamp(os.fstat(fds[0]))
        is_executable = bool(status.st_mode & stat.S_IXUSR)
        return Copied(digest.hexdigest(), is_executable, stamp, targets[1] if is_unsafe else None)

    def _is_touched(self, path: str) -> bool:
        try:
            status = os.lstat(self._place(path))
        except OSError:
            return path in self._files or path in self._links
        if path in self._links:
            return not stat.S_ISLNK(status.st_mode) or os.readlink(self._place(path)) != self._links[path]
        return path not in self._files or _stamp(status) != self._files[path].stamp

    def _change(self, path: str, committed: bytes | None) -> NetChange | None:
        """None if the content is what it was after all."""
        found = walk.read(self._target_fd, path, _ALL_BYTES)
        if isinstance(found, str) and found != walk.ABSENT:
            return NetChange(path, None, None, f"{path} is no regular file")
        if path in self._links:
            return NetChange(path, None, None, f"{path} was a symbolic link")
        after = _content(*found) if not isinstance(found, str) else None
        copied = self._files.get(path)
        if copied is None:
            return NetChange(path, None, after) if after is not None else None
        if after is not None and (after.sha256, after.mode.is_executable) == (copied.sha256, copied.is_executable):
            return None
        before = self._before(path)
        if before is None and committed is not None and hashlib.sha256(committed).hexdigest() == copied.sha256:
            before = committed
        if before is None:
            return NetChange(path, None, None, f"{path} was changed here while the command ran, and its text is gone")
        return NetChange(path, _content(before, copied.is_executable), after)

    def _before(self, path: str) -> bytes | None:
        """What was put into the copy: from the tree, if it is there still, or from the safe copy."""
        copied = self._files[path]
        if copied.kept is not None:
            with open(copied.kept, "rb") as file:
                return file.read()
        found = walk.read(self._root_fd, path, _ALL_BYTES)
        if not isinstance(found, str) and hashlib.sha256(found[0]).hexdigest() == copied.sha256:
            return found[0]
        return None


def _content(data: bytes, is_executable: bool) -> Content:  # noqa: FBT001 -- a state
    return Content(data, Mode.EXECUTABLE if is_executable else Mode.REGULAR)


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _write(fd: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(fd, view) :]


def _by_folder(paths: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The names in each folder, so that each folder is opened once."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rstrip("/").rpartition("/")
        folders.setdefault(folder, []).append(name)
    yield from folders.items()


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
