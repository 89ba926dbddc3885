"""A person's unfinished review of one proposal: what they take, leave, wrote themselves, said and have seen.

A draft is a value; every answer gives a new one. What is undecided at the end is taken, so a review that says nothing
takes the whole; what was never displayed in full is listed, so that a front-end can ask for a word of its own.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from redline.core.parts import Part, Selection, pieces
from redline.core.paths import RepoPath
from redline.core.reviewed import Comment, Coverage, comment_from, comment_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from redline.core.canonical import Record


class Verdict(Enum):
    UNDECIDED = "undecided"
    TAKE = "take"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Draft:
    """`parts` are those offered, in order; where a hunk was split its pieces, where a path was edited the new ones.

    `seen` names the parts that were displayed in full, `reviewed` those that the person has put behind them.
    """

    parts: tuple[Part, ...]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    seen: frozenset[str] = frozenset()
    reviewed: frozenset[str] = frozenset()
    comments: tuple[Comment, ...] = ()
    edited: Mapping[RepoPath, bytes] = field(default_factory=dict)

    def verdict(self, name: str) -> Verdict:
        return self.verdicts.get(name, Verdict.UNDECIDED)

    def decide(self, names: Iterable[str], verdict: Verdict) -> Draft:
        given = {**self.verdicts, **dict.fromkeys(names, verdict)}
        return replace(self, verdicts={name: word for name, word in given.items() if word is not Verdict.UNDECIDED})

    def decide_path(self, path: RepoPath, verdict: Verdict) -> Draft:
        return self.decide((part.name for part in self.parts if part.path == path), verdict)

    def see(self, names: Iterable[str]) -> Draft:
        return replace(self, seen=self.seen.union(names))

    def mark(self, names: Iterable[str], *, reviewed: bool) -> Draft:
        marked = self.reviewed.union(names) if reviewed else self.reviewed.difference(names)
        return replace(self, reviewed=marked)

    def split(self, name: str) -> Draft:
        """Put a hunk's pieces in its place; they inherit what was decided and seen. A piece cannot be split again."""
        whole = next(part for part in self.parts if part.name == name)
        split = pieces(whole)
        if split == (whole,):
            return self
        names = [piece.name for piece in split]
        parts = tuple(other for part in self.parts for other in (split if part is whole else (part,)))
        inherited = replace(self, parts=parts).decide(names, self.verdict(name))
        inherited = inherited.see(names) if name in self.seen else inherited
        return inherited.mark(names, reviewed=True) if name in self.reviewed else inherited

    def edit(self, path: RepoPath, data: bytes, anew: tuple[Part, ...]) -> Draft:
        """Take the person's text for a path; `anew` are its parts now.

        A part that is not the model's own any more is taken, and seen: the person wrote it.
        """
        known = {part.name for part in self.parts}
        mine = [part.name for part in anew if part.name not in known]
        position = next(number for number, part in enumerate(self.parts) if part.path == path)
        others = [part for part in self.parts if part.path != path]
        parts = (*others[:position], *anew, *others[position:])
        changed = replace(self, parts=parts, edited={**self.edited, path: data})
        return changed.decide(mine, Verdict.TAKE).see(mine)

    def comment(self, comment: Comment) -> Draft:
        return replace(self, comments=(*self.comments, comment))

    def uncomment(self, comment: Comment) -> Draft:
        return replace(self, comments=tuple(kept for kept in self.comments if kept != comment))

    @property
    def left(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if self.verdict(part.name) is Verdict.LEAVE)

    @property
    def taken(self) -> tuple[Part, ...]:
        """All that is not left."""
        return tuple(part for part in self.parts if self.verdict(part.name) is not Verdict.LEAVE)

    @property
    def undecided(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if self.verdict(part.name) is Verdict.UNDECIDED)

    @property
    def unseen(self) -> tuple[Part, ...]:
        """What would be taken without having been displayed in full."""
        return tuple(part for part in self.taken if part.name not in self.seen)

    @property
    def coverage(self) -> Coverage:
        return Coverage(len(self.parts), tuple(part.name for part in self.unseen))

    @property
    def selection(self) -> Selection | None:
        """What is taken; None if it is the whole, as proposed."""
        if not self.left and not self.edited:
            return None
        return Selection(frozenset(part.name for part in self.taken), self.edited)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it that would be missed."""
        return not (self.verdicts or self.reviewed or self.comments or self.edited)

    @property
    def record(self) -> Record:
        return {
            "verdicts": {name: verdict.value for name, verdict in self.verdicts.items()},
            "seen": [*sorted(self.seen)],
            "reviewed": [*sorted(self.reviewed)],
            "comments": [comment_record(comment) for comment in self.comments],
            "edited": {str(path): base64.b64encode(data).decode("ascii") for path, data in self.edited.items()},
        }


def resumed(
    parts: tuple[Part, ...],
    record: Record,
    edited: Callable[[RepoPath, bytes], tuple[Part, ...]] | None,
) -> Draft:
    """The draft that was kept, of this proposal or of one that it was made from.

    What it says of a part holds where the same part, by content and context, is there again. `edited` gives the parts
    of a path that the person wrote; None drops their texts, for the files have changed under them.
    Raises KeyError, TypeError or ValueError if the record is not one of ours.
    """
    fields = cast("dict[str, Any]", record)
    draft = Draft(parts)
    if edited is not None:
        for path, text in fields["edited"].items():
            data = base64.b64decode(text, validate=True)
            draft = draft.edit(RepoPath(path), data, edited(RepoPath(path), data))
    verdicts = {name: Verdict(value) for name, value in fields["verdicts"].items()}
    for part in draft.parts:
        split = pieces(part)
        if part.name not in verdicts and any(piece.name in verdicts for piece in split):
            draft = draft.split(part.name)
    names = {part.name for part in draft.parts}
    return replace(
        draft,
        verdicts={name: verdict for name, verdict in verdicts.items() if name in names},
        seen=frozenset(names.intersection(fields["seen"])),
        reviewed=frozenset(names.intersection(fields["reviewed"])),
        comments=tuple(
            comment
            for comment in map(comment_from, fields["comments"])
            if any(part.path == comment.path for part in parts)
        ),
    )
