"""How far a review has come, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.draft import Draft


def draft_words(draft: Draft) -> str:
    """What would be applied if it were confirmed now, and what else was said."""
    undecided = f" ({len(draft.undecided)} undecided)" if draft.undecided else ""
    words = [
        f"{len(draft.taken)} of {_count(len(draft.parts), 'part')} taken{undecided}",
        f"{len(draft.left)} left" if draft.left else "",
        f"{_count(len(draft.edited), 'file')} edited" if draft.edited else "",
        _count(len(draft.comments), "comment") if draft.comments else "",
        f"{len(draft.unseen)} not shown in full" if draft.unseen else "",
    ]
    return ", ".join(filter(None, words))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
