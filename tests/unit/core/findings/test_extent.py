"""How much changes, and how much of that is layout."""

from __future__ import annotations

import pytest

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.findings import examine
from redline.core.notes import Finding, Severity
from redline.core.paths import RepoPath

INFO, SENSITIVE, CRITICAL = Severity.INFO, Severity.SENSITIVE, Severity.CRITICAL


def side(data: bytes) -> Content:
    return Content(data, Mode.REGULAR)


def edited(path: str, before: bytes, after: bytes) -> tuple[Finding, ...]:
    return examine((ContentChange(RepoPath(path), side(before), side(after)),))


def test_s42_more_than_400_changed_lines_are_a_mass_change() -> None:
    for count, expected in ((400, ()), (401, ("at least 401 changed lines in 1 file: much to read at once",))):
        data = b"".join(b"x%d\n" % number for number in range(count))
        found = examine((ContentChange(RepoPath("a.c"), None, side(data)),))
        assert tuple(finding.text for finding in found) == expected


def test_s42_lines_that_are_repeated_count() -> None:
    (found,) = edited("a.c", b"x\n", b"x\n" * 500)
    assert found.text.startswith("at least 499 changed lines in 1 file")


def test_s42_more_than_20_files_are_a_mass_change() -> None:
    changes = tuple(ContentChange(RepoPath(f"{number}.c"), None, side(b"x\n")) for number in range(21))
    assert examine(changes[:20]) == ()
    text = "at least 21 changed lines in 21 files: much to read at once"
    assert examine(changes) == (Finding("MASS_CHANGE", SENSITIVE, text),)


def test_s42_one_constant_in_a_reformatting_is_counted() -> None:
    before = b"".join(b"if (x%d) { limit = 10; }\n" % number for number in range(2500))
    after = before.replace(b" { ", b"\n{\n  ").replace(b"; }", b";\n}")
    after = after.replace(b"(x77)\n{\n  limit = 10", b"(x77)\n{\n  limit = 99")
    whole = edited("a.c", before, after)[0]
    assert (whole.code, whole.severity, whole.path) == ("MASS_CHANGE", SENSITIVE, None)
    assert whole.text.endswith("; beside white space and order, 2 words or signs of the edited files change")


def test_s27_more_than_20_deletions_are_critical_renames_apart() -> None:
    gone = tuple(ContentChange(RepoPath(f"{number}.c"), side(b"x\n"), None) for number in range(21))
    assert Finding("MASS_DELETION", CRITICAL, "deletes 21 files") in examine(gone)
    moved = (*gone, ContentChange(RepoPath("n.c"), None, side(b"x\n"), RepoPath("0.c")))
    assert "MASS_DELETION" not in {finding.code for finding in examine(moved)}


@pytest.mark.parametrize(
    ("path", "before", "after", "severity"),
    [
        ("a.c", b"a  b\n", b"a b\n", INFO),
        ("a.c", b"a\tb", b"a b\n", INFO),
        ("a.c", b"a b\n", b"ab\n", SENSITIVE),
        ("a.py", b"if a:\n    b\nc\n", b"if a:\n    b\n    c\n", SENSITIVE),
        ("Makefile", b"a:\n\tb\n", b"a:\n        b\n", SENSITIVE),
    ],
)
def test_s41_a_change_of_white_space_alone_is_told(path: str, before: bytes, after: bytes, severity: Severity) -> None:
    expected = Finding("WHITESPACE_ONLY", severity, "only blanks and line breaks change", RepoPath(path))
    assert expected in edited(path, before, after)


@pytest.mark.parametrize(("before", "after"), [(b"a\n", b"a\r\n"), (b"a\n", b"b\n"), (b" \n", b"")])
def test_s41_anything_else_is_not(before: bytes, after: bytes) -> None:
    assert "WHITESPACE_ONLY" not in {finding.code for finding in edited("a.c", before, after)}


def test_s44_binary_bytes_where_no_text_is_promised() -> None:
    text = "turns from text into binary"
    assert edited("data", b"x\n", b"\0") == (Finding("TEXT_TO_BINARY", SENSITIVE, text, RepoPath("data")),)
    assert edited("data", b"\0", b"\0\1") == ()
    (found,) = edited("a.py", b"\0", b"\0\1")
    assert (found.code, found.severity) == ("BINARY_AS_TEXT", CRITICAL)
