"""Calls of the tools built into OpenAI's Responses, which have a type where other calls have a name.

`apply_patch_call` holds one operation on one file, its diff being what stands below a section's header in a patch;
`shell_call` and `local_shell_call` hold commands, of which redline reads those that do nothing but apply a patch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from redline.core.notes import Leniency
from redline.intake.edits import Delete, Reading, Write
from redline.intake.json_text import inside
from redline.intake.tool_shapes import JSON, NAME, Fields, Surroundings, shell

if TYPE_CHECKING:
    from collections.abc import Callable

# Each type, and the key under which it holds what is to be done.
HELD_BY: Final = {"apply_patch_call": "operation", "shell_call": "action", "local_shell_call": "action"}


def names_one(text: bytes) -> bool:
    """Tell whether the type of such a call stands somewhere in the text."""
    return any(b'"%b"' % kind.encode() in text for kind in HELD_BY)


def read_builtin(kind: str, call: dict[str, object], where: str, surroundings: Surroundings) -> Reading:
    """Read a call of a type of `HELD_BY`. Raises MalformedEdit with the faulty key's JSON path, UnsafePath."""
    key = HELD_BY[kind]
    place = inside(where, key)
    if key not in call:
        raise JSON.fault(place, "is missing")
    environment, its_place = call.get("environment"), inside(where, "environment")
    if environment is not None and JSON.typed(environment, dict, its_place).get("type") != "local":
        raise JSON.fault(its_place, "is not local, so that the commands mean other files", code="NOT_AN_EDIT")
    return _READ[kind](Fields(JSON.typed(call[key], dict, place), place, surroundings))


def _operation(fields: Fields) -> Reading:
    fields.check({"type", "path"}, {"diff"})
    operation = _OPERATIONS.get(fields.text("type"))
    if operation is None:
        raise JSON.fault(fields.place("type"), f"must be one of {', '.join(_OPERATIONS)}")
    return operation(fields)


def _create_file(fields: Fields) -> Reading:
    """Read the lines of a new file.

    OpenAI's own reader puts line ends only between them, so that an empty last one ends the line above it; the format
    is Codex's, which ends every line.
    """
    fields.check({"type", "path", "diff"})
    path, diff = fields.path(), fields.data("diff")
    reading = fields.surroundings.section(path, diff, True)  # noqa: FBT003
    data = b"".join(edit.data for edit in reading.edits if isinstance(edit, Write))
    if not data or data.endswith(b"\n\n"):
        return replace(reading, edits=(Write(path, data[:-1], None, None, as_new=True),))
    text = "the diff does not say whether the new file's last line has a line end; it was given one"
    return replace(reading, leniencies=(*reading.leniencies, Leniency("LAST_LINE_END", path, text)))


def _update_file(fields: Fields) -> Reading:
    fields.check({"type", "path", "diff"})
    return fields.surroundings.section(fields.path(), fields.data("diff"), False)  # noqa: FBT003


def _delete_file(fields: Fields) -> Reading:
    fields.check({"type", "path"})
    return Reading(NAME, "", (Delete(fields.path()),), ())


def _commands(fields: Fields) -> Reading:
    fields.check({"commands"}, {"timeout_ms", "max_output_length"})
    place = fields.place("commands")
    commands = JSON.typed(fields.values["commands"], list, place)
    if not commands:
        raise JSON.fault(place, "is empty")
    each = [
        shell(Fields({"command": JSON.text(command, f"{place}[{index}]")}, f"{place}[{index}]", fields.surroundings))
        for index, command in enumerate(commands)
    ]
    edits = tuple(edit for reading in each for edit in reading.edits)
    return Reading(NAME, "", edits, tuple(note for reading in each for note in reading.leniencies))


def _action(fields: Fields) -> Reading:
    fields.check({"type", "command"}, {"env", "timeout_ms", "user", "workdir"})
    if fields.text("type") != "exec":
        raise JSON.fault(fields.place("type"), "must be exec")
    for name in ("env", "user"):
        if fields.values.get(name):
            raise JSON.fault(fields.place(name), "changes what the command does", code="NOT_AN_EDIT")
    kept = {fields.keys[name]: fields.values[name] for name in ("command", "workdir") if name in fields.values}
    return shell(Fields(kept, fields.where, fields.surroundings))


_OPERATIONS: Final[dict[str, Callable[[Fields], Reading]]] = {
    "create_file": _create_file,
    "update_file": _update_file,
    "delete_file": _delete_file,
}
_READ: Final[dict[str, Callable[[Fields], Reading]]] = {
    "apply_patch_call": _operation,
    "shell_call": _commands,
    "local_shell_call": _action,
}
