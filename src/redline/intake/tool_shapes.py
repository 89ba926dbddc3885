"""The editing tools of agents: what their inputs are called, and what each tool means by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.intake.edits import ABSENT, Cell, CellAct, Delete, Edit, Insert, Reading, Replace, Write
from redline.intake.json_text import MAX_INTEGER, JsonReader, inside
from redline.intake.several_files import several_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from redline.core.paths import RepoPath

    Tool: TypeAlias = Callable[["Fields"], Reading]

NAME: Final = "tool-call"
HINT: Final = (
    'Send the calls of editing tools as they were made: {"name": ..., "input": {...}}, a JSON list of these,'
    " or one a line."
)
PATCH_BEGINS: Final = "*** Begin Patch"
JSON: Final = JsonReader("a tool call", HINT, "Send the call as JSON in UTF-8 and nothing before or after it.")

_SAME: Final = {
    **dict.fromkeys(("file_path", "filePath", "notebook_path"), "path"),
    **dict.fromkeys(("oldString", "old_str", "old_text"), "old_string"),
    **dict.fromkeys(("newString", "new_str", "new_text", "insert_text"), "new_string"),
    **dict.fromkeys(("replaceAll", "allow_multiple"), "replace_all"),
    **dict.fromkeys(("contents", "file_text"), "content"),
    **dict.fromkeys(("patchText", "input"), "patch"),
    "cmd": "command",
    **dict.fromkeys(("cwd", "working_directory"), "workdir"),
}
_OF_A_SHELL: Final = frozenset(
    {
        *("workdir", "timeout", "timeout_ms", "yield_time_ms", "max_output_tokens", "login", "shell", "tty"),
        *("sandbox_permissions", "with_escalated_permissions", "justification", "prefix_rule", "run_in_background"),
    }
)
_CALLS_OF_A_SCRIPT: Final = (
    [],
    ["apply_patch"],
    ["applypatch"],
    *([shell, option] for shell in ("bash", "sh", "zsh", "/bin/bash", "/bin/sh") for option in ("-c", "-lc")),
)
READS_ONLY: Final = frozenset(
    {
        *("Read", "Grep", "Glob", "LS", "NotebookRead", "TodoRead", "TodoWrite", "WebFetch", "WebSearch"),
        *("read", "read_file", "read_many_files", "view", "cat", "grep", "glob", "ls", "list", "list_dir"),
        *("list_directory", "list_files", "search_files", "search_file_content", "grep_search", "file_search"),
        *("codebase_search", "list_code_definition_names", "view_image", "think", "update_plan", "todowrite"),
        *("attempt_completion", "ask_followup_question", "plan_mode_respond"),
    }
)
_SAYS_NOTHING: Final = frozenset({"description", "instruction", "explanation", "task_progress"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a call needs from outside: the readers of embedded formats, and the root that absolute paths name.

    `patch` reads an apply_patch text, `section` what stands below the header of one of its sections, which may create
    the file; `blocks` reads the SEARCH/REPLACE blocks of a path.
    """

    patch: Callable[[bytes], Reading]
    section: Callable[[RepoPath, bytes, bool], Reading]
    blocks: Callable[[bytes, RepoPath], Reading]
    root: str | None


class Fields:
    """The fields of one input under one name each, whatever the tool calls them; null is as good as left out.

    `tool` is the tool's name, as far as the call says it.
    """

    def __init__(
        self, values: dict[str, object], where: str, surroundings: Surroundings, tool: str = "a shell"
    ) -> None:
        JSON.unrepeated(values, where)
        self.tool = tool
        self.where = where
        self.surroundings = surroundings
        self.given = frozenset(values)
        self.values: dict[str, object] = {}
        self.keys: dict[str, str] = {}
        for key, value in values.items():
            name = _SAME.get(key, key)
            if value is None or key in _SAYS_NOTHING:
                continue
            if name in self.values:
                raise JSON.fault(inside(where, key), f"says the same as {self.keys[name]}")
            self.values[name], self.keys[name] = value, key

    def check(self, required: set[str], optional: set[str] | None = None) -> None:
        for name, key in self.keys.items():
            if name not in required and name not in (optional or ()):
                raise JSON.fault(inside(self.where, key), "is not a field of this tool")
        for name in sorted(required):
            if name not in self.values:
                raise JSON.fault(inside(self.where, name), "is missing")

    def place(self, name: str) -> str:
        return inside(self.where, self.keys.get(name, name))

    def text(self, name: str) -> str:
        return JSON.text(self.values[name], self.place(name))

    def data(self, name: str) -> bytes:
        return self.text(name).encode("utf-8")

    def flag(self, name: str) -> bool:
        return JSON.typed(self.values.get(name, False), bool, self.place(name))

    def integer(self, name: str, least: int) -> int:
        value = JSON.typed(self.values[name], int, self.place(name))
        if not least <= value <= MAX_INTEGER:
            raise JSON.fault(self.place(name), f"must be at least {least} and below 2**53")
        return value

    def path(self) -> RepoPath:
        return JSON.path(self.values["path"], self.place("path"), self.surroundings.root)


def _reading(*edits: Edit) -> Reading:
    return Reading(NAME, "", edits, ())


def _replacement(fields: Fields, path: RepoPath, *, with_line_end: bool = False) -> Replace:
    before = fields.data("old_string")
    after = fields.data("new_string") if "new_string" in fields.values else b""
    if before == after:
        raise JSON.fault(fields.place("new_string"), "is the same as the text it replaces", code="NO_CHANGE")
    count = None if fields.flag("replace_all") else 1
    if "expected_replacements" in fields.values:
        count = fields.integer("expected_replacements", 1)
    return Replace(path, before, after, count, exactly=False, with_line_end=with_line_end and not after)


def _replace(fields: Fields) -> Reading:
    fields.check({"path", "old_string", "new_string"}, {"replace_all", "expected_replacements"})
    return _reading(_replacement(fields, fields.path()))


def _edit(fields: Fields) -> Reading:
    """Read a call of Claude Code's Edit, which deletes a text together with the line end behind it."""
    fields.check({"path", "old_string", "new_string"}, {"replace_all"})
    return _reading(_replacement(fields, fields.path(), with_line_end=True))


def _replace_several(fields: Fields) -> Reading:
    fields.check({"path", "edits"})
    path, where = fields.path(), fields.place("edits")
    edits: list[Edit] = []
    for index, item in enumerate(JSON.typed(fields.values["edits"], list, where)):
        place = f"{where}[{index}]"
        part = Fields(JSON.typed(item, dict, place), place, fields.surroundings)
        part.check({"old_string", "new_string"}, {"replace_all"})
        edits.append(_replacement(part, path, with_line_end=True))
    if not edits:
        raise JSON.fault(where, "is empty")
    return _reading(*edits)


def _write(fields: Fields) -> Reading:
    fields.check({"path", "content"})
    return _reading(Write(fields.path(), fields.data("content"), None, None))


def _create(fields: Fields) -> Reading:
    fields.check({"path", "content"})
    return _reading(Write(fields.path(), fields.data("content"), None, None, as_new=True))


def _delete(fields: Fields) -> Reading:
    fields.check({"path"})
    return _reading(Delete(fields.path()))


def _insertion(fields: Fields, line: int) -> Reading:
    """Insert whole lines: these tools split the text into lines and put them between two others."""
    data = fields.data("new_string")
    return _reading(Insert(fields.path(), line, data if data.endswith(b"\n") else data + b"\n"))


def _command(fields: Fields) -> Reading:
    """Read a command of the text editor that Anthropic's models are trained on, or a shell's."""
    if PATCH_BEGINS in str(fields.values.get("command")):
        return shell(fields)
    fields.check({"command", "path"}, set(fields.values))
    command = fields.text("command")
    if command == "create":
        fields.check({"command", "path", "content"})
        return _reading(Write(fields.path(), fields.data("content"), None, None, as_new=True))
    if command == "str_replace":
        fields.check({"command", "path", "old_string"}, {"new_string"})
        return _reading(_replacement(fields, fields.path()))
    if command == "insert":
        fields.check({"command", "path", "insert_line", "new_string"})
        return _insertion(fields, fields.integer("insert_line", 0))
    known = "create, str_replace and insert do"
    raise JSON.fault(fields.place("command"), f"is {command!a}, which edits nothing; {known}", code="NOT_AN_EDIT")


def _editor(fields: Fields) -> Reading:
    """Read a call of Cline's editor, whose line numbers count from 1 and name the line below the insertion."""
    fields.check({"path", "new_string"}, {"old_string", "insert_line"})
    if "insert_line" in fields.values:
        fields.check({"path", "new_string", "insert_line"})
        return _insertion(fields, fields.integer("insert_line", 1) - 1)
    if "old_string" in fields.values:
        return _reading(_replacement(fields, fields.path()))
    return _reading(Write(fields.path(), fields.data("new_string"), None, ABSENT))


def _cell(fields: Fields) -> Reading:
    fields.check({"path", "new_source"}, {"cell_id", "cell_type", "edit_mode"})
    mode = fields.text("edit_mode") if "edit_mode" in fields.values else "replace"
    if mode not in {act.value for act in CellAct}:
        raise JSON.fault(fields.place("edit_mode"), "must be replace, insert or delete")
    cell_type = fields.text("cell_type") if "cell_type" in fields.values else None
    if cell_type not in {None, "code", "markdown"}:
        raise JSON.fault(fields.place("cell_type"), "must be code or markdown")
    needed = "cell_type" if mode == "insert" else "cell_id"
    if needed not in fields.values:
        raise JSON.fault(fields.place(needed), f"is missing, which edit_mode {mode} needs")
    cell_id = fields.text("cell_id") if "cell_id" in fields.values else None
    return _reading(Cell(fields.path(), CellAct(mode), cell_id, cell_type, fields.text("new_source")))


def apply_patch(fields: Fields) -> Reading:
    if "command" in fields.values:
        return shell(fields)
    fields.check({"patch"})
    return fields.surroundings.patch(fields.data("patch"))


def shell(fields: Fields) -> Reading:
    """Read a command that does nothing but apply a patch; redline runs none, so that any other is refused."""
    fields.check({"command"}, set(_OF_A_SHELL))
    place = fields.place("command")
    words = fields.values["command"]
    words = [words] if isinstance(words, str) else JSON.typed(words, list, place)
    script = JSON.text(words[-1], f"{place}[{len(words) - 1}]") if words else ""
    called = [JSON.text(word, place) for word in words[:-1]]
    if PATCH_BEGINS not in script or called not in _CALLS_OF_A_SCRIPT:
        what = f"is a command for {fields.tool}, which redline neither runs nor can show as a change"
        raise JSON.fault(place, what, code="NOT_AN_EDIT")
    folder = fields.text("workdir") if "workdir" in fields.values else "."
    if folder not in {"", "."} and folder.rstrip("/") != (fields.surroundings.root or "").rstrip("/"):
        raise JSON.fault(fields.place("workdir"), "is not the repository's root, so that the paths mean other files")
    return fields.surroundings.patch(script.encode("utf-8"))


def _blocks(fields: Fields) -> Reading:
    fields.check({"path", "diff"})
    return fields.surroundings.blocks(fields.data("diff"), fields.path())


def _apply_diff(fields: Fields) -> Reading:
    """Read a call of Roo's and Kilo's apply_diff, which is for one file, or for several."""
    if "args" not in fields.values:
        return _blocks(fields)
    fields.check({"args"})
    files = several_files(fields.text("args"))
    if files is None:
        what = "must hold a <file> each with <path> and <diff>, these with <content> and <start_line>, nothing else"
        raise JSON.fault(fields.place("args"), what)
    surroundings = fields.surroundings
    each = [
        surroundings.blocks(file.blocks.encode("utf-8"), JSON.path(file.path, fields.place("args"), surroundings.root))
        for file in files
    ]
    edits = tuple(edit for reading in each for edit in reading.edits)
    return Reading(NAME, "", edits, tuple(note for reading in each for note in reading.leniencies))


def _insert_content(fields: Fields) -> Reading:
    """Read a call of Roo's insert_content, whose line is the one below the insertion; 0 is the file's end."""
    fields.check({"path", "line", "content"})
    line, data = fields.integer("line", 0), fields.data("content")
    whole = data if data.endswith(b"\n") else data + b"\n"
    return _reading(Insert(fields.path(), line - 1 if line else None, whole))


def _search_and_replace(fields: Fields) -> Reading:
    """Read a call of Roo's search_and_replace, which replaces every occurrence of a text."""
    fields.check({"path", "search", "replace"}, {"use_regex", "ignore_case"})
    for name in ("use_regex", "ignore_case"):
        if fields.flag(name):
            raise JSON.fault(fields.place(name), "is not taken: name the text as it stands in the file")
    before, after = fields.data("search"), fields.data("replace")
    for name, text in (("search", before), ("replace", after)):
        # Roo drops blanks at the ends of these, whether they are meant or not.
        if text != text.strip():
            raise JSON.fault(fields.place(name), "begins or ends with blanks, which may or may not be meant")
    return _reading(Replace(fields.path(), before, after, None))


_TOOLS: Final[dict[str, Tool]] = {
    "Edit": _edit,
    **dict.fromkeys(("StrReplace", "edit", "replace", "str_replace"), _replace),
    **dict.fromkeys(("Write", "write", "write_file", "write_to_file"), _write),
    **dict.fromkeys(("str_replace_based_edit_tool", "str_replace_editor"), _command),
    **dict.fromkeys(("apply_patch", "ApplyPatch"), apply_patch),
    **dict.fromkeys(("shell", "shell_command", "local_shell", "container.exec", "exec_command", "Bash", "bash"), shell),
    "MultiEdit": _replace_several,
    "NotebookEdit": _cell,
    "create": _create,
    "editor": _editor,
    "replace_in_file": _blocks,
    "apply_diff": _apply_diff,
    "insert_content": _insert_content,
    "search_and_replace": _search_and_replace,
    "Delete": _delete,
}
# The first key that an input without a tool's name has tells the tool.
_TELLING: Final[dict[str, Tool]] = {
    "command": _command,
    "notebook_path": _cell,
    "edits": _replace_several,
    "diff": _blocks,
    "patchText": apply_patch,
    "input": apply_patch,
    "new_text": _editor,
    "instruction": _replace,
    "allow_multiple": _replace,
    "expected_replacements": _replace,
    "old_string": _edit,
    "oldString": _replace,
    "old_str": _replace,
    "file_text": _create,
    "content": _write,
    "contents": _write,
}


def tool_of_name(name: str, where: str) -> Tool:
    tool = _TOOLS.get(name)
    if tool is None:
        raise JSON.fault(where, f"is {name!a}, which is no editing tool that is known", code="NOT_AN_EDIT")
    return tool


def tool_of_input(fields: Fields) -> Tool:
    for key, tool in _TELLING.items():
        if key in fields.given:
            return tool
    raise JSON.fault(fields.where or "$", "has no tool's name, and is the input of no editing tool that is known")
