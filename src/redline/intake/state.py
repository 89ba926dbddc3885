"""The contents as the edits so far leave them, and the questions that every kind of edit asks of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.errors import EditMismatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.content import Content
    from redline.core.paths import RepoPath

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class State:
    """The contents as the edits so far leave them.

    Sections of one series rename and copy from the state at its start (git's apply.c: git patches do not
    depend on their order): `base` holds what its sections have replaced since, `written` the paths that they
    have filled, `vacated` those that some section of it renames or deletes.
    """

    now: dict[RepoPath, Content | None]
    vacated: dict[int, set[RepoPath]]
    series: int = -1
    base: dict[RepoPath, Content | None] = field(default_factory=dict)
    written: set[RepoPath] = field(default_factory=set)
    origins: dict[RepoPath, RepoPath] = field(default_factory=dict)
    leniencies: list[Leniency] = field(default_factory=list)

    def note(self, code: str, path: RepoPath, text: str) -> None:
        self.leniencies.append(Leniency(code, path, text))


def refuse_utf16(content: Content, path: RepoPath) -> None:
    if content.data.startswith(_UTF16_MARKS) and b"\0" in content.data:
        raise EditMismatch(
            f"{path}: the file is UTF-16, which a text edit cannot match",
            code="ENCODING",
            hint="Send the whole file, or a binary patch.",
            details={"path": str(path)},
        )


def present(contents: Mapping[RepoPath, Content | None], path: RepoPath) -> Content:
    content = contents[path]
    if content is None:
        raise EditMismatch(
            f"{path}: there is no such file",
            code="NO_SUCH_FILE",
            hint="Name an existing file by its path from the repository's root; for a diff, see --strip.",
            details={"path": str(path)},
        )
    return content


def absent(contents: Mapping[RepoPath, Content | None], path: RepoPath) -> None:
    if contents[path] is not None:
        raise EditMismatch(
            f"{path}: the edit would create the file, but it exists",
            code="FILE_EXISTS",
            hint="Read the file, then edit it, or choose another path.",
            details={"path": str(path)},
        )
