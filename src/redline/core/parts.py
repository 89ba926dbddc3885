"""The parts of a proposal: what a person can take or leave alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.content import Content
from redline.core.hunks import LineKind, carry_out
from redline.core.renames import renames
from redline.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from redline.core.change import Change
    from redline.core.content import FileState
    from redline.core.hunks import Hunk
    from redline.core.paths import RepoPath

_LEAST_PREFIX = 4
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """What a person takes where it is not the whole: the names of parts.

    `edited` maps a path to the after-text that the person wrote for it; its parts are those of the new difference.
    """

    names: frozenset[str]
    edited: Mapping[RepoPath, bytes] = field(default_factory=dict)


class PartKind(Enum):
    """What a part is; CONTENT is all of a content that has no hunks: binary, or an empty file made or deleted."""

    HUNK = "hunk"
    CONTENT = "content"
    MODE = "mode"
    RENAME = "rename"


@dataclass(frozen=True, slots=True)
class Part:
    """`name` is `PATH#HUNK`, `PATH#KIND` where a change has further parts, or only the path.

    The path of a rename, and of its other parts, is the new one.
    """

    path: RepoPath
    kind: PartKind
    name: str
    hunk: Hunk | None = None

    @property
    def id(self) -> str:
        """What follows the path in the name; empty where nothing does."""
        return self.name[len(self.path) + 1 :]


def parts_of(changes: tuple[Change, ...], hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> tuple[Part, ...]:
    """All parts, in the order of the changes; what a rename deletes is part of the rename."""
    return tuple(
        part
        for source, change in _with_sources(changes)
        for part in _parts(source, change, hunks[change.path], [hunk.id for hunk in hunks[change.path]])
    )


def named_parts(changes: tuple[Change, ...], hunk_ids: Mapping[str, Sequence[str]]) -> tuple[Part, ...]:
    """All parts from the hunks' ids alone: their `hunk` is None."""
    return tuple(
        part for source, change in _with_sources(changes) for part in _parts(source, change, (), hunk_ids[change.path])
    )


def select(selectors: Iterable[str], changes: tuple[Change, ...], parts: tuple[Part, ...]) -> frozenset[str]:
    """The names of the parts that are selected: each selector is a path, a glob, `PATH#HUNK` or the hunk's beginning.

    A piece of a hunk is `PATH#HUNK.NUMBER`. Raises UsageFault (NO_SUCH_PART).
    """
    old_names = {str(source.path): change.path for source, change in _with_sources(changes) if source is not change}
    found: set[str] = set()
    for selector in selectors:
        names = _selected(selector, old_names, parts)
        if not names:
            some = ", ".join(part.name for part in parts[:_MOST_NAMED])
            more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
            raise UsageFault(
                f"{selector!a} names no part of this proposal",
                code="NO_SUCH_PART",
                hint=f"Its parts are {some}{more}.",
                details={"selector": selector, "parts": [part.name for part in parts]},
            )
        found.update(names)
    return frozenset(found)


def taken(
    changes: tuple[Change, ...],
    parts: tuple[Part, ...],
    names: frozenset[str],
    contents: Callable[[str], bytes],
) -> tuple[ContentChange, ...]:
    """What the changes become when only the named parts, or pieces of them, are taken; sorted by path.

    `contents` maps SHA-256 to bytes. A change of which nothing is taken is left out; the hunks of a rename that is
    left are carried out under the old name.
    """
    by_path: dict[RepoPath, list[Part]] = {}
    for part in parts:
        by_path.setdefault(part.path, []).extend(chosen(part, names))
    results = (
        result
        for source, change in _with_sources(changes)
        for result in _taken(source, change, by_path[change.path], contents)
    )
    return tuple(sorted(results, key=lambda result: result.path))


def pieces(part: Part) -> tuple[Part, ...]:
    """The parts that a hunk can be split into; any other part, or a hunk that cannot, is its only one."""
    split = part.hunk.pieces() if part.hunk is not None else ()
    if len(split) < 2:
        return (part,)
    return tuple(Part(part.path, PartKind.HUNK, f"{part.path}#{hunk.id}", hunk) for hunk in split)


def _with_sources(changes: tuple[Change, ...]) -> Iterator[tuple[Change, Change]]:
    """Each change with the one whose content it starts from: itself, or the deletion that a rename continues."""
    sources = renames(changes)
    vacated = {source.path for source in sources.values()}
    return ((sources.get(change.path, change), change) for change in changes if change.path not in vacated)


def _parts(source: Change, change: Change, hunks: tuple[Hunk, ...], hunk_ids: Sequence[str]) -> Iterator[Part]:
    before, after, path = source.before, change.after, change.path
    has_new_bytes = before is None or after is None or before.sha256 != after.sha256
    kinds: list[PartKind] = []
    if source is not change:
        kinds.append(PartKind.RENAME)
    if before is not None and after is not None and before.mode is not after.mode:
        kinds.append(PartKind.MODE)
    if has_new_bytes and not hunk_ids:
        kinds.append(PartKind.CONTENT)
    is_only = len(kinds) + len(hunk_ids) == 1
    for kind in kinds:
        yield Part(path, kind, str(path) if is_only else f"{path}#{kind.value}")
    for index, hunk_id in enumerate(hunk_ids):
        yield Part(path, PartKind.HUNK, f"{path}#{hunk_id}", hunks[index] if hunks else None)


def _selected(selector: str, old_names: Mapping[str, RepoPath], parts: tuple[Part, ...]) -> set[str]:
    whole = {part.name for part in parts if part.path in {selector, old_names.get(selector)}}
    path, _, prefix = selector.rpartition("#")
    of_path = [part for part in parts if part.path == path]
    exact = {piece.name for part in of_path for piece in (part, *pieces(part)) if piece.name == selector}
    begun = {part.name for part in of_path if part.name.startswith(selector)}
    is_unique = len(begun) == 1 and len(prefix) >= _LEAST_PREFIX
    globbed = {part.name for part in parts if fnmatchcase(part.path, selector)}
    return whole or exact or (begun if is_unique else set()) or globbed


def first_changed_line(part: Part) -> int:
    """The first line of the text after that a person would want to speak of, counted from 1."""
    if part.hunk is None:
        return 1
    added = (line.after_number for line in part.hunk.lines if line.kind is LineKind.ADDED)
    return next((number for number in added if number is not None), max(part.hunk.after_start, 1))


def chosen(part: Part, names: frozenset[str]) -> tuple[Part, ...]:
    """The part if it is taken whole, else those of its pieces that are."""
    return (part,) if part.name in names else tuple(piece for piece in pieces(part) if piece.name in names)


def _taken(
    source: Change, change: Change, parts: list[Part], contents: Callable[[str], bytes]
) -> Iterator[ContentChange]:
    if not parts:
        return
    before, after = _content(source.before, contents), _content(change.after, contents)
    kinds = {part.kind for part in parts}
    if before is None or after is None:
        yield ContentChange(change.path, before, after, change.renamed_from)
        return
    hunks = [part.hunk for part in parts if part.hunk is not None]
    data = after.data if PartKind.CONTENT in kinds else carry_out(before.data, hunks)
    result = Content(data, after.mode if PartKind.MODE in kinds else before.mode)
    if PartKind.RENAME in kinds:
        yield ContentChange(source.path, before, None)
        yield ContentChange(change.path, None, result, source.path)
    else:
        yield ContentChange(source.path, before, result)


def _content(state: FileState | None, contents: Callable[[str], bytes]) -> Content | None:
    return Content(contents(state.sha256), state.mode) if state is not None else None
