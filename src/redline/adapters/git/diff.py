"""The diff engine: `git diff --no-index` over two private folders, one process for a whole proposal.

Files are stored there under numbers, so that neither a proposed `.gitattributes` nor a strange name can speak, and
the process sees no repository (git-diff(1)).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from redline.adapters.git.runner import GitRunner, git_executable
from redline.core.hunks import FileDiff
from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from redline.core.change import Change
    from redline.core.content import FileState
    from redline.core.paths import RepoPath

_OPTIONS = (
    "--no-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-indent-heuristic",
    "--diff-algorithm=histogram",
    "--binary",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_SECTION = b"diff --git "
_MEMORY = "/dev/shm"  # noqa: S108 -- a private folder in it, as in any other for temporary files
_MOST_IN_MEMORY_BYTES = 16 * 1024 * 1024
_BINARY = b"GIT binary patch"


class DiffEngine:
    """Compares the two sides of changes."""

    def __init__(self, root: str) -> None:
        self._root = root

    def compare(self, changes: Iterable[Change], contents: Callable[[str], bytes]) -> dict[RepoPath, FileDiff]:
        """Compute each change's difference; `contents` maps SHA-256 to bytes. Sorted as given.

        Raises EnvironmentFault where there is no room for a copy of both sides, GitFailed.
        """
        listed = list(changes)
        try:
            output = self._output(listed, contents)
        except OSError as error:
            from tempfile import gettempdir  # noqa: PLC0415 -- as below

            raise EnvironmentFault(
                f"the contents to compare cannot be written to {_folder_for(listed) or gettempdir()}: {error.strerror}",
                code="TEMP_UNWRITABLE",
                hint="Free some space there, or name another folder in TMPDIR.",
            ) from error
        bodies = dict(_bodies(output))
        return {
            change.path: FileDiff(change.path, bodies.get(number, b""), bodies.get(number, b"").startswith(_BINARY))
            for number, change in enumerate(listed)
        }

    def _output(self, listed: list[Change], contents: Callable[[str], bytes]) -> bytes:
        from tempfile import TemporaryDirectory  # noqa: PLC0415 -- start-up: a confirmation by digest compares nothing

        with TemporaryDirectory(prefix="redline-", dir=_folder_for(listed)) as folder:
            for side in ("a", "b"):
                os.mkdir(os.path.join(folder, side))
            for number, change in enumerate(listed):
                _store(folder, "a", number, change.before, contents)
                _store(folder, "b", number, change.after, contents)
            _, output = GitRunner(folder, git_executable(self._root)).run(
                "diff",
                *_OPTIONS,
                "--",
                "a",
                "b",
                ok=(0, 1),
                variables={"GIT_DIR": os.path.join(folder, "none"), "GIT_LITERAL_PATHSPECS": None},
            )
        return output


def _folder_for(changes: Iterable[Change]) -> str | None:
    """Memory for what is small, for a file system takes its time to make thousands of files; TMPDIR is heeded."""
    size_bytes = sum(
        side.size_bytes for change in changes for side in (change.before, change.after) if side is not None
    )
    is_small = size_bytes <= _MOST_IN_MEMORY_BYTES and "TMPDIR" not in os.environ
    return _MEMORY if is_small and os.access(_MEMORY, os.W_OK | os.X_OK) else None


def _store(folder: str, side: str, number: int, state: FileState | None, contents: Callable[[str], bytes]) -> None:
    if state is not None:
        with open(os.path.join(folder, side, str(number)), "xb") as file:
            file.write(contents(state.sha256))


def _bodies(output: bytes) -> Iterator[tuple[int, bytes]]:
    """Split the output into (number, hunks or binary patch).

    Inside a hunk every line has a mark before it and binary data holds no blank, so a header is unmistakable.
    """
    for section in (b"\n" + output.removesuffix(b"\n")).split(b"\n" + _SECTION)[1:]:
        header, _, rest = section.partition(b"\n")
        start = _body_start(rest)
        if start is not None:
            yield int(header.rsplit(b"/", 1)[1]), rest[start:] + b"\n"


def _body_start(section: bytes) -> int | None:
    if section.startswith((b"@@ ", _BINARY)):
        return 0
    starts = [section.find(b"\n" + mark) for mark in (b"@@ ", _BINARY)]
    found = [start + 1 for start in starts if start >= 0]
    return min(found) if found else None
