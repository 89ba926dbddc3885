"""The files of a review, below their folders, with how far each has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.draft import Verdict
from redline.render.columns import cut
from redline.render.lines import Line, Role, Span
from redline.render.names import path_words

if TYPE_CHECKING:
    from redline.core.draft import Draft
    from redline.core.parts import Part
    from redline.frontends.tui.review import Review

_LEAST = 10


def file_items(review: Review, width: int) -> list[list[Line]]:
    """One item for each path; the first of a folder has the folder's name above it."""
    drifted = review.view.drifted
    items: list[list[Line]] = []
    shown_folder = ""
    for path, parts in review.parts_by_path().items():
        folder, _, name = path.rpartition("/")
        item: list[Line] = []
        if folder != shown_folder:
            item.append((Span(cut(path_words(f"{folder}/"), max(width, _LEAST)), Role.FAINT),))
            shown_folder = folder
        sign = Span("! ", Role.ALARM) if path in drifted else _sign(review.draft, parts)
        indent = "  " if folder else ""
        item.append((sign, Span(indent + cut(path_words(name), max(width - 4, _LEAST)))))
        items.append(item)
    return items


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
