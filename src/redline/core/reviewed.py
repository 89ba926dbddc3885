"""How a person read and answered a proposal: what was displayed, what was taken, what was said to single lines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from redline.core.paths import RepoPath

if TYPE_CHECKING:
    from redline.core.canonical import Json, Record

MAX_COMMENT_CHARACTERS = 2000
MAX_COMMENTS = 500


class CommentKind(Enum):
    ISSUE = "issue"
    SUGGESTION = "suggestion"
    QUESTION = "question"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Comment:
    """A person's words on one line; `line` counts from 1 in the text after, or before where `is_before`."""

    path: RepoPath
    line: int
    kind: CommentKind
    text: str
    is_before: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many parts there were to see, and the names of those that were not displayed in full."""

    parts: int
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shares:
    """Whose each part of a partial confirmation is, by name.

    `model`: applied as proposed; `person`: applied as the person wrote it; `replaced`: the model's parts that those
    took the place of; `declined`: not applied.
    """

    model: tuple[str, ...]
    person: tuple[str, ...]
    replaced: tuple[str, ...]
    declined: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`shares` is None where the proposal was decided as a whole, `coverage` where redline displayed nothing."""

    coverage: Coverage | None = None
    comments: tuple[Comment, ...] = ()
    shares: Shares | None = None

    @property
    def record(self) -> Record:
        shares, coverage = self.shares, self.coverage
        return {
            "shown": {"parts": coverage.parts, "unseen": [*coverage.unseen]} if coverage is not None else None,
            "comments": [comment_record(comment) for comment in self.comments],
            "shares": {
                "model": [*shares.model],
                "person": [*shares.person],
                "replaced": [*shares.replaced],
                "declined": [*shares.declined],
            }
            if shares is not None
            else None,
        }


NOT_REVIEWED = Reviewed()


def comment_record(comment: Comment) -> Record:
    return {
        "path": str(comment.path),
        "line": comment.line,
        "side": "before" if comment.is_before else "after",
        "kind": comment.kind.value,
        "text": comment.text,
    }


def comment_from(record: Json) -> Comment:
    """Rebuild a comment. Raises KeyError, TypeError or ValueError if the record is not one of ours."""
    fields = cast("dict[str, Any]", record)
    return Comment(
        RepoPath(fields["path"]),
        fields["line"],
        CommentKind(fields["kind"]),
        fields["text"],
        {"before": True, "after": False}[fields["side"]],
    )


def reviewed_from(record: Json) -> Reviewed:
    """Rebuild it. Raises KeyError, TypeError or ValueError if the record is not one of ours."""
    fields = cast("dict[str, Any]", record)
    shown, shares = fields["shown"], fields["shares"]
    return Reviewed(
        Coverage(shown["parts"], tuple(shown["unseen"])) if shown is not None else None,
        tuple(comment_from(comment) for comment in fields["comments"]),
        Shares(*(tuple(shares[key]) for key in ("model", "person", "replaced", "declined")))
        if shares is not None
        else None,
    )
