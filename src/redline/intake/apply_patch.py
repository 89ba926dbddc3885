"""The `apply_patch` format of Codex: `*** Begin Patch`, one section for each file, `*** End Patch`.

Line numbers in messages count in the whole text. A CR before LF belongs to the patch's own line end: a patch
cannot say which line ends a file has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from redline.core.notes import Leniency
from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.edits import Chunk, Chunks, Delete, Edit, Move, Reading, Write
from redline.intake.shell_wrapper import BLANKS, unwrap

NAME: Final = "apply-patch"
LOOKS_FOR: Final = "a Codex patch from `*** Begin Patch` to `*** End Patch`"

_BEGIN = b"*** Begin Patch"
_END = b"*** End Patch"
_END_OF_FILE = b"*** End of File"
_MOVE = b"*** Move to: "
_ENVIRONMENT = b"*** Environment ID:"
_BEGIN_LINE = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?\s*|^)\*\*\* Begin Patch[ \t\r]*$", re.MULTILINE)
_SECTION = re.compile(rb"\*\*\* (Add|Delete|Update) File: (.+)\Z", re.DOTALL)


@dataclass(slots=True)
class _Source:
    """The lines of a patch without line ends, `crlf` telling which lost a CR, and the next one to read."""

    lines: list[bytes]
    crlf: list[bool]
    mixed: bool
    first: int
    prefix: bytes
    at: int = 0

    @property
    def line(self) -> bytes:
        """The next line. Raises MalformedEdit at the end of the text."""
        if self.at == len(self.lines):
            raise _fault(self.number - 1, "the patch has no `*** End Patch`; it may be cut off", "PATCH_OPEN", _WHOLE)
        return self.lines[self.at]

    @property
    def number(self) -> int:
        """The next line's number in the text, from 1."""
        return self.first + self.at

    @property
    def at_last(self) -> bool:
        return self.at + 1 == len(self.lines)


def recognises(text: bytes) -> bool:
    return _BEGIN_LINE.search(text) is not None


def parse(text: bytes) -> Reading:
    """Read one patch, perhaps in a fence or a here-document. Raises MalformedEdit naming the line, UnsafePath."""
    source = _open(text)
    edits: list[Edit] = []
    leniencies: list[Leniency] = []
    while (header := source.line.strip(BLANKS)) != _END:
        section = _SECTION.match(header)
        if section is None:
            raise _fault(source.number, f"{_shown(header)} is no header of a section", "PATCH_HEADER", _HEADERS)
        path = _path(section[2], source)
        source.at += 1
        match section[1]:
            case b"Add":
                edits.append(_added(source, path, leniencies))
            case b"Delete":
                edits.append(Delete(path))
            case _:
                edits += _updated(source, path)
    source.at += 1
    if source.at < len(source.lines):
        raise _fault(source.number, "the text goes on behind `*** End Patch`", "PATCH_NOT_ALONE", _WHOLE)
    if not edits:
        raise _fault(source.first, "the patch has no section, so that it changes nothing", "NO_FILES", _HEADERS)
    return Reading(NAME, "", tuple(edits), tuple(leniencies))


def parse_section(path: RepoPath, diff: bytes, *, creates: bool) -> Reading:
    """Read what stands below the header of one section, when the header itself is given in another form.

    Line numbers count in `diff`. Raises MalformedEdit, also for the header of another section.
    """
    lines = diff.removesuffix(b"\n").split(b"\n") if diff else []
    crlf = [line.endswith(b"\r") for line in lines]
    source = _Source([*(line.removesuffix(b"\r") for line in lines), _END], [*crlf, False], len(set(crlf)) > 1, 1, b"")
    leniencies: list[Leniency] = []
    edit = _added(source, path, leniencies) if creates else Chunks(path, tuple(_chunks(source)))
    if not source.at_last:
        raise _fault(source.number, f"{_shown(source.line)} is of another section", "PATCH_HEADER", _ONE_FILE)
    if isinstance(edit, Chunks) and not edit.chunks:
        raise _fault(1, f"the diff of {path} has no chunk", "SECTION_EMPTY", _CHUNK)
    return Reading(NAME, "", (edit,), tuple(leniencies))


def _open(text: bytes) -> _Source:
    """Go behind the first line, and behind the environment's, which names a machine and not a file."""
    patch = unwrap(text)
    lines = [line.removesuffix(b"\r") for line in patch.lines]
    crlf = [line.endswith(b"\r") for line in patch.lines]
    # The last line does not count: the text may end with it.
    source = _Source(lines, crlf, len(set(crlf[:-1])) > 1, patch.first, patch.prefix)
    if not source.lines or source.line.strip(BLANKS) != _BEGIN:
        raise _fault(source.number, "the patch does not start with `*** Begin Patch`", "PATCH_BEGIN", _WHOLE)
    source.at += 1
    line = source.line.strip(BLANKS)
    if line.startswith(_ENVIRONMENT):
        if line == _ENVIRONMENT:
            raise _fault(source.number, "the environment's ID is empty", "PATCH_HEADER", "Leave this line out.")
        source.at += 1
    return source


def _added(source: _Source, path: RepoPath, leniencies: list[Leniency]) -> Write:
    start = source.at
    while source.line.startswith(b"+"):
        source.at += 1
    if not _is_header(source.line.strip(BLANKS)):
        why = f"{_shown(source.line)} stands in an added file, where every line starts with +"
        raise _fault(source.number, why, "PATCH_LINE", _HEADERS)
    if source.mixed and True in source.crlf[start : source.at]:
        text = "some lines of the patch end CRLF; the new file got LF, as the format has it"
        leniencies.append(Leniency("CR_DROPPED", path, text))
    data = b"".join([line[1:] + b"\n" for line in source.lines[start : source.at]])
    return Write(path, data, None, None, as_new=True)


def _updated(source: _Source, path: RepoPath) -> list[Edit]:
    header = source.number - 1
    moved_to = None
    line = source.line.rstrip(BLANKS)
    if line.startswith(_MOVE):
        moved_to = _path(line.removeprefix(_MOVE), source)
        if moved_to == path:
            raise _fault(source.number, f"{path} is moved to itself", "PATCH_HEADER", "Leave this line out.")
        source.at += 1
    chunks = _chunks(source)
    if not chunks:
        hint = "Give it a chunk: `@@` and lines that start with a blank, - or +; to move a file, one line of context."
        raise _fault(header, f"the section of {path} has no chunk", "SECTION_EMPTY", hint)
    edits: list[Edit] = [Chunks(path, tuple(chunks))]
    if moved_to is not None:
        edits.append(Move(path, moved_to))
    return edits


def _chunks(source: _Source) -> list[Chunk]:
    chunks: list[Chunk] = []
    _skip_separator(source)
    while not _at_section_end(source):
        chunks.append(_chunk(source, is_first=not chunks))
    return chunks


def _chunk(source: _Source, *, is_first: bool) -> Chunk:
    number = source.number
    header = source.line.rstrip(BLANKS)
    is_marked = _is_marker(header)
    if not is_marked and not is_first:
        raise _fault(number, f"{_shown(source.line)} follows the end of the file", "PATCH_LINE", _CHUNK)
    anchor = header[3:] if is_marked and header != b"@@" else None
    source.at += is_marked
    lines = _chunk_lines(source)
    if not lines:
        stacked = _is_marker(source.line.rstrip(BLANKS))
        raise _fault(number, "the chunk has no lines", "CHUNK_EMPTY", _ONE_ANCHOR if stacked else _CHUNK)
    at_end = source.line.rstrip(BLANKS) == _END_OF_FILE
    if at_end:
        source.at += 1
        while not source.line.strip(BLANKS):
            source.at += 1
    return Chunk(anchor, lines, at_end, number)


def _chunk_lines(source: _Source) -> tuple[bytes, ...]:
    lines: list[bytes] = []
    while not _at_section_end(source):
        line = source.line
        header = line.rstrip(BLANKS)
        if _is_marker(header) or header == _END_OF_FILE:
            break
        if line[:1] not in {b"", b" ", b"-", b"+"}:
            why = f"{_shown(line)} starts with neither a blank nor - nor +"
            raise _fault(source.number, why, "PATCH_LINE", _CHUNK)
        lines.append(line or b" ")
        source.at += 1
    return tuple(lines)


def _skip_separator(source: _Source) -> None:
    """Go behind empty lines between a section's header and its first `@@`: they are no context."""
    ahead = source.at
    while ahead < len(source.lines) and not source.lines[ahead]:
        ahead += 1
    if ahead < len(source.lines) and _is_marker(source.lines[ahead].rstrip(BLANKS)):
        source.at = ahead


def _is_marker(line: bytes) -> bool:
    return line == b"@@" or line.startswith(b"@@ ")


def _is_header(line: bytes) -> bool:
    return line == _END or _SECTION.match(line) is not None


def _at_section_end(source: _Source) -> bool:
    """Whether a header stands here: not behind a blank, which makes it context, save on the text's last line."""
    line = source.line
    return _is_header(line.rstrip(BLANKS)) or (source.at_last and line.strip(BLANKS) == _END)


def _path(written: bytes, source: _Source) -> RepoPath:
    return RepoPath((source.prefix + written).decode("utf-8", "surrogateescape"))


_WHOLE: Final = "Send the patch alone, from `*** Begin Patch` to `*** End Patch`."
_HEADERS: Final = (
    "A section starts with `*** Add File: PATH`, `*** Delete File: PATH` or `*** Update File: PATH`;"
    " every line of an added file starts with +, also an empty one."
)
_ONE_FILE: Final = "Send only the lines of the one file that the operation names; every other file has its own."
_CHUNK: Final = "A chunk is `@@` or `@@ LINE OF THE FILE`, then lines that start with a blank, - or +."
_ONE_ANCHOR: Final = "Give one `@@` line for each chunk; name the inner function there, and more context below it."


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return ascii(text if len(text) <= 80 else text[:80] + "...")


def _fault(number: int, what: str, code: str, hint: str) -> MalformedEdit:
    return MalformedEdit(f"line {number}: {what}", code=code, hint=hint, details={"line": number})
