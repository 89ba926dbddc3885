"""The header lines of one file's section.

Sources: git-diff(1), "Generating patch text with -p"; GNU diffutils, "Detailed Description of Unified
Format".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.core.content import Mode
from redline.errors import MalformedEdit, PathRefused
from redline.intake.edits import Relation

if TYPE_CHECKING:
    from redline.intake.diff_text import Cursor

NULL = b"/dev/null"

_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_STAMP = re.compile(
    rb"[ \t](?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}) (?P<clock>[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)"
    rb"(?: ?(?P<zone>[-+][0-9]{2}:?[0-9]{2}))?\Z"
)
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]+))?\Z")
_EXTENDED = re.compile(
    rb"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to"
    rb"|rename old|rename new|similarity index|dissimilarity index|index) (.*)\Z",
    re.DOTALL,
)
_MODES = {mode.value.encode(): mode for mode in Mode}
_REFUSED_MODES = {
    b"120000": ("PATH_SYMLINK", "a symbolic link"),
    b"160000": ("PATH_SUBMODULE", "a submodule"),
}


@dataclass(slots=True)
class Header:
    """What the header lines of a section say, names as written (unquoted, prefixes kept)."""

    line: int
    git_names: bytes | None = None
    old_name: bytes | None = None
    new_name: bytes | None = None
    moved_from: bytes | None = None
    moved_to: bytes | None = None
    relation: Relation = Relation.PLAIN
    created: bool = False
    deleted: bool = False
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    before_oid: str = ""
    after_oid: str = ""

    @property
    def shown(self) -> str:
        named = [self.new_name, self.old_name, self.moved_to, self.git_names]
        name = next((name for name in named if name is not None and name != NULL), b"")
        return ascii(name.decode("utf-8", "backslashreplace"))

    @property
    def is_operation(self) -> bool:
        """Whether the header alone, without any hunk, changes something."""
        moved = self.relation is not Relation.PLAIN
        return moved or self.created or self.deleted or self.new_mode is not None


def read_header(source: Cursor) -> Header:
    header = Header(source.number)
    line = source.peek() or b""
    if line.startswith(b"diff --git "):
        header.git_names = line.removeprefix(b"diff --git ")
        source.at += 1
        while (line := source.peek() or b"") and (extended := _EXTENDED.match(line)):
            _take_extended(header, extended[1].decode(), extended[2])
            source.at += 1
    if source.at_section and line.startswith(b"--- "):
        _take_names(header, line[4:], (source.peek(1) or b"")[4:])
        source.at += 2
    _check(header)
    return header


def _take_names(header: Header, old: bytes, new: bytes) -> None:
    header.old_name, header.new_name = _file_name(old, header), _file_name(new, header)
    header.created = header.created or header.old_name == NULL
    header.deleted = header.deleted or header.new_name == NULL
    # Two zero stamps are a reproducible build's, not a file that was never there.
    if header.git_names is None and _is_epoch(old) != _is_epoch(new):
        header.created = header.created or _is_epoch(old)
        header.deleted = header.deleted or _is_epoch(new)


def _take_extended(header: Header, key: str, value: bytes) -> None:
    match key:
        case "old mode" | "deleted file mode":
            header.old_mode = _mode(value, header)
            header.deleted = header.deleted or key == "deleted file mode"
        case "new mode" | "new file mode":
            header.new_mode = _mode(value, header)
            header.created = header.created or key == "new file mode"
        case "rename from" | "rename old" | "copy from":
            header.moved_from = unquote(value)
        case "rename to" | "rename new" | "copy to":
            header.moved_to = unquote(value)
            header.relation = Relation.COPY if key == "copy to" else Relation.RENAME
        case "index":
            _take_index(header, value)
        case _:
            pass  # how similar the two sides are changes nothing


def _take_index(header: Header, value: bytes) -> None:
    stated = _INDEX.match(value)
    if stated is None:
        return
    header.before_oid, header.after_oid = stated[1].decode(), stated[2].decode()
    if stated[3] is not None:
        _mode(stated[3], header)


def _check(header: Header) -> None:
    if (header.moved_from is None) != (header.moved_to is None):
        raise _fault("names only one end of a rename or copy", "HEADER_INCOMPLETE", header)
    mode_change = not header.created and not header.deleted
    if mode_change and (header.old_mode is None) != (header.new_mode is None):
        raise _fault("names only one of old mode and new mode", "HEADER_INCOMPLETE", header)
    if header.created and header.deleted:
        raise _fault("is both created and deleted", "HEADER_CONFLICT", header)
    if header.relation is not Relation.PLAIN and (header.created or header.deleted):
        raise _fault("is renamed or copied and created or deleted", "HEADER_CONFLICT", header)


def _mode(value: bytes, header: Header) -> Mode:
    mode = _MODES.get(value.strip())
    if mode is not None:
        return mode
    shown = ascii(value.decode("utf-8", "backslashreplace"))
    code, what = _REFUSED_MODES.get(value.strip(), ("MODE_REFUSED", f"mode {shown}"))
    raise PathRefused(
        f"line {header.line}: {header.shown} is {what}; a proposal holds regular files only",
        code=code,
        hint="Use mode 100644 or 100755, and leave links and submodules to a person.",
        details={"line": header.line},
    )


def _file_name(value: bytes, header: Header) -> bytes:
    if value.startswith(b'"'):
        quoted = _QUOTED.match(value)
        if quoted is None or value[quoted.end() :].lstrip(b" ")[:1] not in {b"", b"\t"}:
            raise _fault("has a quoted name that does not end where the name ends", "HEADER_NAME", header)
        return unquote(quoted[0])
    if value.split(None, 1)[:1] == [NULL]:
        return NULL
    stamp = _STAMP.search(value)
    return (value[: stamp.start()].rstrip(b" \t") if stamp else value).split(b"\t", 1)[0]


def _is_epoch(name_and_stamp: bytes) -> bool:
    """Whether the time stamp is zero, which is how GNU diff -N states an absent file."""
    stamp = _STAMP.search(name_and_stamp)
    if stamp is None:
        return False
    hours, minutes, seconds = stamp["clock"].split(b":")
    zone = (stamp["zone"] or b"+0000").replace(b":", b"")
    offset = (int(zone[1:3]) * 60 + int(zone[3:5])) * (-1 if zone.startswith(b"-") else 1)
    days = {b"1969-12-31": -1440, b"1970-01-01": 0}.get(stamp["day"])
    return days is not None and not float(seconds) and days + int(hours) * 60 + int(minutes) == offset


def unquote(name: bytes) -> bytes:
    """Undo git's C-style quoting (quote.c); a name without quotes is returned as it is."""
    quoted = _QUOTED.fullmatch(name)
    return _ESCAPE.sub(_unescape, quoted[1]) if quoted else name


def _unescape(found: re.Match[bytes]) -> bytes:
    word = found[1]
    return bytes([int(word, 8) & 0xFF]) if len(word) == 3 else _ESCAPES.get(word, word)


def split_git_names(names: bytes) -> tuple[bytes, bytes] | None:
    """Split the two names of a `diff --git` line; None if they are unquoted and the place is not certain."""
    quoted = _QUOTED.match(names)
    if quoted is not None and names[quoted.end() : quoted.end() + 1] == b" ":
        return unquote(quoted[0]), unquote(names[quoted.end() + 1 :])
    if names.endswith(b'"') and b' "' in names:
        first, _, second = names.partition(b' "')
        return first, unquote(b'"' + second)
    if names.count(b" ") == 1:
        first, _, second = names.partition(b" ")
        return first, second
    middle = len(names) // 2
    first, second = names[:middle], names[middle + 1 :]
    if names[middle : middle + 1] != b" ":
        return None
    return (first, second) if first == second or _tail(first) == _tail(second) != b"" else None


def _tail(name: bytes) -> bytes:
    return name.partition(b"/")[2]


def _fault(what: str, code: str, header: Header) -> MalformedEdit:
    return MalformedEdit(
        f"line {header.line}: the section of {header.shown} {what}",
        code=code,
        hint="Send the section as `git diff` prints it.",
        details={"line": header.line},
    )
