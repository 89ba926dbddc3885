"""Calls of editing tools as agents make them: JSON of one call, of a list of calls, or of one call a line.

They may stand in a whole answer of an API (`messages`), or in tags (`tool_tags`, `invoke_tags`, `json_tags`). Each
call is a bare input, or a name with an input; the tools and their inputs are in `tool_shapes`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.errors import MalformedEdit
from redline.intake import invoke_tags, json_tags, tool_tags
from redline.intake.builtin_calls import HELD_BY, names_one, read_builtin
from redline.intake.edits import Edit, Reading
from redline.intake.json_text import BLANKS, inside, outer_keys
from redline.intake.markup import BOM
from redline.intake.messages import Opened, ended_well, holds_items, open_item
from redline.intake.shown_json import shown_json
from redline.intake.tagged import WHOLE
from redline.intake.tool_shapes import (
    HINT,
    JSON,
    NAME,
    PATCH_BEGINS,
    READS_ONLY,
    Fields,
    apply_patch,
    tool_of_input,
    tool_of_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.notes import Leniency
    from redline.intake.tagged import Tagged
    from redline.intake.tool_shapes import Surroundings

LOOKS_FOR: Final = "JSON of an editing tool's call, or of its input"

_DIALECTS: Final = (
    (tool_tags.STARTS, tool_tags.calls),
    (invoke_tags.STARTS, invoke_tags.calls),
    (json_tags.STARTS, json_tags.calls),
)
_LEFT_OVER: Final = re.compile(rb"(?m)^[ \t]*</?(?:antml:)?(?:invoke|parameter|tool_call)\b")

_NAME_KEYS: Final[tuple[str, ...]] = ("name", "tool_name", "toolName", "tool")
_INPUT_KEYS: Final[tuple[str, ...]] = ("input", "tool_input", "toolArgs", "args", "parameters", "arguments")
_HOLDERS: Final = ("function", "custom", "functionCall")
_TYPES: Final = frozenset(
    {"custom", "tool_use", "function", "function_call", "custom_tool_call", "tool_call", *HELD_BY}
)
_TELLING: Final = frozenset(
    {
        *("tool_name", "toolName", "tool_input", "toolArgs", "arguments", "parameters", "function", "input", "args"),
        "functionCall",
        *("file_path", "filePath", "notebook_path", "path", "patchText"),
        *("old_string", "oldString", "old_str", "old_text", "new_string", "newString", "new_str", "new_text"),
    }
)
_OF_A_CALL: Final = frozenset(
    {*_TELLING, *_NAME_KEYS, *_INPUT_KEYS, "command", "edits", "diff", "content", "contents", "file_text", "type"}
)
_OTHER_FORMATS: Final = frozenset({"schema", "changes", "documentChanges"})
# What a hook or a transcript says of a call without changing what it does.
_SURROUNDING_KEYS: Final = frozenset(
    {
        *("id", "index", "status", "caller", "cache_control", "call_id", "callID", "tool_use_id", "timestamp"),
        *("session_id", "sessionId", "sessionID", "transcript_path", "hook_event_name", "hookEventName"),
        *("permission_mode", "prompt_id", "turn_id", "agent_id", "agent_type", "effort", "model", "created_by"),
        "thoughtSignature",
    }
)


def recognises(text: bytes) -> bool:
    keys = outer_keys(text)
    if not keys:
        return _dialect_of(text) is not None
    if not keys.isdisjoint(_OTHER_FORMATS):
        return False
    holds_patch = "command" in keys and PATCH_BEGINS.encode() in text
    holds_builtin = not keys.isdisjoint(HELD_BY.values()) and names_one(text)
    return not keys.isdisjoint(_TELLING) or holds_items(keys) or holds_patch or holds_builtin


def is_call(text: bytes) -> bool:
    """Tell whether JSON that a message shows is a call: some example may have one key of a call by chance."""
    keys = outer_keys(text)
    holds_one = holds_items(keys) or "functionCall" in keys or PATCH_BEGINS.encode() in text or names_one(text)
    return recognises(text) and (len(keys & _OF_A_CALL) > 1 or holds_one)


def parse(text: bytes, surroundings: Surroundings) -> Reading:
    """Read every call. Raises MalformedEdit with the faulty key's JSON path, UnsafePath."""
    opened, prose = _opened(text)
    edits: list[Edit] = []
    leniencies: list[Leniency] = []
    passed_over: list[str] = []
    for call, where in opened:
        name = _reading_tool(call)
        if name is not None and len(opened) > 1:
            passed_over.append(f"a call of {name}, which changes nothing, was passed over")
            continue
        reading = _call(call, where, surroundings)
        edits += reading.edits
        leniencies += reading.leniencies
    if not edits:
        what = "; ".join(["no call of an editing tool was found", *passed_over])
        raise MalformedEdit(what, code="NOT_AN_EDIT" if passed_over else "NO_FILES", hint=HINT)
    return Reading(NAME, "", tuple(edits), tuple(leniencies), prose, tuple(passed_over))


def _opened(text: bytes) -> tuple[list[tuple[dict[str, object], str]], bytes]:
    """Give each call with its place, and the text beside the calls."""
    calls = _dialect_of(text)
    if calls is not None:
        tagged, prose = calls(text)
        _refuse_further(prose)
        return [(found.call, found.where) for found in tagged], prose
    opened = Opened()
    for value, where in _values(text):
        open_item(value, where, opened)
    return opened.calls, "\n".join(opened.prose).encode("utf-8")


def _dialect_of(text: bytes) -> Callable[[bytes], tuple[list[Tagged], bytes]] | None:
    """Give the reader of the tags whose first call stands first: further inside, tags may be part of a text."""
    body = text.removeprefix(BOM)
    firsts = {first.start(): calls for starts, calls in _DIALECTS if (first := starts.search(body)) is not None}
    return firsts[min(firsts)] if firsts else None


def _refuse_further(prose: bytes) -> None:
    """Refuse calls beside those in tags that are written in another way, and what is left of a broken one."""
    if _dialect_of(prose) is not None or shown_json(prose, is_call) is not None:
        what = "beside calls in tags the text holds a call that is written in another way"
        raise MalformedEdit(what, code="FORMATS_MIXED", hint=HINT)
    left = _LEFT_OVER.search(prose)
    if left is not None:
        what = f"a tag {left[0].strip().decode()!a} belongs to no call"
        raise MalformedEdit(what, code="TAG_AMBIGUOUS", hint=WHOLE)


def _values(text: bytes) -> Iterator[tuple[object, str]]:
    """Give each value of the JSON and the path to it: of a list, of lines, or the only one."""
    numbered = [(number, line) for number, line in enumerate(text.removeprefix(BOM).split(b"\n"), 1) if line.strip()]
    ends_at_once = numbered[0][1].rstrip(BLANKS).endswith(b"}") if numbered else False
    if ends_at_once and len(numbered) > 1 and numbered[1][1].lstrip(BLANKS).startswith(b"{"):
        for number, line in numbered:
            yield JSON.load(line, f"line {number}"), f"line {number}: $"
        return
    document = JSON.load(text)
    if isinstance(document, list):
        yield from ((value, f"[{index}]") for index, value in enumerate(document))
    else:
        yield document, ""


def _reading_tool(call: dict[str, object]) -> str | None:
    """Name the tool of a call that is known to change nothing."""
    inner = next((call[key] for key in _HOLDERS if isinstance(call.get(key), dict)), None)
    named = inner if isinstance(inner, dict) else call
    name = next((named[key] for key in _NAME_KEYS if key in named), None)
    if isinstance(name, str) and name in READS_ONLY:
        return name
    fields = next((named[key] for key in _INPUT_KEYS if key in named), None)
    if isinstance(fields, dict) and fields.get("command") == "view" and isinstance(name, str):
        return f"{name}, command view,"
    return None


def _call(call: dict[str, object], where: str, surroundings: Surroundings) -> Reading:
    JSON.unrepeated(call, where)
    for key in _HOLDERS:
        inner = call.get(key)
        if isinstance(inner, dict):
            _only(call, where, {"type", key})
            return _call(inner, inside(where, key), surroundings)
    kind = call.get("type")
    if isinstance(kind, str) and kind in HELD_BY:
        _only(call, where, {"type", HELD_BY[kind], "environment"})
        return read_builtin(kind, call, where, surroundings)
    named = [key for key in _NAME_KEYS if key in call]
    if not named and "type" in call:
        raise JSON.fault(where or "$", f"is of type {call['type']!a}, which is no call of a tool that is known")
    if not named:
        fields = Fields(call, where, surroundings)
        return tool_of_input(fields)(fields)
    return _named(call, where, named, surroundings)


def _named(call: dict[str, object], where: str, named: list[str], surroundings: Surroundings) -> Reading:
    given = [key for key in _INPUT_KEYS if key in call]
    if len(named) > 1 or len(given) != 1:
        raise JSON.fault(where or "$", f"must have one name and one input; it has {', '.join(named + given)}")
    _only(call, where, {named[0], given[0], "type", "cwd"})
    name = JSON.text(call[named[0]], inside(where, named[0]))
    tool = tool_of_name(name, inside(where, named[0]))
    place, value = inside(where, given[0]), call[given[0]]
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = JSON.load_string(value, place)
    if isinstance(value, str):
        # Several agents give any of their editing tools the text of a patch instead of fields.
        tool, value = apply_patch, {"patch": value}
    fields = Fields(JSON.typed(value, dict, place), place, surroundings, name)
    if "cwd" in call:
        _check_folder(JSON.text(call["cwd"], inside(where, "cwd")), inside(where, "cwd"), fields)
    return tool(fields)


def _check_folder(folder: str, where: str, fields: Fields) -> None:
    root = fields.surroundings.root
    is_root = root is not None and folder.rstrip("/") == root.rstrip("/")
    if not is_root and not str(fields.values.get("path", "")).startswith("/"):
        raise JSON.fault(where, "is not the repository's root, so that the call's relative paths mean other files")


def _only(call: dict[str, object], where: str, known: set[str]) -> None:
    for key in call:
        if key not in known and key not in _SURROUNDING_KEYS:
            raise JSON.fault(inside(where, key), "is not a field of a tool call")
    ended_well(call, where)
    kind = JSON.text(call["type"], inside(where, "type")) if "type" in call else None
    if kind is not None and kind not in _TYPES:
        raise JSON.fault(inside(where, "type"), f"must be one of {', '.join(sorted(_TYPES))}")
