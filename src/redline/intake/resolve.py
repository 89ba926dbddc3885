"""Edits and present contents → net changes; no file is read; what is not said exactly is noted or refused."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.notes import Leniency
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
from redline.intake.insertion import insert_lines
from redline.intake.mismatch import mismatch
from redline.intake.notebook import apply_cell
from redline.intake.ranges import apply_ranges
from redline.intake.sections import apply_section, vacated
from redline.intake.state import State, present, refuse_utf16

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from redline.core.paths import RepoPath

_MARKER = re.compile(
    rb"(?m)^(?:(?:<{7}|>{7}|\|{7}) ?[^\s<>|][^\n]*|(?:<{7}|>{7})[ \r]*|(?:-{7} SEARCH|\+{7} REPLACE)>?[ \r]*"
    rb"|\*\*\* (?:(?:Begin|End) Patch|End of File|(?:Add|Delete|Update) File: [^\n]*|Move to: [^\n]*)[ \r]*)$"
)


def resolve(reading: Reading, contents: Mapping[RepoPath, Content | None]) -> Resolved:
    """Apply the edits in order and give the net change of each path.

    `contents` holds every path of `reading.paths`; None is an absent file. Raises EditMismatch.
    """
    paths = reading.paths
    state = State({path: contents[path] for path in paths}, vacated(reading))
    noted = [*((0, note) for note in reading.leniencies)]
    for number, run in _runs(reading.edits):
        known = len(state.leniencies)
        _apply(state, run)
        noted += [(number, note) for note in state.leniencies[known:]]
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
    told = [Leniency("PASSED_OVER", changes[0].path, text) for text in reading.passed_over]
    told += [note for note in _at_every_path(noted, reading.edits) if note.path in changed]
    return Resolved(changes, _once(told))


def _once(notes: list[Leniency]) -> tuple[Leniency, ...]:
    """Leave out what was told before: that a file has its own line ends is told once, however many edits it has."""
    told: dict[object, Leniency] = {}
    for note in notes:
        told.setdefault((note.code, note.path) if note.code == "LINE_ENDS" else note, note)
    return tuple(told.values())


def _runs(edits: tuple[Edit, ...]) -> Iterator[tuple[int, list[Edit]]]:
    """Give the edits with the number of the first: those by lines together that follow each other in one file."""

    def run_of(numbered: tuple[int, Edit]) -> tuple[object, ...]:
        number, edit = numbered
        return (type(edit), edit.path) if isinstance(edit, Insert | Chunks) else (number,)

    for _, run in groupby(enumerate(edits), run_of):
        numbered = list(run)
        yield numbered[0][0], [edit for _, edit in numbered]


def _at_every_path(noted: list[tuple[int, Leniency]], edits: tuple[Edit, ...]) -> Iterator[Leniency]:
    """Give each note at its path, and at the one that its file has in the end if later edits move it.

    A note comes with the number of the edit that it was made at, lowest first.
    """
    ends: dict[RepoPath, RepoPath] = {}
    found: list[Leniency] = []
    left = list(noted)
    for number in range(len(edits) - 1, -1, -1):
        edit = edits[number]
        if isinstance(edit, Move):
            ends[edit.path] = ends.get(edit.to, edit.to)
        while left and left[-1][0] == number:
            note = left.pop()[1]
            found += [replace(note, path=ends.get(note.path, note.path)), note]
    return reversed(found)


def _renamed_from(state: State, path: RepoPath, contents: Mapping[RepoPath, Content | None]) -> RepoPath | None:
    origin = state.origins.get(path)
    if origin is None or contents[path] is not None or state.now[path] is None:
        return None
    return origin if contents[origin] is not None and state.now[origin] is None else None


def _apply(state: State, run: list[Edit]) -> None:
    match edit := run[0]:
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
            after, noted = _edited(run, edit, before.data)
            state.leniencies += noted
            state.now[edit.path] = Content(after, before.mode)


def _edited(run: list[Edit], edit: Insert | Chunks | Ranges | Cell, data: bytes) -> tuple[bytes, list[Leniency]]:
    match edit:
        case Insert():
            return insert_lines(data, [insert for insert in run if isinstance(insert, Insert)])
        case Chunks():
            return apply_chunks(data, [chunks for chunks in run if isinstance(chunks, Chunks)])
        case Ranges():
            after = apply_ranges(data, edit)
            text = "the new text has lines that end CRLF, and the file had none"
            is_new = b"\r\n" in after and b"\r\n" not in data and b"\n" in data
            return after, [Leniency("LINE_ENDS", edit.path, text)] if is_new else []
        case Cell():
            return apply_cell(data, edit), []


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


def _written(state: State, edit: Write) -> Content:
    before = state.now[edit.path]
    if edit.base == ABSENT and before is not None:
        raise mismatch(edit.path, "the edit makes a new file, but there is one", "BASE_MISMATCH")
    if edit.base not in {None, ABSENT} and (before is None or edit.base != before.sha256):
        raise mismatch(edit.path, "the file is not the one that the edit was made from", "BASE_MISMATCH")
    if edit.as_new and before is not None:
        state.note("EXISTED_BEFORE", edit.path, "the text speaks of a new file, but there is one: it is replaced")
    _note_markers(state, edit, before.data if before is not None else b"")
    mode = before.mode if before is not None else Mode.REGULAR
    if edit.executable is not None:
        mode = Mode.EXECUTABLE if edit.executable else Mode.REGULAR
    return Content(edit.data, mode)


def _note_markers(state: State, edit: Write, before: bytes) -> None:
    """Point out lines that a merge or an edit format marks its parts with, where the file had none like them."""
    found = _MARKER.search(edit.data)
    if found is None or found[0].strip() in {line.strip() for line in _MARKER.findall(before)}:
        return
    shown = found[0].strip()[:40].decode("utf-8", "backslashreplace")
    line = edit.data.count(b"\n", 0, found.start()) + 1
    text = f"line {line} of the new content is {shown!a}, which marks part of an edit or of a merge"
    state.note("MARKER_IN_CONTENT", edit.path, text)


def _move(state: State, edit: Move) -> None:
    content = present(state.now, edit.path)
    if edit.path == edit.to:
        raise mismatch(edit.path, "the file is to be moved onto itself", "FILE_EXISTS")
    if state.now[edit.to] is not None:
        if not edit.replaces:
            raise _occupied(edit)
        state.note("EXISTED_BEFORE", edit.to, f"{edit.path} is moved here, where a file is: it is replaced")
    state.now[edit.to], state.now[edit.path] = content, None
    state.origins[edit.to] = state.origins.pop(edit.path, edit.path)


def _occupied(edit: Move) -> EditMismatch:
    return EditMismatch(
        f"{edit.path} is to be moved to {edit.to}, where a file exists",
        code="FILE_EXISTS",
        hint="Choose another path, or delete the file there first, by an edit of its own in the same message.",
        details={"path": str(edit.to), "from": str(edit.path)},
    )
