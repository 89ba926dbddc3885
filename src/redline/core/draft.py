"""A person's unfinished review of one proposal: what they take, leave, wrote themselves, said and have seen.

A draft is a value; every answer gives a new one. What is undecided at the end is taken, so a review that says nothing
takes the whole; what was never displayed in full is listed, so that a front-end can ask for a word of its own.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from redline.core.parts import Selection, pieces
from redline.core.paths import RepoPath
from redline.core.reviewed import Comment, Coverage, comment_from, comment_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from redline.core.canonical import Record
    from redline.core.parts import Part


class Verdict(Enum):
    UNDECIDED = "undecided"
    TAKE = "take"
    LEAVE = "leave"


@dataclass(frozen=True)
class Draft:
    """`offered` are the model's parts, in order; `split` names those hunks that are decided piece by piece.

    `edited` maps a path to the text after it that the person wrote, `anew` to the parts that it has since. `seen` names
    the parts that were displayed in full, `reviewed` those that the person has put behind them.
    """

    offered: tuple[Part, ...]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    seen: frozenset[str] = frozenset()
    reviewed: frozenset[str] = frozenset()
    comments: tuple[Comment, ...] = ()
    split: frozenset[str] = frozenset()
    edited: Mapping[RepoPath, bytes] = field(default_factory=dict)
    anew: Mapping[RepoPath, tuple[Part, ...]] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What is decided now: pieces where a hunk is split, the new parts where a path was edited."""
        return tuple(
            piece
            for path, of_path in groupby(self.offered, key=attrgetter("path"))
            for part in self.anew.get(path, tuple(of_path))
            for piece in (pieces(part) if part.name in self.split else (part,))
        )

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

    def split_up(self, part: Part) -> Draft:
        """Put a hunk's pieces in its place; they inherit what was decided and seen. A piece cannot be split again."""
        names = [piece.name for piece in pieces(part)]
        apart = replace(self, split=self.split | {part.name}).decide(names, self.verdict(part.name))
        apart = apart.see(names) if part.name in self.seen else apart
        return apart.mark(names, reviewed=True) if part.name in self.reviewed else apart

    def edit(self, path: RepoPath, data: bytes, anew: tuple[Part, ...]) -> Draft:
        """Take the person's text for a path; `anew` are its parts now.

        A part that is not the model's own is taken, and seen: the person wrote it.
        """
        edited = replace(self, edited={**self.edited, path: data}, anew={**self.anew, path: anew})
        mine = [part.name for part in edited.written(path)]
        return edited.decide(mine, Verdict.TAKE).see(mine)

    def written(self, path: RepoPath) -> tuple[Part, ...]:
        """The parts of a path that the person wrote."""
        models = {part.name for part in self.offered}
        return tuple(part for part in self.anew.get(path, ()) if part.name not in models)

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
            "split": [*sorted(self.split)],
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
    draft = Draft(parts, split=frozenset(fields["split"]))
    if edited is not None:
        for path, text in fields["edited"].items():
            data = base64.b64decode(text, validate=True)
            draft = draft.edit(RepoPath(path), data, edited(RepoPath(path), data))
    names = {part.name for part in draft.parts}
    paths = {part.path for part in parts}
    verdicts = {name: Verdict(value) for name, value in fields["verdicts"].items()}
    return replace(
        draft,
        verdicts={name: verdict for name, verdict in verdicts.items() if name in names},
        seen=frozenset(names.intersection(fields["seen"])),
        reviewed=frozenset(names.intersection(fields["reviewed"])),
        comments=tuple(comment for comment in map(comment_from, fields["comments"]) if comment.path in paths),
    )
