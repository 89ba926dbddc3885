from __future__ import annotations

import pytest
from tests.unit.intake.support import HUNK, PLAIN, applied, code, executable, git, refusal, tree

from redline.core.content import Content, Mode
from redline.errors import MalformedEdit
from redline.intake.detect import read
from redline.intake.edits import FilePatch, Relation


@pytest.mark.parametrize(
    ("body", "stated", "found"),
    [
        (b"@@ -2,4 +2,4 @@\n l2\n-l3\n+l3x\n l4\n", [4, 4], [3, 3]),
        (b"@@ -2 +2 @@\n l2\n-l3\n+l3x\n l4\n", [1, 1], [3, 3]),
        (b"@@ -2,2 +2,2 @@\n l2\n-l3\n+l3x\n l4\n", [2, 2], [3, 3]),
        (b"@@ -2,2 +2,3 @@\n l2\n-l3\n+l3x\n l4\n", [2, 3], [3, 3]),
        (b"@@ -2,3 +2,2 @@\n l2\n-l3\n+l3x\n l4\n", [3, 2], [3, 3]),
        (b"@@ -2,3 +2,3 @@\n l2\n-l3\n+l3x\nl4\n", [3, 3], [2, 2]),
        (b"@@ -2,3 +2,3 @@\n l2\n-l3\n+l3x\n", [3, 3], [2, 2]),
        (b"@@ -2,3 +2,3 @@\n l2\n-l3\n+l3x\n```\n", [3, 3], [2, 2]),
    ],
)
def test_b26_wrong_counts_are_refused_with_what_was_found(body: bytes, stated: list[int], found: list[int]) -> None:
    error = refusal(b"--- a/f\n+++ b/f\n" + body, {"f": b"l1\nl2\nl3\nl4\nl5\n", "g": b"a\n"})
    assert (type(error), error.code) == (MalformedEdit, "HUNK_COUNT")
    assert (error.details.get("stated"), error.details.get("found")) == (stated, found)


@pytest.mark.parametrize("counts", [b"-2,7 +2,7", b"-2 +2", b"-2,2 +2,2", b"-2,2 +2,3", b"-2,3 +2,2", b"-2,9 +2,9"])
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (b"", b"--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"),
        (b"", b"\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"),
        (b"", b"@@ -5 +5 @@\n-l5\n+l5x\n"),
        (b"", b"-- \n2.39.5\n\n"),
        (b"Here it is:\n```diff\n", b"```\n- a remark\n"),
        (b"```\n", b"\n```\n"),
    ],
    ids=["a section", "a blank and a section", "a hunk", "a signature", "a fence", "a blank and a fence"],
)
def test_b26_where_the_hunk_cannot_be_cut_off_its_lines_are_counted(
    counts: bytes, before: bytes, behind: bytes
) -> None:
    text = before + b"--- a/f\n+++ b/f\n@@ " + counts + b" @@\n l2\n-l3\n+l3x\n l4\n" + behind
    outcome = applied(text, {"f": b"l1\nl2\nl3\nl4\nl5\n", "g": b"a\n"})
    last = b"l5x\n" if b"l5x" in behind else b"l5\n"
    assert outcome.tree["f"].data == b"l1\nl2\nl3x\nl4\n" + last
    assert outcome.tree["g"].data == (b"b\n" if b"a/g" in behind else b"a\n")
    assert outcome.leniencies == ("HUNK_RECOUNTED",)


def test_b27_a_blank_line_that_the_counts_ask_for_is_context() -> None:
    text = b"```\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n\n```\n"
    assert applied(text, {"f": b"1\n2\n\n"}).tree["f"].data == b"1\ntwo\n\n"
    assert code(text, {"f": b"1\n2\n3\n"}) == "NO_MATCH"


def test_b26_a_recounted_hunk_must_fit_one_place_only() -> None:
    text = b"```\n--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-x\n+y\n```\n"
    assert applied(text, {"f": b"x\n"}).tree["f"].data == b"y\n"
    assert code(text, {"f": b"x\nx\n"}) == "AMBIGUOUS"


@pytest.mark.parametrize(
    "behind", [b"```\n", b"@@ -5 +5 @@\n-l5\n+l5x\n```\n", b"--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n```\n"]
)
def test_b26_an_added_line_that_the_header_leaves_out_may_be_a_remark(behind: bytes) -> None:
    text = b"```diff\n--- a/f\n+++ b/f\n@@ -2 +2 @@\n-l2\n+l2x\n+ note that l2 is gone\n" + behind
    error = refusal(text, {"f": b"l1\nl2\n", "g": b"a\n"})
    assert (error.code, error.message) == ("HUNK_COUNT", "line 4: hunk: its header says 1 new lines, its body has 2")


LACKING = b"--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n l1\n l2\n+new\n l3"


@pytest.mark.parametrize("data", [b"l1\nl2\nl3\n", b"l1\nl2\nl3\nl4\nl5\n"], ids=["at the end", "above it"])
def test_b26_a_last_hunk_that_may_be_cut_off_is_refused(data: bytes) -> None:
    """Though it fits one place and ends with context: the line that the header counts may be any."""
    assert code(LACKING, {"f": data}) == "HUNK_COUNT"


def test_b26_the_message_names_only_the_wrong_count() -> None:
    error = refusal(b"--- a/f\n+++ b/f\n@@ -2,3 +2,2 @@\n l2\n-l3\n+l3x\n l4\n")
    assert error.message == "line 3: hunk: its header says 2 new lines, its body has 3"


@pytest.mark.parametrize(
    "rest",
    [b" c\n", b"+c\n", b"-c\n", b"\n c\n", b"\n\n+c\n", b"prose\n+c\n", b"```\n- a remark\n", b"---\n"],
)
def test_b26_lines_left_over_behind_a_hunk_are_refused(rest: bytes) -> None:
    assert code(PLAIN + rest, {"f": b"a\nc\n"}) == "HUNK_COUNT"


@pytest.mark.parametrize(
    "rest",
    [
        b"\n",
        b"\n\n\n",
        b"```\n",
        b"I hope this helps.\n",
        b"-- \n2.39.5\n\n",
        b"--\n2.39.5 (Apple Git-154)\n",
        b"\nProperty changes on: f\n______\nAdded: svn:eol-style\n   + native\n",
    ],
)
def test_prose_behind_a_hunk_is_no_part_of_it(rest: bytes) -> None:
    assert tree(PLAIN + rest, {"f": b"a\n"}) == {"f": b"b\n"}


def test_a_signature_that_could_be_removed_text_is_refused() -> None:
    assert code(PLAIN + b"-- \n-- \n") == "HUNK_COUNT"
    assert code(PLAIN + b"-- \n2.39.5\nmore\n") == "HUNK_COUNT"


def test_b27_a_blank_context_line_may_lack_its_space() -> None:
    data = b'PRIMARY = {\n    "a": 1,\n\n    "b": 2,\n}\nBACKUP = {\n    "a": 1,\n    "b": 2,\n}\n'
    text = (
        b'--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n     "a": 1,\n\n-    "b": 2,\n+    "b": 99,\n\n'
        b"--- a/g\n+++ b/g\n@@ -1,2 +1,2 @@\n-a\n+b\n\n"
    )
    outcome = applied(text, {"f": data, "g": b"a\n\n"})
    assert outcome.tree["f"].data == data.replace(b'\n\n    "b": 2', b'\n\n    "b": 99')
    assert outcome.tree["g"].data == b"b\n\n"
    assert outcome.leniencies == ("BLANK_CONTEXT", "BLANK_CONTEXT", "NO_TRAILING_CONTEXT")


def test_b28_lines_that_look_like_headers() -> None:
    removed = b"--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n select 1;\n--- this is my query\n select 2;\n select 3;\n"
    before = b"select 1;\n-- this is my query\nselect 2;\nselect 3;\n"
    assert tree(removed, {"f": before}) == {"f": b"select 1;\nselect 2;\nselect 3;\n"}

    two = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n--- old comment\n+-- new comment\n@@ -3 +3 @@\n--- a/x\n+++ b/x\n"
    assert tree(two, {"f": b"-- old comment\nx\n-- a/x\n"}) == {"f": b"-- new comment\nx\n++ b/x\n"}

    like_hunks = b"--- a/f\n+++ b/f\n@@ -1,2 +1,4 @@\n @@ -1 +1 @@\n+diff --git a/x b/x\n+*** End Patch\n ```\n"
    after = b"@@ -1 +1 @@\ndiff --git a/x b/x\n*** End Patch\n```\n"
    assert tree(like_hunks, {"f": b"@@ -1 +1 @@\n```\n"}) == {"f": after}


def test_b35_a_fenced_diff_may_edit_fences() -> None:
    hunk = b"@@ -1,3 +1,3 @@\n ```python\n-x\n+y\n ```\n"
    text = b"Sure - here:\n\n- one\n+ two\n\n```diff\n--- a/R.md\n+++ b/R.md\n" + hunk + b"```\n\n- That is it.\n"
    assert tree(text, {"R.md": b"```python\nx\n```\n"}) == {"R.md": b"```python\ny\n```\n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"```diff\n" + PLAIN, "FENCE_OPEN"),
        (b"```diff\n" + PLAIN + b"```\n\n```diff\n" + PLAIN + b"```\n", "SEVERAL_DIFFS"),
        (b"```diff\n" + PLAIN + b"```\n" + PLAIN, "SEVERAL_DIFFS"),
        (b"```diff\n" + PLAIN + b"```\n" + HUNK, "SEVERAL_DIFFS"),
        (b"```diff\n" + PLAIN + b"```\nBinary files a/x and b/x differ\n", "SEVERAL_DIFFS"),
    ],
)
def test_a_diff_outside_its_fence_is_never_dropped(text: bytes, expected: str) -> None:
    assert code(text, {"f": b"a\n"}) == expected


def test_a_fence_that_closed_before_the_diff_is_prose() -> None:
    assert tree(b"```sh\nmake\n```\n\n" + PLAIN, {"f": b"a\n"}) == {"f": b"b\n"}


def test_an_envelope_of_crlf_keeps_the_body() -> None:
    text = PLAIN.replace(b"\n", b"\r\n")
    outcome = applied(text, {"f": b"a\r\n"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"b\r\n", ("CRLF_ENVELOPE",))
    blank = b"--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n\r\n"
    assert applied(blank, {"f": b"a\r\n\r\n"}).tree["f"].data == b"b\r\n\r\n"


def test_a_byte_order_mark_before_the_diff_is_dropped_and_one_in_it_kept() -> None:
    text = b"\xef\xbb\xbf" + b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\xef\xbb\xbfa\n+\xef\xbb\xbfb\n"
    assert tree(text, {"f": b"\xef\xbb\xbfa\n"}) == {"f": b"\xef\xbb\xbfb\n"}


def test_a_text_cut_before_its_last_newline_is_noted() -> None:
    outcome = applied(PLAIN[:-1], {"f": b"a\n"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"b\n", ("TEXT_UNTERMINATED",))


def test_mails_are_read_behind_their_message() -> None:
    def mail(message: bytes, diff: bytes) -> bytes:
        head = b"From " + b"a" * 40 + b" Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n"
        return head + message + b"\n---\n f | 2 +-\n 1 file changed\n\n" + diff + b"-- \n2.39.5\n\n"

    quoting = mail(b"- quotes\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n", git(b"f") + PLAIN)
    second = git(b"f", b"--- a/f", b"+++ b/f", b"@@ -1 +1 @@", b"-b", b"+c")
    rename = b"diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n"
    text = quoting + mail(b"m", second) + mail(b"n", rename)
    outcome = applied(text, {"f": b"a\n"})
    assert (outcome.tree, outcome.renames) == ({"g": Content(b"c\n", Mode.REGULAR)}, {"g": "f"})


CREATION = [b"--- /dev/null", b"+++ b/f", b"@@ -0,0 +1 @@", b"+x"]


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        (git(b"f", b"new file mode 100644", b"index 0000000..587be6b", *CREATION), Mode.REGULAR),
        (git(b"f", b"new file mode 100755", *CREATION), Mode.EXECUTABLE),
        (git(b"f", *CREATION), Mode.REGULAR),
        (b"\n".join(CREATION) + b"\n", Mode.REGULAR),
        (b"--- /dev/null Thu Jan 01 00:00:00 1970\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", Mode.REGULAR),
        (b"--- f\n+++ f\n@@ -0,0 +1 @@\n+x\n", Mode.REGULAR),
        (b"--- /dev/null\n+++ f\n@@ -1,0 +1 @@\n+x\n", Mode.REGULAR),
        (b"--- o/f\t1970-01-01 01:00:00.0 +0100\n+++ n/f\t2024-05-05\n@@ -0,0 +1 @@\n+x\n", Mode.REGULAR),
        (b"--- f\t1969-12-31 19:00:00 -0500\n+++ f\t2024-05-05 01:00:00\n@@ -0,0 +1 @@\n+x\n", Mode.REGULAR),
    ],
)
def test_b18_a_creation(text: bytes, mode: Mode) -> None:
    assert applied(text, {}).tree == {"f": Content(b"x\n", mode)}
    assert code(text, {"f": b"other\n"}) == "FILE_EXISTS"


def test_b23_an_empty_file_with_a_space_in_its_name_is_created() -> None:
    assert tree(git(b"my file", b"new file mode 100644", b"index 0000000..e69de29"), {}) == {"my file": b""}


@pytest.mark.parametrize(
    "text",
    [
        git(b"f", b"deleted file mode 100644", b"--- a/f", b"+++ /dev/null", b"@@ -1 +0,0 @@", b"-x"),
        b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        b"--- f\t2024-01-01 00:00:00 +0000\n+++ f\t1970-01-01 00:00:00 +0000\n@@ -1 +0,0 @@\n-x\n",
    ],
)
def test_b36_a_deletion_must_name_the_whole_text(text: bytes) -> None:
    assert tree(text, {"f": b"x\n", "g": b""}) == {"g": b""}
    assert code(text, {"f": b"current\n"}) == "NO_MATCH"
    assert code(text, {"f": b"x\ny\n"}) == "NO_MATCH"
    assert code(text, {}) == "NO_SUCH_FILE"


def test_two_zero_stamps_are_no_creation_and_no_deletion() -> None:
    stamp = b"\t1970-01-01 00:00:00 +0000\n"
    assert tree(b"--- f" + stamp + b"+++ f" + stamp + HUNK, {"f": b"a\n"}) == {"f": b"b\n"}


def test_a_hunkless_deletion_fits_an_empty_file_only() -> None:
    text = git(b"f", b"deleted file mode 100644", b"index e69de29..0000000")
    assert tree(text, {"f": b"", "g": b""}) == {"g": b""}
    assert code(text, {"f": b"x"}) == "NO_MATCH"


def test_b18_b37_a_mode_change_without_hunks() -> None:
    text = git(b"f", b"old mode 100644", b"new mode 100755")
    assert applied(text, {"f": b"x"}).tree == {"f": executable(b"x")}
    assert code(text, {"f": executable(b"x")}) == "NO_CHANGE"
    assert code(text, {}) == "NO_SUCH_FILE"


RENAME = b"diff --git a/d/old b/new\nsimilarity index 90%\nrename from d/old\nrename to new\n"


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        (b"", executable(b"a\nz")),
        (b"index 1..2\n--- a/d/old\n+++ b/new\n" + HUNK, executable(b"b\nz")),
    ],
)
def test_b37_a_rename_moves_content_and_mode(rest: bytes, expected: Content) -> None:
    outcome = applied(RENAME + rest, {"d/old": executable(b"a\nz"), "x": b""})
    assert outcome.tree == {"new": expected, "x": Content(b"", Mode.REGULAR)}
    assert outcome.renames == {"new": "d/old"}


def test_b37_rename_with_mode_change() -> None:
    modes = b"old mode 100644\nnew mode 100755\n"
    text = b"diff --git a/f b/g\n" + modes + b"similarity index 100%\nrename from f\nrename to g\n"
    assert applied(text, {"f": b"x"}).tree == {"g": executable(b"x")}


def test_b37_a_rename_needs_its_source_and_no_target() -> None:
    assert code(RENAME, {}) == "NO_SUCH_FILE"
    assert code(RENAME, {"d/old": b"a", "new": b""}) == "FILE_EXISTS"


def test_b37_a_copy_keeps_its_source() -> None:
    text = b"diff --git a/f b/g\nsimilarity index 90%\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n" + HUNK
    outcome = applied(text, {"f": b"a\n"})
    assert {name: after.data for name, after in outcome.tree.items()} == {"f": b"a\n", "g": b"b\n"}
    assert outcome.renames == {}
    assert code(text, {"f": b"a\n", "g": b""}) == "FILE_EXISTS"


def test_a_copy_takes_the_source_as_it_was_before_the_diff() -> None:
    copy = b"diff --git a/f b/g\ncopy from f\ncopy to g\n"
    assert tree(git(b"f") + PLAIN + copy, {"f": b"a\n"}) == {"f": b"b\n", "g": b"a\n"}


def test_two_files_can_swap_their_names() -> None:
    swap = b"diff --git a/f b/g\nrename from f\nrename to g\ndiff --git a/g b/f\nrename from g\nrename to f\n"
    assert tree(swap, {"f": b"1", "g": b"2"}) == {"f": b"2", "g": b"1"}


@pytest.mark.parametrize(
    ("header", "paths"),
    [
        (b"diff --git a/x b/y\nrename from x\nrename to y\n", ("x", "y")),
        (b"diff --git a/x b/y\nrename from a/x\nrename to b/y\n", ("a/x", "b/y")),
        (b"diff --git x b/y\nrename from x\nrename to b/y\n", ("b/y", "x")),
        (b"diff --git a/m n b/o p q\nrename from m n\nrename to o p q\n", ("m n", "o p q")),
        (b"diff --git m n o p q\nrename from m n\nrename to o p q\n", ("m n", "o p q")),
        (b'diff --git "a/\\303\\251" b/e\nrename from "\\303\\251"\nrename to e\n', ("e", "\u00e9")),
    ],
)
def test_b56_rename_lines_decide_whether_there_is_a_prefix(header: bytes, paths: tuple[str, ...]) -> None:
    assert read(header).paths == paths


def test_sections_for_one_path_apply_in_sequence() -> None:
    second = b"--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n b\n+c\n"
    assert tree(PLAIN + second, {"f": b"a\n"}) == {"f": b"b\nc\n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n  a\n", "COMBINED_DIFF"),
        (b"diff --combined f\n", "COMBINED_DIFF"),
        (b"--- a/f\n+++ b/f\n@@@ -1,5 -1,5 +1,5 @@@\n", "COMBINED_DIFF"),
        (PLAIN + git(b"x", b"index 1..2", b"Binary files a/x and b/x differ") + PLAIN, "BINARY_WITHOUT_DATA"),
        (PLAIN + b"Binary files old/x and new/x differ\n", "BINARY_WITHOUT_DATA"),
        (b"Files old/x and new/x differ\n" + PLAIN, "BINARY_WITHOUT_DATA"),
    ],
)
def test_b38_combined_and_dataless_sections_refuse_the_whole_message(text: bytes, expected: str) -> None:
    error = refusal(text, {"f": b"a\n"})
    assert (type(error), error.code) == (MalformedEdit, expected)
    assert expected == "COMBINED_DIFF" or "x" in error.message


def test_a_section_without_any_path_cannot_be_made() -> None:
    section = FilePatch(None, None, Relation.PLAIN, None, None, (), None, "", "", is_git=True, series=0, line=1)
    with pytest.raises(ValueError, match="at least one path"):
        _ = section.path


def test_a_mail_without_its_rule_is_read_from_its_diff() -> None:
    text = b"From " + b"a" * 40 + b" Mon Sep 17 00:00:00 2001\nSubject: x\n\n" + PLAIN
    assert tree(text, {"f": b"a\n"}) == {"f": b"b\n"}


def test_many_mails_that_rename_are_read_in_little_time() -> None:
    def mail(at: int) -> bytes:
        rename = b"diff --git a/f%d b/f%d\nrename from f%d\nrename to f%d\n" % (at, at + 1, at, at + 1)
        return b"From " + b"a" * 40 + b" x\n---\n" + rename

    outcome = applied(b"".join(map(mail, range(5000))), {"f0": b"x"})
    assert (outcome.tree, outcome.renames) == ({"f5000": Content(b"x", Mode.REGULAR)}, {"f5000": "f0"})
