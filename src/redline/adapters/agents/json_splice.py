"""Add to and take from a JSON text; every other byte of it stays (RFC 8259)."""

from __future__ import annotations

import json
import re
from json.decoder import JSONDecoder
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.core.canonical import Json

    Path: TypeAlias = Sequence[str | int]

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\S")


class Node(NamedTuple):
    """A value and where it stands; the `members` of an object or a list each begin at their key or value."""

    start: int
    end: int
    members: tuple[Member, ...] = ()


class Member(NamedTuple):
    key: str | int
    start: int
    node: Node


class JsonText:
    """One document. Raises ValueError if the text is no JSON, or an object has a key twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.value: Json = json.loads(text, parse_constant=_refuse)
        self._root = _node(text, _skip(text, 0))
        unit = _INDENT.search(text)
        self._unit = unit[1] if unit is not None else "  "
        self._line_end = "\r\n" if "\r\n" in text else "\n"

    def with_added(self, path: Path, key: str | None, value: Json) -> JsonText:
        """Add a member to the object, or with no key an item to the list, that stands at the path; as its last."""
        node = self._at(path)
        if not node.members:
            indent = self._indent_of(node.start)
            inner = self._spelt(key, value, indent + self._unit)
            opened = f"{self._line_end}{indent}{self._unit}{inner}{self._line_end}{indent}"
            return self._replaced(node.start + 1, node.end - 1, opened)
        last = node.members[-1].node.end
        lead = self.text[node.start + 1 : node.members[0].start]
        if "\n" not in lead:
            return self._replaced(last, last, ", " + self._spelt(key, value, None))
        indent = lead.rpartition("\n")[2]
        return self._replaced(last, last, f",{self._line_end}{indent}{self._spelt(key, value, indent)}")

    def without(self, path: Path) -> JsonText:
        """Take the member or item at the path out, with the comma that it leaves over."""
        node, key = self._at(path[:-1]), path[-1]
        at = next(number for number, member in enumerate(node.members) if member.key == key)
        if len(node.members) == 1:
            return self._replaced(node.start + 1, node.end - 1, "")
        if at + 1 < len(node.members):
            return self._replaced(node.members[at].start, node.members[at + 1].start, "")
        return self._replaced(node.members[at - 1].node.end, node.members[at].node.end, "")

    def _at(self, path: Path) -> Node:
        node = self._root
        for key in path:
            node = next(member.node for member in node.members if member.key == key)
        return node

    def _replaced(self, start: int, end: int, text: str) -> JsonText:
        return JsonText(self.text[:start] + text + self.text[end:])

    def _indent_of(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 :]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _spelt(self, key: str | None, value: Json, indent: str | None) -> str:
        """A member on one line, or, with an indent, on lines of its own below the first."""
        if indent is None:
            spelt = json.dumps(value, ensure_ascii=False)
        else:
            lines = json.dumps(value, ensure_ascii=False, indent=self._unit).split("\n")
            spelt = (self._line_end + indent).join(lines)
        return spelt if key is None else f"{json.dumps(key)}: {spelt}"


def _node(text: str, start: int) -> Node:
    if text[start] not in "{[":
        return Node(start, JSONDecoder().raw_decode(text, start)[1])
    members: list[Member] = []
    place = _skip(text, start + 1)
    while text[place] not in "}]":
        began, key = place, len(members)
        if text[start] == "{":
            name, place = JSONDecoder().raw_decode(text, place)
            if any(member.key == name for member in members):
                raise ValueError(f"the key {name!a} stands twice in one object")
            place = _skip(text, _skip(text, place) + 1)
            members.append(Member(name, began, _node(text, place)))
        else:
            members.append(Member(key, began, _node(text, place)))
        place = _skip(text, members[-1].node.end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return Node(start, place + 1, tuple(members))


def _skip(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found is not None else place


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
