"""Unified diffs, git's and plain ones, by a strict parser over bytes.

Every line is part of a section, or prose that can be nothing else; what could be a lost part of a hunk is
refused, where common parsers drop it silently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.core.notes import Leniency
from redline.errors import MalformedEdit
from redline.intake.binary_patch import read_binary
from redline.intake.diff_headers import read_header
from redline.intake.diff_hunks import count_body, read_hunks, wrong_count
from redline.intake.diff_names import decide_strip, locate
from redline.intake.diff_text import open_text
from redline.intake.edits import FilePatch, Reading

if TYPE_CHECKING:
    from redline.intake.diff_headers import Header
    from redline.intake.diff_text import Cursor
    from redline.intake.edits import BinaryPatch, Hunk

NAME: Final = "diff"
LOOKS_FOR: Final = "a unified diff: `diff --git`, or `---` and `+++` lines with @@ hunks"

_EMPTY_OIDS = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_WITHOUT_DATA = re.compile(rb"(?:Binary files|Files) .* differ\Z", re.DOTALL)


@dataclass(slots=True)
class _Section:
    header: Header
    hunks: tuple[Hunk, ...]
    binary: BinaryPatch | None
    series: int
    repaired: int


def parse(text: bytes, *, strip: int | None = None) -> Reading:
    """Read every section. Raises MalformedEdit naming the line, PathRefused, UnsafePath."""
    source = open_text(text)
    sections: list[_Section] = []
    series = _skip_prose(source, 0, None, started=False)
    while source.peek() is not None:
        section = _read_section(source, series)
        sections.append(section)
        series = _skip_prose(source, series, section.hunks[-1] if section.hunks else None, started=True)
    if not sections:
        raise MalformedEdit(
            "no file section was found in the diff",
            code="NO_FILES",
            hint="A section starts with `diff --git`, or with a `---` and a `+++` line.",
        )
    level = strip if strip is not None else decide_strip([section.header for section in sections])
    edits = tuple(_file_patch(section, level) for section in sections)
    return Reading(NAME, "", edits, _leniencies(source, sections, edits), b"\n".join(source.prose))


def _read_section(source: Cursor, series: int) -> _Section:
    header = read_header(source)
    hunks, repaired = read_hunks(source)
    binary = None
    line = source.peek() or b""
    if not hunks and header.git_names is not None:
        if line == b"GIT binary patch":
            binary = read_binary(source)
        else:
            _refuse_binary_without_data(line, source.number)
    if not hunks and binary is None and not _is_whole(header):
        raise MalformedEdit(
            f"line {header.line}: the section of {header.shown} changes nothing: it has no hunk",
            code="SECTION_EMPTY",
            hint="Send the section with its hunks, as `git diff` prints it.",
            details={"line": header.line},
        )
    _check_sides(header, hunks)
    return _Section(header, hunks, binary, series, repaired)


def _is_whole(header: Header) -> bool:
    """Whether the section is complete without a hunk: a rename, a copy, a mode change, an empty file."""
    names_text = header.old_name is not None and not (header.created or header.deleted)
    if header.git_names is None or not header.is_operation or names_text:
        return False
    stated = header.after_oid if header.created else ""
    return any(empty.startswith(stated) for empty in _EMPTY_OIDS)


def _check_sides(header: Header, hunks: tuple[Hunk, ...]) -> None:
    if (header.created and any(hunk.before for hunk in hunks)) or (
        header.deleted and any(hunk.after for hunk in hunks)
    ):
        side = "old text in a created" if header.created else "new text in a deleted"
        raise MalformedEdit(
            f"line {header.line}: the section of {header.shown} has {side} file",
            code="HEADER_CONFLICT",
            hint="A created file has only + lines, a deleted one only - lines.",
            details={"line": header.line},
        )


def _skip_prose(source: Cursor, series: int, hunk: Hunk | None, *, started: bool) -> int:
    """Go to the next section; refuse any line that could be a lost piece of a diff."""
    adjacent = hunk is not None
    while (line := source.peek()) is not None and not _at_next_section(source, line):
        if source.at_mail:
            source.skip_mail()
            series += 1
            adjacent = started = False
        elif started and source.skip_signature():
            adjacent = started = False
        else:
            _refuse_binary_without_data(line, source.number)
            if line.startswith((b"@@", b"GIT binary patch", b"***************")):
                raise _stray(line, source.number)
            if started and (line.startswith((b"+", b"-", b"\\")) or (adjacent and line.startswith(b" "))):
                raise _left_over(source, hunk)
            adjacent = adjacent and not line.strip()
            source.prose.append(line)
            source.at += 1
    return series


def _at_next_section(source: Cursor, line: bytes) -> bool:
    if not source.at_section:
        return False
    if line.startswith((b"diff --cc ", b"diff --combined ")):
        raise _stray(line, source.number)
    return True


def _stray(line: bytes, number: int) -> MalformedEdit:
    shown = ascii(line[:80].decode("utf-8", "backslashreplace"))
    if line.startswith((b"@@@", b"diff --c")):
        what, code = "is part of a combined diff of a merge, which is not taken", "COMBINED_DIFF"
    elif line.startswith(b"***"):
        what, code = "is part of a context diff, which is not taken", "CONTEXT_DIFF"
    else:
        what, code = "belongs to no file", "HUNK_WITHOUT_FILE"
    hint = "Send a unified diff as `git diff` prints it, with the header lines of each file."
    return MalformedEdit(f"line {number}: {shown} {what}", code=code, hint=hint, details={"line": number})


def _left_over(source: Cursor, hunk: Hunk | None) -> MalformedEdit:
    number = source.number
    if hunk is not None:
        old = sum(not line.startswith(b"+") for line in hunk.lines)
        new = sum(not line.startswith(b"-") for line in hunk.lines)
        if count_body(source.lines, hunk.line - source.first + 1) != (old, new):
            return wrong_count(source, hunk.line, old, new)
    return MalformedEdit(
        f"line {number}: this looks like a part of a hunk, but the hunk above is complete by its counts",
        code="LEFT_OVER" if hunk is None else "HUNK_COUNT",
        hint="Correct the counts in the @@ line; put prose outside a ``` fence around the diff.",
        details={"line": number},
    )


def _refuse_binary_without_data(line: bytes, number: int) -> None:
    if _WITHOUT_DATA.match(line):
        raise MalformedEdit(
            f"line {number}: {line.decode('utf-8', 'backslashreplace')!a}, but the data is not given",
            code="BINARY_WITHOUT_DATA",
            hint="Make the diff with `git diff --binary`.",
            details={"line": number},
        )


def _file_patch(section: _Section, strip: int) -> FilePatch:
    header = section.header
    source, target = locate(header, strip)
    return FilePatch(
        source,
        target,
        header.relation,
        header.old_mode,
        header.new_mode,
        section.hunks,
        section.binary,
        header.before_oid,
        header.after_oid,
        header.git_names is not None,
        section.series,
        header.line,
    )


def _leniencies(source: Cursor, sections: list[_Section], edits: tuple[FilePatch, ...]) -> tuple[Leniency, ...]:
    noted = [
        Leniency(
            "BLANK_CONTEXT",
            edit.path,
            f"{section.repaired} empty lines were read as blank context lines that had lost their space",
        )
        for section, edit in zip(sections, edits, strict=True)
        if section.repaired
    ]
    noted += [
        Leniency("HUNK_RECOUNTED", edit.path, f"the counts of {wrong} of its hunks are wrong; their lines were counted")
        for edit in edits
        if (wrong := sum(hunk.is_recounted for hunk in edit.hunks))
    ]
    if source.crlf:
        text = "every line of the diff ends CRLF: the CR of header lines was dropped, that of hunk lines kept"
        noted.append(Leniency("CRLF_ENVELOPE", edits[0].path, text))
    if not source.terminated and sections[-1].hunks:
        text = "the diff's text does not end its last line; it was read as if it did"
        noted.append(Leniency("TEXT_UNTERMINATED", edits[-1].path, text))
    return tuple(noted)
