from __future__ import annotations

import json

import pytest
from tests.unit.intake.support import applied, code, executable, refusal, tree

from redline.core.content import Content, Mode
from redline.core.paths import RepoPath
from redline.errors import EditMismatch, LimitExceeded, MalformedEdit, UnsafePath
from redline.intake.detect import read
from redline.intake.edits import Delete, Move, Reading, Replace, Write

BASE = "ab" * 32


def native(*edits: object, **fields: object) -> bytes:
    return json.dumps({"schema": "redline.edit/1", "edits": list(edits), **fields}).encode()


def test_every_operation_is_read_with_its_defaults() -> None:
    text = native(
        {"op": "replace", "path": "a", "before": "x", "after": "é"},
        {"op": "replace", "path": "a", "before": "x", "after": "y", "count": 2},
        {"op": "write", "path": "b", "content": "1\r\n", "executable": True, "base": BASE},
        {"op": "write", "path": "c", "content": "", "base": "absent"},
        {"op": "delete", "path": "d"},
        {"op": "move", "path": "e", "to": "f/g"},
        reason="why",
    )
    reading = read(text)
    assert reading == Reading(
        "native",
        "why",
        (
            Replace(RepoPath("a"), b"x", "é".encode(), 1),
            Replace(RepoPath("a"), b"x", b"y", 2),
            Write(RepoPath("b"), b"1\r\n", True, BASE),
            Write(RepoPath("c"), b"", None, "absent"),
            Delete(RepoPath("d")),
            Move(RepoPath("e"), RepoPath("f/g")),
        ),
        (),
    )
    assert reading.paths == ("a", "b", "c", "d", "e", "f/g")


def test_a_byte_order_mark_before_the_json_is_harmless() -> None:
    assert read(b"\xef\xbb\xbf" + native({"op": "delete", "path": "d"})).edits == (Delete(RepoPath("d")),)


REPLACE = {"op": "replace", "path": "a", "before": "x", "after": "y"}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("edits[0].count", native({**REPLACE, "count": True})),
        ("edits[0].count", native({**REPLACE, "count": 1.0})),
        ("edits[0].count", native({**REPLACE, "count": "1"})),
        ("edits[0].count", native({**REPLACE, "count": None})),
        ("edits[0].count", native({**REPLACE, "count": 0})),
        ("edits[0].count", native({**REPLACE, "count": -1})),
        ("edits[0].count", native({**REPLACE, "count": 2**53})),
        ("edits[0].count", native({**REPLACE}).replace(b'"y"', b'"y","count":' + b"9" * 5000)),
        ("edits[0].count", native({**REPLACE}).replace(b'"y"', b'"y","count":1e999')),
        ("edits[0].before", native({**REPLACE, "before": 1})),
        ("edits[0].after", native({**REPLACE, "after": "\ud800"})),
        ("edits[0].path", native({**REPLACE}).replace(b'"path": "a"', b'"path":"a","path":"b"')),
        ("edits[0].approved", native({**REPLACE, "approved": True})),
        ("edits[0].'not a name'", native({**REPLACE, "not a name": 1})),
        ("edits[0].before", native({"op": "replace", "path": "a", "after": "y"})),
        ("edits[0].op", native({"path": "a"})),
        ("edits[0].op", native({"op": "chmod", "path": "a"})),
        ("edits[0].op", native({"op": 1, "path": "a"})),
        ("edits[0]", native("replace")),
        ("edits[1].path", native(REPLACE, {"op": "delete", "path": 3})),
        ("edits[0].base", native({"op": "write", "path": "a", "content": "", "base": BASE.upper()})),
        ("edits[0].base", native({"op": "write", "path": "a", "content": "", "base": "2026-11-30"})),
        ("edits[0].executable", native({"op": "write", "path": "a", "content": "", "executable": 1})),
        ("edits[0].content", native({"op": "delete", "path": "a", "content": ""})),
        ("edits", native()),
        ("edits", native(edits={})),
        ("edits", b'{"schema":"redline.edit/1"}'),
        ("schema", native(REPLACE, schema="redline.edit/2")),
        ("schema", native(REPLACE, schema=1)),
        ("schema", b'{"edits":[]}'),
        ("schema", native(REPLACE)[:-1] + b',"schema":"redline.edit/1"}'),
        ("approved", native(REPLACE, approved=True)),
        ("author", native(REPLACE, author="me")),
        ("confirm", native(REPLACE, confirm=None)),
        ("reason", native(REPLACE, reason=None)),
        ("reason", native(REPLACE, reason="\udcff")),
    ],
)
def test_a_fault_of_the_schema_is_refused_by_its_key(key: str, text: bytes) -> None:
    error = refusal(text)
    assert (type(error), error.code, error.details) == (MalformedEdit, "INPUT_SCHEMA", {"key": key})
    assert error.message.startswith(f"{key} ")


@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity"])
def test_numbers_that_json_does_not_have_are_refused_by_their_key(constant: bytes) -> None:
    error = refusal(native(REPLACE).replace(b'"y"', b'"y","count":' + constant))
    assert (error.code, error.details) == ("INPUT_JSON", {"key": "edits[0].count"})


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"{}}",
        native(REPLACE) + b"{}",
        native(REPLACE) + b"\nThat is all.",
        b'{"a":' * 17 + b"1" + b"}" * 17,
        b'{"a":' + b"[" * 100_000,
        b'{"a":"' + b"[" * 100_000,
        native(REPLACE).replace(b'"y"', b'"\xff"'),
        native(REPLACE).replace(b'"y"', b'"a\nb"'),
        native(REPLACE).replace(b'"y"', b"'y'"),
        native(REPLACE).replace(b'"y"', b"01"),
        native(REPLACE).decode().encode("utf-16"),
    ],
)
def test_what_is_not_json_is_refused(text: bytes) -> None:
    error = refusal(text, format="native")
    assert (type(error), error.code) == (MalformedEdit, "INPUT_JSON")


def test_brackets_inside_strings_are_not_depth() -> None:
    assert read(native({**REPLACE, "after": '[{"' * 50})).edits[0] == Replace(RepoPath("a"), b"x", b'[{"' * 50, 1)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a\0b", "PATH_CONTROL"),
        ("a\nb", "PATH_CONTROL"),
        ("\udcff", "PATH_ENCODING"),
        ("cafe\u0301", "PATH_ENCODING"),
        ("../a", "PATH_TRAVERSAL"),
        (".git/hooks/pre-commit", "PATH_GIT"),
        ("/etc/hosts", "PATH_ABSOLUTE"),
        ("", "PATH_TRAVERSAL"),
    ],
)
def test_b22_unsafe_paths_are_refused_with_the_rules_code(path: str, expected: str) -> None:
    for text in (native({"op": "delete", "path": path}), native({"op": "move", "path": "a", "to": path})):
        error = refusal(text)
        assert (type(error), error.code) == (UnsafePath, expected)


def test_a_reason_has_at_most_2000_characters() -> None:
    assert read(native(REPLACE, reason="é" * 2000)).reason == "é" * 2000
    error = refusal(native(REPLACE, reason="é" * 2001))
    assert (type(error), error.code) == (LimitExceeded, "LIMIT_REASON")


@pytest.mark.parametrize(
    ("before", "count", "data", "expected"),
    [
        ("x", 1, b"axb", b"aYb"),
        ("x", 2, b"xax", b"YaY"),
        ("a\nb", 1, b"a\nb", b"Y"),
        ("aa", 2, b"aaaa", b"YY"),
        ("", 1, b"", b"Y"),
    ],
)
def test_exactly_the_stated_count_is_replaced(before: str, count: int, data: bytes, expected: bytes) -> None:
    text = native({**REPLACE, "before": before, "after": "Y", "count": count})
    assert tree(text, {"a": data}) == {"a": expected}


@pytest.mark.parametrize(
    ("before", "count", "data", "expected"),
    [
        ("x", 1, b"y", ("NO_MATCH", 0, [])),
        ("x", 3, b"x\nx", ("NO_MATCH", 2, [1, 2])),
        ("}", 1, b"}\n\n}\n}", ("AMBIGUOUS", 3, [1, 3, 4])),
    ],
)
def test_another_count_is_refused_with_count_and_lines(
    before: str, count: int, data: bytes, expected: tuple[str, int, list[int]]
) -> None:
    error = refusal(native({**REPLACE, "before": before, "count": count}), {"a": data})
    assert type(error) is EditMismatch
    assert (error.code, error.details["count"], error.details["lines"]) == expected


def test_overlapping_matches_with_different_results_are_ambiguous() -> None:
    assert code(native({**REPLACE, "before": "aba"}), {"a": b"ababa"}) == "AMBIGUOUS"


def test_b33_empty_before_means_creation_or_an_empty_file_only() -> None:
    text = native({**REPLACE, "before": ""})
    assert code(text, {"a": b"abc"}) == "EMPTY_BEFORE"
    assert tree(text, {"a": b""}) == {"a": b"y"}
    assert tree(text, {}) == {"a": b"y"}


@pytest.mark.parametrize("after", ["$& $$ $`", r"C:\new\table", r"\1", "\\", "&lt;", r"\g<0>", "{0} %s"])
def test_b17_replacement_text_is_never_a_template(after: str) -> None:
    text = native({**REPLACE, "before": "a &amp; b", "after": after})
    assert tree(text, {"a": b"[a &amp; b]"}) == {"a": b"[" + after.encode() + b"]"}


def test_b16_curly_quotes_are_written_as_they_are() -> None:
    text = native({**REPLACE, "before": "'", "after": "\u2019"})
    assert tree(text, {"a": b"it's\n"}) == {"a": b"it\xe2\x80\x99s\n"}


@pytest.mark.parametrize("data", [b"// caf\xe9 x\n", b"\xef\xbb\xbfx\n", b"\0x", b"x\r\ny\rz\x0c\xe2\x80\xa8\n"])
def test_b10_b11_b14_other_bytes_of_the_file_survive(data: bytes) -> None:
    assert tree(native({**REPLACE, "after": "q"}), {"a": data}) == {"a": data.replace(b"x", b"q")}


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_b10_a_text_edit_on_utf16_is_refused_in_words(mark: str) -> None:
    data = "\ufeffx\n".encode(mark)
    error = refusal(native(REPLACE), {"a": data})
    assert (error.code, "UTF-16" in error.message) == ("ENCODING", True)
    assert tree(native({"op": "write", "path": "a", "content": "x"}), {"a": data}) == {"a": b"x"}


@pytest.mark.parametrize(
    ("executable_field", "before", "expected"),
    [
        ({}, executable(b"old"), Mode.EXECUTABLE),
        ({"executable": False}, executable(b"old"), Mode.REGULAR),
        ({"executable": True}, b"old", Mode.EXECUTABLE),
        ({}, b"old", Mode.REGULAR),
        ({}, None, Mode.REGULAR),
        ({"executable": True}, None, Mode.EXECUTABLE),
    ],
)
def test_b18_a_write_keeps_the_mode_unless_it_says_otherwise(
    executable_field: dict[str, bool], before: bytes | Content | None, expected: Mode
) -> None:
    text = native({"op": "write", "path": "a", "content": "new", **executable_field})
    files = {"a": before} if before is not None else {}
    assert applied(text, files).tree == {"a": Content(b"new", expected)}


def test_b02_a_write_on_another_base_is_refused() -> None:
    def write(base: str) -> bytes:
        return native({"op": "write", "path": "a", "content": "new", "base": base})

    right = Content(b"1\n", Mode.REGULAR).sha256
    assert tree(write(right), {"a": b"1\n"}) == {"a": b"new"}
    assert code(write(right), {"a": b"USER\n"}) == "BASE_MISMATCH"
    assert code(write(right), {}) == "BASE_MISMATCH"
    assert code(write("absent"), {"a": b""}) == "BASE_MISMATCH"
    assert tree(write("absent"), {}) == {"a": b"new"}


def test_b32_later_edits_see_what_earlier_ones_left_and_fold_to_one_change() -> None:
    text = native(
        {**REPLACE, "before": "one", "after": "two"},
        {**REPLACE, "before": "two", "after": "three"},
        {"op": "move", "path": "a", "to": "b"},
        {"op": "replace", "path": "b", "before": "three", "after": "four"},
        {"op": "move", "path": "b", "to": "c"},
    )
    outcome = applied(text, {"a": executable(b"one")})
    assert outcome.tree == {"c": executable(b"four")}
    assert outcome.renames == {"c": "a"}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"op": "delete", "path": "gone"}, "NO_SUCH_FILE"),
        ({"op": "move", "path": "gone", "to": "b"}, "NO_SUCH_FILE"),
        ({"op": "move", "path": "a", "to": "a2"}, "FILE_EXISTS"),
        ({"op": "move", "path": "a", "to": "a"}, "FILE_EXISTS"),
        ({**REPLACE, "path": "gone"}, "NO_SUCH_FILE"),
        ({**REPLACE, "before": "1", "after": "1"}, "NO_CHANGE"),
        ({"op": "write", "path": "a", "content": "1"}, "NO_CHANGE"),
    ],
)
def test_an_edit_that_does_not_fit_the_tree_is_refused(edit: dict[str, str], expected: str) -> None:
    assert code(native(edit), {"a": b"1", "a2": b"2"}) == expected


def test_a_move_there_and_back_is_no_change() -> None:
    there_and_back = (
        {"op": "move", "path": "a", "to": "b"},
        {"op": "move", "path": "b", "to": "a"},
    )
    assert code(native(*there_and_back), {"a": b"1"}) == "NO_CHANGE"


def test_a_source_that_is_filled_again_is_no_rename() -> None:
    text = native({"op": "move", "path": "a", "to": "b"}, {"op": "write", "path": "a", "content": "new"})
    outcome = applied(text, {"a": b"1"})
    assert (outcome.tree, outcome.renames) == (
        {"a": Content(b"new", Mode.REGULAR), "b": Content(b"1", Mode.REGULAR)},
        {},
    )
