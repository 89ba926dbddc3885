"""Strict JSON: no repeated key, no NaN, no half of a surrogate pair, integers and depth bounded.

What Python's reader takes beyond that is refused when it is used, by its JSON path.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.markup import BOM, below

MAX_DEPTH: Final = 16
MAX_INTEGER: Final = 2**53 - 1
BLANKS: Final = b" \t\r\n"

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_JSON_STRING = re.compile(_STRING, re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_TOKEN = re.compile(_STRING + r'|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
_OPENING = frozenset("[{")
_CLOSING = frozenset("]}")
_TYPE_NAMES = {str: "a string", int: "an integer", bool: "true or false", list: "a list", dict: "an object"}

T = TypeVar("T")


class JsonObject(dict[str, object]):
    """A JSON object that remembers a repeated key."""

    repeated: str | None = None


class NotJson(str):
    """NaN, Infinity or -Infinity, which Python's reader takes and JSON does not know."""

    __slots__ = ()


class JsonFault(ValueError):
    """The text is no JSON; the argument says where and why."""


def decode(text: str, *, max_depth: int = MAX_DEPTH) -> object:
    """Read one JSON value. Raises JsonFault."""
    depth = deepest = 0
    # Measured before reading: the reader would meet Python's recursion limit in the middle of its work.
    for bracket in _BRACKET.findall(_JSON_STRING.sub("", text)):
        depth += 1 if bracket in _OPENING else -1
        deepest = max(deepest, depth)
    if deepest > max_depth:
        raise JsonFault(f"it is nested {deepest} levels deep; {max_depth} are allowed")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=NotJson, parse_int=_bounded_integer)
    except json.JSONDecodeError as error:
        raise JsonFault(f"line {error.lineno}, column {error.colno}: {error.msg}") from error


@lru_cache(maxsize=1)  # each format of JSON asks it of one text
def outer_keys(text: bytes) -> frozenset[str]:
    """Give the keys of the outermost objects, or of those in the outermost list, without judging the text.

    A text that does not begin as JSON has none.
    """
    body = text.removeprefix(BOM).lstrip(BLANKS)
    if not body.startswith((b"{", b"[")):
        return frozenset()
    level = 1 if body.startswith(b"{") else 2
    keys: set[str] = set()
    depth, last = 0, ""
    for token in _TOKEN.finditer(body.decode("utf-8", "replace")):
        mark = token[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif mark == ":" and depth == level:
            keys.add(last[1:-1])
        last = mark
    return frozenset(keys)


def inner_spans(text: str, opens_at: int) -> tuple[list[tuple[int, int]], int]:
    """Give where each value of a list, or each key and each value of an object, begins and ends, and where it closes.

    The text must be JSON, and a list or an object must open at the place.
    """
    spans: list[tuple[int, int]] = []
    depth = start = 0
    for token in _TOKEN.finditer(text, opens_at):
        mark = token[0]
        if mark in _OPENING:
            depth += 1
            start = token.start() if depth == 2 else start
        elif mark in _CLOSING:
            depth -= 1
            if not depth:
                return spans, token.start()
            if depth == 1:
                spans.append((start, token.end()))
        elif depth == 1 and mark not in {",", ":"}:
            spans.append(token.span())
    raise JsonFault("a bracket is never closed")


def inside(where: str, key: str) -> str:
    """Give the JSON path of an object's key; the outermost object's own path is empty."""
    shown = key if key.isidentifier() and key.isascii() else ascii(key)
    return f"{where}.{shown}" if where else shown


@dataclass(frozen=True, slots=True)
class JsonReader:
    """Reads values for one format, in whose name its messages speak. Everything raises MalformedEdit."""

    asked_by: str
    hint: str
    hint_for_text: str

    def load(self, text: bytes, where: str = "the text") -> object:
        try:
            return decode(text.removeprefix(BOM).decode("utf-8"))
        except UnicodeDecodeError as error:
            raise self._not_json(where, f"byte {error.start} is not UTF-8") from error
        except JsonFault as error:
            raise self._not_json(where, str(error)) from error

    def load_string(self, text: str, where: str) -> object:
        """Read JSON that stands in a string of JSON."""
        try:
            return decode(text)
        except JsonFault as error:
            raise self._not_json(where, str(error)) from error

    def keys(self, fields: dict[str, object], where: str, required: set[str], optional: set[str]) -> None:
        """Refuse a repeated key, an unknown one and a missing one."""
        self.unrepeated(fields, where)
        for key in fields:
            if key not in required and key not in optional:
                raise self.fault(inside(where, key), "is not a field of this format")
        for key in sorted(required):
            if key not in fields:
                raise self.fault(inside(where, key), "is missing")

    def unrepeated(self, fields: dict[str, object], where: str) -> None:
        if isinstance(fields, JsonObject) and fields.repeated is not None:
            raise self.fault(inside(where, fields.repeated), "appears twice")

    def typed(self, value: object, kind: type[T], where: str) -> T:
        if isinstance(value, NotJson):
            raise self.fault(where, f"is {value}, which JSON does not have", code="INPUT_JSON")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fault(where, f"must be {_TYPE_NAMES[kind]}")
        return value

    def text(self, value: object, where: str) -> str:
        text = self.typed(value, str, where)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self.fault(where, "holds half of a surrogate pair, which is no character") from error
        return text

    def data(self, value: object, where: str) -> bytes:
        return self.text(value, where).encode("utf-8")

    def path(self, value: object, where: str, root: str | None = None) -> RepoPath:
        """Read a path. Raises UnsafePath too; an absolute path is taken below the root only."""
        return RepoPath(below(self.typed(value, str, where), root))

    def fault(self, where: str, why: str, *, code: str = "INPUT_SCHEMA") -> MalformedEdit:
        return MalformedEdit(f"{where} {why}", code=code, hint=self.hint, details={"key": where})

    def _not_json(self, where: str, why: str) -> MalformedEdit:
        return MalformedEdit(
            f"{where} is not the JSON that {self.asked_by} asks for: {why}",
            code="INPUT_JSON",
            hint=self.hint_for_text,
        )


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    result = JsonObject()
    for key, value in pairs:
        if key in result:
            result.repeated = key
        result[key] = value
    return result


def _bounded_integer(digits: str) -> int:
    return int(digits) if len(digits) <= 17 else MAX_INTEGER + 1
