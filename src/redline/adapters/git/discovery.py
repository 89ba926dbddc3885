"""Find the repository that a folder belongs to, by looking at files alone: no git process, no GitPython.

The root is the folder that contains `.git`; what a repository's own configuration says of its work tree is not
obeyed (gitrepository-layout(5), git-worktree(1)).
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from redline.errors import RepositoryFault

_MAX_POINTER_BYTES = 4096


class Repository(NamedTuple):
    """Absolute paths: the work tree, its git folder, and the folder that linked worktrees share."""

    root: str
    git_dir: str
    common_dir: str

    @property
    def proposals(self) -> str:
        return os.path.join(self.root, ".proposals")


def find(start: str) -> Repository:
    """Find the repository of a folder, walking up.

    Raises RepositoryFault where there is none, or only a bare one, or one that does not point back.
    """
    folder = os.path.realpath(start)
    if not os.path.isdir(folder):
        raise RepositoryFault(f"{start} is no folder", hint="Check the path given with -C.")
    while True:
        entry = os.path.join(folder, ".git")
        if os.path.lexists(entry):
            return _open(folder, entry)
        if _is_git_dir(folder):
            _refuse_git_dir(folder)
        above = os.path.dirname(folder)
        if above == folder:
            raise RepositoryFault(
                f"{os.path.realpath(start)} is not in a git repository",
                hint="Go into one, name one with -C, or make one with `git init`.",
            )
        folder = above


def _refuse_git_dir(folder: str) -> None:
    if os.path.basename(folder) == ".git":
        raise RepositoryFault(
            f"{folder} is a repository's .git folder, not its work tree",
            hint="Go one folder up.",
        )
    raise RepositoryFault(
        f"{folder} is a bare repository: it has no files to change",
        code="BARE_REPOSITORY",
        hint="Run redline in a clone or in a linked worktree of it.",
    )


def _open(root: str, entry: str) -> Repository:
    mode = os.lstat(entry).st_mode
    if stat.S_ISDIR(mode):
        if not _is_git_dir(entry):
            raise RepositoryFault(f"{entry} is no git folder", hint="Repair the repository, or run `git init`.")
        if os.path.lexists(os.path.join(entry, "commondir")):
            raise _redirected(entry, _common_dir(entry))
        return Repository(root, entry, entry)
    if stat.S_ISREG(mode):
        return _open_pointer(root, entry)
    raise RepositoryFault(
        f"{entry} is a link or a special file",
        code="REPO_REDIRECTED",
        hint="Run redline in the work tree that the repository itself names.",
    )


def _open_pointer(root: str, entry: str) -> Repository:
    """Follow a `.git` file of a linked worktree or a submodule, if its target names this work tree in turn."""
    text = _read(entry)
    if not text.startswith("gitdir: "):
        raise RepositoryFault(f"{entry} is no git pointer file", hint="Repair it with `git worktree repair`.")
    git_dir = os.path.realpath(os.path.join(root, text.removeprefix("gitdir: ").rstrip("\n")))
    back = os.path.join(git_dir, "gitdir")
    if os.path.isfile(back):
        points_back = os.path.realpath(os.path.join(git_dir, _read(back).rstrip("\n")))
        common_dir = _common_dir(git_dir)
        if points_back == os.path.realpath(entry) and os.path.dirname(git_dir) == os.path.join(common_dir, "worktrees"):
            return Repository(root, git_dir, common_dir)
    elif _is_git_dir(git_dir) and f"{os.sep}modules{os.sep}" in git_dir:
        return Repository(root, git_dir, git_dir)
    raise _redirected(entry, git_dir)


def _redirected(entry: str, target: str) -> RepositoryFault:
    return RepositoryFault(
        f"{entry} points to {target}, which does not point back",
        code="REPO_REDIRECTED",
        hint="If you moved the worktree, run `git worktree repair` in the main one.",
    )


def _common_dir(git_dir: str) -> str:
    pointer = os.path.join(git_dir, "commondir")
    if not os.path.isfile(pointer):
        return git_dir
    return os.path.realpath(os.path.join(git_dir, _read(pointer).rstrip("\n")))


def _is_git_dir(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, "HEAD")) and (
        os.path.isfile(os.path.join(folder, "commondir"))
        or (os.path.isdir(os.path.join(folder, "objects")) and os.path.isdir(os.path.join(folder, "refs")))
    )


def _read(path: str) -> str:
    """Read a pointer; what cannot be a path reads as nothing, which points nowhere."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise RepositoryFault(
            f"{path} cannot be read: {error.strerror}", hint="Check its permissions; git keeps a plain file there."
        ) from error
    try:
        text = os.fsdecode(os.read(fd, _MAX_POINTER_BYTES))
    finally:
        os.close(fd)
    return "" if "\0" in text else text
