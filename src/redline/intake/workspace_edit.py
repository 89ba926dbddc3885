"""LSP's WorkspaceEdit: text edits by position, and files created, renamed and deleted (LSP 3.17, "WorkspaceEdit")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.core.paths import RepoPath
from redline.intake.edits import ABSENT, Delete, Edit, Move, Range, Ranges, Reading, Write
from redline.intake.json_text import MAX_INTEGER, JsonReader, inside, outer_keys
from redline.intake.markup import below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAME: Final = "workspace-edit"
LOOKS_FOR: Final = "JSON of an LSP WorkspaceEdit: `changes` or `documentChanges`"

_JSON = JsonReader(
    "a WorkspaceEdit",
    "Send one LSP WorkspaceEdit: documentChanges, a list of text document edits and of create, rename and delete;"
    " or changes, from each file's URI to its text edits.",
    "Send the WorkspaceEdit as JSON in UTF-8 and nothing before or after it.",
)
_FILE = re.compile(r"file://(?:localhost)?(/[^?#]*)\Z")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


def recognises(text: bytes) -> bool:
    keys = outer_keys(text)
    return not keys.isdisjoint({"changes", "documentChanges"}) and "schema" not in keys


def parse(text: bytes, *, root: str | None = None) -> Reading:
    """Read one WorkspaceEdit. Raises MalformedEdit with the faulty key's JSON path, UnsafePath.

    Files are named by `file:` URIs below `root`, or by a path from the repository's root.
    """
    document = _JSON.typed(_JSON.load(text), dict, "$")
    _JSON.keys(document, "", set(), {"changes", "documentChanges", "changeAnnotations"})
    if "changes" in document and "documentChanges" in document:
        raise _JSON.fault("changes", "stands beside documentChanges; only one of them can be meant")
    by_file = "changes" in document
    edits = tuple(_by_file(document["changes"], root) if by_file else _in_order(document, root))
    if not edits:
        raise _JSON.fault("$", "changes nothing", code="NO_FILES")
    return Reading(NAME, "", edits, ())


def _by_file(changes: object, root: str | None) -> Iterator[Edit]:
    files = _JSON.typed(changes, dict, "changes")
    _JSON.unrepeated(files, "changes")
    seen: set[RepoPath] = set()
    for uri, edits in files.items():
        where = inside("changes", uri)
        path = _path(uri, where, root)
        if path in seen:
            raise _JSON.fault(where, f"is {path} again")
        seen.add(path)
        yield from _text_edits(path, edits, where)


def _in_order(document: dict[str, object], root: str | None) -> Iterator[Edit]:
    for index, item in enumerate(_JSON.typed(document.get("documentChanges", []), list, "documentChanges")):
        where = f"documentChanges[{index}]"
        fields = _JSON.typed(item, dict, where)
        if "kind" in fields:
            yield _file_operation(fields, where, root)
        else:
            _JSON.keys(fields, where, {"textDocument", "edits"}, set())
            place = f"{where}.textDocument"
            named = _JSON.typed(fields["textDocument"], dict, place)
            _JSON.keys(named, place, {"uri"}, {"version"})
            yield from _text_edits(_path(named["uri"], f"{place}.uri", root), fields["edits"], f"{where}.edits")


def _text_edits(path: RepoPath, edits: object, where: str) -> Iterator[Edit]:
    items = _JSON.typed(edits, list, where)
    if items:
        yield Ranges(path, tuple(_range(item, f"{where}[{index}]") for index, item in enumerate(items)))


def _range(item: object, where: str) -> Range:
    fields = _JSON.typed(item, dict, where)
    _JSON.keys(fields, where, {"range", "newText"}, {"annotationId"})
    bounds = _JSON.typed(fields["range"], dict, f"{where}.range")
    _JSON.keys(bounds, f"{where}.range", {"start", "end"}, set())
    start = _position(bounds["start"], f"{where}.range.start")
    end = _position(bounds["end"], f"{where}.range.end")
    if end < start:
        raise _JSON.fault(f"{where}.range", "ends before it starts")
    return Range(*start, *end, _JSON.data(fields["newText"], f"{where}.newText"))


def _position(value: object, where: str) -> tuple[int, int]:
    fields = _JSON.typed(value, dict, where)
    _JSON.keys(fields, where, {"line", "character"}, set())
    line = _JSON.typed(fields["line"], int, f"{where}.line")
    character = _JSON.typed(fields["character"], int, f"{where}.character")
    for name, number in (("line", line), ("character", character)):
        if not 0 <= number <= MAX_INTEGER:
            raise _JSON.fault(f"{where}.{name}", "must be at least 0 and below 2**53")
    return line, character


def _file_operation(fields: dict[str, object], where: str, root: str | None) -> Edit:
    kind = _JSON.text(fields["kind"], f"{where}.kind")
    build = _OPERATIONS.get(kind)
    if build is None:
        raise _JSON.fault(f"{where}.kind", "must be create, rename or delete")
    return build(fields, where, root)


def _create(fields: dict[str, object], where: str, root: str | None) -> Edit:
    _JSON.keys(fields, where, {"kind", "uri"}, {"options", "annotationId"})
    overwrite = _options(fields, where, "overwrite", "ignoreIfExists")
    path = _path(fields["uri"], f"{where}.uri", root)
    return Write(path, b"", None, None if overwrite else ABSENT, as_new=overwrite)


def _rename(fields: dict[str, object], where: str, root: str | None) -> Edit:
    _JSON.keys(fields, where, {"kind", "oldUri", "newUri"}, {"options", "annotationId"})
    overwrite = _options(fields, where, "overwrite", "ignoreIfExists")
    old = _path(fields["oldUri"], f"{where}.oldUri", root)
    return Move(old, _path(fields["newUri"], f"{where}.newUri", root), replaces=overwrite)


def _delete(fields: dict[str, object], where: str, root: str | None) -> Edit:
    _JSON.keys(fields, where, {"kind", "uri"}, {"options", "annotationId"})
    _options(fields, where, "recursive", "ignoreIfNotExists")
    return Delete(_path(fields["uri"], f"{where}.uri", root))


_OPERATIONS: Final[dict[str, Callable[[dict[str, object], str, str | None], Edit]]] = {
    "create": _create,
    "rename": _rename,
    "delete": _delete,
}


def _options(fields: dict[str, object], where: str, first: str, second: str) -> bool:
    """Read the first option. The second would do nothing where the files differ from what is meant: that is refused."""
    where = f"{where}.options"
    options = _JSON.typed(fields.get("options", {}), dict, where)
    _JSON.keys(options, where, set(), {first, second})
    _JSON.typed(options.get(second, False), bool, f"{where}.{second}")
    return _JSON.typed(options.get(first, False), bool, f"{where}.{first}")


def _path(value: object, where: str, root: str | None) -> RepoPath:
    uri = _JSON.text(value, where)
    named = _FILE.match(uri)
    if named is None and (_SCHEME.match(uri) or "%" in uri):
        raise _JSON.fault(where, "is neither a file: URI nor a plain path")
    path = _unescaped(named[1], where) if named is not None else uri
    return RepoPath(below(path, root))


def _unescaped(path: str, where: str) -> str:
    if path.count("%") != len(_ESCAPE.findall(path.encode())):
        raise _JSON.fault(where, "has a % that escapes nothing; the character itself is written %25")
    data = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), path.encode())
    return data.decode("utf-8", "surrogateescape")
