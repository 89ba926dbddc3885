"""The native format `redline.edit/1`: one strict JSON object.

What the schema does not name is refused, and so is every value of another type: text carries no authority.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, TypeVar

from redline.core.paths import RepoPath
from redline.errors import LimitExceeded, MalformedEdit
from redline.intake.edits import ABSENT, Delete, Edit, Move, Reading, Replace, Write

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "native"
LOOKS_FOR: Final = "one JSON object of schema redline.edit/1"
SCHEMA: Final = "redline.edit/1"
MAX_REASON_CHARACTERS: Final = 2_000
MAX_DEPTH: Final = 16
MAX_COUNT: Final = 2**53 - 1

_BOM = b"\xef\xbb\xbf"
_JSON_BLANKS = b" \t\r\n"
_JSON_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_TYPE_NAMES = {str: "a string", int: "an integer", bool: "true or false", list: "a list", dict: "an object"}

T = TypeVar("T")


class _Object(dict[str, object]):
    """A JSON object that remembers a repeated key."""

    repeated: str | None = None


class _NotJson(str):
    """NaN, Infinity or -Infinity, which Python's reader takes and JSON does not know."""

    __slots__ = ()


def recognises(text: bytes) -> bool:
    return text.removeprefix(_BOM).lstrip(_JSON_BLANKS).startswith(b"{")


def parse(text: bytes) -> Reading:
    """Read one `redline.edit/1` object. Raises MalformedEdit with the faulty key's JSON path."""
    document = _typed(_load(text), dict, "$")
    _known_keys(document, "", {"schema", "edits"}, {"reason"})
    if _typed(document["schema"], str, "schema") != SCHEMA:
        raise _fault("schema", f'must be "{SCHEMA}"')
    reason = _text(document.get("reason", ""), "reason")
    if len(reason) > MAX_REASON_CHARACTERS:
        raise LimitExceeded(
            f"the reason has {len(reason)} characters; {MAX_REASON_CHARACTERS} are allowed",
            code="LIMIT_REASON",
            hint="Say in a few sentences why the change is needed; the diff shows what it is.",
            details={"key": "reason", "characters": len(reason), "limit": MAX_REASON_CHARACTERS},
        )
    items = _typed(document["edits"], list, "edits")
    if not items:
        raise _fault("edits", "is empty")
    edits = tuple(_edit(item, f"edits[{index}]") for index, item in enumerate(items))
    return Reading(NAME, reason, edits, ())


def _load(text: bytes) -> object:
    try:
        decoded = text.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_json(f"byte {error.start} is not UTF-8") from error
    depth = deepest = 0
    # Measured before reading: the reader would meet Python's recursion limit in the middle of its work.
    for bracket in _BRACKET.findall(_JSON_STRING.sub("", decoded)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise _not_json(f"it is nested {deepest} levels deep; {MAX_DEPTH} are allowed")
    try:
        return json.loads(decoded, object_pairs_hook=_object, parse_constant=_NotJson, parse_int=_bounded_integer)
    except json.JSONDecodeError as error:
        raise _not_json(f"line {error.lineno}, column {error.colno}: {error.msg}") from error


def _object(pairs: list[tuple[str, object]]) -> _Object:
    result = _Object()
    for key, value in pairs:
        if key in result:
            result.repeated = key
        result[key] = value
    return result


def _bounded_integer(digits: str) -> int:
    return int(digits) if len(digits) <= 17 else MAX_COUNT + 1


def _edit(item: object, where: str) -> Edit:
    fields = _typed(item, dict, where)
    operation = _text(fields["op"], f"{where}.op") if "op" in fields else None
    if operation is None:
        raise _fault(f"{where}.op", "is missing")
    build = _OPERATIONS.get(operation)
    if build is None:
        raise _fault(f"{where}.op", f"is {operation!a}; known are {', '.join(sorted(_OPERATIONS))}")
    return build(fields, where)


def _replace(fields: dict[str, object], where: str) -> Edit:
    _known_keys(fields, where, {"op", "path", "before", "after"}, {"count"})
    count = _typed(fields.get("count", 1), int, f"{where}.count")
    if not 1 <= count <= MAX_COUNT:
        raise _fault(f"{where}.count", "must be at least 1 and below 2**53")
    return Replace(
        _path(fields["path"], f"{where}.path"),
        _text(fields["before"], f"{where}.before").encode("utf-8"),
        _text(fields["after"], f"{where}.after").encode("utf-8"),
        count,
    )


def _write(fields: dict[str, object], where: str) -> Edit:
    _known_keys(fields, where, {"op", "path", "content"}, {"executable", "base"})
    executable = _typed(fields["executable"], bool, f"{where}.executable") if "executable" in fields else None
    base = _text(fields["base"], f"{where}.base") if "base" in fields else None
    if base is not None and base != ABSENT and not _SHA256.match(base):
        raise _fault(f"{where}.base", f'must be 64 lower-case hexadecimal digits or "{ABSENT}"')
    data = _text(fields["content"], f"{where}.content").encode("utf-8")
    return Write(_path(fields["path"], f"{where}.path"), data, executable, base)


def _delete(fields: dict[str, object], where: str) -> Edit:
    _known_keys(fields, where, {"op", "path"}, set())
    return Delete(_path(fields["path"], f"{where}.path"))


def _move(fields: dict[str, object], where: str) -> Edit:
    _known_keys(fields, where, {"op", "path", "to"}, set())
    return Move(_path(fields["path"], f"{where}.path"), _path(fields["to"], f"{where}.to"))


_OPERATIONS: Final[dict[str, Callable[[dict[str, object], str], Edit]]] = {
    "replace": _replace,
    "write": _write,
    "delete": _delete,
    "move": _move,
}


def _known_keys(fields: dict[str, object], where: str, required: set[str], optional: set[str]) -> None:
    prefix = f"{where}." if where else ""
    if isinstance(fields, _Object) and fields.repeated is not None:
        raise _fault(prefix + _shown(fields.repeated), "appears twice")
    for key in fields:
        if key not in required and key not in optional:
            raise _fault(prefix + _shown(key), "is not a field of this format")
    for key in sorted(required):
        if key not in fields:
            raise _fault(prefix + key, "is missing")


def _typed(value: object, kind: type[T], where: str) -> T:
    if isinstance(value, _NotJson):
        raise _fault(where, f"is {value}, which JSON does not have", code="INPUT_JSON")
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _fault(where, f"must be {_TYPE_NAMES[kind]}")
    return value


def _text(value: object, where: str) -> str:
    text = _typed(value, str, where)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _fault(where, "holds half of a surrogate pair, which is no character") from error
    return text


def _path(value: object, where: str) -> RepoPath:
    return RepoPath(_typed(value, str, where))


def _shown(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else ascii(key)


def _fault(where: str, why: str, *, code: str = "INPUT_SCHEMA") -> MalformedEdit:
    return MalformedEdit(
        f"{where} {why}",
        code=code,
        hint=f"Emit one JSON object with schema {SCHEMA}, reason and edits: replace (path, before, after, count),"
        " write (path, content, executable, base), delete (path), move (path, to).",
        details={"key": where},
    )


def _not_json(why: str) -> MalformedEdit:
    return MalformedEdit(
        f"the text is not the JSON that {SCHEMA} asks for: {why}",
        code="INPUT_JSON",
        hint="Emit one JSON object in UTF-8 and nothing before or after it.",
    )
