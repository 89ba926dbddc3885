from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit, RedlineError
from redline.intake import workspace_edit
from redline.intake.edits import Delete, Edit, Move, Range, Ranges, Reading, Write

A = RepoPath("d/a")
B = RepoPath("b")
URI = "file:///repo/d/a"
RANGE = {"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 0}}
TEXT_EDIT = {"range": RANGE, "newText": "é\r\n"}
TAKEN = Range(1, 2, 3, 0, b"\xc3\xa9\r\n")


def edits(value: object, root: str | None = "/repo") -> tuple[Edit, ...]:
    text = json.dumps(value).encode()
    assert workspace_edit.recognises(text)
    return workspace_edit.parse(text, root=root).edits


def refusal(value: object, root: str | None = "/repo") -> RedlineError:
    with pytest.raises(RedlineError) as caught:
        workspace_edit.parse(value if isinstance(value, bytes) else json.dumps(value).encode(), root=root)
    assert caught.value.hint
    return caught.value


def test_changes_are_ranges_of_each_file() -> None:
    text = json.dumps({"changes": {URI: [TEXT_EDIT, TEXT_EDIT], "b": [TEXT_EDIT], "c": []}}).encode()
    expected = (Ranges(A, (TAKEN, TAKEN)), Ranges(B, (TAKEN,)))
    assert workspace_edit.parse(text, root="/repo") == Reading("workspace-edit", "", expected, ())


def test_document_changes_are_taken_in_order() -> None:
    document = {
        "documentChanges": [
            {"kind": "create", "uri": URI},
            {"textDocument": {"uri": URI, "version": None}, "edits": [{**TEXT_EDIT, "annotationId": "x"}]},
            {"kind": "rename", "oldUri": URI, "newUri": "file:///repo/b", "annotationId": "x"},
            {"kind": "delete", "uri": "b"},
        ],
        "changeAnnotations": {"x": {"label": "why", "needsConfirmation": True}},
    }
    assert edits(document) == (Write(A, b"", None, "absent"), Ranges(A, (TAKEN,)), Move(A, B), Delete(B))


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"kind": "create", "uri": URI, "options": {"overwrite": True}}, Write(A, b"", None, None, as_new=True)),
        ({"kind": "create", "uri": URI, "options": {"ignoreIfExists": True}}, Write(A, b"", None, "absent")),
        ({"kind": "rename", "oldUri": URI, "newUri": "b", "options": {"overwrite": True}}, Move(A, B, replaces=True)),
        ({"kind": "rename", "oldUri": URI, "newUri": "b", "options": {"ignoreIfExists": True}}, Move(A, B)),
        ({"kind": "delete", "uri": URI, "options": {"recursive": True, "ignoreIfNotExists": True}}, Delete(A)),
    ],
)
def test_an_option_never_does_less_than_is_said(operation: object, expected: Edit) -> None:
    assert edits({"documentChanges": [operation]}) == (expected,)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///repo/d/a", "d/a"),
        ("file://localhost/repo/d/a", "d/a"),
        ("file:///repo/a%20b%25%C3%A9", "a b%\u00e9"),
        ("file:///repo/%64/a", "d/a"),
        ("d/a b", "d/a b"),
        ("/repo/d/a", "d/a"),
    ],
)
def test_a_file_is_named_by_its_uri_or_its_path(uri: str, expected: str) -> None:
    assert edits({"documentChanges": [{"kind": "delete", "uri": uri}]}) == (Delete(RepoPath(expected)),)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("https://host/repo/a", "INPUT_SCHEMA"),
        ("file://host/repo/a", "INPUT_SCHEMA"),
        ("untitled:a", "INPUT_SCHEMA"),
        ("file:///repo/a#L1", "INPUT_SCHEMA"),
        ("file:///repo/a%zz", "INPUT_SCHEMA"),
        ("a%20b", "INPUT_SCHEMA"),
        ("file:///other/a", "PATH_ABSOLUTE"),
        ("file:///repo/%2e%2e/a", "PATH_TRAVERSAL"),
        ("file:///repo/.git%2Fconfig", "PATH_GIT"),
        ("file:///repo/%ff", "PATH_ENCODING"),
        ("file:///repo/a%00", "PATH_CONTROL"),
        ("file:///c%3A/a", "PATH_ABSOLUTE"),
    ],
)
def test_b22_a_uri_of_another_place_is_refused(uri: str, expected: str) -> None:
    assert refusal({"documentChanges": [{"kind": "delete", "uri": uri}]}).code == expected
    assert refusal({"changes": {uri: [TEXT_EDIT]}}).code == expected


def test_without_a_root_every_file_uri_is_absolute() -> None:
    assert refusal({"changes": {URI: [TEXT_EDIT]}}, None).code == "PATH_ABSOLUTE"


def changed(**fields: object) -> dict[str, object]:
    return {"changes": {"a": [{**TEXT_EDIT, **fields}]}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("changes.a[0].newText", changed(newText=1)),
        ("changes.a[0].newText", changed(newText="\ud800")),
        ("changes.a[0].range", changed(range=[])),
        ("changes.a[0].range.end", changed(range={"start": RANGE["start"]})),
        ("changes.a[0].range.start.line", changed(range={**RANGE, "start": {"line": -1, "character": 0}})),
        ("changes.a[0].range.start.line", changed(range={**RANGE, "start": {"line": True, "character": 0}})),
        ("changes.a[0].range.start.character", changed(range={**RANGE, "start": {"line": 0, "character": 2**60}})),
        ("changes.a[0].range", changed(range={"start": RANGE["end"], "end": RANGE["start"]})),
        ("changes.a[0].snippet", changed(snippet={"kind": "snippet", "value": "$0"})),
        ("changes.'/repo/a'", {"changes": {"a": [], "/repo/a": []}}),
        ("changes.a", {"changes": {"a": {}}}),
        ("changes", {"changes": []}),
        ("changes", {"changes": {}, "documentChanges": []}),
        ("edits", {"changes": {}, "edits": []}),
        ("documentChanges", {"documentChanges": {}}),
        ("documentChanges[0].kind", {"documentChanges": [{"kind": "copy"}]}),
        ("documentChanges[0].uri", {"documentChanges": [{"kind": "create"}]}),
        ("documentChanges[0].options", {"documentChanges": [{"kind": "create", "uri": "a", "options": []}]}),
        (
            "documentChanges[0].options.overwrite",
            {"documentChanges": [{"kind": "create", "uri": "a", "options": {"overwrite": 1}}]},
        ),
        (
            "documentChanges[0].textDocument.languageId",
            {"documentChanges": [{"textDocument": {"uri": "a", "languageId": "c"}, "edits": []}]},
        ),
        ("documentChanges[0].edits", {"documentChanges": [{"textDocument": {"uri": "a"}}]}),
    ],
)
def test_a_faulty_field_is_refused_by_its_key(key: str, value: object) -> None:
    error = refusal(value)
    assert (type(error), error.code, error.details) == (MalformedEdit, "INPUT_SCHEMA", {"key": key})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"changes": {}}, "NO_FILES"),
        ({"documentChanges": []}, "NO_FILES"),
        ({}, "NO_FILES"),
        (b'{"changes":', "INPUT_JSON"),
        (b'{"changes":{"a":[],"a":[]}}', "INPUT_SCHEMA"),
    ],
)
def test_an_edit_without_content_is_refused(value: object, expected: str) -> None:
    assert refusal(value).code == expected


def test_other_json_is_left_to_other_formats() -> None:
    assert not workspace_edit.recognises(b'{"schema":"redline.edit/1","changes":{}}')
    assert not workspace_edit.recognises(b'{"file_path":"a","content":"changes"}')
    assert workspace_edit.recognises(b'{"documentChanges":[{"cut off')


KEYS = st.sampled_from(
    [
        "changes",
        "documentChanges",
        "kind",
        "uri",
        "oldUri",
        "newUri",
        "options",
        "overwrite",
        "textDocument",
        "edits",
        "range",
        "start",
        "end",
        "line",
        "character",
        "newText",
        "create",
        "rename",
        "delete",
        "file:///repo/a",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**60) | st.floats() | st.text(max_size=3) | KEYS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_arbitrary_json_is_read_or_refused(value: object) -> None:
    text = json.dumps(value).encode()
    workspace_edit.recognises(text)
    with suppress(RedlineError):
        workspace_edit.parse(text, root="/repo")
