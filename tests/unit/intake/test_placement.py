from __future__ import annotations

import pytest
from tests.unit.intake.support import applied, code, refusal, tree

from redline.errors import EditMismatch


def diff(*hunks: bytes) -> bytes:
    return b"--- a/f\n+++ b/f\n" + b"".join(hunks)


def test_a_moved_hunk_is_taken_where_it_is_unique_and_noted() -> None:
    outcome = applied(diff(b"@@ -1,3 +1,3 @@\n c\n-d\n+D\n e\n"), {"f": b"a\nb\nc\nd\ne\n"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"a\nb\nc\nD\ne\n", ("HUNK_MOVED",))


def by_number(text: bytes, before: bytes) -> bytes:
    """The file after a diff that only its line numbers place, which is noted."""
    outcome = applied(text, {"f": before})
    assert outcome.leniencies == ("NO_CONTEXT",)
    return outcome.tree["f"].data


def test_b32_the_stated_line_decides_between_equal_blocks() -> None:
    data = b"x\n{\ny\n{\n"
    assert by_number(diff(b"@@ -4 +4 @@\n-{\n+[\n"), data) == b"x\n{\ny\n[\n"
    error = refusal(diff(b"@@ -3 +3 @@\n-{\n+[\n"), {"f": data})
    assert (type(error), error.code) == (EditMismatch, "AMBIGUOUS")
    assert (error.details["count"], error.details["lines"]) == (2, [2, 4])


def test_b32_a_line_number_is_not_trusted_once_another_hunk_moved() -> None:
    hunks = (b"@@ -2 +2 @@\n-{\n+[\n", b"@@ -4 +4 @@\n-z\n+Z\n")
    assert by_number(diff(*hunks), b"x\n{\n{\nz\n") == b"x\n[\n{\nZ\n"
    assert code(diff(*hunks), {"f": b"x\n{\n{\n\nz\n"}) == "AMBIGUOUS"


def test_b32_a_line_number_is_not_trusted_on_another_base() -> None:
    def stated(oid: bytes) -> bytes:
        header = b"diff --git a/f b/f\nindex %b..1234567\n--- a/f\n+++ b/f\n" % oid
        return header + b"@@ -1 +1 @@\n-{\n+[\n"

    assert tree(stated(b"c488eb9"), {"f": b"{\n{\n"}) == {"f": b"[\n{\n"}
    assert code(stated(b"1234567"), {"f": b"{\n{\n"}) == "AMBIGUOUS"
    assert tree(stated(b"1234567"), {"f": b"{\n"}) == {"f": b"[\n"}


def test_b30_hunks_out_of_order_are_placed_against_the_original() -> None:
    text = diff(b"@@ -6 +6 @@\n-6\n+six\n", b"@@ -2 +2 @@\n-2\n+two\n")
    before = b"1\n2\n3\n4\n5\n6\n7\n8\n"
    assert tree(text, {"f": before}) == {"f": b"1\ntwo\n3\n4\n5\nsix\n7\n8\n"}


@pytest.mark.parametrize(
    "hunks",
    [
        (b"@@ -1,2 +1,2 @@\n-1\n+x\n 2\n", b"@@ -2,2 +2,2 @@\n 2\n-3\n+y\n"),
        (b"@@ -1 +1 @@\n-1\n+x\n", b"@@ -1 +1 @@\n-1\n+x\n"),
        (b"@@ -1,0 +2 @@\n+x\n", b"@@ -1,0 +2 @@\n+y\n"),
        (b"@@ -1,3 +1,2 @@\n 1\n-2\n 3\n", b"@@ -2,0 +2 @@\n+y\n"),
    ],
)
def test_b30_overlapping_hunks_are_refused(hunks: tuple[bytes, bytes]) -> None:
    assert code(diff(*hunks), {"f": b"1\n2\n3\n4\n"}) == "HUNKS_OVERLAP"


@pytest.mark.parametrize(
    ("hunk", "before", "expected"),
    [
        (b"@@ -1,0 +2 @@\n+x\n", b"1\n2\n", b"1\nx\n2\n"),
        (b"@@ -2,0 +3 @@\n+x\n", b"1\n2\n", b"1\n2\nx\n"),
        (b"@@ -2,0 +3 @@\n+x\n\\ No newline\n", b"1\n2\n", b"1\n2\nx"),
    ],
)
def test_hunks_without_context_go_to_the_stated_line(hunk: bytes, before: bytes, expected: bytes) -> None:
    assert by_number(diff(hunk), before) == expected


def test_a_place_without_context_that_is_the_only_one_needs_no_note() -> None:
    assert tree(diff(b"@@ -0,0 +1 @@\n+x\n"), {"f": b""}) == {"f": b"x\n"}
    assert tree(diff(b"@@ -2 +1,0 @@\n-2\n"), {"f": b"1\n2\n3\n"}) == {"f": b"1\n3\n"}


def test_hunks_next_to_each_other_both_apply() -> None:
    text = diff(b"@@ -1 +1 @@\n-1\n+x\n", b"@@ -1,0 +2 @@\n+y\n", b"@@ -2 +3 @@\n-2\n+z\n")
    assert by_number(text, b"1\n2\n") == b"x\ny\nz\n"


@pytest.mark.parametrize(
    ("hunk", "before"),
    [
        (b"@@ -3,0 +4 @@\n+x\n", b"1\n2\n"),
        (b"@@ -2,0 +3 @@\n+tail\n", b"hello\nworld"),
        (b"@@ -1,0 +2 @@\n+x\n\\ No newline\n", b"1\n2\n"),
        (b"@@ -1 +1 @@\n-1\n+x\n\\ No newline\n", b"1\n2\n"),
        (b"@@ -1 +1 @@\n-absent\n+x\n", b"1\n2\n"),
        (b"@@ -1 +1 @@\n-1\n\\ No newline\n+x\n", b"1\n2\n"),
        (b"@@ -1 +1 @@\n-1\n\\ No newline\n+x\n", b"21"),
        (b"@@ -1 +1 @@\n-2\n+x\n", b"12\n"),
        (b"@@ -2 +2 @@\n-1\n+x\n", b""),
    ],
)
def test_a_hunk_that_fits_nowhere_is_refused(hunk: bytes, before: bytes) -> None:
    assert code(diff(hunk), {"f": before}) == "NO_MATCH"


def test_an_insertion_without_context_needs_the_right_base() -> None:
    header = b"diff --git a/f b/f\nindex 1234567..89abcde 100644\n"
    assert code(header + diff(b"@@ -1,0 +2 @@\n+x\n"), {"f": b"1\n2\n"}) == "AMBIGUOUS"


def test_an_insertion_at_the_top_needs_the_stated_base() -> None:
    hunk = diff(b"@@ -0,0 +1 @@\n+x\n")
    header = b"diff --git a/f b/f\nindex d00491f..89abcde 100644\n"
    assert code(hunk, {"f": b"1\n"}) == "FILE_EXISTS"
    assert tree(header + hunk, {"f": b"1\n"}) == {"f": b"x\n1\n"}


def test_the_nearest_lines_are_named() -> None:
    error = refusal(diff(b"@@ -1,2 +1,2 @@\n def function():\n-  x\n+  y\n"), {"f": b"\ndef function():\n    x\n"})
    assert (error.code, error.details["nearest"]) == ("NO_MATCH", [2])
    assert error.message == (
        "f: the hunk for line 1 does not match the file; near line 2 its line 2 has '  x'"
        " where line 3 of the file has '    x'"
    )


@pytest.mark.parametrize(
    ("hunk", "before", "word"),
    [
        (b"@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\n", b"alpha\r\nbeta\r\nmixed\n", "CRLF"),
        (b"@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\r\n", b"alpha\r\nbeta\r\n", "CRLF"),
        (b"@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\n", b"alpha\r\nbeta\r\nalpha\r\nbeta\r\n", "CRLF"),
        (b"@@ -2 +2,2 @@\n world\n+tail\n", b"hello\nworld", "newline"),
        (b"@@ -2 +2 @@\n-world\n\\ No newline\n+tail\n", b"hello\nworld\n", "newline"),
    ],
)
def test_b08_b12_a_mismatch_of_line_ends_is_told_in_words(hunk: bytes, before: bytes, word: str) -> None:
    error = refusal(diff(hunk), {"f": before})
    assert (error.code, word in error.message) == ("NO_MATCH", True)


@pytest.mark.parametrize(("diff_end", "file_end"), [(b"\n", b"\r\n"), (b"\r\n", b"\n")])
def test_b08_hunks_of_one_line_end_take_the_one_of_the_file(diff_end: bytes, file_end: bytes) -> None:
    hunk = b"@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n".replace(b"\n", diff_end).replace(
        b"@@" + diff_end, b"@@\n"
    )
    before = b"alpha\nbeta\ngamma\n".replace(b"\n", file_end)
    outcome = applied(diff(hunk), {"f": before})
    assert (outcome.tree["f"].data, outcome.leniencies) == (before.replace(b"beta", b"BETA"), ("LINE_ENDS",))


def test_b08_a_crlf_hunk_applies_to_a_crlf_file() -> None:
    hunk = b"@@ -1,2 +1,3 @@\n alpha\r\n+inserted\r\n beta\r\n"
    assert tree(diff(hunk), {"f": b"alpha\r\nbeta\r\n"}) == {"f": b"alpha\r\ninserted\r\nbeta\r\n"}


@pytest.mark.parametrize(
    ("hunk", "before", "expected"),
    [
        (b"@@ -1,2 +1,2 @@\n-line1\n+LINE1\n line2\n", b"line1\nline2\nline3", b"LINE1\nline2\nline3"),
        (
            b"@@ -1,2 +1,3 @@\n hello\n-world\n\\ Kein Zeilenumbruch\n+world\n+tail\n",
            b"hello\nworld",
            b"hello\nworld\ntail\n",
        ),
        (b"@@ -1,2 +1,2 @@\n hello\n-world\n+earth\n\\ No newline\n", b"hello\nworld\n", b"hello\nearth"),
        (b"@@ -1,2 +1,2 @@\n-hello\n+hi\n world\n\\ No newline\n", b"hello\nworld", b"hi\nworld"),
    ],
)
def test_b12_the_end_of_the_file_is_as_the_marker_says(hunk: bytes, before: bytes, expected: bytes) -> None:
    assert tree(diff(hunk), {"f": before}) == {"f": expected}


def test_b14_only_lf_ends_a_line() -> None:
    odd = b"gamma\x0cx\xe2\x80\xa8\x0b\x1c\xc2\x85\n"
    before = b"alpha\nbeta\rcar\n" + odd + b"delta\n"
    context = b" beta\rcar\n " + odd
    hunk = b"@@ -2,3 +2,4 @@\n" + context + b"-delta\n+DELTA\n+  sil! norm R\r\x1bdoo\n"
    assert tree(diff(hunk), {"f": before}) == {"f": before.replace(b"delta\n", b"DELTA\n  sil! norm R\r\x1bdoo\n")}


def test_b10_bytes_that_are_not_utf8_survive() -> None:
    hunk = b"@@ -1,2 +1,2 @@\n-const x = 1;\n+const x = 2;\n // caf\xe9\0 note\n"
    before = b"const x = 1;\n// caf\xe9\0 note\n"
    assert tree(diff(hunk), {"f": before}) == {"f": before.replace(b"1", b"2")}


def test_b10_a_text_hunk_on_utf16_is_refused_in_words() -> None:
    error = refusal(diff(b"@@ -1 +1 @@\n-a\n+b\n"), {"f": "\ufeffa\n".encode("utf-16-le")})
    assert (error.code, "UTF-16" in error.message) == ("ENCODING", True)


def test_bytes_that_only_begin_like_utf16_are_edited_by_an_exact_hunk() -> None:
    hunk = b"@@ -1 +1 @@\n-\xff\xfea\n+\xff\xfeb\n"
    assert tree(diff(hunk), {"f": b"\xff\xfea\n"}) == {"f": b"\xff\xfeb\n"}


def test_b11_a_missing_byte_order_mark_is_no_match() -> None:
    before = b"\xef\xbb\xbfhello\nx\n"
    assert code(diff(b"@@ -1 +1 @@\n-hello\n+hello2\n"), {"f": before}) == "NO_MATCH"
    assert tree(diff(b"@@ -2 +2 @@\n-x\n+y\n"), {"f": before}) == {"f": b"\xef\xbb\xbfhello\ny\n"}


def test_b31_context_with_other_white_space_is_no_match() -> None:
    before = b"def a():\n\t\tflush()\n\t\treturn None\n\t\t\tflush()\n\t\t\treturn None\n"
    hunk = b"@@ -4,2 +4,1 @@\n             flush()\n-            return None\n"
    assert code(diff(hunk), {"f": before}) == "NO_MATCH"


def test_a_hunk_that_ends_at_its_change_is_noted() -> None:
    outcome = applied(diff(b"@@ -1,2 +1,2 @@\n a\n-b\n+B\n"), {"f": b"a\nb\nc\n"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"a\nB\nc\n", ("NO_TRAILING_CONTEXT",))


def test_many_equal_blocks_are_counted_up_to_a_bound() -> None:
    error = refusal(diff(b"@@ -9 +9 @@\n-\n+x\n"), {"f": b"\n" * 8 + b"y\n" + b"\n" * 100_000})
    assert (error.code, error.details["count"]) == ("AMBIGUOUS", 1000)
    assert error.details["lines"] == [1, 2, 3, 4, 5, 6, 7, 8, *range(10, 22)]


def test_a_hunk_of_blank_lines_has_no_nearest_line() -> None:
    assert refusal(diff(b"@@ -1,2 +1 @@\n \n-\n"), {"f": b"x\n"}).details["nearest"] == []
