"""Calls of tools in tags, as Cline's models write them: `<write_to_file>`, `<path>`, `<content>` and so on.

The tags are no XML: no entity is decoded, and nothing but a parameter's own closing tag ends it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.intake.markup import BOM
from redline.intake.tagged import OTHER_FORMAT, WHOLE, Tagged, decoded, tag_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

_EDITING = rb"write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|new_rule"
_OTHER = (
    rb"execute_command|read_file|list_files|search_files|list_code_definition_names|browser_action|use_mcp_tool"
    rb"|access_mcp_resource|ask_followup_question|attempt_completion|plan_mode_respond|new_task|switch_mode"
)
STARTS: Final = re.compile(rb"(?m)^[ \t]*<(?:" + _EDITING + rb")>\s*<[a-z_]+>")
_TAG = re.compile(
    rb"(?m)^[ \t]*<(?P<opens>" + _EDITING + b"|" + _OTHER + rb")>|</(?P<closes>" + _EDITING + rb"|" + _OTHER + rb")>"
)
_PARAMETER = re.compile(rb"\s*<([a-z_]+)>")
_SAYS_NOTHING: Final = frozenset({"line_count", "task_progress", "requires_approval"})
_LONG: Final = frozenset({"content", "diff", "args", "result", "arguments"})


def calls(text: bytes) -> tuple[list[Tagged], bytes]:
    """Read every call, and the prose around them. Raises MalformedEdit naming the line."""
    text = text.removeprefix(BOM)
    found: list[Tagged] = []
    prose: list[bytes] = []
    behind, line = 0, 1
    for begin, start, stop, end, name in list(_extents(text)):
        line += text.count(b"\n", behind, start)
        found.append(Tagged({"name": name, "input": _parameters(text, start, stop)}, f"line {line}: <{name}>"))
        line += text.count(b"\n", start, end)
        prose.append(text[behind:begin])
        behind = end
    return found, b"\n".join([*prose, text[behind:]])


def _extents(text: bytes) -> Iterator[tuple[int, int, int, int, str]]:
    """Give where each call begins, where its parameters start and stop, and where it ends."""
    opener: re.Match[bytes] | None = None
    for tag in _TAG.finditer(text):
        if opener is None:
            if tag["opens"] is None:
                raise tag_fault(text, tag.start(), "a closing tag ends no call", "TAG_AMBIGUOUS", WHOLE)
            opener = tag
        elif tag["closes"] == opener["opens"]:
            yield opener.start(), opener.end(), tag.start(), tag.end(), opener["opens"].decode()
            opener = None
        else:
            what = "a tag of a call stands within another call, and either may be part of a text"
            raise tag_fault(text, tag.start(), what, "TAG_AMBIGUOUS", OTHER_FORMAT)
    if opener is not None:
        what = "a call never ends; the answer may be cut off"
        raise tag_fault(text, opener.start(), what, "TAG_OPEN", WHOLE)


def _parameters(text: bytes, start: int, stop: int) -> dict[str, object]:
    values: dict[str, object] = {}
    at = start
    while (opens := _PARAMETER.match(text, at, stop)) is not None:
        name, closing = opens[1].decode(), b"</" + opens[1] + b">"
        end = text.find(closing, opens.end(), stop)
        if end < 0:
            raise tag_fault(text, opens.end(), f"<{name}> never ends", "TAG_OPEN", WHOLE)
        if name in values or (name in _LONG and text.find(closing, end + 1, stop) >= 0):
            raise tag_fault(text, end, f"<{name}> begins or ends twice in one call", "TAG_AMBIGUOUS", OTHER_FORMAT)
        values[name] = _value(text, opens.end(), end, name)
        at = end + len(closing)
    if text[at:stop].strip():
        raise tag_fault(text, at, "text stands between the parameters of a call", "LEFT_OVER", WHOLE)
    return {name: value for name, value in values.items() if name not in _SAYS_NOTHING}


def _value(text: bytes, start: int, end: int, name: str) -> object:
    """Give a parameter's value: a line end directly behind the tag of a long text is none of it."""
    if name in _LONG:
        start += 2 if text.startswith(b"\r\n", start, end) else text.startswith(b"\n", start, end)
    value = decoded(text, start, end, name)
    return value.strip() if name == "path" and isinstance(value, str) else value
