"""Public bug reports, each with its own input through every format that it concerns; the id is in the test's name."""

from __future__ import annotations

import json

import pytest
from tests.unit.intake.support import applied, code, refusal, tree


def codex(path: str, body: bytes) -> bytes:
    return b"*** Begin Patch\n*** Update File: %b\n%b*** End Patch\n" % (path.encode(), body)


def edit(path: str, old: str, new: str, **more: object) -> bytes:
    fields = {"file_path": path, "old_string": old, "new_string": new, **more}
    return json.dumps({"name": "Edit", "input": fields}).encode()


def positioned(path: str, width: int, new: str) -> bytes:
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": width}}
    return json.dumps({"changes": {path: [{"range": span, "newText": new}]}}).encode()


def native(path: str, old: str, new: str) -> bytes:
    item = {"op": "replace", "path": path, "before": old, "after": new}
    return json.dumps({"schema": "redline.edit/1", "edits": [item]}).encode()


def block(path: str, old: bytes, new: bytes) -> bytes:
    return b"%b\n<<<<<<< SEARCH\n%b=======\n%b>>>>>>> REPLACE\n" % (path.encode(), old, new)


def diff(path: str, hunk: bytes) -> bytes:
    return b"--- a/%b\n+++ b/%b\n%b" % (path.encode(), path.encode(), hunk)


def udiff(path: str, body: bytes) -> bytes:
    return b"```diff\n--- a/%b\n+++ b/%b\n@@ ... @@\n%b```\n" % (path.encode(), path.encode(), body)


def whole(path: str, content: bytes) -> bytes:
    return b"%b\n````\n%b````\n" % (path.encode(), content)


@pytest.mark.parametrize(
    "text",
    [
        codex("f", b"@@\n alpha\n+inserted\n beta\n"),
        edit("f", "alpha\nbeta", "alpha\ninserted\nbeta"),
        block("`f`", b"alpha\nbeta\n", b"alpha\ninserted\nbeta\n"),
        udiff("f", b" alpha\n+inserted\n beta\n"),
        diff("f", b"@@ -1,2 +1,3 @@\n alpha\n+inserted\n beta\n"),
    ],
)
def test_b08_an_lf_edit_of_a_crlf_file_takes_its_line_ends_and_says_so(text: bytes) -> None:
    outcome = applied(text, {"f": b"alpha\r\nbeta\r\n"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"alpha\r\ninserted\r\nbeta\r\n", ("LINE_ENDS",))


@pytest.mark.parametrize("rest", [b"// caf\xe9 note\n", b"\x00\x01", b"\xef\xbb\xbf", b"\xf0\xca\xc9\n"])
def test_b10_bytes_elsewhere_stay_as_they_are(rest: bytes) -> None:
    for text in (edit("s.js", "x = 1", "x = 2"), codex("s.js", b"@@\n-const x = 1;\n+const x = 2;\n")):
        assert tree(text, {"s.js": b"const x = 1;\n" + rest + b"\n"}) == {"s.js": b"const x = 2;\n" + rest + b"\n"}


@pytest.mark.parametrize(
    "text",
    [
        edit("f.txt", "hello", "hello2"),
        codex("f.txt", b"@@\n-hello\n+hello2\n"),
        block("f.txt", b"hello\n", b"hello2\n"),
        udiff("f.txt", b"-hello\n+hello2\n"),
    ],
)
def test_b11_a_byte_order_mark_is_kept_and_never_gained(text: bytes) -> None:
    for mark in (b"\xef\xbb\xbf", b""):
        outcome = applied(text, {"f.txt": mark + b"hello\n\xe4\xb8\xad\n"})
        assert outcome.tree["f.txt"].data == mark + b"hello2\n\xe4\xb8\xad\n"


def test_b11_a_whole_file_is_taken_byte_for_byte() -> None:
    assert tree(whole("f.txt", b"x\n"), {"f.txt": b"\xef\xbb\xbfx\n"}) == {"f.txt": b"x\n"}


def test_b12_a_missing_last_line_end_stays_missing_where_the_edit_is_elsewhere() -> None:
    before, after = {"f": b"line1\nline2\nline3"}, {"f": b"LINE1\nline2\nline3"}
    assert tree(edit("f", "line1", "LINE1"), before) == after
    assert tree(udiff("f", b"-line1\n+LINE1\n"), before) == after


def test_b12_a_codex_patch_ends_every_file_and_says_so() -> None:
    outcome = applied(codex("f", b"@@\n-line1\n+LINE1\n line2\n"), {"f": b"line1\nline2\nline3"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"LINE1\nline2\nline3\n", ("LAST_LINE_END",))


def test_b12_an_appended_line_is_not_glued_to_the_last_one() -> None:
    outcome = applied(codex("f", b"@@\n world\n+tail\n"), {"f": b"hello\nworld"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"hello\nworld\ntail\n", ("LAST_LINE_END",))
    hunk = b"@@ -1,2 +1,3 @@\n hello\n-world\n\\ No newline at end of file\n+world\n+tail\n"
    assert tree(diff("f", hunk), {"f": b"hello\nworld"}) == {"f": b"hello\nworld\ntail\n"}


@pytest.mark.parametrize(
    "text",
    [
        diff("f", b"@@ -1,4 +1,4 @@\n alpha\n beta\rcar\n gamma\x0cx\n-delta\n+d\xe2\x80\xa8\x1b\n"),
        codex("f", b"@@\n gamma\x0cx\n-delta\n+d\xe2\x80\xa8\x1b\n"),
        edit("f", "delta", "d\u2028\x1b"),
        whole("`f`", b"alpha\nbeta\rcar\ngamma\x0cx\nd\xe2\x80\xa8\x1b\n"),
    ],
)
def test_b14_only_lf_ends_a_line(text: bytes) -> None:
    before = {"f": b"alpha\nbeta\rcar\ngamma\x0cx\ndelta\n"}
    assert tree(text, before) == {"f": b"alpha\nbeta\rcar\ngamma\x0cx\nd\xe2\x80\xa8\x1b\n"}


def test_b16_look_alikes_are_written_as_they_are_and_matched_with_a_note_only() -> None:
    assert tree(edit("f", "'", "\u2019"), {"f": b"it's\n"}) == {"f": b"it\xe2\x80\x99s\n"}
    text = codex("f", "@@\n top\u2011level\n-a\n+b\n".encode())
    outcome = applied(text, {"f": b"top-level\na\n"})
    assert (outcome.tree["f"].data, outcome.leniencies) == (b"top-level\nb\n", ("LOOK_ALIKE",))


NEW = r"$& $$ $` \1 \g<0> C:\new\table &amp; &lt; &apos; %s {x} \\"


@pytest.mark.parametrize(
    "text",
    [
        native("f", "old", NEW),
        edit("f", "old", NEW),
        edit("f", "old", NEW, replace_all=True),
        codex("f", b"@@\n-old\n+" + NEW.encode() + b"\n"),
        diff("f", b"@@ -1 +1 @@\n-old\n+" + NEW.encode() + b"\n"),
        udiff("f", b"-old\n+" + NEW.encode() + b"\n"),
        block("`f`", b"old\n", NEW.encode() + b"\n"),
        whole("`f`", NEW.encode() + b"\n"),
        b"<write_to_file>\n<path>f</path>\n<content>\n" + NEW.encode() + b"\n</content>\n</write_to_file>",
        positioned("f", 3, NEW),
    ],
)
def test_b17_new_text_is_no_template_in_any_format(text: bytes) -> None:
    assert tree(text, {"f": b"old\n"}) == {"f": NEW.encode() + b"\n"}


def test_b17_old_text_is_no_template_either() -> None:
    assert tree(edit("f", "a &amp; b", "a &lt; b"), {"f": b"a &amp; b\n"}) == {"f": b"a &lt; b\n"}
    assert code(edit("f", "a & b", "x"), {"f": b"a &amp; b\n"}) == "NO_MATCH"
    assert code(edit("f", "a.c", "x"), {"f": b"abc\n"}) == "NO_MATCH"


PATHS = [
    ("a/../../tmp/evil", "PATH_TRAVERSAL"),
    ("/etc/hosts", "PATH_ABSOLUTE"),
    ("sub/../../x", "PATH_TRAVERSAL"),
    (".git/hooks/pre-commit", "PATH_GIT"),
    (".GIT/config", "PATH_GIT"),
    ("sub/.git/config", "PATH_GIT"),
    (".proposals/journal.db", "PATH_SELF"),
]


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_b22_no_format_lets_a_path_out(path: str, expected: str) -> None:
    for text in (
        edit(path, "a", "b"),
        codex(path, b"@@\n-a\n+b\n"),
        b"*** Begin Patch\n*** Update File: f\n*** Move to: %b\n@@\n-a\n+b\n*** End Patch\n" % path.encode(),
        block(f"`{path}`", b"a\n", b"b\n"),
        whole(f"`{path}`", b"b\n"),
        udiff(path, b"-a\n+b\n"),
        diff(path, b"@@ -1 +1 @@\n-a\n+b\n"),
        b"<write_to_file>\n<path>%b</path>\n<content>b</content>\n</write_to_file>" % path.encode(),
        positioned(path, 0, "b"),
        native(path, "a", "b"),
    ):
        assert code(text, {"f": b"a\n"}) == expected, text


TWICE = {"f": b"}\nx\n}\n}\n"}


def test_b31_b32_what_stands_several_times_is_refused_with_the_lines() -> None:
    for text in (edit("f", "}", "]"), block("`f`", b"}\n", b"]\n"), udiff("f", b"-}\n+]\n")):
        error = refusal(text, TWICE)
        assert (error.code, "(lines 1, 3, 4)" in error.message) == ("AMBIGUOUS", True)
    assert applied(codex("f", b"@@\n-}\n+]\n"), TWICE).leniencies == ("FIRST_OF_SEVERAL",)
    assert tree(edit("f", "}", "]", replace_all=True), TWICE) == {"f": b"]\nx\n]\n]\n"}


def test_b31_a_tolerant_match_must_be_the_only_one() -> None:
    before = {"f.py": b"if a:\n\t\tflush()\n\t\treturn None\nif b:\n\t\t\tflush()\n\t\t\treturn None\n"}
    error = refusal(codex("f.py", b"@@\n-            flush()\n-            return None\n"), before)
    assert (error.code, "(lines 2, 5)" in error.message) == ("AMBIGUOUS", True)


def test_b32_a_scope_line_decides() -> None:
    before = {"f": b"fn a() {\n    x\n}\nfn b() {\n    x\n}\n"}
    after = {"f": b"fn a() {\n    x\n}\nfn b() {\n    y\n}\n"}
    assert tree(codex("f", b"@@ fn b() {\n-    x\n+    y\n"), before) == after


def test_b32_later_edits_see_what_earlier_ones_wrote() -> None:
    edits = [{"old_string": "a", "new_string": "bc"}, {"old_string": "bc", "new_string": "d"}]
    text = json.dumps({"name": "MultiEdit", "input": {"file_path": "f", "edits": edits}}).encode()
    assert tree(text, {"f": b"a\n"}) == {"f": b"d\n"}


@pytest.mark.parametrize("text", [edit("f", "", "X"), edit("f", "", "X", replace_all=True), block("`f`", b"", b"X\n")])
def test_b33_an_empty_old_text_never_means_everything(text: bytes) -> None:
    assert code(text, {"f": b"abc"}) == "EMPTY_BEFORE"
    for before in ({}, {"f": b""}):
        assert applied(text, before).tree["f"].data.rstrip(b"\n") == b"X"


CONFLICT = b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (block("f.md", CONFLICT, b"a\n"), "DIVIDER_TWICE"),
        (block("f.md", b"Summary\n=======\n", b"x\n"), "DIVIDER_TWICE"),
        (block("f.md", b"x\n", b"y\n=======\nz\n"), "DIVIDER_TWICE"),
        (b"```markdown\nREADME.md\n```\n", "FORMAT_UNKNOWN"),
        (block("f.md", b"x\n", b"y\n") + b"\n" + codex("g", b"@@\n-a\n+b\n"), "FORMAT_AMBIGUOUS"),
    ],
)
def test_b35_markers_that_could_be_content_are_refused(text: bytes, expected: str) -> None:
    error = refusal(text, {"f.md": b"x\n"})
    assert error.code in {expected, "FORMATS_MIXED"}, error.message


@pytest.mark.parametrize(
    "wrap", [b"```diff\n%b```\n", b"apply_patch <<'PATCH-1'\n%bPATCH-1\n", b"Look:\n\n~~~\n%b~~~\n"]
)
def test_b35_what_wraps_a_patch_is_stripped_once(wrap: bytes) -> None:
    patch = codex("README.md", b"@@\n ```\n-a\n+<<<<<<< SEARCH\n ```\n")
    assert tree(wrap % patch, {"README.md": b"```\na\n```\n"}) == {"README.md": b"```\n<<<<<<< SEARCH\n```\n"}


def test_b35_a_marker_within_a_line_is_text() -> None:
    new = b"see >>>>>>> REPLACE in docs\n"
    assert tree(block("f.md", b"x\n", new), {"f.md": b"x\n"}) == {"f.md": new}


def test_b36_an_added_file_over_another_is_noted_and_nothing_is_deleted_unseen() -> None:
    add = b"*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n"
    assert applied(add, {"f": b"old\n"}).leniencies == ("EXISTED_BEFORE",)
    assert code(b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-stale\n", {"f": b"current\n"}) == "NO_MATCH"
    assert code(b"*** Begin Patch\n*** Delete File: f\n*** End Patch\n", {}) == "NO_SUCH_FILE"


def test_b36d_a_file_is_not_moved_over_another_unless_that_is_deleted_first() -> None:
    move = b"*** Update File: f\n*** Move to: g\n@@\n-x\n+y\n*** End Patch\n"
    files = {"f": b"x\n", "g": b"old\n"}
    error = refusal(b"*** Begin Patch\n" + move, files)
    assert (error.code, error.message) == ("FILE_EXISTS", "f is to be moved to g, where a file exists")
    assert tree(b"*** Begin Patch\n*** Delete File: g\n" + move, files) == {"g": b"y\n"}
