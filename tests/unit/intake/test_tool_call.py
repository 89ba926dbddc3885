from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.notes import Leniency
from redline.core.paths import RepoPath
from redline.errors import MalformedEdit, RedlineError
from redline.intake import tool_call
from redline.intake.edits import Cell, CellAct, Delete, Edit, Insert, Reading, Replace, Write
from redline.intake.tool_shapes import Surroundings

if TYPE_CHECKING:
    from collections.abc import Mapping

A = RepoPath("d/a")
NB = RepoPath("n.ipynb")
PATCH = "*** Begin Patch\n*** Delete File: gone\n*** End Patch"
BLOCKS = "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n"
NOTE = Leniency("SOME", A, "noted below")
EDIT = {"file_path": "d/a", "old_string": "x", "new_string": "y"}
EDITED = Replace(A, b"x", b"y", 1, exactly=False)


def patch(text: bytes) -> Reading:
    assert text == PATCH.encode()
    return Reading("apply-patch", "", (Delete(RepoPath("gone")),), (NOTE,))


def blocks(text: bytes, path: RepoPath) -> Reading:
    assert text == BLOCKS.encode()
    return Reading("search-replace", "", (Replace(path, b"x\n", b"y\n", 1, whole_lines=True),), ())


def anything(*_: object) -> Reading:
    return Reading("x", "", (), ())


def reading(text: bytes, root: str | None = "/repo") -> Reading:
    return tool_call.parse(text, Surroundings(patch, anything, blocks, root))


def edits(value: object, root: str | None = "/repo") -> tuple[Edit, ...]:
    text = json.dumps(value).encode()
    assert tool_call.recognises(text)
    return reading(text, root).edits


def refusal(text: bytes, root: str | None = "/repo") -> RedlineError:
    with pytest.raises(RedlineError) as caught:
        reading(text, root)
    assert caught.value.hint
    json.dumps(caught.value.details)
    return caught.value


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (EDIT, EDITED),
        ({**EDIT, "file_path": "/repo/d/a", "replace_all": False}, EDITED),
        ({**EDIT, "replace_all": True}, Replace(A, b"x", b"y", None, exactly=False)),
        ({**EDIT, "replace_all": None}, EDITED),
        ({**EDIT, "old_string": ""}, Replace(A, b"", b"y", 1, exactly=False)),
        ({**EDIT, "new_string": ""}, Replace(A, b"x", b"", 1, exactly=False, with_line_end=True)),
        ({**EDIT, "instruction": "why", "allow_multiple": True}, Replace(A, b"x", b"y", None, exactly=False)),
        ({**EDIT, "expected_replacements": 2}, Replace(A, b"x", b"y", 2, exactly=False)),
        ({"filePath": "d/a", "oldString": "x", "newString": "y"}, EDITED),
        ({"filePath": "d/a", "oldString": "x", "newString": "y", "replaceAll": False}, EDITED),
        ({"path": "d/a", "old_str": "x", "new_str": "y", "description": 1}, EDITED),
        ({"path": "d/a", "old_text": "x", "new_text": "y"}, EDITED),
        ({"path": "d/a", "old_text": None, "new_text": "y", "insert_line": None}, Write(A, b"y", None, "absent")),
        ({"path": "d/a", "new_text": "y", "insert_line": 1}, Insert(A, 0, b"y\n")),
        ({"path": "d/a", "new_text": "y\n", "insert_line": 3}, Insert(A, 2, b"y\n")),
        ({"file_path": "d/a", "content": "é\r\n"}, Write(A, b"\xc3\xa9\r\n", None, None)),
        ({"filePath": "d/a", "content": ""}, Write(A, b"", None, None)),
        ({"path": "d/a", "contents": "x"}, Write(A, b"x", None, None)),
        ({"path": "d/a", "file_text": "x"}, Write(A, b"x", None, None, as_new=True)),
        ({"command": "create", "path": "d/a", "file_text": "x"}, Write(A, b"x", None, None, as_new=True)),
        ({"command": "str_replace", "path": "d/a", "old_str": "x", "new_str": "y"}, EDITED),
        ({"command": "str_replace", "path": "d/a", "old_str": "x"}, Replace(A, b"x", b"", 1, exactly=False)),
        ({"command": "insert", "path": "d/a", "insert_line": 0, "insert_text": "y"}, Insert(A, 0, b"y\n")),
        ({"command": "insert", "path": "d/a", "insert_line": 2, "new_str": "y\n"}, Insert(A, 2, b"y\n")),
        ({"path": "d/a", "diff": BLOCKS}, Replace(A, b"x\n", b"y\n", 1, whole_lines=True)),
        ({"patchText": PATCH}, Delete(RepoPath("gone"))),
        ({"input": PATCH}, Delete(RepoPath("gone"))),
        (
            {"notebook_path": "/repo/n.ipynb", "cell_id": "c", "new_source": "s"},
            Cell(NB, CellAct.REPLACE, "c", None, "s"),
        ),
        (
            {"notebook_path": "n.ipynb", "new_source": "s", "cell_type": "code", "edit_mode": "insert"},
            Cell(NB, CellAct.INSERT, None, "code", "s"),
        ),
        (
            {"notebook_path": "n.ipynb", "new_source": "", "cell_id": "c", "edit_mode": "delete"},
            Cell(NB, CellAct.DELETE, "c", None, ""),
        ),
    ],
)
def test_a_bare_input_tells_its_tool(fields: dict[str, object], expected: Edit) -> None:
    assert edits(fields) == (expected,)


def test_a_multi_edit_is_its_replacements_in_order() -> None:
    parts = [{"old_string": "x", "new_string": "y"}, {"old_string": "y", "new_string": "z", "replace_all": True}]
    assert edits({"file_path": "d/a", "edits": parts}) == (EDITED, Replace(A, b"y", b"z", None, exactly=False))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Edit", EDIT),
        ("StrReplace", {"path": "d/a", "old_string": "x", "new_string": "y"}),
        ("edit", {"filePath": "d/a", "oldString": "x", "newString": "y"}),
        ("edit", {"path": "d/a", "old_str": "x", "new_str": "y"}),
        ("str_replace", {"path": "d/a", "old_str": "x", "new_str": "y"}),
        ("replace", {**EDIT, "instruction": "why"}),
        ("editor", {"path": "d/a", "old_text": "x", "new_text": "y"}),
        ("str_replace_editor", {"command": "str_replace", "path": "d/a", "old_str": "x", "new_str": "y"}),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "d/a", "old_str": "x", "new_str": "y"}),
        ("MultiEdit", {"file_path": "d/a", "edits": [{"old_string": "x", "new_string": "y"}]}),
    ],
)
def test_every_dialect_says_the_same_edit(name: str, fields: dict[str, object]) -> None:
    for call in ({"name": name, "input": fields}, {"toolName": name, "toolArgs": json.dumps(fields)}):
        assert edits(call) == (EDITED,)


@pytest.mark.parametrize(
    ("name", "fields", "expected"),
    [
        ("Write", {"file_path": "d/a", "content": "x"}, Write(A, b"x", None, None)),
        ("write", {"filePath": "d/a", "content": "x"}, Write(A, b"x", None, None)),
        ("write_file", {"file_path": "d/a", "content": "x"}, Write(A, b"x", None, None)),
        ("write_to_file", {"path": "d/a", "content": "x"}, Write(A, b"x", None, None)),
        ("create", {"path": "d/a", "file_text": "x"}, Write(A, b"x", None, None, as_new=True)),
        ("Delete", {"path": "d/a"}, Delete(A)),
        ("Delete", {"file_path": "/repo/d/a", "explanation": "old"}, Delete(A)),
        ("replace_in_file", {"path": "d/a", "diff": BLOCKS}, Replace(A, b"x\n", b"y\n", 1, whole_lines=True)),
        ("apply_patch", {"patchText": PATCH}, Delete(RepoPath("gone"))),
        ("apply_patch", {"input": PATCH}, Delete(RepoPath("gone"))),
        ("ApplyPatch", PATCH, Delete(RepoPath("gone"))),
        ("Edit", PATCH, Delete(RepoPath("gone"))),
        (
            "NotebookEdit",
            {"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "s"},
            Cell(NB, CellAct.REPLACE, "c", None, "s"),
        ),
    ],
)
def test_a_named_tool_is_read_by_its_fields(name: str, fields: object, expected: Edit) -> None:
    assert edits({"tool_name": name, "tool_input": fields}) == (expected,)


TOOL_USE = {"type": "tool_use", "id": "t1", "name": "Edit", "input": EDIT}
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "Edit", "arguments": json.dumps(EDIT)}}


@pytest.mark.parametrize(
    "call",
    [
        TOOL_USE,
        FUNCTION,
        {
            "type": "function_call",
            "name": "Edit",
            "arguments": json.dumps(EDIT),
            "call_id": "c1",
            "status": "completed",
        },
        {"tool_name": "Edit", "tool_input": EDIT, "session_id": "s", "hook_event_name": "PreToolUse", "cwd": "/repo"},
        {"tool_name": "Edit", "tool_input": {**EDIT, "file_path": "/repo/d/a"}, "cwd": "/repo/d"},
        {"tool": "edit", "args": {"filePath": "d/a", "oldString": "x", "newString": "y"}, "sessionID": "s"},
        {"name": "replace", "args": EDIT},
        {"name": "Edit", "parameters": EDIT},
        [TOOL_USE],
        [{"type": "text", "text": "I change x."}, TOOL_USE],
    ],
)
def test_every_envelope_holds_the_same_call(call: object) -> None:
    assert edits(call) == (EDITED,)


def test_calls_of_a_list_or_of_lines_are_taken_in_order() -> None:
    calls = [TOOL_USE, FUNCTION, {"file_path": "/repo/d/a", "content": "1"}, {"name": "apply_patch", "input": PATCH}]
    expected = Reading(
        "tool-call",
        "",
        (EDITED, EDITED, Write(A, b"1", None, None), Delete(RepoPath("gone"))),
        (NOTE,),
    )
    lines = b"\n\n".join(json.dumps(call).encode() for call in calls)
    for text in (
        json.dumps(calls).encode(),
        json.dumps(calls, indent=2).encode(),
        lines,
        b"\xef\xbb\xbf" + lines + b"\r\n",
    ):
        assert tool_call.recognises(text)
        assert reading(text) == expected


@pytest.mark.parametrize(
    ("key", "call"),
    [
        ("$", {"file_path": "d/a", "new_string": "y"}),
        ("input.new_string", {"name": "Edit", "input": {"file_path": "d/a", "old_string": "x"}}),
        ("input.path", {"name": "Edit", "input": {"old_string": "x", "new_string": "y"}}),
        ("replace_all", {**EDIT, "replace_all": "true"}),
        ("replace_all", {**EDIT, "replace_all": 1}),
        ("expected_replacements", {**EDIT, "expected_replacements": 0}),
        ("expected_replacements", {**EDIT, "expected_replacements": True}),
        ("old_string", {**EDIT, "old_string": 1}),
        ("new_string", {**EDIT, "new_string": "\ud800"}),
        ("path", {**EDIT, "path": "d/b"}),
        ("approved", {**EDIT, "approved": True}),
        ("file_path", {**EDIT, "file_path": 1}),
        ("edits", {"file_path": "d/a", "edits": []}),
        ("edits[0].old_string", {"file_path": "d/a", "edits": [{"new_string": "y"}]}),
        ("edits[0].file_path", {"file_path": "d/a", "edits": [EDIT]}),
        ("edits[0]", {"file_path": "d/a", "edits": ["x"]}),
        ("old_text", {"path": "d/a", "old_text": "x", "new_text": "y", "insert_line": 1}),
        ("insert_line", {"path": "d/a", "new_text": "y", "insert_line": 0}),
        ("insert_line", {"command": "insert", "path": "d/a", "insert_text": "y", "insert_line": -1}),
        ("insert_line", {"command": "insert", "path": "d/a", "insert_text": "y"}),
        ("new_str", {"command": "insert", "path": "d/a", "insert_line": 1, "insert_text": "y", "new_str": "y"}),
        ("insert_line", {"command": "create", "path": "d/a", "file_text": "y", "insert_line": 1}),
        ("command", {"command": 1, "path": "d/a"}),
        ("edit_mode", {"notebook_path": "n", "new_source": "", "cell_id": "c", "edit_mode": "move"}),
        ("cell_type", {"notebook_path": "n", "new_source": "", "cell_id": "c", "cell_type": "raw"}),
        ("cell_type", {"notebook_path": "n", "new_source": "", "edit_mode": "insert"}),
        ("cell_id", {"notebook_path": "n", "new_source": ""}),
        ("cell_number", {"notebook_path": "n", "new_source": "", "cell_number": 0}),
        ("input", {"name": "Edit", "input": 1}),
        ("$", {"name": "Edit"}),
        ("$", {"name": "Edit", "input": EDIT, "arguments": EDIT}),
        ("$", {"name": "Edit", "tool_name": "Write", "input": EDIT}),
        ("name", {"name": 1, "input": EDIT}),
        ("tool_response", {"tool_name": "Edit", "tool_input": EDIT, "tool_response": {}}),
        ("type", {"type": "tool_result", "name": "Edit", "input": EDIT}),
        ("type", {"type": [], "name": "Edit", "input": EDIT}),
        ("cwd", {"tool_name": "Edit", "tool_input": EDIT, "cwd": "/repo/d"}),
        ("cwd", {"tool_name": "Edit", "tool_input": PATCH, "cwd": "/repo/d"}),
        ("function.name", {"function": {"name": 1, "arguments": "{}"}}),
        ("approved", {"function": {"name": "Edit", "arguments": "{}"}, "approved": True}),
        ("$", {"file_path": "d/a"}),
        ("[1]", [TOOL_USE, "x"]),
        ("[1].input.old_string", [TOOL_USE, {"name": "Edit", "input": {**EDIT, "old_string": None}}]),
    ],
)
def test_a_faulty_field_is_refused_by_its_key(key: str, call: object) -> None:
    error = refusal(json.dumps(call).encode())
    assert (type(error), error.code, error.details) == (MalformedEdit, "INPUT_SCHEMA", {"key": key})


@pytest.mark.parametrize(
    "call",
    [
        {"name": "Bash", "input": {"command": "rm -rf /"}},
        {"name": "Read", "input": {"file_path": "d/a"}},
        {"command": "view", "path": "d/a", "view_range": [1, -1]},
        {"command": "undo_edit", "path": "d/a"},
        [TOOL_USE, {"name": "Bash", "input": {"command": "make"}}],
    ],
)
def test_a_call_that_edits_nothing_refuses_the_whole_message(call: object) -> None:
    error = refusal(json.dumps(call).encode())
    assert (type(error), error.code) == (MalformedEdit, "NOT_AN_EDIT")
    assert any(name in error.message for name in ("Bash", "Read", "view", "undo_edit"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps({**EDIT, "new_string": "x"}).encode(), "NO_CHANGE"),
        (json.dumps({"command": "str_replace", "path": "d/a", "old_str": ""}).encode(), "NO_CHANGE"),
        (b"[]", "NO_FILES"),
        (b'[{"type":"text","text":"x"}]', "NO_FILES"),
        (b'{"file_path":"d/a","content":"x"', "INPUT_JSON"),
        (b'{"file_path":"d/a","content":"x"} That is all.', "INPUT_JSON"),
        (b'{"name":"Edit","arguments":"{\\"file_path\\":"}', "INPUT_JSON"),
        (b'{"file_path":"d/a","content":"x","content":"y"}', "INPUT_SCHEMA"),
        (b'{"name":"Edit","name":"Write","input":{}}', "INPUT_SCHEMA"),
        (b'{"file_path":"d/a","content":"\xff"}', "INPUT_JSON"),
        (b'{"file_path":"d/a","content":NaN}', "INPUT_JSON"),
        (b"", "INPUT_JSON"),
    ],
)
def test_a_text_without_a_usable_call_is_refused(text: bytes, expected: str) -> None:
    assert refusal(text).code == expected


def test_a_fault_in_a_line_names_the_line() -> None:
    first = json.dumps(TOOL_USE).encode()
    assert refusal(first + b'\n\n{"file_path":"d/a","content":1}\n').message == "line 3: $.content must be a string"
    error = refusal(first + b'\n{"file_path":\n')
    assert (error.code, error.message.startswith("line 2 is not the JSON")) == ("INPUT_JSON", True)


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/repo/a", None, "PATH_ABSOLUTE"),
        ("/repository/a", "/repo", "PATH_ABSOLUTE"),
        ("/repo/../a", "/repo", "PATH_TRAVERSAL"),
        ("/repo//etc/passwd", "/repo", "PATH_ABSOLUTE"),
        ("/repo/.git/config", "/repo", "PATH_GIT"),
        ("/repo", "/repo", "PATH_ABSOLUTE"),
        ("a\nb", "/repo", "PATH_CONTROL"),
    ],
)
def test_b22_b25_a_path_outside_the_root_is_refused(path: str, root: str | None, expected: str) -> None:
    for call in ({**EDIT, "file_path": path}, {"name": "Delete", "input": {"path": path}}):
        assert refusal(json.dumps(call).encode(), root).code == expected


@pytest.mark.parametrize("new", ["$& $$ $`", r"C:\new\table", r"\1", "&lt;", "\u2019", "${x} %s"])
def test_b16_b17_text_is_taken_as_it_is(new: str) -> None:
    assert edits({**EDIT, "new_string": new}) == (Replace(A, b"x", new.encode(), 1, exactly=False),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"schema":"redline.edit/1","edits":[],"path":"x"}', False),
        (b'{"changes":{"file:///a":[]}}', False),
        (b'{"documentChanges":[],"path":"x"}', False),
        (b'{"name":"left-pad","version":"1"}', False),
        (b"{}", False),
        (b"[1, 2]", False),
        (b"# a\n" + json.dumps(TOOL_USE).encode(), False),
        (b'{"tool_name":"Bash","tool_input":{}}', True),
        (b'{"file_path":"d/a","content":"cut off', True),
    ],
)
def test_other_json_is_left_to_other_formats(text: bytes, expected: bool) -> None:
    assert tool_call.recognises(text) is expected


WORDS = st.sampled_from(
    [*tool_call._TELLING, *tool_call._NAME_KEYS, *tool_call._INPUT_KEYS, "command", "edits", "type", "cwd", "cell_id"]
)
NAMES = st.sampled_from(
    ["Edit", "MultiEdit", "NotebookEdit", "editor", "create", "str_replace", "insert", "/repo/a", "text"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**60) | st.floats() | st.text(max_size=3) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)


@given(VALUES)
def test_arbitrary_json_is_read_or_refused(value: object) -> None:
    text = json.dumps(value).encode()
    tool_call.recognises(text)
    with suppress(RedlineError):
        tool_call.parse(text, Surroundings(anything, anything, anything, "/repo"))


@given(st.binary(max_size=20), st.sampled_from([b"", b'{"file_path":', b'{"name":"Edit","input":']))
def test_arbitrary_bytes_are_read_or_refused(tail: bytes, head: bytes) -> None:
    tool_call.recognises(head + tail)
    with suppress(RedlineError):
        reading(head + tail)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


def rendered(edit: Edit) -> Mapping[str, object]:
    match edit:
        case Replace(path, before, after, count):
            every = {"replace_all": True} if count is None else {}
            strings = {"old_string": before.decode(), "new_string": after.decode()}
            return {"name": "Edit", "input": {"file_path": f"/repo/{path}", **strings, **every}}
        case Write(path, data):
            return {"name": "Write", "input": {"file_path": f"/repo/{path}", "content": data.decode()}}
        case Insert(path, line, data):
            fields = {"command": "insert", "path": path, "insert_line": line, "insert_text": data.decode()}
            return {"name": "str_replace_editor", "input": fields}
        case _:
            return {"name": "Delete", "input": {"path": str(edit.path)}}


EDITS = st.one_of(
    st.builds(
        lambda before, after, count: Replace(
            A, before.encode(), after.encode(), count, exactly=False, with_line_end=not after
        ),
        TEXTS,
        TEXTS,
        st.sampled_from([1, None]),
    ).filter(lambda edit: edit.before != edit.after),
    TEXTS.map(lambda text: Write(A, text.encode(), None, None)),
    st.builds(lambda line, text: Insert(A, line, text.encode() + b"\n"), st.integers(0, 9), TEXTS),
    st.just(Delete(A)),
)


@given(st.lists(EDITS, min_size=1, max_size=4), st.booleans())
def test_what_is_rendered_is_read_again(wanted: list[Edit], as_lines: bool) -> None:
    calls = [rendered(edit) for edit in wanted]
    text = "\n".join(map(json.dumps, calls)) if as_lines else json.dumps(calls)
    assert reading(text.encode()).edits == tuple(wanted)
