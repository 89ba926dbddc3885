"""From the names in a diff's headers to repository paths.

The prefix pair (a/ b/, i/ w/, 1/ 2/ or none) is one decision for the whole diff, and both sides must carry
it: a folder that is really called `a` is not eaten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.diff_headers import NULL, split_git_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.intake.diff_headers import Header

_BACKUP_SUFFIXES = (b".orig", b".old", b".bak", b".new", b"~")


def decide_strip(headers: Sequence[Header]) -> int:
    """Tell how many leading components are prefix. Raises MalformedEdit if the sections disagree."""
    possible = {0, 1}
    for header in headers:
        narrowed = possible & _possible_strips(header)
        if not narrowed:
            raise MalformedEdit(
                f"line {header.line}: the names of {header.shown} and of the sections before it do not agree "
                "on a prefix such as a/ and b/",
                code="PREFIX_MIXED",
                hint="Say with --strip how many leading folders of each name are no part of the path.",
                details={"line": header.line},
            )
        possible = narrowed
    return max(possible)


def locate(header: Header, strip: int) -> tuple[RepoPath | None, RepoPath | None]:
    """Give the section's source and target; None is an absent file."""
    if header.moved_from is not None and header.moved_to is not None:
        within = max(strip - 1, 0)
        source, target = (_path(name, within, header) for name in (header.moved_from, header.moved_to))
        for name, path in ((header.old_name, source), (header.new_name, target)):
            if source == target or (name is not None and _path(name, strip, header) != path):
                raise _disagreement(header)
        return source, target
    old, new = _both_names(header)
    found = {_rest(name, strip, header) for name in (old, new) if name != NULL}
    if len(found) != 1:
        raise _disagreement(header)
    path = RepoPath(found.pop().decode("utf-8", "surrogateescape"))
    return (None if header.created else path), (None if header.deleted else path)


def _possible_strips(header: Header) -> set[int]:
    if header.moved_from is not None and header.moved_to is not None:
        return _strips_of_move(header, header.moved_from, header.moved_to)
    old, new = _both_names(header)
    if NULL in {old, new}:
        name, mark = (new, b"b/") if old == NULL else (old, b"a/")
        return {0, 1} if name.startswith(mark) else {0}
    if old == new:
        return {0}
    if old.partition(b"/")[2] == new.partition(b"/")[2] != b"":
        return {1}
    raise _disagreement(header)


def _strips_of_move(header: Header, source: bytes, target: bytes) -> set[int]:
    names = header.git_names or b""
    pair = split_git_names(names)
    if names == source + b" " + target or pair == (source, target):
        return {0}
    if pair is not None and (pair[0].partition(b"/")[2], pair[1].partition(b"/")[2]) == (source, target):
        return {1}
    first, space, second = names.partition(source + b" ")
    prefixed = second.partition(b"/")
    if space and first.count(b"/") == 1 and first.endswith(b"/") and prefixed[2] == target:
        return {1}
    raise _disagreement(header)


def _both_names(header: Header) -> tuple[bytes, bytes]:
    """Give the section's two names, as far as they are stated; NULL stands for a side that is not."""
    pair = split_git_names(header.git_names) if header.git_names is not None else None
    old, new = header.old_name, header.new_name
    if old is None or new is None:
        if pair is None:
            raise _disagreement(header)
        return pair
    if pair is not None:
        if old not in {pair[0], NULL} or new not in {pair[1], NULL}:
            raise _disagreement(header)
        return pair
    if header.git_names is None and NULL not in {old, new}:
        old, new = _without_backup_suffix(old, new), _without_backup_suffix(new, old)
    return old, new


def _without_backup_suffix(name: bytes, other: bytes) -> bytes:
    for suffix in _BACKUP_SUFFIXES:
        shorter = name.removesuffix(suffix)
        if shorter != name and shorter.rpartition(b"/")[2] == other.rpartition(b"/")[2]:
            return shorter
    return name


def _path(name: bytes, strip: int, header: Header) -> RepoPath:
    return RepoPath(_rest(name, strip, header).decode("utf-8", "surrogateescape"))


def _rest(name: bytes, strip: int, header: Header) -> bytes:
    rest = name
    for _ in range(strip):
        rest = rest.partition(b"/")[2]
    if not rest:
        raise MalformedEdit(
            f"line {header.line}: the name {header.shown} has no {strip} leading folders to strip",
            code="STRIP_TOO_DEEP",
            hint="Give a smaller --strip.",
            details={"line": header.line, "strip": strip},
        )
    return rest


def _disagreement(header: Header) -> MalformedEdit:
    return MalformedEdit(
        f"line {header.line}: the header lines of {header.shown} do not agree on the file's name",
        code="NAMES_DIFFER",
        hint="A rename needs `rename from` and `rename to`; otherwise all header lines name one file.",
        details={"line": header.line},
    )
