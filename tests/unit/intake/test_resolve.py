"""What only the whole message tells: which of its files an edit may have meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.intake.support import applied, refusal, resolved

from redline.core.paths import RepoPath
from redline.errors import EditMismatch
from redline.intake.edits import Insert
from redline.intake.insertion import insert_lines

if TYPE_CHECKING:
    from redline.core.notes import Leniency


def block(path: bytes, old: bytes, new: bytes) -> bytes:
    return path + b"\n<<<<<<< SEARCH\n" + old + b"\n=======\n" + new + b"\n>>>>>>> REPLACE\n"


def test_the_file_in_which_the_text_does_stand_is_named() -> None:
    text = block(b"src/a.py", b"y = 1", b"y = 2") + block(b"src/b.py", b"z", b"w")
    error = refusal(text, {"src/a.py": b"x = 1\n", "src/b.py": b"y = 1\nz\n"})
    assert (error.code, error.details["other"]) == ("NO_MATCH", "src/b.py")
    assert error.hint == "The text stands in src/b.py: name that file, if it is meant."


def test_a_move_onto_itself_is_refused_and_deletes_nothing() -> None:
    text = (
        b'{"documentChanges": [{"kind": "rename", "oldUri": "a.py", "newUri": "a.py", "options": {"overwrite": true}}]}'
    )
    assert refusal(text, {"a.py": b"x\n"}).code == "FILE_EXISTS"


def test_a_new_file_whose_counts_are_wrong_is_taken() -> None:
    text = b"```diff\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+1\n+2\n+3\n```\n"
    outcome = applied(text, {})
    assert (outcome.tree["n"].data, outcome.leniencies) == (b"1\n2\n3\n", ("HUNK_RECOUNTED",))


def notes(text: bytes, files: dict[str, bytes]) -> list[tuple[str, str]]:
    return [(note.code, str(note.path)) for note in resolved(text, files).leniencies]


def test_a_note_goes_with_a_file_that_is_moved() -> None:
    patch = b"*** Begin Patch\n*** Update File: a\n*** Move to: %b\n@@\n-x  \n+y\n%b*** End Patch\n"
    assert notes(patch % (b"b", b""), {"a": b"x\n"}) == [("TRAILING_SPACE", "a"), ("TRAILING_SPACE", "b")]
    again = b"*** Update File: b\n*** Move to: c\n@@\n-y\n+z\n"
    assert notes(patch % (b"b", again), {"a": b"x\n"}) == [("TRAILING_SPACE", "a"), ("TRAILING_SPACE", "c")]


def test_a_note_at_a_path_that_a_message_makes_and_moves_is_not_lost() -> None:
    text = b"*** Begin Patch\n*** Add File: t\n+x\n*** Update File: t\n*** Move to: u\n@@\n-x  \n+y\n*** End Patch\n"
    assert notes(text, {}) == [("TRAILING_SPACE", "u")]


def test_a_note_on_what_takes_a_moved_files_place_does_not_follow_it() -> None:
    rename = {"kind": "rename", "oldUri": "a", "newUri": "b"}
    create = {"kind": "create", "uri": "a", "options": {"overwrite": True}}
    text = json.dumps({"documentChanges": [rename, create]}).encode()
    assert notes(text, {"a": b"x\n"}) == []
    text = json.dumps({"documentChanges": [create, rename]}).encode()
    assert notes(text, {"a": b"x\n"}) == [("EXISTED_BEFORE", "a"), ("EXISTED_BEFORE", "b")]


def test_a_creation_that_replaces_a_file_is_noted() -> None:
    text = json.dumps({"documentChanges": [{"kind": "create", "uri": "a", "options": {"overwrite": True}}]}).encode()
    assert notes(text, {"a": b"x\n"}) == [("EXISTED_BEFORE", "a")]
    assert notes(text, {}) == []


@pytest.mark.parametrize(
    ("before", "new", "expected"),
    [
        (b"a\nb\n", "n\r\n", [("LINE_ENDS", "f")]),
        (b"a\nb\n", "n\n", []),
        (b"a\r\nb\r\n", "n\r\n", []),
        (b"", "n\r\n", []),
    ],
)
def test_b08_a_range_that_brings_other_line_ends_is_noted(
    before: bytes, new: str, expected: list[tuple[str, str]]
) -> None:
    start = {"line": 0, "character": 0}
    text = json.dumps({"changes": {"f": [{"range": {"start": start, "end": start}, "newText": new}]}}).encode()
    assert notes(text, {"f": before}) == expected


def whole(content: bytes) -> bytes:
    return b"f.txt\n````\n" + content + b"````\n"


@pytest.mark.parametrize(
    ("content", "line", "shown"),
    [
        (b"x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n", 2, "<<<<<<< HEAD"),
        (b"<<<<<<<\na\n", 1, "<<<<<<<"),
        (b"a\n>>>>>>> main\n", 2, ">>>>>>> main"),
        (b"a\n||||||| base\n", 2, "||||||| base"),
        (b"a\n\n*** Update File: g\n", 3, "*** Update File: g"),
        (b"*** End Patch\r\n", 1, "*** End Patch"),
        (b"a\n>>>>>>> REPLACE\n", 2, ">>>>>>> REPLACE"),
        (b"a\n+++++++ REPLACE\n", 2, "+++++++ REPLACE"),
        (b"a\n\n\n------- SEARCH\n", 4, "------- SEARCH"),
        (b"Heading\n=======\n", 0, ""),
        (b"  <<<<<<< HEAD\n", 0, ""),
        (b"<<<<<<<<<<<<\n", 0, ""),
        (b"*** note ***\n", 0, ""),
    ],
)
def test_markers_in_a_whole_file_are_pointed_out_if_it_had_none(content: bytes, line: int, shown: str) -> None:
    text = f"line {line} of the new content is {shown!a}, which marks part of an edit or of a merge"
    found = [(note.code, note.text) for note in resolved(whole(content), {"f.txt": b"a\n"}).leniencies]
    assert found == ([("MARKER_IN_CONTENT", text)] if line else [])
    assert resolved(whole(content + b"more\n"), {"f.txt": content}).leniencies == ()


@pytest.mark.parametrize(
    ("before", "line", "after", "codes"),
    [
        (b"a\r\nb", 1, b"a\r\nN\r\nb", ("LINE_ENDS",)),
        (b"a\r\nb", 0, b"N\r\na\r\nb", ("LINE_ENDS",)),
        (b"a\r\n", 1, b"a\r\nN\r\n", ("LINE_ENDS",)),
        (b"a\r\nb\n", 1, b"a\r\nN\nb\n", ()),
        (b"a", 1, b"a\nN\n", ("LAST_LINE_END",)),
        (b"", 0, b"N\n", ()),
    ],
)
def test_b08_inserted_lines_take_the_line_ends_of_the_file(
    before: bytes, line: int, after: bytes, codes: tuple[str, ...]
) -> None:
    text = json.dumps({"command": "insert", "path": "f", "insert_line": line, "insert_text": "N"}).encode()
    outcome = applied(text, {"f": before})
    assert (outcome.tree["f"].data, outcome.leniencies) == (after, codes)


def test_b08_a_line_behind_an_unended_crlf_line_ends_the_same_way() -> None:
    text = json.dumps({"command": "insert", "path": "f", "insert_line": 2, "insert_text": "N"}).encode()
    outcome = applied(text, {"f": b"a\r\nb"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"a\r\nb\r\nN\r\n", ("LINE_ENDS", "LAST_LINE_END"))


def test_b11_lines_put_in_at_the_top_stand_behind_the_byte_order_mark() -> None:
    text = json.dumps({"command": "insert", "path": "f", "insert_line": 0, "insert_text": "n"}).encode()
    assert applied(text, {"f": b"\xef\xbb\xbfa\n"}).tree["f"].data == b"\xef\xbb\xbfn\na\n"


def test_the_line_ends_of_a_file_are_noted_once() -> None:
    text = block(b"f.py", b"a", b"x") + block(b"f.py", b"    b", b"    y\n    z") + block(b"g.py", b"a", b"x")
    files = {"f.py": b"a\r\nb\r\n", "g.py": b"a\r\n"}
    expected = [("LINE_ENDS", "f.py"), ("INDENTATION", "f.py"), ("LINE_ENDS", "g.py")]
    assert notes(text, files) == expected


TEXT = st.text(st.sampled_from("ab\r\n"), max_size=4)
INSERTS = st.lists(st.tuples(st.none() | st.integers(0, 5), TEXT), min_size=1, max_size=5)


def inserted(data: bytes, *runs: list[Insert]) -> tuple[bytes, list[Leniency]] | str:
    notes: list[Leniency] = []
    try:
        for run in runs:
            data, noted = insert_lines(data, run)
            notes += noted
    except EditMismatch as error:
        return error.message
    return data, notes


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n"]), max_size=8).map(b"".join), INSERTS)
def test_insertions_in_one_file_are_made_as_one_after_the_other(
    data: bytes, wanted: list[tuple[int | None, str]]
) -> None:
    edits = [Insert(RepoPath("f"), line, text.encode()) for line, text in wanted]
    assert inserted(data, edits) == inserted(data, *([edit] for edit in edits))
