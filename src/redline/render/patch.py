"""A proposal as a git diff, byte for byte what `git apply` takes (git-diff(1), "Generating patch text with -p")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.renames import renames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.change import Change
    from redline.core.content import FileState
    from redline.core.hunks import FileDiff
    from redline.core.paths import RepoPath


def patch(changes: tuple[Change, ...], diffs: Mapping[RepoPath, FileDiff]) -> bytes:
    """Spell the changes as one patch; a rename is one section, with its hunks."""
    sources = renames(changes)
    vacated = {source.path for source in sources.values()}
    return b"".join(
        _section(sources.get(change.path, change), change, diffs[change.path])
        for change in changes
        if change.path not in vacated
    )


def _section(source: Change, change: Change, diff: FileDiff) -> bytes:
    """`source` is the change itself, unless it is a rename: then the deletion that it continues."""
    before, after = source.before, change.after
    lines = [b"diff --git %s %s" % (_name("a/", source.path), _name("b/", change.path))]
    if source is not change:
        lines += [b"rename from " + _name("", source.path), b"rename to " + _name("", change.path)]
    lines += _headers(before, after)
    if diff.body and not diff.is_binary:
        lines.append(b"--- " + (_label("a/", source.path) if before is not None else b"/dev/null"))
        lines.append(b"+++ " + (_label("b/", change.path) if after is not None else b"/dev/null"))
    return b"\n".join(lines) + b"\n" + diff.body


def _headers(before: FileState | None, after: FileState | None) -> list[bytes]:
    """Extended headers; an absent side's id is spelt as zeros, as long as the other side's."""
    if before is None and after is not None:
        return [
            b"new file mode " + _mode(after),
            b"index %s..%s" % (b"0" * len(after.oid), after.oid.encode()),
        ]
    if after is None and before is not None:
        return [
            b"deleted file mode " + _mode(before),
            b"index %s..%s" % (before.oid.encode(), b"0" * len(before.oid)),
        ]
    assert before is not None  # noqa: S101 -- a change has at least one side
    assert after is not None  # noqa: S101 -- as above
    ids = b"index %s..%s" % (before.oid.encode(), after.oid.encode())
    if before.mode is after.mode:
        return [ids + b" " + _mode(after)] if before.oid != after.oid else []
    modes = [b"old mode " + _mode(before), b"new mode " + _mode(after)]
    return modes if before.oid == after.oid else [*modes, ids]


def _mode(state: FileState) -> bytes:
    return state.mode.value.encode()


def _label(prefix: str, path: RepoPath) -> bytes:
    """A name with a blank ends in a TAB, so that a reader knows where it stops."""
    return _name(prefix, path) + (b"\t" if " " in path else b"")


def _name(prefix: str, path: RepoPath) -> bytes:
    name = (prefix + path).encode("utf-8")
    return b'"' + name.replace(b'"', b'\\"') + b'"' if b'"' in name else name
