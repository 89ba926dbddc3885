"""What models really emit: an edit inside prose, a fence, an API's answer, tags; taken byte for byte or refused."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.intake.support import applied, code, refusal, tree

from redline.errors import RedlineError
from redline.intake import messages, shell_wrapper, tool_tags
from redline.intake.detect import read
from redline.intake.shown_json import shown_json

PATCH = b"*** Begin Patch\n*** Update File: f\n@@\n-a\n+&amp; $1\n*** End Patch"
BEFORE = {"f": b"a\n"}
AFTER = {"f": b"&amp; $1\n"}
HERE = b"apply_patch <<'EOF'\n" + PATCH + b"\nEOF"
EDIT = {"file_path": "/repo/f", "old_string": "a", "new_string": "&amp; $1"}
USE = {"type": "tool_use", "id": "t1", "name": "Edit", "input": EDIT}
READ = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/repo/f"}}
SAID = {"type": "text", "text": "I change a."}
FUNCTION = {"name": "Edit", "arguments": json.dumps(EDIT)}
CALLED = {"type": "function_call", "id": "fc", "call_id": "c", **FUNCTION}
BLOCK = b"f.txt\n```\n<<<<<<< SEARCH\na\n=======\n&amp; $1\n>>>>>>> REPLACE\n```\n"


def quoted(script: bytes) -> bytes:
    return b"bash -lc '" + script.replace(b"'", b"'\\''") + b"'"


@pytest.mark.parametrize(
    "text",
    [
        b"Here is the patch:\n\n" + PATCH + b"\n\nIt changes f.\n",
        b"Here is the patch:\n\n```\n" + PATCH + b"\n```\nDone.\n",
        b"Here is the patch:\n\n~~~diff\n\n" + PATCH + b"\n\n~~~\nDone.",
        b"First a look:\n```bash\nls\n```\n```patch\n" + PATCH + b"\n```\nThen:\n```\npytest\n```\n",
        b"Run this:\n\n```bash\n" + HERE + b"\n```\n\nDone.\n",
        b"Run this:\n\n" + HERE + b"\n\nDone.\n",
        b"Run this:\n\n```sh\n" + quoted(HERE) + b"\n```\n\nDone.\n",
        b"Run this:\r\n\r\n" + PATCH.replace(b"\n", b"\r\n") + b"\r\n\r\nDone.\r\n",
        quoted(HERE),
        b"\xef\xbb\xbfSo:\n" + PATCH,
    ],
)
def test_a_patch_is_found_in_an_answer(text: bytes) -> None:
    assert read(text).format == "apply-patch"
    assert tree(text, BEFORE) == AFTER


@pytest.mark.parametrize(
    ("text", "expected", "message"),
    [
        (b"So:\n" + PATCH + b"\n\nor\n\n" + PATCH, "SEVERAL_PATCHES", "line 11: a second patch begins"),
        (PATCH + b"\nextra\n", "PATCH_NOT_ALONE", "line 7: the text goes on behind `*** End Patch`"),
        (b"So:\n\n*** Begin Patch\n*** Delete File: f\n", "PATCH_OPEN", "line 4: the patch has no `*** End Patch`"),
        (b"So:\n```\n" + PATCH + b"\n", "FENCE_OPEN", "line 2: "),
        (b"So:\n```\nfirst\n" + PATCH + b"\n```\n", "PATCH_BEGIN", "line 3: "),
        (b"So:\n```\n" + PATCH.replace(b"@@", b"f()") + b"\n```\n", "PATCH_LINE", "line 5: "),
        (b"So:\n```\n" + HERE + b"\nrm g\n```\n", "PATCH_NOT_ALONE", "line 11: "),
        (PATCH + b"\n\nAnd:\n```bash\n$ rm g\n```\n", "SHELL_EDIT", "beside the edit the text changes files"),
        (PATCH + b"\n\nAnd:\n\n" + BLOCK, "FORMATS_MIXED", "beside the edit in the format apply-patch"),
        (b"docs/x.md\n```\n" + PATCH + b"\n```\n", "FORMAT_AMBIGUOUS", "the text can be read as"),
    ],
)
def test_a_patch_in_an_answer_is_refused_by_its_own_line(text: bytes, expected: str, message: str) -> None:
    error = refusal(text, BEFORE)
    assert (error.code, error.message[: len(message)]) == (expected, message)


SCRIPTS = [
    {"command": ["bash", "-lc", HERE.decode() + "\n"]},
    {"command": ["apply_patch", PATCH.decode()]},
    {"command": ["apply_patch", PATCH.decode() + "\n"], "workdir": "/repo", "timeout_ms": 1000},
    {"command": ["bash", "-lc", "cd /repo && " + HERE.decode()]},
    {"command": HERE.decode()},
]


@pytest.mark.parametrize("fields", SCRIPTS)
def test_a_patch_is_found_in_a_shells_call(fields: dict[str, object]) -> None:
    calls: list[object] = [
        fields,
        {"type": "function_call", "name": "shell", "arguments": json.dumps(fields), "call_id": "c"},
        {
            "output": [
                {"type": "function_call", "name": "shell", "arguments": json.dumps(fields), "status": "completed"}
            ]
        },
        {"tool_name": "Bash", "tool_input": fields},
        {"tool_name": "apply_patch", "tool_input": fields},
    ]
    for call in calls:
        reading = read(json.dumps(call).encode(), root="/repo")
        assert (reading.format, reading.paths) == ("tool-call", ("f",))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"command": ["bash", "-lc", "pytest"]}, "NOT_AN_EDIT"),
        ({"command": "sed -i s/a/b/ f"}, "NOT_AN_EDIT"),
        ({"command": ["python", "-c", PATCH.decode()]}, "NOT_AN_EDIT"),
        ({"command": ["bash", "-lc", HERE.decode() + "\npytest"]}, "PATCH_NOT_ALONE"),
        ({"command": ["bash", "-lc", "ls\n" + HERE.decode()]}, "PATCH_BEGIN"),
        ({"command": ["apply_patch", PATCH.decode()], "workdir": "/repo/sub"}, "INPUT_SCHEMA"),
        ({"command": []}, "NOT_AN_EDIT"),
        ({"command": [1]}, "INPUT_SCHEMA"),
    ],
)
def test_another_command_of_a_shell_is_refused(fields: dict[str, object], expected: str) -> None:
    assert code(json.dumps({"name": "shell", "arguments": json.dumps(fields)}).encode()) == expected


ANSWERS: list[object] = [
    {"role": "assistant", "content": [SAID, USE]},
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_sequence": None,
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, SAID, USE],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1},
    },
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]},
    {
        "role": "assistant",
        "content": "I change a.",
        "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}],
    },
    {"role": "assistant", "content": None, "function_call": FUNCTION},
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "usage": {},
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"type": "function", "function": FUNCTION}],
                },
                "finish_reason": "tool_calls",
            }
        ],
    },
    {
        "id": "resp",
        "object": "response",
        "status": "completed",
        "error": None,
        "tools": [],
        "output": [
            {"type": "reasoning", "id": "r", "summary": []},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "So.", "annotations": []}],
            },
            CALLED,
        ],
    },
    {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "Edit", "input": EDIT}}]},
    {"role": "assistant", "content": [USE], "provider": None, "more": []},
    [{"type": "message", "role": "assistant", "content": [SAID]}, CALLED],
    [{"role": "assistant", "content": [SAID, USE]}],
]


CALL = {"functionCall": {"id": "g", "name": "Edit", "args": EDIT}, "thoughtSignature": "s"}
THOUGHT = {"text": "<<<<<<< SEARCH", "thought": True}
GEMINI = {
    "candidates": [
        {
            "content": {"parts": [THOUGHT, {"text": "I change a."}, CALL], "role": "model"},
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [],
        }
    ],
    "usageMetadata": {"totalTokenCount": 1},
    "modelVersion": "m",
    "responseId": "r",
}
ANSWERS += [GEMINI, {"role": "model", "parts": [CALL]}, {"functionCall": {"name": "Edit", "args": EDIT}}, [CALL]]


def gemini(*parts: object, **said: object) -> dict[str, object]:
    return {"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", **said}]}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_whole_answer_of_an_api_is_its_calls(answer: object) -> None:
    text = json.dumps(answer).encode()
    pretty = json.dumps(answer, indent=2).encode()
    for form in (text, pretty, b"The answer:\n\n```json\n" + pretty + b"\n```\nEnd.\n"):
        reading = read(form, root="/repo")
        assert (reading.format, reading.edits) == ("tool-call", read(json.dumps(USE).encode(), root="/repo").edits)
        assert reading.passed_over == ()


@pytest.mark.parametrize(
    "said",
    [
        {"role": "assistant", "content": BLOCK.decode()},
        {"role": "assistant", "content": [{"type": "text", "text": BLOCK.decode()}]},
        {
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": BLOCK.decode()}, "finish_reason": "stop"}
            ]
        },
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": BLOCK.decode()}]}]},
        gemini(THOUGHT, {"text": BLOCK.decode()}),
    ],
)
def test_an_answer_that_only_says_something_is_read_as_what_it_says(said: object) -> None:
    text = json.dumps(said).encode()
    assert read(text).format == "search-replace"
    assert tree(text, {"f.txt": b"a\n"}) == {"f.txt": b"&amp; $1\n"}


def test_a_call_that_reads_is_passed_over_and_told() -> None:
    reading = read(json.dumps({"role": "assistant", "content": [SAID, READ, USE]}).encode(), root="/repo")
    assert reading.passed_over == ("a call of Read, which changes nothing, was passed over",)
    view = {"name": "str_replace_based_edit_tool", "input": {"command": "view", "path": "f"}}
    edit = {
        "name": "str_replace_based_edit_tool",
        "input": {"command": "str_replace", "path": "f", "old_str": "a", "new_str": "b"},
    }
    outcome = applied(json.dumps([view, edit]).encode(), BEFORE)
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"b\n", ("PASSED_OVER",))


@pytest.mark.parametrize(
    ("answer", "expected", "key"),
    [
        (
            {"role": "assistant", "content": [USE, {**READ, "name": "Bash", "input": {"command": "rm f"}}]},
            "NOT_AN_EDIT",
            "content[1].input.command",
        ),
        ({"role": "assistant", "content": [USE, {**READ, "name": "Deploy"}]}, "NOT_AN_EDIT", "content[1].name"),
        ({"role": "assistant", "content": [READ, READ]}, "NOT_AN_EDIT", None),
        ({"role": "user", "content": [SAID, USE]}, "NOT_AN_ANSWER", "role"),
        ([{"role": "assistant", "content": [USE]}, {"role": "user", "content": "ok"}], "NOT_AN_ANSWER", "[1].role"),
        (
            {"role": "assistant", "content": [USE, {"type": "tool_result", "content": "x"}]},
            "INPUT_SCHEMA",
            "content[1].type",
        ),
        ({"role": "assistant", "content": [USE], "stop_reason": "max_tokens"}, "CUT_OFF", "stop_reason"),
        ({"output": [CALLED], "status": "incomplete"}, "CUT_OFF", "status"),
        ({"output": [{**CALLED, "status": "incomplete"}]}, "CUT_OFF", "output[0].status"),
        ({"output": [CALLED], "error": {"code": "x"}}, "CUT_OFF", "error"),
        (
            {"choices": [{"message": {"role": "assistant", "tool_calls": []}, "finish_reason": "length"}]},
            "CUT_OFF",
            "choices[0].finish_reason",
        ),
        ({"choices": [{}, {}]}, "INPUT_SCHEMA", "choices"),
        (gemini(CALL, finishReason="MAX_TOKENS"), "CUT_OFF", "candidates[0].finishReason"),
        ({"candidates": [{}, {}]}, "INPUT_SCHEMA", "candidates"),
        ({"role": "user", "parts": [CALL]}, "NOT_AN_ANSWER", "role"),
        (gemini(CALL, {"functionResponse": {}}), "INPUT_SCHEMA", "candidates[0].content.parts[1]"),
        (gemini(CALL, {"executableCode": {"code": "x"}}), "INPUT_SCHEMA", "candidates[0].content.parts[1]"),
        (gemini(CALL, {"text": 1}), "INPUT_SCHEMA", "candidates[0].content.parts[1].text"),
        (gemini(CALL, {"text": "x", "thought": 1}), "INPUT_SCHEMA", "candidates[0].content.parts[1].thought"),
        (gemini({**CALL, "approved": True}), "INPUT_SCHEMA", "candidates[0].content.parts[0].approved"),
        (
            gemini({"functionCall": {"name": "run_shell_command", "args": {"command": "rm f"}}}),
            "NOT_AN_EDIT",
            "candidates[0].content.parts[0].functionCall.name",
        ),
        (gemini(CALL, {"text": BLOCK.decode()}), "FORMATS_MIXED", None),
        ({"output": [{"type": "computer_call", "action": {}}]}, "INPUT_SCHEMA", "output[0]"),
        ({"role": "assistant", "content": [USE], "text": "x"}, "INPUT_SCHEMA", "text"),
        ({"role": "assistant", "content": [USE], "patch": "x"}, "INPUT_SCHEMA", "patch"),
        ({"role": "assistant", "content": [USE, {"type": "refusal", "refusal": "no"}]}, "NOT_AN_EDIT", "content[1]"),
        ({"role": "assistant", "content": [USE, {"type": "image"}]}, "INPUT_SCHEMA", "content[1]"),
        ({"role": "assistant", "content": [{"type": "text", "text": BLOCK.decode()}, USE]}, "FORMATS_MIXED", None),
    ],
)
def test_what_an_answer_holds_beside_its_edits_is_refused_by_name(
    answer: object, expected: str, key: str | None
) -> None:
    with pytest.raises(RedlineError) as caught:
        read(json.dumps(answer).encode(), root="/repo")
    assert (caught.value.code, caught.value.details.get("key")) == (expected, key), caught.value.message


NATIVE = b'{"schema":"redline.edit/1","edits":[{"op":"write","path":"f","content":"&amp; $1\\n"}]}'
WORKSPACE = (
    b'{"changes":{"f":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},'
    b'"newText":"&amp; $1"}]}}'
)


@pytest.mark.parametrize(("inner", "expected"), [(NATIVE, "native"), (WORKSPACE, "workspace-edit")])
@pytest.mark.parametrize("opener", [b"```json\n", b"```\n", b"~~~ json\n\n"])
def test_json_may_stand_in_a_fence(inner: bytes, expected: str, opener: bytes) -> None:
    text = b"Here it is:\n\n" + opener + inner + b"\n" + opener[:3] + b"\nDone.\n"
    assert read(text).format == read(text, format=expected).format == expected
    assert tree(text, BEFORE) == AFTER


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"```json\n" + NATIVE + b"\n", "FENCE_OPEN"),
        (b"```json\n" + NATIVE + b"\n```\n\n```json\n" + NATIVE + b"\n```\n", "SEVERAL_FENCES"),
        (b"```json\n" + NATIVE + b"\n```\n\n" + BLOCK, "FORMAT_AMBIGUOUS"),
        (b"So:\n```json\n" + NATIVE[:-1] + b"\n```\n", "INPUT_JSON"),
        (b"conf.json\n```json\n" + NATIVE + b"\n```\n", None),
        (b'f.py\n```\nx\n```\n\nAs in:\n\n```json\n{"path": "x"}\n```\n', "FENCE_WITHOUT_PATH"),
    ],
)
def test_json_in_a_fence_is_taken_alone_or_refused(text: bytes, expected: str | None) -> None:
    if expected is None:
        assert tree(text, {}) == {"conf.json": NATIVE + b"\n"}
    else:
        assert code(text, BEFORE) == expected


def test_a_fault_of_json_in_a_fence_names_its_line_in_the_text() -> None:
    assert "line 4, column" in refusal(b"So:\n```json\n\n" + NATIVE[:-1] + b",}\n```\n").message


TAGGED = (
    b"<replace_in_file>\n<path>f</path>\n<diff>\n------- SEARCH\na\n=======\n&amp; $1\n+++++++ REPLACE\n</diff>\n"
    b"</replace_in_file>"
)
WRITTEN = b"<write_to_file>\n<path>f</path>\n<content>\n&amp; $1\n</content>\n</write_to_file>"


@pytest.mark.parametrize(
    "text",
    [
        TAGGED,
        b"I change f.\n\n" + TAGGED + b"\n\nDone.",
        TAGGED.replace(b">\n<", b"><"),
        TAGGED.replace(b"------- SEARCH", b"<<<<<<< SEARCH").replace(b"+++++++ REPLACE", b">>>>>>> REPLACE"),
        WRITTEN,
        WRITTEN.replace(b"</content>", b"</content>\n<line_count>1</line_count>"),
        WRITTEN.replace(b"<content>\n", b"<content>"),
        b"\xef\xbb\xbf" + WRITTEN + b"\n",
        json.dumps({"role": "assistant", "content": WRITTEN.decode()}).encode(),
    ],
)
def test_a_call_in_tags_is_read_byte_for_byte(text: bytes) -> None:
    assert read(text).format == "tool-call"
    assert tree(text, BEFORE) == AFTER


def test_b17_no_entity_in_tags_is_decoded() -> None:
    text = WRITTEN.replace(b"&amp; $1", b"&lt;a&gt; &#39; <b></b>\r\n")
    assert tree(text, {}) == {"f": b"&lt;a&gt; &#39; <b></b>\r\n\n"}


def test_calls_in_tags_are_taken_in_order_and_reading_ones_are_told() -> None:
    text = b"<read_file>\n<path>f</path>\n</read_file>\n" + TAGGED + b"\n" + WRITTEN.replace(b">f<", b">g<")
    reading = read(text)
    assert reading.paths == ("f", "g")
    assert reading.passed_over == ("a call of read_file, which changes nothing, was passed over",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WRITTEN.replace(b"</write_to_file>", b""), "TAG_OPEN"),
        (WRITTEN.replace(b"</content>", b""), "TAG_OPEN"),
        (WRITTEN.replace(b"$1", b"</content>"), "TAG_AMBIGUOUS"),
        (WRITTEN.replace(b"$1", b"</write_to_file>"), "TAG_AMBIGUOUS"),
        (WRITTEN.replace(b"&amp;", b"<read_file>"), "TAG_AMBIGUOUS"),
        (WRITTEN.replace(b"</path>", b"</path>x"), "LEFT_OVER"),
        (WRITTEN.replace(b"<path>f</path>", b"<path>f</path><path>g</path>"), "TAG_AMBIGUOUS"),
        (WRITTEN.replace(b"<path>f</path>", b""), "INPUT_SCHEMA"),
        (WRITTEN.replace(b"$1", b"\xff"), "ENCODING"),
        (WRITTEN.replace(b">f<", b">../f<"), "PATH_TRAVERSAL"),
        (WRITTEN + b"\n<execute_command>\n<command>rm f</command>\n</execute_command>\n", "NOT_AN_EDIT"),
        (TAGGED.replace(b"=======\n", b""), "BLOCK_BROKEN"),
        (WRITTEN + b"\n" + BLOCK, "FORMATS_MIXED"),
    ],
)
def test_an_uncertain_call_in_tags_is_refused(text: bytes, expected: str) -> None:
    assert code(text, BEFORE) == expected


@pytest.mark.parametrize("command", [b"pytest", b"$ npm test 2>&1", b"alembic upgrade head >/dev/null", b"git diff"])
@pytest.mark.parametrize("language", [b"bash", b"sh", b"console", b"powershell"])
def test_a_command_to_run_is_no_second_edit(command: bytes, language: bytes) -> None:
    run = b"\nThen run:\n\n```" + language + b"\n" + command + b"\n```\n"
    assert tree(b"f.txt\n```\nx\n```\n" + run, {}) == {"f.txt": b"x\n"}
    assert tree(run[1:] + b"\n" + BLOCK, {"f.txt": b"a\n"}) == {"f.txt": b"&amp; $1\n"}


@pytest.mark.parametrize(
    "command",
    [
        *(
            b"cat > g <<EOF\nx\nEOF",
            b"echo x >> g",
            b"cat>g <<'EOF'\nx\nEOF",
            b"ls && rm g",
            b"$ git mv f g",
            b"sed -i s/a/b/ g",
        ),
        *(b"sudo tee g", b"printf x | tee g", b"  mv f g", b"Set-Content g x", b"python - <<PY\nopen('g','w')\nPY"),
    ],
)
def test_a_command_that_changes_files_is_said(command: bytes) -> None:
    run = b"\nThen run:\n\n```bash\n" + command + b"\n```\n"
    for edit in (b"f.txt\n```\nx\n```\n", BLOCK):
        assert code(edit + run) == "SHELL_EDIT"
        reading = read(edit + run, format=read(edit).format)
        assert reading.passed_over == ("a shell command that changes files was passed over",)


@pytest.mark.parametrize(
    "script",
    [
        b"```bash\n#!/bin/sh\necho\n```\n",
        b"```sh\nfor x in a; do\n  echo\ndone\n```\n",
        b"```bash\nmain() {\n  echo\n}\n```\n",
        b"Create `run.sh`:\n\n```bash\necho\n```\n",
    ],
)
def test_a_script_without_a_path_line_is_not_taken_for_commands(script: bytes) -> None:
    assert code(b"f.txt\n```\nx\n```\n\n" + script) == "FENCE_WITHOUT_PATH"


@pytest.mark.parametrize(
    "opener",
    [
        *(
            b"```python:src/x.py",
            b"```python src/x.py",
            b"```src/x.py",
            b'```python title="src/x.py"',
        ),
        *(b"```python filename=src/x.py", b"```python file='src/x.py' linenums", b'```{.python title="src/x.py"}'),
        *(b"~~~python:src/x.py", b"src/x.py\n```python:src/x.py", b"```python path=src/x.py\r"),
    ],
)
def test_a_path_may_stand_in_the_info_of_a_fence(opener: bytes) -> None:
    mark = b"~~~" if opener.startswith(b"~") else b"```"
    assert tree(b"So:\n\n" + opener + b"\nx = 1\n" + mark + b"\n", {}) == {"src/x.py": b"x = 1\n"}


@pytest.mark.parametrize("opener", [b"```12:20:src/x.py", b"```src/x.py:12-20", b"```python:src/x.py:7"])
def test_an_excerpt_is_no_whole_file(opener: bytes) -> None:
    assert code(b"So:\n\n" + opener + b"\nx = 1\n```\n") == "FENCE_IS_EXCERPT"


@pytest.mark.parametrize(
    "text",
    [
        b"*** Begin Patch\n*** Add File: /repo/d/n\n+x\n*** End Patch\n",
        b"cd /repo && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: d/n\n+x\n*** End Patch\nEOF\n",
        b"cd /repo/d && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n\n+x\n*** End Patch\nEOF\n",
        b"--- /dev/null\n+++ /repo/d/n\n@@ -0,0 +1 @@\n+x\n",
        b"```diff\n--- /dev/null\n+++ /repo/d/n\n@@ ... @@\n+x\n```\n",
        b"/repo/d/n\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
        b"/repo/d/n\n```\nx\n```\n",
        b'{"file_path": "/repo/d/n", "content": "x\\n"}',
    ],
)
def test_b25_an_absolute_path_below_the_root_is_taken_as_a_relative_one(text: bytes) -> None:
    reading = read(text, root="/repo")
    assert reading.paths == ("d/n",)
    noted = b"cd /repo" not in text and not text.startswith(b"{")
    assert [(note.code, note.path) for note in reading.leniencies] == [("ABSOLUTE_PATH", "d/n")] * noted
    for root in (None, "/rep", "/repo/d/n", "/other"):
        with pytest.raises(RedlineError) as caught:
            read(text, root=root)
        assert caught.value.code == "PATH_ABSOLUTE"
        assert "/repo/d" in caught.value.message


def test_b25_every_name_of_a_diff_must_lie_below_the_root() -> None:
    section = b"--- /repo/%b\n+++ /repo/%b\n@@ -1 +1 @@\n--- /repo/a\n+b\n"
    assert read(section % (b"f", b"f") + section % (b"g", b"g"), root="/repo").paths == ("f", "g")
    for other in (b"--- /etc/x\n+++ /etc/x\n", b"--- d/x\n+++ d/x\n", b"--- /repo/g\n+++ /etc/g\n"):
        with pytest.raises(RedlineError):
            read(section % (b"f", b"f") + other + b"@@ -1 +1 @@\n-a\n+b\n", root="/repo")


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                b"*** Begin Patch\n",
                b"*** End Patch\n",
                b"*** Add File: f\n",
                b"+x\n",
                b"```\n",
                b"```json\n",
                b"```bash\n",
            ),
            *(
                b"apply_patch <<'EOF'\n",
                b"EOF\n",
                b"bash -lc 'apply_patch <<EOF\n",
                b"cd /repo && ",
                b'{"name": "Edit",',
            ),
            *(
                b"<write_to_file>\n",
                b"<path>",
                b"f",
                b"</path>\n",
                b"<content>\n",
                b"</content>\n",
                b"</write_to_file>\n",
            ),
            *(
                b"\n",
                b"rm x\n",
                b"\xff",
                b"src/x.py\n",
                BLOCK,
                b"--- /repo/f\n+++ /repo/f\n",
                b"@@ @@\n",
                NATIVE,
                b"}\n",
            ),
        ]
    ),
    max_size=12,
).map(b"".join)


@given(PIECES, st.sampled_from([None, "apply-patch", "tool-call", "native", "udiff", "diff", "whole-file"]))
def test_any_answer_is_read_or_refused(text: bytes, chosen: str | None) -> None:
    with suppress(RedlineError):
        read(text, format=chosen, root="/repo")


LINES = st.lists(st.sampled_from([b"x", b"", b"```", b"&amp;", b" *** End Patch", b"\r", b"<path>"]), max_size=5)


@given(LINES, LINES)
def test_an_added_file_is_found_again_in_prose(content: list[bytes], prose: list[bytes]) -> None:
    added = b"".join(b"+" + line + b"\n" for line in content if line != b"\r")
    patch = b"*** Begin Patch\n*** Add File: f\n" + added + b"*** End Patch\n"
    around = b"".join(line + b"\n" for line in prose if line != b"```")
    found = shell_wrapper.isolate(around + patch + b"\n" + around)
    assert found is not None
    assert found.patch.lstrip(b"\n") == patch[:-1]
    assert found.prose == around + b"\n" + around


@given(st.binary(max_size=30).filter(lambda data: b"</" not in data and b"<read_file>" not in data))
def test_a_content_in_tags_is_read_as_it_was_written(data: bytes) -> None:
    text = b"<write_to_file>\n<path>f</path>\n<content>\n" + data + b"</content>\n</write_to_file>"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        assert code(text) == "ENCODING"
    else:
        assert tool_tags.calls(text)[0][0].call["input"] == {"path": "f", "content": data.decode()}


JSONS = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3) | st.sampled_from(["assistant", "text", "message", "incomplete"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*messages._PARTS, "role", "type", "status", "text", "name"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSONS)
def test_any_answer_of_an_api_is_opened_or_refused(value: object) -> None:
    text = json.dumps(value).encode()
    with suppress(RedlineError):
        read(text)
    assert shown_json(b"```\n" + text + b"\n```\n", lambda _: False) is None


@pytest.mark.parametrize(
    "text",
    [
        b"<write_to_file>\n<path>" * 40_000,
        b"<write_to_file><path>f</path></write_to_file>\n" * 20_000,
        b"```json\n{\n" * 60_000,
        b"```json\n{}\n```\n" * 60_000,
        b"```bash\n" + b"sed -a" * 100_000 + b"\n" + b"; sed" * 100_000 + b"\n```\n",
        b"```x title=" * 60_000,
        b"*** Begin Patch\n" * 40_000,
        b"```\n" * 40_001 + b"*** Begin Patch\n",
        b'{"role":"assistant","content":[' + b'{"type":"text","text":"a"},' * 40_000 + b"{}]}",
        b"<<<<<<< \n" * 60_000,
    ],
)
@pytest.mark.parametrize("chosen", [None, "whole-file"])
def test_hostile_answers_are_refused_in_little_time(text: bytes, chosen: str | None) -> None:
    start = time.process_time()
    with pytest.raises(RedlineError):
        read(text, format=chosen)
    assert time.process_time() - start < 5
