"""What redline asks of a repository: configuration, HEAD, ignore rules, tracked paths."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from redline.adapters.git.runner import GitRunner, git_executable, search_path
from redline.core.committed import CheckoutSettings
from redline.core.content import ObjectFormat
from redline.core.proposal import Base
from redline.errors import GitFailed, RepositoryFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.adapters.git.discovery import Repository
    from redline.core.paths import RepoPath

_WANTED_SETTINGS = (
    r"^(user\.(name|email)|core\.(excludesfile|attributesfile|autocrlf|eol|worktree|pager)|pager\.redline"
    r"|extensions\.objectformat)$"
)
_REPOSITORY_SETTINGS = frozenset({"core.worktree", "extensions.objectformat"})
_OWN_SETTINGS = frozenset({"core.pager", "pager.redline"})
_OWN_SCOPES = frozenset({"system", "global"})
_REPOSITORY_SCOPES = frozenset({"local", "worktree"})
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_LEAST_STEM = 3
SEARCH_S = 3.0
_EXCLUDE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OWN_CONFIGURATION: dict[str, str | None] = {"GIT_CONFIG_GLOBAL": None, "GIT_CONFIG_NOSYSTEM": None}


class GitRepository:
    """One work tree, seen through git. Reads the configuration once, when it is made."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._runner = GitRunner(
            repository.root,
            git_executable(repository.root),
            f"--git-dir={repository.git_dir}",
            f"--work-tree={repository.root}",
        )
        self._search_s = SEARCH_S
        self._refuse_foreign_owner()
        self._settings = self._read_settings()
        self._refuse_redirection()

    @property
    def root(self) -> str:
        """The work tree's folder; agents name files below it absolutely."""
        return self._repository.root

    @property
    def object_format(self) -> ObjectFormat:
        return ObjectFormat(self._settings.get("extensions.objectformat", "sha1"))

    @property
    def person_name(self) -> str:
        return self._settings.get("user.name", "")

    @property
    def person_email(self) -> str:
        return self._settings.get("user.email", "")

    @property
    def pager(self) -> str | None:
        """The shell command that the person wants long output to go through; None if they named none.

        `pager.redline` may be a truth value, as git's `pager.COMMAND` (git-config(1)); an empty command is no pager.
        """
        own, common = self._settings.get("pager.redline"), self._settings.get("core.pager")
        if own is None or own.lower() in _TRUE:
            return common
        return "" if own.lower() in _FALSE else own

    @property
    def program_path(self) -> str:
        """PATH for a program of the person's, without what the repository could put in its way."""
        return os.pathsep.join(search_path(self._repository.root))

    def base(self) -> Base:
        """Where HEAD stands; both sides None where git has no answer."""
        code, head = self._runner.run("rev-parse", "--quiet", "--verify", "HEAD^{commit}", ok=(0, 1, 128))
        named, branch = self._runner.run("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1))
        return Base(
            head.decode().strip() if code == 0 else None,
            branch.decode("utf-8", "replace").strip() if named == 0 else None,
        )

    def ignored(self, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
        """Which of the paths git ignores; a tracked file never is (gitignore(5)).

        git itself fails on paths below a link or in a submodule: refuse those before.
        """
        asked = {path.encode(): path for path in paths}
        _, output = self._runner.run(
            "check-ignore",
            "-z",
            "--stdin",
            stdin=b"".join(path + b"\0" for path in asked),
            ok=(0, 1),
            variables={"GIT_LITERAL_PATHSPECS": None},
            settings={"core.excludesFile": self._excludes_file()},
        )
        return frozenset(asked[path] for path in output.split(b"\0") if path)

    def untracked(self) -> tuple[str, ...]:
        """The files that git neither tracks nor ignores; a repository among them is a folder with `/` at its end."""
        return self._listed("--others")

    def present(self) -> tuple[str, ...]:
        """All paths that git tracks, there or not, and the untracked ones, each once."""
        return tuple(dict.fromkeys(self._listed("--cached", "--others")))

    def _listed(self, *which: str) -> tuple[str, ...]:
        _, output = self._runner.run(
            "ls-files",
            "-z",
            "--exclude-standard",
            *which,
            settings={"core.excludesFile": self._excludes_file()},
        )
        return tuple(path for path in output.decode("utf-8", "surrogateescape").split("\0") if path)

    @property
    def attributes_file(self) -> str:
        """The person's own attributes; whatever they name runs only where it is defined (gitattributes(5))."""
        return self._own_file("core.attributesfile", "attributes")

    @property
    def checkout_settings(self) -> CheckoutSettings:
        autocrlf = self._settings.get("core.autocrlf", "false").lower()
        return CheckoutSettings(autocrlf not in {*_FALSE, "input"}, self._settings.get("core.eol", "").lower())

    def mentions(self, path: RepoPath) -> tuple[str, ...] | None:
        """The other tracked text files that hold the file's name, or its stem, as a word.

        None once all these searches together took too long. git-grep(1) reads the files as they are: it starts no
        filter, and no textconv unless told to.
        """
        if self._search_s <= 0:
            return None
        start = time.monotonic()
        stem = path.name.split(".", 1)[0]
        words = [path.name, *([stem] if len(stem) >= _LEAST_STEM else [])]
        options = [part for word in words for part in ("-e", word)]
        try:
            _, output = self._runner.run(
                "grep", "-z", "-l", "-I", "-w", "-F", "--no-textconv", *options, ok=(0, 1), timeout_s=self._search_s
            )
        except GitFailed as failed:
            if failed.code != "GIT_TIMEOUT":
                raise
            return None
        finally:
            self._search_s -= time.monotonic() - start
        names = (name.decode("utf-8", "surrogateescape") for name in output.split(b"\0") if name)
        return tuple(name for name in names if name != path)

    def excludes_proposals(self) -> bool:
        """Tell whether `git add` leaves `.proposals` alone."""
        code, _ = self._runner.run(
            "check-ignore",
            "--quiet",
            "--",
            ".proposals/journal.sqlite3",
            ok=(0, 1),
            variables={"GIT_LITERAL_PATHSPECS": None},
        )
        return code == 0

    def tracks_proposals(self) -> bool:
        """Tell whether `.proposals` was committed: then it came, or will go, with a clone."""
        _, output = self._runner.run("ls-files", "-z", "--", ".proposals")
        return bool(output)

    def _read_settings(self) -> dict[str, str]:
        """The person's and the repository's own values; `git config` runs no program whatever they say.

        What describes the repository itself counts only in its own files, as in git; what names a program to run for
        the person, only in theirs.
        """
        _, output = self._runner.run(
            "config", "-z", "--show-scope", "--get-regexp", _WANTED_SETTINGS, ok=(0, 1), variables=_OWN_CONFIGURATION
        )
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        settings: dict[str, str] = {}
        for scope, pair in zip(fields[::2], fields[1::2], strict=False):
            key, _, value = pair.partition("\n")
            if key in _REPOSITORY_SETTINGS:
                counts = scope in _REPOSITORY_SCOPES
            else:
                counts = scope in _OWN_SCOPES or (key not in _OWN_SETTINGS and scope in _REPOSITORY_SCOPES)
            if counts:
                settings[key] = value
        return settings

    def _refuse_foreign_owner(self) -> None:
        """Refuse another account's repository unless git itself would take it (git-config(1), safe.directory).

        Naming `--git-dir` skips git's own check, so it is asked without.
        """
        places = (self._repository.root, os.path.join(self._repository.root, ".git"), self._repository.git_dir)
        if all(os.lstat(place).st_uid == os.getuid() for place in places):
            return
        asking = GitRunner(self._repository.root, git_executable(self._repository.root))
        code, _ = asking.run("rev-parse", "--git-dir", ok=(0, 128), variables=_OWN_CONFIGURATION)
        if code != 0:
            raise RepositoryFault(
                f"{self._repository.root} belongs to another account",
                code="REPO_OWNER",
                hint="If you trust it: `git config --global --add safe.directory` with its path.",
            )

    def _refuse_redirection(self) -> None:
        """A submodule's git folder must name its work tree: nothing else ties the two together.

        In a linked worktree git passes over the setting, which is the main one's (git-worktree(1)).
        """
        repository = self._repository
        if repository.git_dir != repository.common_dir:
            return
        elsewhere = self._settings.get("core.worktree")
        is_submodule = os.path.join(repository.root, ".git") != repository.git_dir == repository.common_dir
        if elsewhere is None and not is_submodule:
            return
        target = os.path.realpath(os.path.join(repository.git_dir, elsewhere or ""))
        if target != os.path.realpath(repository.root):
            raise RepositoryFault(
                f"core.worktree sends git from {self._repository.root} to {target}",
                code="REPO_REDIRECTED",
                hint="Remove the setting if it is not yours: `git config --unset core.worktree`.",
            )

    def _excludes_file(self) -> str:
        return self._own_file("core.excludesfile", "ignore")

    def _own_file(self, setting: str, name: str) -> str:
        configured = self._settings.get(setting)
        if configured is not None:
            return os.path.expanduser(configured)
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        return os.path.join(home, "git", name)


def exclude_proposals(repository: Repository) -> None:
    """Keep `.proposals/` out of `git status` and `git add`, once, in the repository's private exclude file.

    Raises RepositoryFault if that file cannot be read and written, or is a link: it could lead anywhere.
    """
    path = os.path.join(repository.common_dir, "info", "exclude")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with os.fdopen(os.open(path, _EXCLUDE_FLAGS, 0o666), "r+b") as file:
            lines = file.read().split(b"\n")
            if b"/.proposals/" not in lines:
                file.write((b"\n" if lines[-1] else b"") + b"/.proposals/\n")
    except OSError as error:
        raise RepositoryFault(
            f"{path} cannot be written: {error.strerror}",
            code="EXCLUDE_UNWRITABLE",
            hint="redline adds the line /.proposals/ there, so that git leaves its journal alone.",
        ) from error
