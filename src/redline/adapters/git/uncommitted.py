"""Where the working tree may differ from HEAD, and HEAD's contents, without running a configured program.

Comparing a file with git's index can run its clean filter. So git is given a folder of our own: the repository's
objects and index, but none of its configuration, and so no filter that could run (gitattributes(5),
gitrepository-layout(5)). What is listed may be equal after all: the caller compares.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from redline.adapters.git.runner import GitRunner, git_executable
from redline.core.committed import Blob, Candidate, Committed, EntryKind, conversion_of
from redline.core.content import ObjectFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.adapters.git.discovery import Repository
    from redline.adapters.git.repository import GitRepository

_EMPTY_TREE = {
    ObjectFormat.SHA1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ObjectFormat.SHA256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_CONFIG = {
    ObjectFormat.SHA1: "[core]\n\trepositoryformatversion = 0\n",
    ObjectFormat.SHA256: "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n",
}
_ATTRIBUTES = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
_COMPARE = ("-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=dirty")
_ABSENT_MODE = "000000"


class Uncommitted:
    """One work tree against its HEAD. HEAD is looked up once, when this is made."""

    def __init__(self, repository: Repository, git: GitRepository) -> None:
        self._repository = repository
        self._git = git
        self._head = git.base().head or _EMPTY_TREE[git.object_format]

    def candidates(self) -> tuple[Candidate, ...]:
        """Every path that may differ from HEAD, tracked or not, sorted; ignored files never.

        An untracked repository below this one is named as a folder, with `/` at its end. Raises GitFailed.
        """
        with self._own_git_dir() as run:
            unmerged = frozenset(line.partition("\t")[2] for line in _text(run("ls-files", "-z", "--unmerged")))
            listed = _candidates(_text(run("diff-index", *_COMPARE, self._head)), unmerged)
            found = {candidate.path: candidate for candidate in listed}
        for path in self._git.untracked():
            found.setdefault(path, Candidate(path, None))
        return tuple(found[path] for path in sorted(found))

    def staged_count(self) -> int:
        """How many paths of the index differ from HEAD."""
        with self._own_git_dir() as run:
            return run("diff-index", "--cached", *_COMPARE, self._head).count(b"\0") // 2

    def blobs(self, wanted: Sequence[tuple[str, Committed]]) -> dict[str, Blob]:
        """The committed contents by path, and what a checkout of HEAD would do to them.

        Raises GitFailed.
        """
        with self._own_git_dir() as run:
            attributes = _attributes(run, self._head, [path for path, _ in wanted])
            oids = "".join(f"{committed.oid}\n" for _, committed in wanted)
            contents = _contents(run("cat-file", "--batch", stdin=oids.encode()))
        settings = self._git.checkout_settings
        return {
            path: Blob(data, conversion_of(attributes[path], settings, data))
            for (path, _), data in zip(wanted, contents, strict=True)
        }

    @contextmanager
    def _own_git_dir(self) -> Iterator[_Run]:
        from tempfile import TemporaryDirectory  # noqa: PLC0415 -- start-up: most commands look at no commit

        repository = self._repository
        with TemporaryDirectory(prefix="redline-") as folder:
            for name in ("refs", "objects", "info"):
                os.mkdir(os.path.join(folder, name))
            for name, text in (("HEAD", "ref: refs/heads/none\n"), ("config", _CONFIG[self._git.object_format])):
                with open(os.path.join(folder, name), "x", encoding="ascii") as file:
                    file.write(text)
            for name in _borrowed(repository.git_dir):
                os.symlink(os.path.join(repository.git_dir, name), os.path.join(folder, name))
            os.symlink(os.path.join(repository.common_dir, "info", "attributes"), os.path.join(folder, *_OWN_RULES))
            yield _Run(folder, repository, self._git.attributes_file)


_OWN_RULES = ("info", "attributes")


def _borrowed(git_dir: str) -> Iterator[str]:
    """The parts that a split index consists of (git-update-index(1))."""
    return (name for name in os.listdir(git_dir) if name.startswith("sharedindex."))


class _Run:
    """git with the repository's objects and index in a git folder that is ours."""

    def __init__(self, folder: str, repository: Repository, attributes_file: str) -> None:
        self.own_index = os.path.join(folder, "index")
        self._runner = GitRunner(
            repository.root,
            git_executable(repository.root),
            f"--git-dir={folder}",
            f"--work-tree={repository.root}",
        )
        self._variables: dict[str, str | None] = {
            "GIT_OBJECT_DIRECTORY": os.path.join(repository.common_dir, "objects"),
            "GIT_INDEX_FILE": os.path.join(repository.git_dir, "index"),
            "GIT_ATTR_NOSYSTEM": None,
        }
        self._settings = {"core.attributesFile": attributes_file}

    def __call__(self, command: str, *arguments: str, stdin: bytes = b"", index: str | None = None) -> bytes:
        variables = {**self._variables, **({"GIT_INDEX_FILE": index} if index is not None else {})}
        _, output = self._runner.run(command, *arguments, stdin=stdin, variables=variables, settings=self._settings)
        return output


def _text(output: bytes) -> list[str]:
    """The fields of what git prints with -z."""
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _candidates(fields: list[str], unmerged: frozenset[str]) -> Iterator[Candidate]:
    """Read what diff-index prints: `:mode mode oid oid status`, then the path (git-diff-index(1))."""
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        mode, _, oid, _, _ = head.removeprefix(":").split(" ")
        committed = Committed(EntryKind(mode), oid) if mode != _ABSENT_MODE else None
        yield Candidate(path, committed, path in unmerged)


def _attributes(run: _Run, head: str, paths: Sequence[str]) -> dict[str, dict[str, str]]:
    """What a checkout of HEAD would obey: HEAD's attributes, the person's own and the repository's private ones."""
    run("read-tree", head, index=run.own_index)
    asked = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    fields = _text(run("check-attr", "--cached", "-z", "--stdin", *_ATTRIBUTES, stdin=asked, index=run.own_index))
    found: dict[str, dict[str, str]] = {path: {} for path in paths}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        found[path][name] = value
    return found


def _contents(output: bytes) -> Iterator[bytes]:
    """Read what `cat-file --batch` prints: `oid type size`, then as many bytes (git-cat-file(1))."""
    start = 0
    while start < len(output):
        end = output.index(b"\n", start)
        size_bytes = int(output[start:end].rsplit(b" ", 1)[1])
        yield output[end + 1 : end + 1 + size_bytes]
        start = end + 1 + size_bytes + 1
