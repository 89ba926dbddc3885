"""What the hook event of an agent says, in one shape for all of them, and how its fields are read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal, TypeAlias

    Record: TypeAlias = Mapping[str, object]
    Answer: TypeAlias = dict[str, object]
    Kind: TypeAlias = Literal["edit", "turn", "stop", "other"]

BY_FIELDS: Final = ""
SHELL: Final = "shell"
PATCH: Final = "apply_patch"
_PATCH_KEYS: Final = ("patch", "input", "patchText", "command")
# A patch as the first line of a here-document or of a quoted word, not one that is only spoken of.
_CARRIES_PATCH: Final = re.compile(r"""(?m)(?:^|['"])\*\*\* Begin Patch[ \t\r]*$""")


class Event(NamedTuple):
    """`name` is the agent's word for it; `call` is the call of an editing tool as intake reads one, of an "edit" only.

    `folder` is where the agent works; `tool_call` names the call, so that one that is told twice is one proposal.
    """

    name: str
    kind: Kind
    session: str | None
    folder: str
    tool_call: str | None = None
    call: Answer | None = None


class Dialect(NamedTuple):
    """How one agent's events are read and answered.

    `deny` takes the reason for the model and a note for the person. `read` raises EnvironmentFault.
    """

    author: str
    read: Callable[[Record], Event]
    deny: Callable[[str, str], Answer]
    tell: Callable[[Event, str], Answer]
    neutral: Callable[[Event], Answer]


class Vocabulary(NamedTuple):
    """An agent's names of its events and tools.

    `tools` gives, for each tool that writes, the name under which intake knows its input; `BY_FIELDS` leaves it to the
    fields. What is in neither `tools` nor `shells` changes no file.
    """

    before_tool: str
    turns: frozenset[str]
    stop: str
    tools: dict[str, str]
    shells: frozenset[str]

    def event(self, name: str, session: str | None, folder: str) -> Event:
        """An event that is not about a tool that writes."""
        kind: Kind = "turn" if name in self.turns else "stop" if name == self.stop else "other"
        return Event(name, kind, session, folder)

    def before(self, event: Event, tool: str | None, fields: object, tool_call: str | None) -> Event:
        """An event before a tool runs; a tool without a name is one that writes, if its fields say so."""
        if tool in self.shells:
            call = _shell_call(fields, event.folder)
        elif tool is None or tool in self.tools:
            call = _call(self.tools[tool] if tool is not None else BY_FIELDS, fields)
        else:
            call = None
        return event if call is None else event._replace(kind="edit", tool_call=tool_call, call=call)


def parsed(data: bytes | str) -> object:
    """Read JSON. Raises EnvironmentFault."""
    try:
        return cast("object", json.loads(data))
    except (ValueError, RecursionError) as error:
        raise EnvironmentFault("the hook event is no JSON", code="EVENT_UNREADABLE", hint=_HINT) from error


def text(record: Record, *keys: str) -> str | None:
    """The first of the fields that is there, as text; None if none is."""
    for key in keys:
        value = record.get(key)
        if value is not None:
            if not isinstance(value, str):
                raise _fault(key, "is no text")
            return value
    return None


def required(record: Record, *keys: str) -> str:
    value = text(record, *keys)
    if not value:
        raise _fault(keys[0], "is missing")
    return value


def record_of(record: Record, key: str) -> Record:
    value = record.get(key)
    if not isinstance(value, dict):
        raise _fault(key, "is no object")
    return cast("Record", value)


def first_text(record: Record, key: str) -> str | None:
    """The first of a list of texts; None if the list is empty or not there."""
    values = record.get(key)
    first = values[0] if isinstance(values, list) and values else None
    return first if isinstance(first, str) else None


def _fault(key: str, what: str) -> EnvironmentFault:
    return EnvironmentFault(f"the hook event's {key} {what}", code="EVENT_UNREADABLE", hint=_HINT)


def _shell_call(fields: object, folder: str) -> Answer | None:
    """The call of a shell whose command applies a patch; None for every other command."""
    command = fields.get("command") if isinstance(fields, dict) else fields
    script = command[-1] if isinstance(command, list) and command else command
    if not isinstance(script, str) or _CARRIES_PATCH.search(script) is None:
        return None
    return {"name": SHELL, "input": {"command": command, "workdir": folder}}


def _call(name: str, fields: object) -> Answer:
    if isinstance(fields, str) and not fields.lstrip().startswith("{"):
        return {"name": PATCH, "input": {"patch": fields}}
    if isinstance(fields, str):
        fields = parsed(fields)
    if not isinstance(fields, dict):
        raise _fault("tool input", "is no object")
    if name == PATCH:
        patch = next((fields[key] for key in _PATCH_KEYS if key in fields), None)
        return {"name": PATCH, "input": {"patch": patch}}
    return {"name": name, "input": fields} if name != BY_FIELDS else fields


_HINT: Final = "Report this with the agent's version: its hooks speak in another way than redline knows."
