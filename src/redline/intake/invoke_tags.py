"""Calls of tools in tags, as Anthropic's models write them: `<invoke name="Edit">` around `<parameter name="…">`.

The tags are no XML: no entity is decoded, and nothing but a closing tag ends a parameter, blanks at its ends included.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.intake.markup import BOM
from redline.intake.tagged import OTHER_FORMAT, WHOLE, Tagged, decoded, tag_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS: Final = re.compile(rb"(?m)^[ \t]*<(?:antml:)?invoke name=\"")
_INVOKE = re.compile(rb"<(?:antml:)?invoke name=\"(?P<name>[\w.:-]+)\">|(?P<closes></(?:antml:)?invoke>)")
_PARAMETER = re.compile(rb"\s*<(?:antml:)?parameter name=\"(?P<name>\w+)\">")
_PARAMETER_ENDS = re.compile(rb"</(?:antml:)?parameter>")
_AROUND = re.compile(rb"(?m)^[ \t]*</?(?:antml:)?function_calls>[ \t\r]*$")


def calls(text: bytes) -> tuple[list[Tagged], bytes]:
    """Read every call, and the prose around them. Raises MalformedEdit naming the line."""
    text = text.removeprefix(BOM)
    found: list[Tagged] = []
    prose: list[bytes] = []
    behind, line = 0, 1
    for opener, closer in _pairs(text):
        line += text.count(b"\n", behind, opener.start())
        call = {"name": opener["name"].decode(), "input": _parameters(text, opener.end(), closer.start())}
        found.append(Tagged(call, f"line {line}: <invoke>"))
        line += text.count(b"\n", opener.start(), closer.end())
        prose.append(text[behind : opener.start()])
        behind = closer.end()
    return found, _AROUND.sub(b"", b"\n".join([*prose, text[behind:]]))


def _pairs(text: bytes) -> Iterator[tuple[re.Match[bytes], re.Match[bytes]]]:
    opener: re.Match[bytes] | None = None
    for tag in _INVOKE.finditer(text):
        if (opener is None) is (tag["closes"] is not None):
            what = "a tag of a call has no partner, or stands within another call, where it may be part of a text"
            raise tag_fault(text, tag.start(), what, "TAG_AMBIGUOUS", OTHER_FORMAT)
        if opener is not None:
            yield opener, tag
        opener = tag if opener is None else None
    if opener is not None:
        raise tag_fault(text, opener.start(), "a call never ends; the answer may be cut off", "TAG_OPEN", WHOLE)


def _parameters(text: bytes, start: int, stop: int) -> dict[str, object]:
    values: dict[str, object] = {}
    at = start
    while (opens := _PARAMETER.match(text, at, stop)) is not None:
        name = opens["name"].decode()
        ends = _PARAMETER_ENDS.search(text, opens.end(), stop)
        if ends is None:
            raise tag_fault(text, opens.end(), f"the parameter {name} never ends", "TAG_OPEN", WHOLE)
        if name in values:
            raise tag_fault(text, opens.start(), f"the parameter {name} stands twice", "TAG_AMBIGUOUS", OTHER_FORMAT)
        values[name] = decoded(text, opens.end(), ends.start(), name)
        at = ends.end()
    if text[at:stop].strip():
        what = "text stands between the parameters of a call"
        raise tag_fault(text, at, what, "LEFT_OVER", f"{WHOLE} {OTHER_FORMAT}")
    return values
