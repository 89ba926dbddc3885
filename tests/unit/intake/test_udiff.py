from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import RepoPath
from redline.errors import RedlineError
from redline.intake.edits import Reading, Replace
from redline.intake.udiff import parse, recognises

NAMES = b"--- f.py\n+++ f.py\n"
HUNK = b"@@ ... @@\n a\n-b\n+c\n"


def fenced(*parts: bytes) -> bytes:
    return b"```diff\n" + b"".join(parts) + b"```\n"


def edit(path: str, before: bytes, after: bytes) -> Replace:
    return Replace(RepoPath(path), before, after, 1, whole_lines=True, exactly=False)


EDIT = edit("f.py", b"a\nb\n", b"a\nc\n")


def refusal(text: bytes) -> RedlineError:
    with pytest.raises(RedlineError) as caught:
        parse(text)
    assert caught.value.hint
    return caught.value


def test_hunks_of_several_files_and_fences_are_read_in_order() -> None:
    text = (
        b"Some prose - with a dash.\n\n"
        + fenced(NAMES, HUNK, b"@@ -1,9 +2,7 @@ def x\n-d\n", b"\n--- g\n+++ g\n", HUNK)
        + b"\nA sample:\n\n```python\n- no diff\n```\n\n"
        + fenced(b"--- /dev/null\n+++ dir name/new\n@@ @@\n+x\n+\n")
    )
    assert parse(text) == Reading(
        "udiff",
        "",
        (EDIT, edit("f.py", b"d\n", b""), edit("g", b"a\nb\n", b"a\nc\n"), edit("dir name/new", b"", b"x\n\n")),
        (),
    )
    assert recognises(text)


@pytest.mark.parametrize(
    "names",
    [
        b"--- a/f.py\n+++ b/f.py\n",
        b"--- /dev/null\n+++ f.py\n",
        b"--- /dev/null\n+++ b/f.py\n",
        b"--- f.py\t2024-01-01\n+++ f.py\tnow\n",
        b"--- f.py \r\n+++ f.py\r\n",
    ],
)
def test_the_file_is_named_by_its_two_lines(names: bytes) -> None:
    assert parse(fenced(names, HUNK)).edits == (EDIT,)


@pytest.mark.parametrize("header", [b"@@ ... @@", b"@@ @@", b"@@", b"@@ -7,1 +9,1 @@", b"@@ def f(): @@"])
def test_line_numbers_do_not_count(header: bytes) -> None:
    assert parse(fenced(NAMES, header + b"\n a\n-b\n+c\n")).edits == (EDIT,)


def test_b27_an_empty_line_is_context_within_a_hunk_and_none_behind_it() -> None:
    text = fenced(NAMES, b"@@ ... @@\n a\n\n-b\n\n\n@@ ... @@\n c\n+d\n \n\n")
    assert parse(text).edits == (edit("f.py", b"a\n\nb\n", b"a\n\n"), edit("f.py", b"c\n\n", b"c\nd\n\n"))


def test_b28_lines_that_look_like_half_a_header_are_lines() -> None:
    text = fenced(NAMES, b"@@ ... @@\n--- old\n+-- new\n+++ x\n ```\n+@@\n")
    assert parse(text).edits == (edit("f.py", b"-- old\n```\n", b"-- new\n++ x\n```\n@@\n"),)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (b"no fence\n", "NO_FILES", None),
        (b"```python\nx\n```\n", "NO_FILES", None),
        (b"```diff\n" + NAMES + HUNK, "FENCE_OPEN", 1),
        (NAMES + HUNK + fenced(NAMES, HUNK), "LEFT_OVER", 1),
        (fenced(NAMES, HUNK) + b"@@ ... @@\n-x\n", "LEFT_OVER", 9),
        (b"```\n" + NAMES + HUNK + b"```\n", "FENCE_NOT_DIFF", 1),
        (fenced(b"x\n", NAMES, HUNK), "LEFT_OVER", 2),
        (fenced(HUNK), "HUNK_WITHOUT_FILE", 2),
        (fenced(NAMES), "SECTION_EMPTY", 2),
        (fenced(NAMES, b"-a\n+b\n"), "SECTION_EMPTY", 2),
        (fenced(NAMES, HUNK, b"x\n"), "HUNK_LINE", 8),
        (fenced(NAMES, HUNK, b"\\ No newline at end of file\n"), "HUNK_LINE", 8),
        (fenced(NAMES, b"@@ ... @@\n a\n"), "HUNK_EMPTY", 4),
        (fenced(NAMES, b"@@ ... @@\n@@ ... @@\n-a\n"), "HUNK_EMPTY", 4),
        (fenced(NAMES, b"@@ ... @@\n--- x\n+++ y\n b\n"), "HEADER_AMBIGUOUS", 5),
        (fenced(b"--- f.py\n+++ g.py\n", HUNK), "NAMES_DIFFER", 2),
        (fenced(b"--- f.py\n+++ /dev/null\n", HUNK), "DELETION", 2),
        (fenced(b"--- ../f\n+++ ../f\n", HUNK), "PATH_TRAVERSAL", None),
    ],
)
def test_what_is_uncertain_is_refused_by_its_line(text: bytes, code: str, line: int | None) -> None:
    error = refusal(text)
    assert (error.code, error.details.get("line")) == (code, line)


@pytest.mark.parametrize(
    "text",
    [b"", b"```diff", b"@@ ... @@\n```diff\n", NAMES + HUNK, fenced(NAMES, b"@@ -1 +1 @@\n-a\n+b\n"), fenced(HUNK)],
)
def test_other_texts_are_not_recognised(text: bytes) -> None:
    assert not recognises(text)


TEXT = st.binary(max_size=6).filter(lambda line: b"\n" not in line).map(lambda line: b"|" + line + b"\n")
HUNKS = st.lists(st.tuples(st.sampled_from([b" ", b"-", b"+"]), TEXT), min_size=1, max_size=5).filter(
    lambda lines: any(tag != b" " for tag, _ in lines)
)


def side(lines: list[tuple[bytes, bytes]], left_out: bytes) -> bytes:
    return b"".join(line for tag, line in lines if tag != left_out)


@given(st.lists(HUNKS, min_size=1, max_size=3))
def test_rendered_hunks_are_read_as_they_were(hunks: list[list[tuple[bytes, bytes]]]) -> None:
    bodies = [b"@@ ... @@\n" + b"".join(tag + line for tag, line in lines) for lines in hunks]
    expected = tuple(edit("f.py", side(lines, b"+"), side(lines, b"-")) for lines in hunks)
    if all(edit.before != edit.after for edit in expected):
        assert parse(fenced(NAMES, *bodies)).edits == expected


LINES = st.sampled_from([b"```diff", b"```", b"--- f", b"+++ f", b"@@ ... @@", b"-a", b"+b", b" c", b"", b"\\ x"])


@given(st.lists(LINES | st.binary(max_size=6), max_size=14).map(b"\n".join) | st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    recognises(text)
    with suppress(RedlineError):
        assert parse(text).edits
