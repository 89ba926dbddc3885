"""Make a proposal of what a person takes of another one, and tell whose each part is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redline.core.content import Content, ObjectFormat
from redline.core.memory import memory_key
from redline.core.parts import chosen, parts_of, pieces, taken
from redline.core.proposal import AMEND, Derivation
from redline.core.renames import renames
from redline.core.reviewed import Shares
from redline.errors import UsageFault
from redline.review.differences import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from redline.core.change import Change, ContentChange
    from redline.core.parts import Part, Selection
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal
    from redline.review.ports import Differ


@dataclass(frozen=True, slots=True)
class Amendment:
    """`proposal` has no findings yet; `declined` are the memory keys of what was left."""

    proposal: Proposal
    changes: tuple[ContentChange, ...]
    shares: Shares
    declined: tuple[str, ...]

    @property
    def note(self) -> str:
        derived = self.proposal.derived
        assert derived is not None  # noqa: S101 -- an amendment is always derived
        applied = len(self.shares.model)
        every = applied + len(self.shares.replaced) + len(self.shares.declined)
        by_person = f", {len(self.shares.replaced)} as the person wrote it" if self.shares.person else ""
        return f"{applied} of {every} parts of {derived.origin_id[:7]}{by_person}"


@dataclass(frozen=True, slots=True)
class Edited:
    """Changes with their contents by SHA-256, and the parts of the paths that were edited, anew."""

    changes: tuple[Change, ...]
    content: Callable[[str], bytes]
    parts: tuple[Part, ...]


def amend(
    differ: Differ, proposal: Proposal, contents: Callable[[str], bytes], selection: Selection, now: datetime
) -> Amendment | None:
    """The selection as a proposal of its own; None if it is all of the proposal, unchanged.

    `contents` maps SHA-256 to bytes. Raises UsageFault if it names what is not there, or takes nothing.
    """
    diffs = differences(differ, proposal.changes, contents)
    offered = parts_of(proposal.changes, {path: diff.hunks() for path, diff in diffs.items()})
    edited = edit(differ, proposal, contents, selection.edited)
    parts = (*(part for part in offered if part.path not in selection.edited), *edited.parts)
    _refuse_unknown(selection.names, parts)
    every = taken(edited.changes, parts, selection.names, edited.content)
    results = tuple(result for result in every if result.before != result.after)
    if not results:
        raise UsageFault(
            "nothing of the proposal is taken", code="NOTHING_TAKEN", hint="Decline it, or choose what to apply."
        )
    identified = tuple(result.identify(_object_format(proposal)) for result in results)
    if identified == proposal.changes:
        return None
    paths = {result.path for result in results}
    shares, left = _shares(offered, edited.parts, selection)
    by_path = {change.path: change for change in proposal.changes}
    return Amendment(
        replace(
            proposal,
            created_at=now,
            changes=identified,
            findings=(),
            leniencies=tuple(leniency for leniency in proposal.leniencies if leniency.path in paths),
            derived=Derivation(proposal.id, AMEND),
            depends_on=(),
        ),
        results,
        shares,
        tuple(memory_key(part, by_path[part.path]) for part in left),
    )


def edit(
    differ: Differ, proposal: Proposal, contents: Callable[[str], bytes], edited: Mapping[RepoPath, bytes]
) -> Edited:
    """The proposal with the person's texts in place of the model's.

    Raises UsageFault (NO_SUCH_PART) for a path that has no text after it.
    """
    by_path = {change.path: change for change in proposal.changes}
    written: dict[str, bytes] = {}
    for path, data in edited.items():
        change = by_path.get(path)
        if change is None or change.after is None:
            raise UsageFault(f"{path} has no text after this proposal that could be edited", code="NO_SUCH_PART")
        state = Content(data, change.after.mode).state(_object_format(proposal))
        written[state.sha256] = data
        if state == change.before:
            del by_path[path]
        else:
            by_path[path] = replace(change, after=state)

    def content(sha256: str) -> bytes:
        return written[sha256] if sha256 in written else contents(sha256)

    changes = tuple(by_path.values())
    sources = renames(changes)
    rewritten = [change for change in changes if change.path in edited]
    compared = (*(sources[change.path] for change in rewritten if change.path in sources), *rewritten)
    diffs = differences(differ, compared, content)
    return Edited(changes, content, parts_of(compared, {path: diff.hunks() for path, diff in diffs.items()}))


def _refuse_unknown(names: frozenset[str], parts: tuple[Part, ...]) -> None:
    unknown = names - {part.name for part in parts}
    if unknown:
        unknown -= {piece.name for part in parts for piece in pieces(part)}
    if unknown:
        raise UsageFault(
            f"{min(unknown)!a} names no part of this proposal",
            code="NO_SUCH_PART",
            hint="`redline show` names the hunks.",
        )


def _shares(offered: tuple[Part, ...], anew: tuple[Part, ...], selection: Selection) -> tuple[Shares, list[Part]]:
    """Whose each part is, and the parts of the proposal that were left."""
    names = selection.names
    known = {part.name for part in offered}
    kept = {part.name for part in anew}
    person = [part for part in anew if part.name not in known and chosen(part, names)]
    rewritten = {part.path for part in person}
    model: list[str] = []
    replaced: list[str] = []
    left: list[Part] = []
    for part in offered:
        picked = chosen(part, names)
        if part.path in selection.edited and part.name not in kept:
            if part.path in rewritten:
                replaced.append(part.name)
            else:
                left.append(part)
        elif not picked:
            left.append(part)
        else:
            model += [piece.name for piece in picked]
            left += [piece for piece in pieces(part) if part not in picked and piece not in picked]
    return (
        Shares(
            tuple(model),
            tuple(piece.name for part in person for piece in chosen(part, names)),
            tuple(replaced),
            tuple(part.name for part in left),
        ),
        left,
    )


def _object_format(proposal: Proposal) -> ObjectFormat:
    """The one that all ids of the proposal are spelt in."""
    first = proposal.changes[0]
    state = first.before or first.after
    assert state is not None  # noqa: S101 -- a change has at least one side
    return ObjectFormat.of(state.oid)
