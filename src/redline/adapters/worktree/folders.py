"""The folders that one operation touches: each is walked to once and stays open until the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from redline.adapters import durable
from redline.adapters.worktree import walk

if TYPE_CHECKING:
    from types import TracebackType

    from redline.core.paths import RepoPath


class Folders:
    """Open folders below a root, by path. What they hold is reached relative to them, whatever they are called now."""

    def __init__(self, root_fd: int) -> None:
        self._root_fd = root_fd
        self._fds: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for fd in self._fds.values():
            os.close(fd)

    def holding(self, path: str) -> tuple[int, str] | str:
        """The open folder that holds the path, and the path's last component; or the kind of the obstacle."""
        above, _, name = path.rpartition("/")
        found = self._open(above)
        return found if isinstance(found, str) else (found, walk.spelt(name))

    def nearest(self, path: RepoPath) -> int:
        """The innermost folder above the path that exists, open."""
        above = (self._open(folder) for folder in (*reversed(path.parents), ""))
        return next(found for found in above if not isinstance(found, str))

    def sync(self) -> None:
        """Make the entries of every folder durable."""
        for fd in self._fds.values():
            durable.sync(fd)

    def moved(self) -> str | None:
        """The path of a folder that is not to be found there any more."""
        for path, fd in self._fds.items():
            again = walk.open_below(self._root_fd, path)
            if isinstance(again, str):
                return path
            try:
                if not os.path.sameopenfile(fd, again):
                    return path
            finally:
                os.close(again)
        return None

    def _open(self, path: str) -> int | str:
        known = self._fds.get(path)
        if known is not None:
            return known
        found = walk.open_below(self._root_fd, path)
        if not isinstance(found, str):
            self._fds[path] = found
        return found
