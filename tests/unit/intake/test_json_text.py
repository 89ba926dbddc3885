from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.errors import MalformedEdit, UnsafePath
from redline.intake.json_text import (
    JsonFault,
    JsonObject,
    JsonReader,
    decode,
    inner_spans,
    inside,
    outer_keys,
)
from redline.intake.markup import below

READER = JsonReader("a test", "hint", "hint for text")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_as_it_was_written(value: object, indent: int | None, ensure_ascii: bool) -> None:
    assert decode(json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)) == value


@given(st.text('[]{}",:\\ \n0aN'))
def test_any_text_is_read_or_is_a_fault(text: str) -> None:
    outer_keys(text.encode())
    with suppress(JsonFault):
        decode(text)


@pytest.mark.parametrize("text", ["", "{", "[1,]", "01", "'a'", '"a\nb"', "{}{}", "[" * 17 + "]" * 17, "\ufeff{}"])
def test_what_is_not_json_is_a_fault(text: str) -> None:
    with pytest.raises(JsonFault):
        decode(text)


def test_depth_is_bounded_as_asked_and_not_counted_in_strings() -> None:
    assert decode("[" * 200 + "]" * 200, max_depth=200)
    assert decode(json.dumps("[" * 1000)) == "[" * 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a":1,"b":{"c":2}}', {"a", "b"}),
        (b' \r\n\t{ "a" : [ {"c":2} ] }', {"a"}),
        (b'\xef\xbb\xbf{"a":1}', {"a"}),
        (b'[{"a":{"b":1}},{"c":":"}]', {"a", "c"}),
        (b'{"a":1}\n{"b":2}\n', {"a", "b"}),
        (b'{"a":"cut off', {"a"}),
        (b'{"\\"":1,"x":"\xff"}', {'\\"', "x"}),
        (b'x {"a":1}', set()),
        (b'"a":1', set()),
        (b"", set()),
    ],
)
def test_the_outermost_keys_are_found_without_judging(text: bytes, expected: set[str]) -> None:
    assert outer_keys(text) == expected


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 2]))
def test_the_spans_of_a_list_are_those_of_its_values(values: list[object], indent: int | None) -> None:
    text = "--" + json.dumps(values, indent=indent) + "--"
    spans, closes_at = inner_spans(text, 2)
    assert [json.loads(text[start:end]) for start, end in spans] == values
    assert text[closes_at:] == "]--"


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_the_spans_of_an_object_are_those_of_its_keys_and_values(values: dict[str, object]) -> None:
    text = json.dumps(values)
    spans, _ = inner_spans(text, 0)
    read = [json.loads(text[start:end]) for start, end in spans]
    assert dict(zip(read[::2], read[1::2], strict=True)) == values


def test_an_open_bracket_has_no_spans() -> None:
    with pytest.raises(JsonFault):
        inner_spans("[1, [2]", 0)


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/repo/a/b", "/repo", "a/b"),
        ("/repo/a", "/repo/", "a"),
        ("/repository/a", "/repo", "/repository/a"),
        ("/a", "/", "a"),
        ("/repo/a", None, "/repo/a"),
        ("a", "/repo", "a"),
        ("/repo", "/repo", "/repo"),
    ],
)
def test_an_absolute_path_is_made_relative_below_the_root_only(path: str, root: str | None, expected: str) -> None:
    assert below(path, root) == expected


@pytest.mark.parametrize(
    ("where", "key", "expected"),
    [("", "a", "a"), ("a[0]", "b", "a[0].b"), ("a", "b c", "a.'b c'"), ("", "é", "'\\xe9'")],
)
def test_a_key_is_named_by_its_path(where: str, key: str, expected: str) -> None:
    assert inside(where, key) == expected


def test_a_repeated_key_is_remembered() -> None:
    value = decode('{"a":1,"b":2,"a":3}')
    assert isinstance(value, JsonObject)
    assert value.repeated == "a"
    with pytest.raises(MalformedEdit, match=r"x\.a appears twice"):
        READER.keys(value, "x", {"a", "b"}, set())


@pytest.mark.parametrize(
    ("value", "kind"), [(True, int), (1, bool), (1.0, int), ("1", int), (None, str), ([], dict), ({}, list)]
)
def test_a_value_of_another_type_is_refused(value: object, kind: type[object]) -> None:
    with pytest.raises(MalformedEdit, match=r"^x must be ") as caught:
        READER.typed(value, kind, "x")
    assert (caught.value.code, caught.value.details) == ("INPUT_SCHEMA", {"key": "x"})


@pytest.mark.parametrize("text", [b"NaN", b"[Infinity]", b"[-Infinity]"])
def test_a_number_that_json_does_not_have_is_refused_where_it_is_used(text: bytes) -> None:
    value = READER.load(text)
    with pytest.raises(MalformedEdit, match="JSON does not have") as caught:
        READER.typed(value[0] if isinstance(value, list) else value, float, "x")
    assert caught.value.code == "INPUT_JSON"


def test_a_path_obeys_the_rules_of_paths() -> None:
    assert READER.path("/repo/a", "x", "/repo") == "a"
    with pytest.raises(UnsafePath):
        READER.path("/repo/../a", "x", "/repo")
    with pytest.raises(MalformedEdit, match="x must be a string"):
        READER.path(1, "x")


@pytest.mark.parametrize(("text", "why"), [(b"\xff", "byte 0 is not UTF-8"), (b"{", "line 1, column 2")])
def test_a_text_that_is_not_json_is_refused_with_its_place(text: bytes, why: str) -> None:
    with pytest.raises(MalformedEdit, match=f"line 3 is not the JSON that a test asks for: {why}") as caught:
        READER.load(text, "line 3")
    assert (caught.value.code, caught.value.hint) == ("INPUT_JSON", "hint for text")


def test_half_of_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(MalformedEdit, match="half of a surrogate pair"):
        READER.text("\ud800", "x")
