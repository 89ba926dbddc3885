"""The native format `redline.edit/1`: one strict JSON object.

What the schema does not name is refused, and so is every value of another type: text carries no authority.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.errors import LimitExceeded
from redline.intake.edits import ABSENT, Delete, Edit, Move, Reading, Replace, Write
from redline.intake.json_text import MAX_INTEGER, JsonReader, outer_keys

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "native"
LOOKS_FOR: Final = "one JSON object of schema redline.edit/1"
SCHEMA: Final = "redline.edit/1"

_OF_A_TOOL_CALL = frozenset({"file_path", "filePath", "path", "name", "tool_name", "toolName", "tool"})
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_JSON = JsonReader(
    SCHEMA,
    f"Emit one JSON object with schema {SCHEMA}, reason and edits: replace (path, before, after, count),"
    " write (path, content, executable, base), delete (path), move (path, to).",
    "Emit one JSON object in UTF-8 and nothing before or after it.",
)


def recognises(text: bytes) -> bool:
    keys = outer_keys(text)
    return "schema" in keys or ("edits" in keys and keys.isdisjoint(_OF_A_TOOL_CALL))


def parse(text: bytes) -> Reading:
    """Read one `redline.edit/1` object. Raises MalformedEdit with the faulty key's JSON path."""
    document = _JSON.typed(_JSON.load(text), dict, "$")
    _JSON.keys(document, "", {"schema", "edits"}, {"reason"})
    if _JSON.typed(document["schema"], str, "schema") != SCHEMA:
        raise _JSON.fault("schema", f'must be "{SCHEMA}"')
    reason = _JSON.text(document.get("reason", ""), "reason")
    if len(reason) > MAX_REASON_CHARACTERS:
        raise LimitExceeded(
            f"the reason has {len(reason)} characters; {MAX_REASON_CHARACTERS} are allowed",
            code="LIMIT_REASON",
            hint="Say in a few sentences why the change is needed; the diff shows what it is.",
            details={"key": "reason", "characters": len(reason), "limit": MAX_REASON_CHARACTERS},
        )
    items = _JSON.typed(document["edits"], list, "edits")
    if not items:
        raise _JSON.fault("edits", "is empty")
    edits = tuple(_edit(item, f"edits[{index}]") for index, item in enumerate(items))
    return Reading(NAME, reason, edits, ())


def _edit(item: object, where: str) -> Edit:
    fields = _JSON.typed(item, dict, where)
    operation = _JSON.text(fields["op"], f"{where}.op") if "op" in fields else None
    if operation is None:
        raise _JSON.fault(f"{where}.op", "is missing")
    build = _OPERATIONS.get(operation)
    if build is None:
        raise _JSON.fault(f"{where}.op", f"is {operation!a}; known are {', '.join(sorted(_OPERATIONS))}")
    return build(fields, where)


def _replace(fields: dict[str, object], where: str) -> Edit:
    _JSON.keys(fields, where, {"op", "path", "before", "after"}, {"count"})
    count = _JSON.typed(fields.get("count", 1), int, f"{where}.count")
    if not 1 <= count <= MAX_INTEGER:
        raise _JSON.fault(f"{where}.count", "must be at least 1 and below 2**53")
    return Replace(
        _JSON.path(fields["path"], f"{where}.path"),
        _JSON.data(fields["before"], f"{where}.before"),
        _JSON.data(fields["after"], f"{where}.after"),
        count,
    )


def _write(fields: dict[str, object], where: str) -> Edit:
    _JSON.keys(fields, where, {"op", "path", "content"}, {"executable", "base"})
    executable = _JSON.typed(fields["executable"], bool, f"{where}.executable") if "executable" in fields else None
    base = _JSON.text(fields["base"], f"{where}.base") if "base" in fields else None
    if base is not None and base != ABSENT and not _SHA256.match(base):
        raise _JSON.fault(f"{where}.base", f'must be 64 lower-case hexadecimal digits or "{ABSENT}"')
    data = _JSON.data(fields["content"], f"{where}.content")
    return Write(_JSON.path(fields["path"], f"{where}.path"), data, executable, base)


def _delete(fields: dict[str, object], where: str) -> Edit:
    _JSON.keys(fields, where, {"op", "path"}, set())
    return Delete(_JSON.path(fields["path"], f"{where}.path"))


def _move(fields: dict[str, object], where: str) -> Edit:
    _JSON.keys(fields, where, {"op", "path", "to"}, set())
    return Move(_JSON.path(fields["path"], f"{where}.path"), _JSON.path(fields["to"], f"{where}.to"))


_OPERATIONS: Final[dict[str, Callable[[dict[str, object], str], Edit]]] = {
    "replace": _replace,
    "write": _write,
    "delete": _delete,
    "move": _move,
}
