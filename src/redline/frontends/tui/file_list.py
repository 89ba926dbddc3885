"""The files of a review, below their folders, with how far each has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from redline.core.draft import Verdict
from redline.render.columns import cut
from redline.render.lines import Line, Role, Span
from redline.render.names import path_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.draft import Draft
    from redline.core.parts import Part
    from redline.core.paths import RepoPath
    from redline.frontends.tui.review import Review

_LEAST = 10


class FileRow(NamedTuple):
    """A file, or the folder that it is the first one of."""

    path: RepoPath
    is_folder: bool
    line: Line


def file_rows(review: Review, width: int) -> Iterator[FileRow]:
    """All paths in order, each folder's name above its files."""
    drifted = review.view.drifted
    shown_folder = ""
    for path, parts in review.parts_by_path().items():
        folder, _, name = path.rpartition("/")
        if folder != shown_folder:
            yield FileRow(
                path, is_folder=True, line=(Span(cut(path_words(f"{folder}/"), max(width, _LEAST)), Role.FAINT),)
            )
            shown_folder = folder
        sign = Span("! ", Role.ALARM) if path in drifted else _sign(review.draft, parts)
        indent = "  " if folder else ""
        yield FileRow(path, is_folder=False, line=(sign, Span(indent + cut(path_words(name), max(width - 4, _LEAST)))))


def _sign(draft: Draft, parts: tuple[Part, ...]) -> Span:
    verdicts = {draft.verdict(part.name) for part in parts}
    if verdicts == {Verdict.LEAVE}:
        return Span("\u2717 ", Role.ALARM)
    if verdicts == {Verdict.TAKE}:
        return Span("\u2713 ", Role.GOOD)
    if Verdict.LEAVE in verdicts:
        return Span("~ ", Role.WARNING)
    is_reviewed = bool(parts) and all(part.name in draft.reviewed for part in parts)
    return Span("\u00b7 " if is_reviewed else "  ", Role.GOOD)
