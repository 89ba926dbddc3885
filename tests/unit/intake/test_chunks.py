from __future__ import annotations

import contextlib
import difflib
import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.intake.support import resolved

from redline.core.paths import RepoPath
from redline.errors import EditMismatch
from redline.intake.apply_patch import parse
from redline.intake.chunks import apply_chunks
from redline.intake.edits import Chunk, Chunks

if TYPE_CHECKING:
    from redline.core.notes import Leniency

F = RepoPath("f")
LONG, Z = b"z" * 90, "z" * 30
ANCHOR = "the chunk of line 3 has an @@ line that is"
FITS = "the chunk of line 3 fits"
KEPT = "; the lines it adds keep the chunk's own indentation, not the file's"
NEAR = "does not match the file; at the nearest place"
ABSENT = "has an @@ line that the file does not have:"
BOM = b"\xef\xbb\xbf"


def edit(body: bytes) -> Chunks:
    """Read the body of an update; its first line is line 3 of the text."""
    (made,) = parse(b"*** Begin Patch\n*** Update File: f\n" + body + b"*** End Patch\n").edits
    assert isinstance(made, Chunks)
    return made


def applied(data: bytes, body: bytes) -> tuple[bytes, list[str]]:
    after, noted = apply_chunks(data, [edit(body)])
    assert {note.path for note in noted} <= {F}
    return after, [note.code for note in noted]


def noted(data: bytes, body: bytes) -> str:
    (note,) = apply_chunks(data, [edit(body)])[1]
    return f"{note.code}: {note.text}"


def refusal(data: bytes, body: bytes) -> EditMismatch:
    with pytest.raises(EditMismatch) as caught:
        apply_chunks(data, [edit(body)])
    assert caught.value.hint
    json.dumps(caught.value.details)
    return caught.value


@pytest.mark.parametrize(
    ("data", "body", "after"),
    [
        (b"a\nb\nc\n", b"@@\n-b\n+B\n", b"a\nB\nc\n"),
        (b"a\nb\nc\n", b"-b\n", b"a\nc\n"),
        (b"a\nb\nc\n", b" a\n+x\n b\n-c\n+C\n+D\n", b"a\nx\nb\nC\nD\n"),
        (b"a\nb\nc\nd\n", b"@@\n-b\n+B\n@@\n-d\n+D\n", b"a\nB\nc\nD\n"),
        (b"a\nb\n", b"-a\n-b\n+b\n+b\n+a\n", b"b\nb\na\n"),
        (b"a\n", b"-a\n", b""),
        (b"a\n\nb\n", b" a\n\n-b\n+c\n", b"a\n\nc\n"),
        (b"", b"@@\n+a\n+b\n", b"a\nb\n"),
        (b"", b"-\n+a\n", b"a\n"),
        (b"a\n", b"+b\n*** End of File\n", b"a\nb\n"),
        # Additions at the end come in the order of their chunks, and do not move the cursor.
        (b"a\nb\n", b"+x\n*** End of File\n@@\n a\n b\n+y\n", b"a\nb\nx\ny\n"),
        # An anchor places what is below it; the end of the file is below every other place.
        (b"def a\n x\ndef b\n x\n", b"@@ def b\n- x\n+ y\n", b"def a\n x\ndef b\n y\n"),
        (b"x\ny\nx\n", b"-x\n+z\n*** End of File\n", b"x\ny\nz\n"),
        (b"x\nx\n", b"-x\n-x\n+y\n*** End of File\n", b"y\n"),
        # B27: an empty line is context.
        (b"P\n1\n\n2\nB\n1\n2\n", b" 1\n\n-2\n+9\n", b"P\n1\n\n9\nB\n1\n2\n"),
        # B10, B14, B17: bytes are bytes.
        (b"\xe9\nb\n\xff\n", b"-b\n+\x0c$&\\1&lt;\x00\xfe\n", b"\xe9\n\x0c$&\\1&lt;\x00\xfe\n\xff\n"),
        (b"a\nb\rc\nd\x0cx\xc2\x85y\n", b" b\rc\n-d\x0cx\xc2\x85y\n+D\n", b"a\nb\rc\nD\n"),
        # B11: a byte order mark stays, unless a chunk speaks of it.
        (BOM + b"a\nb\n", b"-a\n+A\n", BOM + b"A\nb\n"),
        (BOM + b"a\nb\n", b"-" + BOM + b"a\n+A\n", b"A\nb\n"),
        (BOM + b"a\nb\n", b"@@ a\n-b\n", BOM + b"a\n"),
        (BOM + b"a\nb\n", b"@@ " + BOM + b"a\n-b\n", BOM + b"a\n"),
        (b"a\n", b"-a\n+" + BOM + b"a\n", BOM + b"a\n"),
    ],
)
def test_chunks_are_applied_exactly(data: bytes, body: bytes, after: bytes) -> None:
    assert applied(data, body) == (after, [])


@pytest.mark.parametrize(
    ("data", "body", "after"),
    [
        (b"a\r\nb\r\nc\r\n", b"-a\n+A\n b\n+x\n c\n", b"A\r\nb\r\nx\r\nc\r\n"),
        (b"a\rb\rc\r", b"-a\n+A\n@@\n b\n+\n+x\n c\n", b"A\rb\r\rx\rc\r"),
        (b"a\r\nb\rc\nd\r\n", b" a\n b\n-c\n+C\n d\n", b"a\r\nb\rC\r\nd\r\n"),
        (b"a\nb\r\nc\n", b"-b\n+B\n", b"a\nB\nc\n"),
        (b"a\r\nb\r\n", b"-a\r\n+A\r\n b\r\n", b"A\r\nb\r\n"),
    ],
)
def test_line_ends_stay_and_added_lines_end_as_the_first_line(data: bytes, body: bytes, after: bytes) -> None:
    assert applied(data, body) == (after, ["LINE_ENDS"])


def test_a_deletion_has_no_line_end_to_choose() -> None:
    assert applied(b"a\r\nb\r\nc\n", b"-b\n") == (b"a\r\nc\n", [])


@pytest.mark.parametrize(
    ("data", "body", "after", "codes"),
    [
        (b"a\nb", b"-a\n+A\n", b"A\nb\n", ["LAST_LINE_END"]),
        (b"a\nb", b" b\n+c\n", b"a\nb\nc\n", ["LAST_LINE_END"]),
        (b"a\nb", b"-b\n", b"a\n", ["LAST_LINE_END"]),
        (b"b", b"-b\n", b"", []),
        (b"a\r\nb", b"-a\n+A\n", b"A\r\nb\r\n", ["LINE_ENDS", "LAST_LINE_END"]),
    ],
)
def test_b12_a_last_line_without_line_end_gets_one(data: bytes, body: bytes, after: bytes, codes: list[str]) -> None:
    assert applied(data, body) == (after, codes)


@pytest.mark.parametrize(
    ("data", "body", "after", "codes"),
    [
        # The context stays as the file has it.
        (b"a  \nb\n", b" a\n-b\n+c\n", b"a  \nc\n", ["TRAILING_SPACE"]),
        (b"a\nb\n", b" a\t\n-b\n+c\n", b"a\nc\n", ["TRAILING_SPACE"]),
        (b"\ta\n\tb\n", b"     a\n-    b\n+\tc\n", b"\ta\n\tc\n", ["SURROUNDING_SPACE"]),
        (b"it\xe2\x80\x99s\nb\n", b" it's\n-b\n+c\n", b"it\xe2\x80\x99s\nc\n", ["LOOK_ALIKE"]),
        (b"top-level\n", b"-top\xe2\x80\x91level\n+x\n", b"x\n", ["LOOK_ALIKE"]),
        # The strictest reading wins, wherever it stands.
        (b"a \na\n", b"-a\n+b\n", b"a \nb\n", []),
        (b"  f\na\n", b"@@ f\n-a\n+b\n", b"  f\nb\n", ["SURROUNDING_SPACE"]),
        # Two lines fit the anchor, but only one place fits below the first.
        (b" f\nx\n f\na\n", b"@@ f\n-a\n+b\n", b" f\nx\n f\nb\n", ["SURROUNDING_SPACE"]),
        (b"a\na\nb\na\n", b"-a\n+x\n@@\n b\n-a\n+y\n", b"x\na\nb\ny\n", ["FIRST_OF_SEVERAL"]),
        (b"f\na\na\n", b"@@ f\n-a\n+b\n", b"f\nb\na\n", ["FIRST_OF_SEVERAL"]),
        (b"a\n", b"+b\n", b"a\nb\n", ["ADDED_AT_END"]),
        (b"f\na\n", b"@@ f\n+b\n", b"f\na\nb\n", ["ADDED_AT_END"]),
        # A blank line that separates chunks is found to be no context.
        (b"a\nb\nc\n", b"-a\n+A\n\n@@\n-c\n+C\n", b"A\nb\nC\n", ["BLANK_DROPPED"]),
        (b"a\n", b"-a\n-\n+b\n", b"b\n", ["BLANK_DROPPED"]),
        (b"a\n", b" a\n\n+b\n", b"a\n\nb\n", ["BLANK_DROPPED"]),
    ],
)
def test_what_deviates_is_noted(data: bytes, body: bytes, after: bytes, codes: list[str]) -> None:
    assert applied(data, body) == (after, codes)


@pytest.mark.parametrize(
    ("data", "body", "text"),
    [
        (b"x\na \n", b"-a\n", f"TRAILING_SPACE: {FITS} line 2 only but for blanks at the end of a line"),
        (
            b"x\n f\na\n",
            b"@@ f\n-a\n",
            f"SURROUNDING_SPACE: {ANCHOR} line 2 but for blanks at either end of a line",
        ),
        (
            b"def f():\n    a\n",
            b" a\n+b\n",
            f"SURROUNDING_SPACE: {FITS} line 2 only but for blanks at either end of a line{KEPT}",
        ),
        (b"a\nb\na\n", b"-a\n", f"FIRST_OF_SEVERAL: {FITS} 2 places (lines 1, 3); the first, line 1, was taken"),
        (
            b"a\n" * 200,
            b"-a\n",
            f"FIRST_OF_SEVERAL: {FITS} 100 or more places (lines 1, 2, 3, 4, 5, …); the first, line 1, was taken",
        ),
        (
            b"a\n",
            b"+b\n",
            "ADDED_AT_END: the chunk of line 3 only adds lines; the format puts these at the end of the file",
        ),
        (
            b"a\n",
            b" a\n\n",
            "BLANK_DROPPED: the chunk of line 3 ends with a blank line that the file does not have there",
        ),
        (b"a\r", b"+b\n*** End of File\n", "LINE_ENDS: the added lines end CR, as the file's first line does"),
        (b"a", b"-a\n+b\n", "LAST_LINE_END: the file's last line has no line end; the format ends every line"),
    ],
)
def test_a_leniency_says_where(data: bytes, body: bytes, text: str) -> None:
    assert noted(data, body) == text


@pytest.mark.parametrize(
    ("data", "body", "why", "lines"),
    [
        (b"a\n", b"-x\n+y\n", "does not match the file, which has no line like 'x'", []),
        (b"", b" \n-x\n", "does not match the file, which has no line like 'x'", []),
        (b"a\n", b"\n+y\n", "does not match the file, which has no line like ''", []),
        (b"a\nb\nc\n", b" a\n-x\n c\n", f"{NEAR} line 2 is 'b' where the chunk has 'x'", [1]),
        (b"a\nb\n", b" b\n-c\n", f"{NEAR} the file ends where the chunk has 'c'", [2]),
        (b"b\na\n", b" x\n-b\n", f"{NEAR} the file begins where the chunk has 'x'", []),
        # B16: the characters that differ are named.
        (
            b"\xd0\xb8\xcc\x86\n",
            b"-\xd0\xb9\n",
            f"{NEAR} line 1 is '\\u0438\\u0306' where the chunk has '\\u0439'",
            [1],
        ),
        (b"A b\n", b"-a  b\n", f"{NEAR} line 1 is 'A b' where the chunk has 'a  b'", [1]),
        (LONG + b"A\n", b"-" + LONG + b"a\n", f"{NEAR} line 1 is ...'{Z}A' where the chunk has ...'{Z}a'", [1]),
        # B30: out of order.
        (b"a\nb\n", b"-b\n@@\n-a\n", "stands at line 1, not below the chunk before it", [1]),
        (b"a\nf\n", b"@@ f\n-a\n", "stands at line 1, above its @@ line", [1]),
        (b"a\nb\n", b"-a\n*** End of File\n", "stands at line 1, not at the end of the file", [1]),
        (b"a\n", b"-a\n@@\n-a\n*** End of File\n", "stands at line 1, not below the chunk before it", [1]),
        (b"def f(x):\na\n", b"@@ def f\n-a\n", f"{ABSENT} 'def f'; line 1 is 'def f(x):'", [1]),
        (b"a\n", b"@@ -1,2 +1,2 @@\n-a\n", f"{ABSENT} '-1,2 +1,2 @@'", []),
        (b"f\na\n", b"-a\n@@ f\n+x\n", "has an @@ line that stands at line 1, not below the chunk before it", [1]),
    ],
)
def test_what_is_not_found_is_refused_with_what_differs(data: bytes, body: bytes, why: str, lines: list[int]) -> None:
    error = refusal(data, body)
    number = edit(body).chunks[-1].line
    assert error.message == f"f: the chunk of line {number} {why}"
    expected = {"path": "f", "input_line": number, "count": len(lines), "lines": lines}
    assert (error.code, error.details) == ("NO_MATCH", expected)


@pytest.mark.parametrize(
    ("data", "body", "why", "lines"),
    [
        (b"a \na \n", b"-a\n+b\n", "fits 2 places (lines 1, 2), but for blanks at the end of a line", [1, 2]),
        # B31: a deletion that was meant for the deeper of two places.
        (b"\tx\n\t\tx\n", b"-    x\n", "fits 2 places (lines 1, 2), but for blanks at either end of a line", [1, 2]),
        # Neither the anchor nor the lines say which.
        (b" f\na\n f\na\n", b"@@ f\n-a\n+b\n", "fits 2 places (lines 2, 4)", [2, 4]),
    ],
)
def test_a_tolerant_match_is_taken_only_if_it_is_the_only_one(
    data: bytes, body: bytes, why: str, lines: list[int]
) -> None:
    error = refusal(data, body)
    assert error.message == f"f: the chunk of line 3 {why}"
    assert error.details == {"path": "f", "input_line": 3, "count": 2, "lines": lines}
    assert error.code == "AMBIGUOUS"


LINE = st.text(st.sampled_from("ab *@+-\t\x0b\u2028é"), max_size=3).map(str.encode)


def rendered(old: list[bytes], new: list[bytes], context: int) -> bytes:
    lines: list[bytes] = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        lines.append(b"@@")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                lines += [b" " + line for line in old[old_from:old_to]]
            else:
                lines += [b"-" + line for line in old[old_from:old_to]]
                lines += [b"+" + line for line in new[new_from:new_to]]
    return b"".join(line + b"\n" for line in lines)


@given(
    st.lists(LINE, max_size=12, unique=True),
    st.lists(LINE, max_size=4),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.integers(1, 3),
    st.data(),
)
def test_a_rendered_difference_gives_the_new_lines(
    old: list[bytes], more: list[bytes], end: bytes, context: int, data: st.DataObject
) -> None:
    new = data.draw(st.lists(st.sampled_from([*old, *more, b"c"]), max_size=15))
    if old == new:
        return
    before = b"".join(line + end for line in old)
    after, notes = applied(before, rendered(old, new, context))
    assert after == b"".join(line + (end if old else b"\n") for line in new)
    assert set(notes) <= {"LINE_ENDS"}


@given(st.lists(LINE, max_size=8), st.lists(LINE, max_size=8))
def test_a_chunk_that_holds_the_whole_file_fits_however_its_lines_repeat(old: list[bytes], new: list[bytes]) -> None:
    body = rendered(old, new, 100)
    if body:
        before = b"".join(line + b"\n" for line in old)
        assert applied(before, body) == (b"".join(line + b"\n" for line in new), [])


CHUNK = st.builds(
    Chunk,
    st.none() | LINE,
    st.lists(st.builds(bytes.__add__, st.sampled_from([b" ", b"-", b"+"]), LINE), min_size=1, max_size=3).map(tuple),
    st.booleans(),
    st.just(1),
)


@given(st.lists(LINE | st.just(b"\r"), max_size=8), st.lists(CHUNK, min_size=1, max_size=3))
def test_any_chunks_are_applied_or_refused(lines: list[bytes], chunks: list[Chunk]) -> None:
    with contextlib.suppress(EditMismatch):
        after, notes = apply_chunks(b"\n".join(lines), [Chunks(F, tuple(chunks))])
        assert after == b"" or after.endswith((b"\n", b"\r"))
        assert {note.path for note in notes} <= {F}


def in_turn(data: bytes, sections: list[Chunks]) -> tuple[bytes, list[Leniency]] | str:
    """Apply each section to the content that the one before has made; a refusal is its message."""
    notes: list[Leniency] = []
    try:
        for section in sections:
            data, noted = apply_chunks(data, [section])
            notes += noted
    except EditMismatch as error:
        return error.message
    return data, notes


SECTIONS = st.lists(st.lists(CHUNK, min_size=1, max_size=3).map(lambda chunks: Chunks(F, tuple(chunks))), max_size=5)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b""])


@given(st.lists(st.builds(bytes.__add__, LINE, ENDS), max_size=8).map(b"".join), SECTIONS)
def test_sections_of_one_file_are_applied_as_one_after_the_other(data: bytes, sections: list[Chunks]) -> None:
    try:
        together: tuple[bytes, list[Leniency]] | str = apply_chunks(data, sections)
    except EditMismatch as error:
        together = error.message
    assert together == in_turn(data, sections)


def test_a_section_of_many_chunks_is_made_as_those_of_few() -> None:
    lines = [b"%d" % number for number in range(60)]
    first = Chunks(F, tuple(Chunk(None, (b"-" + line, b"+x" + line), at_end=False, line=1) for line in lines[::2]))
    then = Chunks(F, (Chunk(None, (b"-x58", b"+y", b" 59"), at_end=False, line=1),))
    after = [b"y" if line == b"58" else line if at % 2 else b"x" + line for at, line in enumerate(lines)]
    assert apply_chunks(b"\n".join(lines) + b"\n", [first, then]) == (b"\n".join(after) + b"\n", [])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (
            b"*** Begin Patch\n%b*** End Patch\n"
            % b"".join(b"*** Update File: f\n@@\n-line %d\n+new\n" % at for at in range(1, 20_000, 13)),
            1.5,
        ),
        (
            b"[%b]"
            % b",".join(
                b'{"command": "insert", "path": "f", "insert_line": %d, "insert_text": "n"}' % at
                for at in range(1, 20_000, 13)
            ),
            1.5,
        ),
    ],
)
def test_many_edits_of_one_file_do_not_cost_a_pass_each(text: bytes, seconds: float) -> None:
    """A pass each took 20 s and 4 s."""
    data = b"".join(b"line %d\n" % at for at in range(20_000))
    start = time.process_time()
    assert len(resolved(text, {"f": data}).changes) == 1
    assert time.process_time() - start < seconds
