"""Calls of tools in tags, as Cline's models write them: `<write_to_file>`, `<path>`, `<content>` and so on.

The tags are no XML: no entity is decoded, and nothing but a parameter's own closing tag ends it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.intake.markup import BOM, fault_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.errors import MalformedEdit

_EDITING = rb"write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|new_rule"
_OTHER = (
    rb"execute_command|read_file|list_files|search_files|list_code_definition_names|browser_action|use_mcp_tool"
    rb"|access_mcp_resource|ask_followup_question|attempt_completion|plan_mode_respond|new_task|switch_mode"
)
_STARTS = re.compile(rb"(?m)^[ \t]*<(?:" + _EDITING + rb")>\s*<[a-z_]+>")
_TAG = re.compile(
    rb"(?m)^[ \t]*<(?P<opens>" + _EDITING + b"|" + _OTHER + rb")>|</(?P<closes>" + _EDITING + rb"|" + _OTHER + rb")>"
)
_PARAMETER = re.compile(rb"\s*<([a-z_]+)>")
_SAYS_NOTHING: Final = frozenset({"line_count", "task_progress", "requires_approval"})
_LONG: Final = frozenset({"content", "diff", "args", "result", "arguments"})
_WHOLE: Final = "Send each call whole, with every closing tag, as a block of its own."
_OTHER_FORMAT: Final = "Send this change in another format: the text holds a closing tag of its own."


@dataclass(frozen=True, slots=True)
class Tagged:
    """One call, and the words that name its place."""

    name: str
    values: dict[str, object]
    where: str


def recognises(text: bytes) -> bool:
    return b"<" in text and _STARTS.search(text.removeprefix(BOM)) is not None


def calls(text: bytes) -> tuple[list[Tagged], bytes]:
    """Read every call, and the prose around them. Raises MalformedEdit naming the line."""
    text = text.removeprefix(BOM)
    found: list[Tagged] = []
    prose: list[bytes] = []
    behind, line = 0, 1
    for begin, start, stop, end, name in list(_extents(text)):
        line += text.count(b"\n", behind, start)
        where = f"line {line}: <{name}>"
        line += text.count(b"\n", start, end)
        found.append(Tagged(name, _parameters(text, start, stop), where))
        prose.append(text[behind:begin])
        behind = end
    return found, b"\n".join([*prose, text[behind:]])


def _extents(text: bytes) -> Iterator[tuple[int, int, int, int, str]]:
    """Give where each call begins, where its parameters start and stop, and where it ends."""
    opener: re.Match[bytes] | None = None
    for tag in _TAG.finditer(text):
        if opener is None:
            if tag["opens"] is None:
                raise _fault(text, tag.start(), "a closing tag ends no call", "TAG_AMBIGUOUS", _WHOLE)
            opener = tag
        elif tag["closes"] == opener["opens"]:
            yield opener.start(), opener.end(), tag.start(), tag.end(), opener["opens"].decode()
            opener = None
        else:
            what = "a tag of a call stands within another call, and either may be part of a text"
            raise _fault(text, tag.start(), what, "TAG_AMBIGUOUS", _OTHER_FORMAT)
    if opener is not None:
        what = "a call never ends; the answer may be cut off"
        raise _fault(text, opener.start(), what, "TAG_OPEN", _WHOLE)


def _parameters(text: bytes, start: int, stop: int) -> dict[str, object]:
    values: dict[str, object] = {}
    at = start
    while (opens := _PARAMETER.match(text, at, stop)) is not None:
        name, closing = opens[1].decode(), b"</" + opens[1] + b">"
        end = text.find(closing, opens.end(), stop)
        if end < 0:
            raise _fault(text, opens.end(), f"<{name}> never ends", "TAG_OPEN", _WHOLE)
        if name in values or (name in _LONG and text.find(closing, end + 1, stop) >= 0):
            raise _fault(text, end, f"<{name}> begins or ends twice in one call", "TAG_AMBIGUOUS", _OTHER_FORMAT)
        values[name] = _value(text, opens.end(), end, name)
        at = end + len(closing)
    if text[at:stop].strip():
        raise _fault(text, at, "text stands between the parameters of a call", "LEFT_OVER", _WHOLE)
    return {name: value for name, value in values.items() if name not in _SAYS_NOTHING}


def _value(text: bytes, start: int, end: int, name: str) -> str:
    """Give a parameter's text: a line end directly behind its tag is none of it."""
    data = text[start:end]
    if name in _LONG:
        data = data.removeprefix(b"\r\n" if data.startswith(b"\r\n") else b"\n")
    try:
        value = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _fault(text, start, f"<{name}> is not UTF-8", "ENCODING", "Send the text in UTF-8.") from error
    return value.strip() if name == "path" else value


def _fault(text: bytes, at: int, what: str, code: str, hint: str) -> MalformedEdit:
    return fault_at(text.count(b"\n", 0, at), what, code, hint)
