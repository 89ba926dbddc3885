"""Paths that a proposal may never name, each with its code; the ids are rows of the security checklist."""

from __future__ import annotations

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import MAX_DEPTH, RepoPath, skeleton
from redline.errors import UnsafePath

REFUSED = {
    "PATH_ABSOLUTE": (
        # S01
        *("/etc/x", "/", "//srv/s/x", "C:/x", "C:x", "c:", "\\\\?\\C:\\x", "\\\\srv\\share", "~/x", "~", "~root/x"),
    ),
    "PATH_TRAVERSAL": (
        # S02
        *("", ".", "..", "../x", "a/../x", "a/..", "a/./x", "./a", "a//b", "a/", "a/.", "..."),
        *("a/ /b", "\u200b", "a/\u200d/b", ":x"),
    ),
    "PATH_CONTROL": (
        # S03
        *("a\0b", "a\nb", "a\tb", "a\rb", "\x1b[2J", "a\x7f", "a\u0080", "a\u0085", "a\u009b", "a\u009f"),
        *("a\u2028b", "a\u2029b"),
    ),
    "PATH_ENCODING": (
        # S04
        *("\udcff", "a/\ud800", "a\udfff", os.fsdecode(b"caf\xe9"), "cafe\u0301", "\u212bngstrom", "\u1100\u1161"),
    ),
    "PATH_BACKSLASH": (
        # S05
        *("a\\..\\..\\b", ".git\\hooks\\x", "\\x", "a\\", "a/b\\c"),
    ),
    "PATH_GIT": (
        # S07
        *(".git", ".GIT", ".Git", ".git.", ".git ", ".git . .", ".git::$INDEX_ALLOCATION", ".git:x"),
        *("git~1", "GIT~1", "git~2", "git~12", ".g\u200cit", ".gi\ufefft", ".g\u200bit", ".g\u00adit", ".g\u2060it"),
        *("\uff0e\uff47\uff49\uff54", ".git\u00a0", ".git\u200b .", ".g\u034fit", "\u2024git", ".\u24d6it"),
        # S08
        *(".git/hooks/pre-commit", "sub/.git", "sub/.git/config", "a/.GIT./b", "a/git~1/b"),
    ),
    "PATH_SELF": (
        # S10
        *(".proposals", ".proposals/journal.sqlite3", ".PROPOSALS/x", ".proposals./x", "PROPOS~1/x", "propos~9"),
        *(".propo\u017fals/x", ".pro\u200bposals/x", "sub/.proposals/x", ".proposals::$DATA"),
        *(".redline.toml", ".Redline.TOML", ".redline.toml.", ".redline.toml:x", "REDLIN~1.TOM", "redlin~2"),
    ),
    "PATH_SUBMODULE": (
        # S11
        *(".gitmodules", ".GITMODULES", ".gitmodules ", ".gitmodules:x", "GITMOD~1", "gi7eba~1", ".git\u200bmodules"),
    ),
    "PATH_TOO_LONG": (
        # S22
        *("a" * 256, "\u00e9" * 128, "/".join(["a"] * 65), "a/" * 2500 + "a", "/".join(["a" * 200] * 6)),
    ),
}


@pytest.mark.parametrize(("code", "path"), [(code, path) for code, paths in REFUSED.items() for path in paths])
def test_a_path_that_could_escape_hide_or_break_is_refused_by_its_code(code: str, path: str) -> None:
    with pytest.raises(UnsafePath) as refusal:
        RepoPath(path)
    assert refusal.value.code == code
    assert refusal.value.message.isascii()
    assert refusal.value.hint.startswith("Name the file relative")


@pytest.mark.parametrize(
    "path",
    [
        *("a", "a.txt", "src/b.py", "with blank.txt", " leading", "a/b c/d", "caf\u00e9", "\u65e5\u672c/\u8a9e.md"),
        *(".github/x", ".gitignore", ".gitattributes", "sub/.gitmodules", "sub/.redline.toml", ".gitx", "x.git", ".gi"),
        *("git", "GIT", "git~x", "git~", "a..b", "..a", "a...b", "-rf", "--help", "proposals", ".proposals2"),
        *("'single'", 'dou"ble', "a$b", "$(x)", "`x`", "a;b", "a&b", "*", "?", "[x]", "#x", "!x", ":(top)x"[4:]),
        *("a" * 255, "\u00e9" * 127, "/".join(["a"] * MAX_DEPTH), "redline.toml", "A" * 200 + "/b", "a.", "a.txt "),
        *("CON", "nul.py", "a.txt:ads"),
    ],
)
def test_a_name_that_is_only_odd_is_taken_as_it_is(path: str) -> None:
    assert RepoPath(path) == path


@pytest.mark.parametrize(
    ("path", "why"),
    [
        # S06
        ("a.txt.", "'a.txt.' ends in a dot or a blank"),
        ("d /a", "'d ' ends in a dot or a blank"),
        ("a.txt:ads", "'a.txt:ads' holds a character that Windows reserves"),
        ("a.txt::$DATA", "'a.txt::$DATA' holds a character that Windows reserves"),
        ("CON", "'CON' is a device name on Windows"),
        ("src/nul.py", "'nul.py' is a device name on Windows"),
        ("aux", "'aux' is a device name on Windows"),
        ("COM1", "'COM1' is a device name on Windows"),
        ("COM\u00b9", "'COM\\xb9' is a device name on Windows"),
        ("lpt9.log", "'lpt9.log' is a device name on Windows"),
        ("CONIN$", "'CONIN$' is a device name on Windows"),
        ("con .txt", "'con .txt' is a device name on Windows"),
        *((f"a{mark}b", f"{f'a{mark}b'!a} holds a character that Windows reserves") for mark in '<>"|?*'),
    ],
)
def test_what_windows_could_not_check_out_is_said(path: str, why: str) -> None:
    assert RepoPath(path).portability_fault == why


@pytest.mark.parametrize("path", ["src/b.py", "console.py", "com", "com10", "nullable", "a b/c.d", "conin"])
def test_a_portable_name_has_no_portability_fault(path: str) -> None:
    assert RepoPath(path).portability_fault is None


def test_a_refusal_of_a_giant_path_is_short() -> None:
    with pytest.raises(UnsafePath) as refusal:
        RepoPath("a" * 1_000_000)
    assert len(refusal.value.message) < 400
    assert len(str(refusal.value.details)) < 400


def test_a_path_knows_its_folders_and_its_name() -> None:
    path = RepoPath("a/b/c.txt")
    assert (path.parents, path.name) == (("a", "a/b"), "c.txt")
    assert (RepoPath("c.txt").parents, RepoPath("c.txt").name) == ((), "c.txt")


@given(st.text(max_size=40))
def test_whatever_is_taken_stays_below_the_root_and_is_never_altered(text: str) -> None:
    try:
        path = RepoPath(text)
    except UnsafePath:
        return
    assert str(path) == text
    assert os.path.normpath(os.path.join("/root", path)) == f"/root/{text}"
    assert unicodedata.normalize("NFC", text).encode() == text.encode()
    assert all(skeleton(part) not in {"", ".git", ".proposals"} for part in text.split("/"))


@given(st.text(".gitGIT~1 \u200b\u200c\ufeff\u00ad:\uff47\uff49\uff54\uff0e", max_size=12))
def test_no_spelling_of_gits_folder_slips_through(text: str) -> None:
    try:
        path = RepoPath(f"a/{text}/b")
    except UnsafePath:
        return
    assert skeleton(path.split("/")[1]) != ".git"
