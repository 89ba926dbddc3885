"""A diff's section and the contents so far → the contents after it (git's apply.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.content import Content, Mode, ObjectFormat, blob_id
from redline.intake.binary_patch import apply_delta
from redline.intake.edits import BinaryKind, FilePatch, Relation
from redline.intake.mismatch import mismatch
from redline.intake.placement import apply_hunks
from redline.intake.state import absent, present, refuse_utf16

if TYPE_CHECKING:
    from redline.core.paths import RepoPath
    from redline.intake.edits import BinaryPatch, Reading
    from redline.intake.state import State


def vacated(reading: Reading) -> dict[int, set[RepoPath]]:
    found: dict[int, set[RepoPath]] = {}
    for edit in reading.edits:
        if not isinstance(edit, FilePatch) or edit.source is None:
            continue
        if edit.relation is Relation.RENAME or edit.target is None:
            found.setdefault(edit.series, set()).add(edit.source)
    return found


def apply_section(state: State, patch: FilePatch) -> None:
    """Bring the state behind one section. Raises EditMismatch."""
    if state.series != patch.series:
        state.series, state.base, state.written = patch.series, {}, set()
    _patch(state, patch)


def _put(state: State, path: RepoPath, content: Content | None) -> None:
    state.base.setdefault(path, state.now[path])
    state.now[path] = content


def _patch(state: State, patch: FilePatch) -> None:
    source, target = patch.source, patch.target
    if patch.relation is not Relation.PLAIN and source is not None and target is not None:
        _patch_moved(state, patch, source, target)
    elif target is None:
        source = patch.path
        left = _patched(state, patch, present(state.now, source))
        if left.data:
            raise mismatch(source, "the deletion leaves lines over that it does not name", "NO_MATCH")
        _put(state, source, None)
    else:
        _put(state, target, _patched(state, patch, _before(state.now[target], patch)))
        state.written.add(target)


def _before(now: Content | None, patch: FilePatch) -> Content:
    """Give the content that a section starts from: nothing, if it states a creation."""
    hunks = patch.hunks
    # The one hunk `-0,0`: plain diffs without /dev/null create so, and `git diff -U0` inserts so at the top.
    starts_empty = len(hunks) == 1 and hunks[0].old_start == 0 and not hunks[0].before
    doubtful = starts_empty and not patch.before_oid
    if patch.source is None or (doubtful and not patch.is_git and now is None):
        absent({patch.path: now}, patch.path)
        return Content(b"", Mode.REGULAR)
    if doubtful and now is not None and now.data:
        raise mismatch(patch.path, "the hunk `@@ -0,0` states an empty file, but it has content", "FILE_EXISTS")
    return present({patch.path: now}, patch.path)


def _patch_moved(state: State, patch: FilePatch, source: RepoPath, target: RepoPath) -> None:
    before = {source: state.base.get(source, state.now[source])}
    content = _patched(state, patch, present(before, source))
    if target in state.written or target not in state.vacated.get(patch.series, set()):
        absent(state.now, target)
    _put(state, target, content)
    state.written.add(target)
    if patch.relation is Relation.RENAME:
        state.origins[target] = state.origins.get(source, source)
        if source not in state.written:
            _put(state, source, None)


def _patched(state: State, patch: FilePatch, before: Content) -> Content:
    data = before.data
    if patch.binary is not None:
        data = _binary(state, patch, patch.binary, before)
    elif patch.hunks:
        refuse_utf16(before, patch.path)
        data, noted = apply_hunks(before.data, patch.hunks, patch.path, is_base=_is_base(patch, before.data))
        state.leniencies += noted
    return Content(data, patch.new_mode if patch.new_mode is not None else before.mode)


def _is_base(patch: FilePatch, data: bytes) -> bool | None:
    """Whether the bytes are those that the section was made from; None if it does not say."""
    if patch.source is None:
        return True
    if any(hunk.is_recounted for hunk in patch.hunks):
        return False
    return _is_named(data, patch.before_oid) if patch.before_oid else None


def _binary(state: State, patch: FilePatch, binary: BinaryPatch, before: Content) -> bytes:
    creation = patch.source is None
    if not creation and patch.before_oid and not _is_named(before.data, patch.before_oid):
        raise mismatch(patch.path, "the file is not the one that the binary patch was made from", "NO_MATCH")
    literal = binary.kind is BinaryKind.LITERAL
    after = binary.data if literal else apply_delta(before.data, binary.data)
    removed = patch.target is None and after == b""
    if after is None or (patch.after_oid and not removed and not _is_named(after, patch.after_oid)):
        raise mismatch(patch.path, "the binary patch does not give the content that it states", "NO_MATCH")
    if not creation and len(patch.before_oid) < 40:
        text = "the binary patch does not state its base in full; its content was taken as it is"
        state.note("BINARY_UNVERIFIED", patch.path, text)
    return after


def _is_named(data: bytes, stated: str) -> bool:
    """Whether the bytes' object id, in either hash, is the stated one or begins with it."""
    return any(blob_id(data, object_format).startswith(stated) for object_format in ObjectFormat)
