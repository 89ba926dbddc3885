"""Edits and present contents → net changes; nothing is read, nothing is guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.content import Content, Mode, ObjectFormat, blob_id
from redline.core.notes import Leniency
from redline.errors import EditMismatch
from redline.intake.binary_patch import apply_delta
from redline.intake.edits import (
    ABSENT,
    BinaryKind,
    Delete,
    Edit,
    FilePatch,
    Move,
    Reading,
    Relation,
    Replace,
    Resolved,
    Write,
)
from redline.intake.placement import apply_hunks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.paths import RepoPath
    from redline.intake.edits import BinaryPatch

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LISTED = 20
_REREAD = "Read the file again and make the edit from what it holds now."


@dataclass(slots=True)
class _State:
    """The contents as the edits so far leave them.

    Sections of one series rename and copy from the state at its start (git's apply.c: git patches do not
    depend on their order): `base` holds what its sections have replaced since, `written` the paths that they
    have filled, `vacated` those that some section of it renames or deletes.
    """

    now: dict[RepoPath, Content | None]
    vacated: dict[int, set[RepoPath]]
    series: int = -1
    base: dict[RepoPath, Content | None] = field(default_factory=dict)
    written: set[RepoPath] = field(default_factory=set)
    origins: dict[RepoPath, RepoPath] = field(default_factory=dict)
    leniencies: list[Leniency] = field(default_factory=list)


def resolve(reading: Reading, contents: Mapping[RepoPath, Content | None]) -> Resolved:
    """Apply the edits in order and give the net change of each path.

    `contents` holds every path of `reading.paths`; None is an absent file. Raises EditMismatch.
    """
    paths = reading.paths
    state = _State({path: contents[path] for path in paths}, _vacated(reading))
    for edit in reading.edits:
        _apply(state, edit)
    changed = {path for path in paths if state.now[path] != contents[path]}
    changes = tuple(
        ContentChange(path, contents[path], state.now[path], _renamed_from(state, path, contents))
        for path in paths
        if path in changed
    )
    if not changes:
        raise EditMismatch(
            "the edit changes nothing: every file already is as it says",
            code="NO_CHANGE",
            hint="Nothing is to be done.",
            details={"paths": [str(path) for path in paths]},
        )
    noted = (*reading.leniencies, *state.leniencies)
    return Resolved(changes, tuple(note for note in noted if note.path in changed))


def _renamed_from(state: _State, path: RepoPath, contents: Mapping[RepoPath, Content | None]) -> RepoPath | None:
    origin = state.origins.get(path)
    if origin is None or contents[path] is not None or state.now[path] is None:
        return None
    return origin if contents[origin] is not None and state.now[origin] is None else None


def _apply(state: _State, edit: Edit) -> None:
    match edit:
        case Replace():
            state.now[edit.path] = _replaced(state, edit)
        case Write():
            state.now[edit.path] = _written(state, edit)
        case Delete(path):
            _present(state.now, path)
            state.now[path] = None
        case Move(path, to):
            content = _present(state.now, path)
            _absent(state.now, to)
            state.now[to], state.now[path] = content, None
            state.origins[to] = state.origins.pop(path, path)
        case FilePatch():
            if state.series != edit.series:
                state.series, state.base, state.written = edit.series, {}, set()
            _patch(state, edit)


def _replaced(state: _State, edit: Replace) -> Content:
    present = state.now[edit.path]
    if not edit.before:
        if present is not None and present.data:
            raise _mismatch(edit.path, "the text to replace is empty, but the file is not", "EMPTY_BEFORE")
        return Content(edit.after, present.mode if present is not None else Mode.REGULAR)
    present = _present(state.now, edit.path)
    _refuse_utf16(present, edit.path)
    pieces = present.data.split(edit.before)
    found = len(pieces) - 1
    if found != edit.count:
        raise _wrong_occurrences(edit, present.data, found)
    data = edit.after.join(pieces)
    if data != edit.after.join(present.data.rsplit(edit.before)):
        raise _mismatch(edit.path, "occurrences of the text to replace overlap each other", "AMBIGUOUS")
    return Content(data, present.mode)


def _wrong_occurrences(edit: Replace, data: bytes, found: int) -> EditMismatch:
    lines: list[int] = []
    start = data.find(edit.before)
    while start >= 0 and len(lines) < _LISTED:
        lines.append(data.count(b"\n", 0, start) + 1)
        start = data.find(edit.before, start + len(edit.before))
    where = f" (lines {', '.join(map(str, lines))})" if lines else ""
    return EditMismatch(
        f"{edit.path}: the text to replace occurs {found} times{where}, not {edit.count}",
        code="AMBIGUOUS" if found > edit.count else "NO_MATCH",
        hint="Give more of the surrounding text, or the right count." if found else _REREAD,
        details={"path": str(edit.path), "count": found, "expected": edit.count, "lines": lines},
    )


def _written(state: _State, edit: Write) -> Content:
    present = state.now[edit.path]
    is_base = edit.base is None or edit.base == (present.sha256 if present is not None else ABSENT)
    if not is_base:
        raise _mismatch(edit.path, "the file is not the one that the edit was made from", "BASE_MISMATCH")
    mode = present.mode if present is not None else Mode.REGULAR
    if edit.executable is not None:
        mode = Mode.EXECUTABLE if edit.executable else Mode.REGULAR
    return Content(edit.data, mode)


def _vacated(reading: Reading) -> dict[int, set[RepoPath]]:
    found: dict[int, set[RepoPath]] = {}
    for edit in reading.edits:
        if not isinstance(edit, FilePatch) or edit.source is None:
            continue
        if edit.relation is Relation.RENAME or edit.target is None:
            found.setdefault(edit.series, set()).add(edit.source)
    return found


def _put(state: _State, path: RepoPath, content: Content | None) -> None:
    state.base.setdefault(path, state.now[path])
    state.now[path] = content


def _patch(state: _State, patch: FilePatch) -> None:
    source, target = patch.source, patch.target
    if patch.relation is not Relation.PLAIN and source is not None and target is not None:
        _patch_moved(state, patch, source, target)
    elif target is None:
        source = patch.path
        left = _patched(state, patch, _present(state.now, source))
        if left.data:
            raise _mismatch(source, "the deletion leaves lines over that it does not name", "NO_MATCH")
        _put(state, source, None)
    else:
        _put(state, target, _patched(state, patch, _before(state.now[target], patch)))
        state.written.add(target)


def _before(present: Content | None, patch: FilePatch) -> Content:
    """Give the content that a section starts from: nothing, if it states a creation."""
    hunks = patch.hunks
    # The one hunk `-0,0`: plain diffs without /dev/null create so, and `git diff -U0` inserts so at the top.
    starts_empty = len(hunks) == 1 and hunks[0].old_start == 0 and not hunks[0].before
    doubtful = starts_empty and not patch.before_oid
    if patch.source is None or (doubtful and not patch.is_git and present is None):
        _absent({patch.path: present}, patch.path)
        return Content(b"", Mode.REGULAR)
    if doubtful and present is not None and present.data:
        raise _mismatch(patch.path, "the hunk `@@ -0,0` states an empty file, but it has content", "FILE_EXISTS")
    return _present({patch.path: present}, patch.path)


def _patch_moved(state: _State, patch: FilePatch, source: RepoPath, target: RepoPath) -> None:
    before = {source: state.base.get(source, state.now[source])}
    content = _patched(state, patch, _present(before, source))
    if target in state.written or target not in state.vacated.get(patch.series, set()):
        _absent(state.now, target)
    _put(state, target, content)
    state.written.add(target)
    if patch.relation is Relation.RENAME:
        state.origins[target] = state.origins.get(source, source)
        if source not in state.written:
            _put(state, source, None)


def _patched(state: _State, patch: FilePatch, before: Content) -> Content:
    data = before.data
    if patch.binary is not None:
        data = _binary(state, patch, patch.binary, before)
    elif patch.hunks:
        _refuse_utf16(before, patch.path)
        vouched = not patch.before_oid or _is_named(before.data, patch.before_oid)
        vouched = vouched or patch.source is None
        data, noted = apply_hunks(before.data, patch.hunks, patch.path, vouched=vouched)
        state.leniencies += noted
    return Content(data, patch.new_mode if patch.new_mode is not None else before.mode)


def _binary(state: _State, patch: FilePatch, binary: BinaryPatch, before: Content) -> bytes:
    creation = patch.source is None
    if not creation and patch.before_oid and not _is_named(before.data, patch.before_oid):
        raise _mismatch(patch.path, "the file is not the one that the binary patch was made from", "NO_MATCH")
    literal = binary.kind is BinaryKind.LITERAL
    after = binary.data if literal else apply_delta(before.data, binary.data)
    removed = patch.target is None and after == b""
    if after is None or (patch.after_oid and not removed and not _is_named(after, patch.after_oid)):
        raise _mismatch(patch.path, "the binary patch does not give the content that it states", "NO_MATCH")
    if not creation and len(patch.before_oid) < 40:
        text = "the binary patch does not state its base in full; its content was taken as it is"
        state.leniencies.append(Leniency("BINARY_UNVERIFIED", patch.path, text))
    return after


def _is_named(data: bytes, stated: str) -> bool:
    """Whether the bytes' object id, in either hash, is the stated one or begins with it."""
    return any(blob_id(data, object_format).startswith(stated) for object_format in ObjectFormat)


def _refuse_utf16(content: Content, path: RepoPath) -> None:
    if content.data.startswith(_UTF16_MARKS) and b"\0" in content.data:
        raise EditMismatch(
            f"{path}: the file is UTF-16, which a text edit cannot match",
            code="ENCODING",
            hint="Send the whole file, or a binary patch.",
            details={"path": str(path)},
        )


def _present(contents: Mapping[RepoPath, Content | None], path: RepoPath) -> Content:
    content = contents[path]
    if content is None:
        raise EditMismatch(
            f"{path}: there is no such file",
            code="NO_SUCH_FILE",
            hint="Name an existing file by its path from the repository's root; for a diff, see --strip.",
            details={"path": str(path)},
        )
    return content


def _absent(contents: Mapping[RepoPath, Content | None], path: RepoPath) -> None:
    if contents[path] is not None:
        raise EditMismatch(
            f"{path}: the edit would create the file, but it exists",
            code="FILE_EXISTS",
            hint="Read the file, then edit it, or choose another path.",
            details={"path": str(path)},
        )


def _mismatch(path: RepoPath, why: str, code: str) -> EditMismatch:
    return EditMismatch(f"{path}: {why}", code=code, hint=_REREAD, details={"path": str(path)})
