"""Read the working tree: raw bytes, never through a link, never through a filter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from redline.adapters.worktree import walk
from redline.core.content import Content, Mode, Sighting
from redline.core.drift import Footing, Irregular
from redline.errors import EnvironmentFault, LimitExceeded

if TYPE_CHECKING:
    from redline.core.paths import RepoPath

_IRREGULAR = {
    walk.SYMLINK: Irregular.SYMLINK,
    walk.FOLDER: Irregular.FOLDER,
    walk.SPECIAL: Irregular.SPECIAL,
    walk.BELOW_SYMLINK: Irregular.BELOW_SYMLINK,
    walk.BELOW_FILE: Irregular.BELOW_FILE,
    walk.NESTED_REPOSITORY: Irregular.NESTED_REPOSITORY,
}
_NO_LIMIT_BYTES = 1 << 62


class Tree:
    """The files below a repository's root."""

    def __init__(self, root: str) -> None:
        self._root_fd = walk.open_folder(root)

    def close(self) -> None:
        os.close(self._root_fd)

    def survey(self, path: RepoPath) -> Footing:
        """Tell how a path stands, without opening what is there.

        Raises EnvironmentFault if that cannot be found out.
        """
        try:
            found = walk.survey(self._root_fd, path)
        except OSError as error:
            raise _unreadable(path, error) from error
        return Footing(_IRREGULAR.get(found.kind), found.link_count, found.is_read_only)

    def read(self, path: RepoPath, *, max_bytes: int = _NO_LIMIT_BYTES) -> Content | Irregular | None:
        """Read what stands at the path now; None where there is nothing.

        Raises LimitExceeded if the file is longer than `max_bytes`, EnvironmentFault if it cannot be read.
        """
        try:
            found = walk.read(self._root_fd, path, max_bytes)
        except OSError as error:
            raise _unreadable(path, error) from error
        if isinstance(found, str):
            return _IRREGULAR.get(found)
        data, is_executable = found
        if len(data) > max_bytes:
            raise LimitExceeded(
                f"{path} is larger than {max_bytes} bytes",
                hint="Raise `[limits] file_mib` in your own configuration if such files are to be edited.",
                details={"path": str(path), "limit_bytes": max_bytes},
            )
        return Content(data, Mode.EXECUTABLE if is_executable else Mode.REGULAR)

    def look(self, path: RepoPath) -> Sighting | Irregular | None:
        """Identify what stands at the path now, without holding its bytes; None where there is nothing.

        Raises EnvironmentFault if it cannot be read.
        """
        try:
            entry = walk.look(self._root_fd, path)
        except OSError as error:
            raise _unreadable(path, error) from error
        if entry.kind != walk.FILE:
            return _IRREGULAR.get(entry.kind)
        return Sighting(entry.sha256, Mode.EXECUTABLE if entry.is_executable else Mode.REGULAR, entry.size_bytes)


def _unreadable(path: RepoPath, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"{path} cannot be read: {error.strerror}",
        code="FILE_UNREADABLE",
        hint="Check the permissions of the file and of its folders.",
        details={"path": str(path)},
    )
