from __future__ import annotations

import pytest
from tests.unit.intake.support import HUNK, PLAIN, applied, code, executable, git, refusal, tree

from redline.core.content import Mode
from redline.core.paths import RepoPath
from redline.errors import MalformedEdit, PathRefused
from redline.intake.detect import read
from redline.intake.edits import FilePatch, Hunk, Relation


def test_a_section_is_read_with_everything_it_states() -> None:
    text = git(
        b"f",
        b"old mode 100644",
        b"new mode 100755",
        b"index 7898192..6178079",
        b"--- a/f",
        b"+++ b/f",
        b"@@ -1,2 +1,2 @@ def x():",
        b" a",
        b"-b",
        b"\\ No newline at end of file",
        b"+c",
    )
    expected = FilePatch(
        source=RepoPath("f"),
        target=RepoPath("f"),
        relation=Relation.PLAIN,
        old_mode=Mode.REGULAR,
        new_mode=Mode.EXECUTABLE,
        hunks=(Hunk(1, 1, (b" a\n", b"-b", b"+c\n"), 7),),
        binary=None,
        before_oid="7898192",
        after_oid="6178079",
        is_git=True,
        series=0,
        line=1,
    )
    reading = read(text)
    assert (reading.format, reading.reason, reading.edits, reading.leniencies) == (
        "diff",
        "",
        (expected,),
        (),
    )
    assert applied(text, {"f": b"a\nb"}).tree == {"f": executable(b"a\nc\n")}


@pytest.mark.parametrize(
    ("header", "path"),
    [
        (b"--- a/f.py\n+++ b/f.py\n", "f.py"),
        (b"--- f.py\n+++ f.py\n", "f.py"),
        (b"--- src/f.py\n+++ src/f.py\n", "src/f.py"),
        (b"--- a/bar\n+++ a/bar\n", "a/bar"),
        (b"--- i/f.py\n+++ w/f.py\n", "f.py"),
        (b"--- old/src/f.py\n+++ new/src/f.py\n", "src/f.py"),
        (b"--- f.py.orig\n+++ f.py\n", "f.py"),
        (b"--- a/f.py.orig\n+++ b/f.py\n", "f.py"),
        (b"--- f.py~\n+++ f.py\n", "f.py"),
        (b"--- a/f.py\t2024-01-01 00:00:00.0 +0100\n+++ b/f.py\t2024-01-01\n", "f.py"),
        (b"--- f.py 2024-01-01 00:00:00 +0100\n+++ f.py  2024-01-01 00:00:01.25 +0100\n", "f.py"),
        (b"--- f.py\t(revision 12)\n+++ f.py\t(working copy)\n", "f.py"),
        (b"--- a/my file.py\t\n+++ b/my file.py\t\n", "my file.py"),
        (b'--- "a/caf\\303\\251.py"\n+++ "b/caf\\303\\251.py"\n', "caf\u00e9.py"),
        (b'--- "a/q\\"q.py"\t\n+++ "b/q\\"q.py"\n', 'q"q.py'),
        (b"diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n", "f.py"),
        (b"diff --git f.py f.py\n--- f.py\n+++ f.py\n", "f.py"),
        (b"diff --git a/f.py a/f.py\n--- a/f.py\n+++ a/f.py\n", "a/f.py"),
        (b"diff --git i/f.py w/f.py\n--- i/f.py\n+++ w/f.py\n", "f.py"),
        (b"diff --git 1/f.py 2/f.py\n--- 1/f.py\n+++ 2/f.py\n", "f.py"),
        (b"diff --git a/x b/y b/x b/y\n--- a/x b/y\n+++ b/x b/y\n", "x b/y"),
        (b"diff --git a/my file b/my file\n--- a/my file\t\n+++ b/my file\t\n", "my file"),
        (b'diff --git "a/\\303\\251" "b/\\303\\251"\n--- a/\xc3\xa9\n+++ b/\xc3\xa9\n', "\u00e9"),
        (b'diff --git "a/\\303\\251" b/\xc3\xa9\n--- a/\xc3\xa9\n+++ b/\xc3\xa9\n', "\u00e9"),
        (b'diff --git a/\xc3\xa9 "b/\\303\\251"\n--- a/\xc3\xa9\n+++ b/\xc3\xa9\n', "\u00e9"),
        (b"Index: f.py\n" + b"=" * 67 + b"\n--- f.py\n+++ f.py\n", "f.py"),
    ],
)
def test_b23_b56_the_header_names_one_path(header: bytes, path: str) -> None:
    assert tree(header + HUNK, {path: b"a\n"}) == {path: b"b\n"}


@pytest.mark.parametrize(
    ("header", "strip", "path"),
    [
        (b"--- a/f\n+++ b/f\n", 1, "f"),
        (b"--- a/f\n+++ a/f\n", 0, "a/f"),
        (b"--- a/f\n+++ a/f\n", 1, "f"),
        (b"--- x/y/z/f\n+++ p/q/z/f\n", 2, "z/f"),
        (b"diff --git a/d/f b/d/f\n--- a/d/f\n+++ b/d/f\n", 2, "f"),
    ],
)
def test_strip_drops_leading_folders(header: bytes, strip: int, path: str) -> None:
    assert tree(header + HUNK, {path: b"a\n"}, strip=strip) == {path: b"b\n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"--- a/f\n+++ b/g\n" + HUNK, "NAMES_DIFFER"),
        (b"--- x/y/f\n+++ p/q/f\n" + HUNK, "NAMES_DIFFER"),
        (git(b"f", b"--- a/f", b"+++ b/g") + HUNK, "NAMES_DIFFER"),
        (git(b"f", b"--- a/g", b"+++ b/g") + HUNK, "NAMES_DIFFER"),
        (git(b"f", b"new file mode 100644", b"--- a/f", b"+++ b/g", b"@@ -0,0 +1 @@", b"+x"), "NAMES_DIFFER"),
        (b"diff --git a/x b/yy\nold mode 100644\nnew mode 100755\n", "NAMES_DIFFER"),
        (b"diff --git a b c d\nold mode 100644\nnew mode 100755\n", "NAMES_DIFFER"),
        (b"diff --git a/f b/f\nrename from x\nrename to y\n", "NAMES_DIFFER"),
        (b"diff --git a/f b/f\nrename from f\nrename to f\n", "NAMES_DIFFER"),
        (b'--- "a/f\n+++ b/f\n' + HUNK, "HEADER_NAME"),
        (b'--- "a/"f\n+++ b/f\n' + HUNK, "HEADER_NAME"),
        (PLAIN + b"--- src/g\n+++ src/g\n" + HUNK, "PREFIX_MIXED"),
        (PLAIN + b"--- /dev/null\n+++ src/g\n@@ -0,0 +1 @@\n+x\n", "PREFIX_MIXED"),
        (b"diff --git a/f b/g\nrename from f\n", "HEADER_INCOMPLETE"),
        (git(b"f", b"new mode 100755"), "HEADER_INCOMPLETE"),
        (git(b"f", b"new file mode 100644", b"deleted file mode 100644"), "HEADER_CONFLICT"),
        (b"diff --git a/f b/g\ncopy from f\ncopy to g\nnew file mode 100644\n", "HEADER_CONFLICT"),
        (git(b"f", b"new file mode 100644", b"--- /dev/null", b"+++ b/f") + HUNK, "HEADER_CONFLICT"),
        (b"--- a/f\n+++ /dev/null\n" + HUNK, "HEADER_CONFLICT"),
        (b"diff --git a/f b/g\nrename from f\nrename to g\n--- a/g\n+++ b/g\n" + HUNK, "NAMES_DIFFER"),
        (b"diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/f\n" + HUNK, "NAMES_DIFFER"),
        (b"diff --git a/f b/g\nrename from f\nrename to g\n--- /dev/null\n+++ b/g\n" + HUNK, "HEADER_CONFLICT"),
        (git(b"f", b"deleted file mode 100644", b"--- /dev/null", b"+++ b/f") + HUNK, "HEADER_CONFLICT"),
        (b"--- /dev/null\n+++ b/f\t1970-01-01 00:00:00 +0000\n", "HEADER_CONFLICT"),
        (b"--- /dev/null\n+++ /dev/null\n" + HUNK, "HEADER_CONFLICT"),
        (b"--- /dev/null\n+++ b/f\n", "SECTION_EMPTY"),
        (b"--- a/f\n+++ b/f\n", "SECTION_EMPTY"),
        (b"--- a/f\n+++ b/f\n\n" + PLAIN, "SECTION_EMPTY"),
        (git(b"f"), "SECTION_EMPTY"),
        (git(b"f", b"index 1234567..89abcde 100644"), "SECTION_EMPTY"),
        (git(b"f", b"index 1234567..89abcde 100644", b"--- a/f", b"+++ b/f"), "SECTION_EMPTY"),
        (git(b"f", b"new file mode 100644", b"index 0000000..89abcde"), "SECTION_EMPTY"),
        (HUNK, "HUNK_WITHOUT_FILE"),
        (b"+++ b/f\n" + HUNK, "HUNK_WITHOUT_FILE"),
        (b"--- a/f\n+++ b/f\n@@ ... @@\n-a\n+b\n", "HUNK_HEADER"),
        (b"--- a/f\n+++ b/f\n@@ @@\n-a\n+b\n", "HUNK_HEADER"),
        (b"--- a/f\n+++ b/f\n@@\n-a\n+b\n", "HUNK_HEADER"),
        (b"--- a/f\n+++ b/f\n@@ -" + b"9" * 5000 + b" +1 @@\n-a\n+b\n", "HUNK_HEADER"),
        (b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n", "HUNK_EMPTY"),
        (b"--- a/f\n+++ b/f\n@@ -1,0 +1,0 @@\n", "HUNK_EMPTY"),
        (b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n\\ No newline\n-b\n+a\n+c\n", "NEWLINE_MARKER"),
        (b"--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\n\\ No newline\n-b\n", "NEWLINE_MARKER"),
        (b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n\\ No newline\n-a\n+b\n", "HUNK_COUNT"),
        (PLAIN + b"\\ No newline\n\\ No newline\n", "HUNK_COUNT"),
        (b"*** a/f\n--- b/f\n" + b"*" * 15 + b"\n*** 1 ****\n! a\n--- 1 ----\n! b\n", "CONTEXT_DIFF"),
        (b"prose only\n", "NO_FILES"),
    ],
)
def test_a_broken_diff_is_refused_by_name(text: bytes, expected: str) -> None:
    error = refusal(text, {"f": b"a\n", "g": b"a\n"}, format="diff")
    assert (type(error), error.code) == (MalformedEdit, expected)


def test_strip_cannot_be_deeper_than_the_name() -> None:
    assert code(PLAIN, {}, strip=2) == "STRIP_TOO_DEEP"


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (b"120000", "PATH_SYMLINK"),
        (b"160000", "PATH_SUBMODULE"),
        (b"100600", "MODE_REFUSED"),
        (b"100664", "MODE_REFUSED"),
        (b"104755", "MODE_REFUSED"),
        (b"040000", "MODE_REFUSED"),
        (b"x", "MODE_REFUSED"),
    ],
)
@pytest.mark.parametrize("key", [b"new file mode", b"deleted file mode", b"old mode", b"new mode"])
def test_other_modes_are_refused(key: bytes, mode: bytes, expected: str) -> None:
    error = refusal(git(b"f", key + b" " + mode))
    assert (type(error), error.code) == (PathRefused, expected)


def test_a_link_in_the_index_line_is_refused() -> None:
    assert code(git(b"f", b"index 1234567..89abcde 120000", b"--- a/f", b"+++ b/f") + HUNK) == "PATH_SYMLINK"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"../f", "PATH_TRAVERSAL"),
        (b"d/../../f", "PATH_TRAVERSAL"),
        (b"/etc/hosts", "PATH_TRAVERSAL"),
        (b".git/hooks/pre-commit", "PATH_GIT"),
        (b".GIT/config", "PATH_GIT"),
        (b"sub/.git/config", "PATH_GIT"),
        (b".proposals/journal.sqlite3", "PATH_SELF"),
        (b".gitmodules", "PATH_SUBMODULE"),
        (b"x\x1b[2J", "PATH_CONTROL"),
    ],
)
def test_b22_unsafe_names_in_headers_are_refused(name: bytes, expected: str) -> None:
    texts = (
        b"--- a/%b\n+++ b/%b\n" % (name, name) + HUNK,
        git(name, b"new file mode 100644"),
        git(name, b"deleted file mode 100644"),
        b"diff --git a/%b b/g\nrename from %b\nrename to g\n" % (name, name),
        b"diff --git a/g b/%b\ncopy from g\ncopy to %b\n" % (name, name),
    )
    assert {code(text).replace("PATH_ABSOLUTE", "PATH_TRAVERSAL") for text in texts} == {expected}


def test_b25_an_absolute_name_is_refused() -> None:
    assert code(b"--- /abs/main/f\n+++ /abs/main/f\n" + HUNK) == "PATH_ABSOLUTE"


@pytest.mark.parametrize("name", [b'"a/bad\\377.txt" "b/bad\\377.txt"', b"a/bad\xff.txt b/bad\xff.txt"])
def test_b23_a_name_that_is_not_utf8_is_refused(name: bytes) -> None:
    assert code(b"diff --git " + name + b"\nnew file mode 100644\n") == "PATH_ENCODING"
