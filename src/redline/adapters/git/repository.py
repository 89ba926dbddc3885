"""What redline asks of a repository: configuration, HEAD, ignore rules, tracked paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from redline.adapters.git.runner import GitRunner, git_executable
from redline.core.content import ObjectFormat
from redline.core.proposal import Base
from redline.errors import RepositoryFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.adapters.git.discovery import Repository
    from redline.core.paths import RepoPath

_WANTED_SETTINGS = r"^(user\.(name|email)|core\.(excludesfile|worktree)|extensions\.objectformat)$"
_OWN_CONFIGURATION: dict[str, str | None] = {"GIT_CONFIG_GLOBAL": None, "GIT_CONFIG_NOSYSTEM": None}


class GitRepository:
    """One work tree, seen through git. Reads the configuration once, when it is made."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._runner = GitRunner(repository.root, git_executable(repository.root))
        self._settings = self._read_settings()
        self._refuse_redirection()

    @property
    def object_format(self) -> ObjectFormat:
        return ObjectFormat(self._settings.get("extensions.objectformat", "sha1"))

    @property
    def person_name(self) -> str:
        return self._settings.get("user.name", "")

    @property
    def person_email(self) -> str:
        return self._settings.get("user.email", "")

    def base(self) -> Base:
        """Where HEAD stands; both sides None where git has no answer."""
        code, head = self._run("rev-parse", "--quiet", "--verify", "HEAD^{commit}", ok=(0, 1, 128))
        named, branch = self._run("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1))
        return Base(
            head.decode().strip() if code == 0 else None,
            branch.decode("utf-8", "replace").strip() if named == 0 else None,
        )

    def ignored(self, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
        """Which of the paths git ignores; a tracked file never is (gitignore(5))."""
        asked = {path.encode(): path for path in paths}
        _, output = self._run(
            "-c",
            f"core.excludesFile={self._excludes_file()}",
            "check-ignore",
            "-z",
            "--stdin",
            stdin=b"".join(path + b"\0" for path in asked),
            ok=(0, 1),
            variables={"GIT_LITERAL_PATHSPECS": None},
        )
        return frozenset(asked[path] for path in output.split(b"\0") if path)

    def tracks_proposals(self) -> bool:
        """Tell whether `.proposals` was committed: then it came, or will go, with a clone."""
        _, output = self._run("ls-files", "-z", "--", ".proposals")
        return bool(output)

    def _run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        ok: tuple[int, ...] = (0,),
        variables: dict[str, str | None] | None = None,
    ) -> tuple[int, bytes]:
        return self._runner.run(
            f"--git-dir={self._repository.git_dir}",
            f"--work-tree={self._repository.root}",
            *arguments,
            stdin=stdin,
            ok=ok,
            variables=variables,
        )

    def _read_settings(self) -> dict[str, str]:
        """The person's and the repository's own values; `git config` runs no program whatever they say."""
        _, output = self._run("config", "-z", "--get-regexp", _WANTED_SETTINGS, ok=(0, 1), variables=_OWN_CONFIGURATION)
        pairs = (entry.decode("utf-8", "surrogateescape").partition("\n") for entry in output.split(b"\0") if entry)
        return {key: value for key, _, value in pairs}

    def _refuse_redirection(self) -> None:
        elsewhere = self._settings.get("core.worktree")
        if elsewhere is None:
            return
        target = os.path.realpath(os.path.join(self._repository.git_dir, elsewhere))
        if target != os.path.realpath(self._repository.root):
            raise RepositoryFault(
                f"core.worktree sends git from {self._repository.root} to {target}",
                code="REPO_REDIRECTED",
                hint="Remove the setting if it is not yours: `git config --unset core.worktree`.",
            )

    def _excludes_file(self) -> str:
        configured = self._settings.get("core.excludesfile")
        if configured is not None:
            return os.path.expanduser(configured)
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        return os.path.join(home, "git", "ignore")


def exclude_proposals(repository: Repository) -> None:
    """Keep `.proposals/` out of `git status` and `git add`, once, in the repository's private exclude file."""
    path = os.path.join(repository.common_dir, "info", "exclude")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    if "/.proposals/" in text.split("\n"):
        return
    with open(path, "a", encoding="utf-8", newline="") as file:
        file.write(("" if not text or text.endswith("\n") else "\n") + "/.proposals/\n")
