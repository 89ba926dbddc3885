"""Which paths a proposal may change here and now, and what it may make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.drift import Irregular
from redline.core.notes import Finding, Severity
from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.errors import LimitExceeded, PathRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.core.change import ContentChange
    from redline.core.content import Content
    from redline.core.drift import Footing
    from redline.core.paths import RepoPath
    from redline.core.policy import Policy
    from redline.review.ports import Repository, TreeView

_OBSTACLE_HINTS = {
    Irregular.FOLDER: "Name a file in it.",
    Irregular.SPECIAL: "Leave it out.",
    Irregular.BELOW_FILE: "Choose another name: a file cannot hold files.",
    Irregular.NESTED_REPOSITORY: "Propose it in that repository.",
}
_OBSTACLE_CODES = {
    Irregular.SYMLINK: "PATH_SYMLINK",
    Irregular.BELOW_SYMLINK: "PATH_SYMLINK",
    Irregular.NESTED_REPOSITORY: "PATH_SUBMODULE",
    Irregular.FOLDER: "PATH_NOT_REGULAR",
    Irregular.SPECIAL: "PATH_NOT_REGULAR",
    Irregular.BELOW_FILE: "PATH_NOT_REGULAR",
}


class Admission:
    """Asks policy, tree and ignore rules; everything it refuses is an IntakeError with a code."""

    def __init__(self, tree: TreeView, repository: Repository, policy: Policy) -> None:
        self._tree = tree
        self._repository = repository
        self._policy = policy

    def admit(self, paths: Sequence[RepoPath]) -> dict[RepoPath, Footing]:
        """Refuse by name before any content is read, for ignored files often hold secrets; how each path stands."""
        if len(paths) > self._policy.limits.files:
            raise too_many(len(paths), self._policy.limits.files)
        for path in paths:
            pattern = self._policy.denial(path)
            if pattern is not None:
                raise PathRefused(
                    f"policy denies changes to {path} (pattern {pattern!a})",
                    code="POLICY_DENIED",
                    hint="Leave the file out; only a person can change the policy.",
                    details={"path": str(path), "pattern": pattern},
                )
        footings = {path: self._tree.survey(path) for path in paths}
        for path, footing in footings.items():
            if footing.obstacle is not None:
                raise _obstructed(path, footing.obstacle)
        for path in sorted(self._repository.ignored(paths)):
            raise PathRefused(
                f"{path} is ignored by git: redline neither reads nor proposes ignored files",
                code="PATH_IGNORED",
                hint="Leave the file out, or have a person change the ignore rules.",
                details={"path": str(path)},
            )
        return footings

    def read(self, path: RepoPath) -> Content | None:
        found = self._tree.read(path, max_bytes=self._policy.limits.file_bytes)
        if isinstance(found, Irregular):
            raise _obstructed(path, found)
        return found

    def refuse_results(self, changes: tuple[ContentChange, ...], footings: dict[RepoPath, Footing]) -> None:
        for change in changes:
            if footings[change.path].is_read_only:
                raise PathRefused(
                    f"{change.path} is read-only, or its folder is",
                    code="PATH_READ_ONLY",
                    hint="Leave it alone, or have a person make it writable (`chmod u+w`).",
                    details={"path": str(change.path)},
                )
            size_bytes = len(change.after.data) if change.after is not None else 0
            if size_bytes > self._policy.limits.file_bytes:
                raise too_large(str(change.path), self._policy.limits.file_bytes, "file_mib")
            fault = change.path.portability_fault if change.before is None else None
            if fault is not None:
                raise PathRefused(
                    f"{change.path} could not be checked out on every system: {fault}",
                    code="PATH_RESERVED",
                    hint="Choose another name for the new file.",
                    details={"path": str(change.path)},
                )


def hard_links(changes: tuple[ContentChange, ...], footings: dict[RepoPath, Footing]) -> Iterator[Finding]:
    """A write gives the path a file of its own, as git does: other names of the old one keep the old content."""
    for change in changes:
        names = footings[change.path].link_count
        if change.before is not None and names > 1:
            text = f"is one of {names} names of a file (hard links): the others keep the old content"
            yield Finding("HARD_LINK", Severity.SENSITIVE, text, change.path)


def refuse_long(reason: str) -> None:
    """Raises LimitExceeded if the reason is longer than what is shown."""
    if len(reason) > MAX_REASON_CHARACTERS:
        raise LimitExceeded(
            f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARACTERS} are shown",
            code="LIMIT_REASON",
            hint="Say it shorter.",
        )


def too_large(what: str, limit_bytes: int, key: str) -> LimitExceeded:
    return LimitExceeded(
        f"{what} is larger than {limit_bytes} bytes",
        hint=f"Split it, or raise `[limits] {key}` in your own configuration.",
        details={"limit_bytes": limit_bytes},
    )


def too_many(count: int, limit: int) -> LimitExceeded:
    return LimitExceeded(
        f"the text names {count} files; at most {limit} are taken",
        code="LIMIT_FILES",
        hint="Split it, or raise `[limits] files` in your own configuration.",
    )


def _obstructed(path: RepoPath, obstacle: Irregular) -> PathRefused:
    return PathRefused(
        f"{path} is {obstacle.value}: only regular files inside this repository can be changed",
        code=_OBSTACLE_CODES[obstacle],
        hint=_OBSTACLE_HINTS.get(obstacle, "Name the real file by its own path."),
        details={"path": str(path)},
    )
