from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redline.core.hunks import FileDiff, HunkLine, LineKind, count
from redline.core.paths import RepoPath

PATH = RepoPath("a.txt")


def diff(body: bytes, path: RepoPath = PATH) -> FileDiff:
    return FileDiff(path, body, is_binary=False)


def test_a_hunk_is_read_line_by_line_with_both_numbers() -> None:
    (hunk,) = diff(b"@@ -3,3 +4,3 @@ def f(\xff):\n one\n-two\n+zwei\n three\n\\ No newline at end of file\n").hunks()
    assert hunk.header == "@@ -3,3 +4,3 @@ def f(\ufffd):"
    assert hunk.lines == (
        HunkLine(LineKind.CONTEXT, b"one", 3, 4),
        HunkLine(LineKind.REMOVED, b"two", 4, None),
        HunkLine(LineKind.ADDED, b"zwei", None, 5),
        HunkLine(LineKind.CONTEXT, b"three", 5, 6),
        HunkLine(LineKind.NO_NEWLINE, b" No newline at end of file", None, None),
    )
    assert (hunk.insertions, hunk.deletions) == (1, 1)


def test_an_id_does_not_depend_on_line_numbers_or_on_the_section() -> None:
    here, there = (diff(b"@@ -%d,2 +%d,2 @@ x%d\n a\n-b\n+c\n" % (n, n + 1, n)).hunks()[0] for n in (1, 70))
    assert here.id == there.id
    assert here.header != there.header


def test_an_id_depends_on_path_content_and_context() -> None:
    bodies = (b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"@@ -1,2 +1,2 @@\n x\n-b\n+c\n", b"@@ -1,2 +1,2 @@\n a\n-b\n+d\n")
    ids = {diff(body).hunks()[0].id for body in bodies} | {diff(bodies[0], RepoPath("b.txt")).hunks()[0].id}
    assert len(ids) == 4


def test_equal_hunks_of_one_file_are_numbered() -> None:
    body = b"".join(b"@@ -%d,1 +%d,1 @@\n-a\n+b\n" % (line, line) for line in (1, 20, 40))
    first, second, third = (hunk.id for hunk in diff(body).hunks())
    assert (second, third) == (f"{first}-2", f"{first}-3")


def test_a_final_newline_is_part_of_the_id() -> None:
    with_it = diff(b"@@ -1 +1 @@\n-a\n+b\n").hunks()[0]
    without = diff(b"@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n").hunks()[0]
    assert with_it.id != without.id


def test_a_binary_or_empty_difference_has_no_hunks() -> None:
    assert FileDiff(PATH, b"GIT binary patch\nliteral 0\n", is_binary=True).hunks() == ()
    assert diff(b"").hunks() == ()


def test_lines_are_counted() -> None:
    hunks = {PATH: diff(b"@@ -1 +1,2 @@\n-a\n+b\n+c\n").hunks(), RepoPath("m"): ()}
    assert count(hunks) == (2, 1)


_lines = st.lists(
    st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"\r"))
    | st.sampled_from(
        [
            b"",
            b"\r",
            b"\r\r",
            b"\r\rx",
            b"-- a/b",
            b"++ b/c",
            b"@@ -1 +1 @@",
            b"\\ x",
            b"diff --git a/x b/x",
            b"\x0b\x0c\x1c\x85",
            "\u2028\u0085".encode(),
            b"\0",
        ]
    ),
    min_size=1,
    max_size=6,
)


@given(_lines, _lines)
def test_every_byte_of_every_line_survives(removed: list[bytes], added: list[bytes]) -> None:
    body = b"@@ -1,%d +1,%d @@\n" % (len(removed), len(added))
    body += b"".join(b"-" + line + b"\n" for line in removed) + b"".join(b"+" + line + b"\n" for line in added)
    (hunk,) = diff(body).hunks()
    assert [line.data for line in hunk.lines if line.kind is LineKind.REMOVED] == removed
    assert [line.data for line in hunk.lines if line.kind is LineKind.ADDED] == added
