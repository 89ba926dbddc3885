"""Edits and present contents → net changes; no file is read; what is not said exactly is noted or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.errors import EditMismatch
from redline.intake import matching
from redline.intake.chunks import apply_chunks
from redline.intake.edits import (
    ABSENT,
    Cell,
    Chunks,
    Delete,
    Edit,
    FilePatch,
    Insert,
    Move,
    Ranges,
    Reading,
    Replace,
    Resolved,
    Write,
)
from redline.intake.notebook import apply_cell
from redline.intake.ranges import apply_ranges
from redline.intake.sections import apply_section, vacated
from redline.intake.state import State, absent, mismatch, present, refuse_utf16

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.paths import RepoPath


def resolve(reading: Reading, contents: Mapping[RepoPath, Content | None]) -> Resolved:
    """Apply the edits in order and give the net change of each path.

    `contents` holds every path of `reading.paths`; None is an absent file. Raises EditMismatch.
    """
    paths = reading.paths
    state = State({path: contents[path] for path in paths}, vacated(reading))
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


def _renamed_from(state: State, path: RepoPath, contents: Mapping[RepoPath, Content | None]) -> RepoPath | None:
    origin = state.origins.get(path)
    if origin is None or contents[path] is not None or state.now[path] is None:
        return None
    return origin if contents[origin] is not None and state.now[origin] is None else None


def _apply(state: State, edit: Edit) -> None:
    match edit:
        case Replace():
            state.now[edit.path] = _replaced(state, edit)
        case Write():
            state.now[edit.path] = _written(state, edit)
        case Delete(path):
            present(state.now, path)
            state.now[path] = None
        case Move():
            _move(state, edit)
        case FilePatch():
            apply_section(state, edit)
        case Insert() | Chunks() | Ranges() | Cell():
            before = present(state.now, edit.path)
            refuse_utf16(before, edit.path)
            state.now[edit.path] = Content(_edited(state, edit, before.data), before.mode)


def _edited(state: State, edit: Insert | Chunks | Ranges | Cell, data: bytes) -> bytes:
    match edit:
        case Insert():
            return _inserted(state, edit, data)
        case Chunks():
            after, noted = apply_chunks(data, edit)
            state.leniencies += noted
            return after
        case Ranges():
            return apply_ranges(data, edit)
        case Cell():
            return apply_cell(data, edit)


def _replaced(state: State, edit: Replace) -> Content:
    before = Content(b"", Mode.REGULAR) if state.now[edit.path] is None and not edit.before else None
    before = before or present(state.now, edit.path)
    refuse_utf16(before, edit.path)
    try:
        data, noted = matching.replace(before.data, edit)
    except EditMismatch as error:
        raise _with_other_place(state, edit, error) from error
    state.leniencies += noted
    return Content(data, before.mode)


def _with_other_place(state: State, edit: Replace, error: EditMismatch) -> EditMismatch:
    """Name a file of the same message in which the text does stand: the edit may have named the wrong one."""
    if error.code != "NO_MATCH":
        return error
    for path, content in state.now.items():
        if path != edit.path and content is not None and edit.before in content.data:
            hint = f"The text stands in {path}: name that file, if it is meant."
            return EditMismatch(
                error.message, code=error.code, hint=hint, details={**error.details, "other": str(path)}
            )
    return error


def _inserted(state: State, edit: Insert, data: bytes) -> bytes:
    """Put whole lines in; they get the file's line ends, and a last line that has none gets one."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not 0 <= edit.line <= len(lines):
        raise mismatch(edit.path, f"the text goes behind line {edit.line}, but the file has {len(lines)}", "NO_MATCH")
    new = edit.data.removesuffix(b"\n").split(b"\n")
    if lines and all(line.endswith(b"\r") for line in lines) and not any(line.endswith(b"\r") for line in new):
        new = [line + b"\r" for line in new]
        state.note("LINE_ENDS", edit.path, "the file's lines end CRLF: the new ones were given that end")
    if data and not data.endswith(b"\n") and edit.line == len(lines):
        state.note("LAST_LINE_END", edit.path, "the file's last line had no line end; it was given one")
    ends = data.endswith(b"\n") or edit.line == len(lines)
    return b"\n".join([*lines[: edit.line], *new, *lines[edit.line :]]) + (b"\n" if ends else b"")


def _written(state: State, edit: Write) -> Content:
    before = state.now[edit.path]
    if edit.base == ABSENT and before is not None:
        raise mismatch(edit.path, "the edit makes a new file, but there is one", "BASE_MISMATCH")
    if edit.base not in {None, ABSENT} and (before is None or edit.base != before.sha256):
        raise mismatch(edit.path, "the file is not the one that the edit was made from", "BASE_MISMATCH")
    if edit.as_new and before is not None:
        state.note("EXISTED_BEFORE", edit.path, "the text speaks of a new file, but there is one: it is replaced")
    mode = before.mode if before is not None else Mode.REGULAR
    if edit.executable is not None:
        mode = Mode.EXECUTABLE if edit.executable else Mode.REGULAR
    return Content(edit.data, mode)


def _move(state: State, edit: Move) -> None:
    content = present(state.now, edit.path)
    if edit.path == edit.to:
        raise mismatch(edit.path, "the file is to be moved onto itself", "FILE_EXISTS")
    if edit.replaces and state.now[edit.to] is not None:
        state.note("EXISTED_BEFORE", edit.to, f"{edit.path} is moved here, where a file is: it is replaced")
    else:
        absent(state.now, edit.to)
    state.now[edit.to], state.now[edit.path] = content, None
    state.origins[edit.to] = state.origins.pop(edit.path, edit.path)
