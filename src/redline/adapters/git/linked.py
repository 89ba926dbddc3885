"""A linked worktree without files: HEAD, an index of HEAD, and git's objects shared (git-worktree(1))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.adapters.git.discovery import find
from redline.adapters.git.repository import GitRepository
from redline.adapters.git.runner import GitRunner, git_executable
from redline.errors import RepositoryFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.adapters.git.discovery import Repository


class Worktrees:
    """Links worktrees to one repository."""

    def __init__(self, repository: Repository, git: GitRepository) -> None:
        self._repository = repository
        self._git = git
        self._runner = GitRunner(repository.root, git_executable(repository.root), f"--git-dir={repository.git_dir}")

    def link(self, folder: str) -> Linked:
        """Link a new folder, on no branch.

        No file is checked out, so no filter runs. Raises RepositoryFault before the first commit, GitFailed.
        """
        head = self._git.base().head
        if head is None:
            raise RepositoryFault(
                f"{self._repository.root} has no commit yet: there is nothing that a worktree could start from",
                code="NO_COMMIT",
                hint="Make a first commit, for example `git commit --allow-empty`.",
            )
        absolute = {"worktree.useRelativePaths": "false"}
        self._runner.run("worktree", "add", "--quiet", "--no-checkout", "--detach", folder, head, settings=absolute)
        made = find(folder)
        GitRunner(folder, git_executable(folder), f"--git-dir={made.git_dir}").run("read-tree", head)
        return Linked(made.git_dir, GitRepository(made))

    def present(self) -> tuple[str, ...]:
        """All paths that git tracks or does not ignore."""
        return self._git.present()

    def committed(self, paths: Sequence[str]) -> dict[str, bytes]:
        """HEAD's contents of those paths that it has as files, without conversion."""
        asked = [path for path in paths if "\n" not in path]
        stdin = "".join(f"HEAD:{path}\n" for path in asked).encode("utf-8", "surrogateescape")
        _, output = self._runner.run("cat-file", "--batch", stdin=stdin)
        found: dict[str, bytes] = {}
        start = 0
        for path in asked:
            end = output.index(b"\n", start)
            head = output[start:end].split(b" ")
            start = end + 1
            if head[-1] != b"missing":
                size_bytes = int(head[-1])
                found[path] = output[start : start + size_bytes]
                start += size_bytes + 1
        return found


class Linked:
    """One linked worktree; `git_dir` is git's side of it."""

    def __init__(self, git_dir: str, git: GitRepository) -> None:
        self.git_dir = git_dir
        self._git = git

    def present(self) -> tuple[str, ...]:
        """All paths that git tracks there or does not ignore, whatever was done there."""
        return self._git.present()
