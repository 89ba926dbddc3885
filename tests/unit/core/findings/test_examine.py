from __future__ import annotations

import pytest

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.findings import examine
from redline.core.findings.hidden import LONG_LINE_CHARACTERS
from redline.core.notes import Finding, Severity
from redline.core.paths import RepoPath

PATH = RepoPath("a.py")
AS_TEXT = "holds {} under the name of a text: its lines cannot be shown"
UTF_16 = "UTF-16, or bytes that pass for it,"
INFO, SENSITIVE, CRITICAL = Severity.INFO, Severity.SENSITIVE, Severity.CRITICAL


def of(before: bytes | None, after: bytes | None, *modes: Mode) -> list[tuple[str, Severity, str, int | None]]:
    old, new = modes or (Mode.REGULAR, Mode.REGULAR)
    before_side = Content(before, old) if before is not None else None
    after_side = Content(after, new) if after is not None else None
    findings = examine((ContentChange(PATH, before_side, after_side),))
    assert all(finding.path == PATH for finding in findings)
    return [(finding.code, finding.severity, finding.text, finding.line) for finding in findings]


def test_a_plain_edit_has_no_findings() -> None:
    assert of(b"one\ntwo\n", b"one\nzwei \xe2\x82\xac\n\tthree\n") == []
    assert of(None, b"one\n") == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (b"1\n2\n3", None, ("DELETES", SENSITIVE, "deletes the file, 3 lines", None)),
        (b"1\n", None, ("DELETES", SENSITIVE, "deletes the file, 1 line", None)),
        (b"1\n2\n", b"", ("EMPTIED", SENSITIVE, "empties the file, 2 lines removed", None)),
        (b"1\n" * 20, b"1\n" * 9, ("SHRINKS", SENSITIVE, "11 of 20 lines are gone", None)),
        (b"x", b"\0", ("BINARY_AS_TEXT", CRITICAL, AS_TEXT.format("binary bytes"), None)),
        (None, "x = 1\n".encode("utf-16"), ("BINARY_AS_TEXT", CRITICAL, AS_TEXT.format(UTF_16), None)),
        (None, b"\xef\xbb\xbfx\n", ("BOM", INFO, "byte order mark added", None)),
        (b"", b"ok\n\xff\n", ("NOT_UTF8", SENSITIVE, "1 line with bytes that are not UTF-8, first at line 2", 2)),
        (b"", "a\u2028b\n".encode(), ("CONTROL", SENSITIVE, "1 line with control characters, first at line 1", 1)),
        (b"x\n", b"\xef\xbb\xbfx\n", ("BOM", INFO, "byte order mark added", None)),
        (b"\xef\xbb\xbfx\n", b"x\n", ("BOM", INFO, "byte order mark removed", None)),
        (b"a\nb\n", b"a\r\nb\r\n", ("LINE_ENDS", SENSITIVE, "line ends go from LF to CRLF", None)),
        (b"a\r\nb\r\n", b"a\r\nc\n", ("LINE_ENDS", SENSITIVE, "line ends go from CRLF to mixed", None)),
        (b"", "x\n\u202ey".encode(), ("BIDI", CRITICAL, "1 line with bidirectional controls, first at line 2", 2)),
        (b"", "\u061c".encode(), ("BIDI", CRITICAL, "1 line with bidirectional controls, first at line 1", 1)),
        (
            b"",
            "a\u200bb\nc\u00add\n".encode(),
            ("INVISIBLE", SENSITIVE, "2 lines with invisible characters, first at line 1", 1),
        ),
        (b"", b"ok\nx\x1b[2J\n", ("CONTROL", SENSITIVE, "1 line with control characters, first at line 2", 2)),
        (b"", b"a\rb\n", ("CONTROL", SENSITIVE, "1 line with control characters, first at line 1", 1)),
        (b"", "\u009b".encode(), ("CONTROL", SENSITIVE, "1 line with control characters, first at line 1", 1)),
        (
            b"",
            b"x" * (LONG_LINE_CHARACTERS + 1),
            ("LONG_LINE", INFO, "1 line with more than 500 characters, first at line 1", 1),
        ),
    ],
)
def test_what_a_reviewer_could_miss_is_found(
    before: bytes, after: bytes | None, found: tuple[str, Severity, str, int | None]
) -> None:
    assert found in of(before, after)


def test_a_line_that_was_there_before_is_no_news() -> None:
    old = "x\u202ey\n".encode()
    assert of(old + b"1\n", b"1\n" + old) == []
    assert of(b"1\r\n", b"1\r\n2\r\n") == []
    assert of(b"", b"x" * LONG_LINE_CHARACTERS) == []


TAGS = "".join(chr(0xE0000 + ord(sign)) for sign in "rm -rf")


@pytest.mark.parametrize(
    ("line", "code", "severity", "what"),
    [
        ("a\u3000b", "ODD_BLANK", INFO, "blanks that are not the usual one"),
        ("\u05d0 < 1", "RIGHT_TO_LEFT", SENSITIVE, "right-to-left text, which moves what stands beside it"),
        ("x" + " " * 100 + "; evil()", "FAR_RIGHT", SENSITIVE, "text behind 100 or more blanks"),
        ("\t" * 13 + "evil()", "FAR_RIGHT", SENSITIVE, "text behind 100 or more blanks"),
        ("x" * 2001, "MINIFIED", SENSITIVE, "more than 2000 characters, as minified code has"),
        ("x" * 2000, "LONG_LINE", INFO, "more than 500 characters"),
        ("a\u200bb\u200b" * 4, "INVISIBLE", SENSITIVE, "invisible characters"),
        ("a\ufe0f", "INVISIBLE", SENSITIVE, "invisible characters"),
        ("\u2764\ufe0f", "INVISIBLE", INFO, "invisible characters, all in emoji"),
        ("a" + "\u200b" * 5, "INVISIBLE", CRITICAL, "invisible characters, 5 in a row at line 2 (U+200B*5)"),
        ("a" + TAGS, "INVISIBLE", CRITICAL, 'invisible characters, 6 in a row at line 2 (tags "rm -rf")'),
    ],
)
def test_a_line_that_shows_something_else_than_it_holds(line: str, code: str, severity: Severity, what: str) -> None:
    assert of(b"1\n", f"1\n{line}\n".encode()) == [(code, severity, f"1 line with {what}, first at line 2", 2)]


def test_a_long_preview_of_what_is_carried_is_cut() -> None:
    (found,) = of(b"", "".join(chr(0xE0000 + ord(sign)) for sign in "x" * 500).encode() + b"\n")
    assert found[2] == (
        f'1 line with invisible characters, 500 in a row at line 1 (tags "{"x" * 54}\u2026), first at line 1'
    )


def test_blanks_at_a_lines_end_are_not_far_text() -> None:
    assert of(b"", b"x" + b" " * 200 + b"\n" + b"y\n") == []


def test_in_prose_other_scripts_are_at_home() -> None:
    text = Content("\u05d0\u200f \ufb01\n".encode(), Mode.REGULAR)
    for name, severities in (("a.md", [SENSITIVE, INFO]), ("a.txt", [SENSITIVE, INFO]), ("CLAUDE.md", [CRITICAL] * 2)):
        found = examine((ContentChange(RepoPath(name), None, text),))
        assert [finding.severity for finding in found][:2] == severities, name


def test_executable_bits_are_told_in_both_directions() -> None:
    assert of(b"x", b"x", Mode.REGULAR, Mode.EXECUTABLE) == [("EXECUTABLE", CRITICAL, "becomes executable", None)]
    assert of(b"x", b"x", Mode.EXECUTABLE, Mode.REGULAR) == [("NOT_EXECUTABLE", INFO, "is no longer executable", None)]
    assert of(None, b"x", Mode.REGULAR, Mode.EXECUTABLE) == [("EXECUTABLE", CRITICAL, "becomes executable", None)]


def test_the_gravest_finding_of_a_path_comes_first_and_paths_keep_their_order() -> None:
    loud = Content("x\u202e\u200b\n".encode() + b"y" * 600, Mode.EXECUTABLE)
    findings = examine(
        (ContentChange(PATH, None, loud), ContentChange(RepoPath("a"), Content(b"", Mode.REGULAR), None))
    )
    assert [(finding.path, finding.code) for finding in findings] == [
        (PATH, "EXECUTABLE"),
        (PATH, "BIDI"),
        (PATH, "INVISIBLE"),
        (PATH, "LONG_LINE"),
        (RepoPath("a"), "DELETES"),
    ]
    assert findings[1] == Finding("BIDI", CRITICAL, "1 line with bidirectional controls, first at line 1", PATH, 1)


@pytest.mark.parametrize(
    "line",
    [
        "// ... rest of the file content ...",
        "# ... existing code ...",
        "    ...[truncated]",
        "<!-- … remaining methods unchanged -->",
        "# ... (rest of the implementation)",
        "/* existing functions here... */",
        "# \u2026 unchanged lines",
        "# ... unchanged ...",
        "// existing code",
        "    # rest of the function unchanged",
        "# rest of the code remains the same",
        "<!-- unchanged content -->",
        "{/* rest of the file */}",
        "-- previous code here",
        "/* [omitted for brevity] */",
    ],
)
def test_b34_words_that_stand_for_code_are_pointed_out(line: str) -> None:
    text = "1 line with words that seem to stand for text that was left out, first at line 2"
    assert ("ELISION", Severity.CRITICAL, text, 2) in of(b"1\n2\n", f"1\n{line}\n".encode())


@pytest.mark.parametrize(
    "line",
    [
        "    ...",
        "def f(self) -> int: ...",
        "x = {...existing, code: 1}",
        "const [a, ...rest] = lines;",
        "# content just outside viewport",
        "# previous code",
        'print("Loading...")',
        "raise ValueError('the rest of the file is missing')",
        "for (const file of [...other, ...files]) {",
        "# unchanged",
        "x = 1  # rest of the code",
        "# existing code is read before the new one",
        "# the rest of the arguments is passed on",
        "rest of the file",
    ],
)
def test_b34_honest_code_is_not(line: str) -> None:
    assert "ELISION" not in {code for code, *_ in of(b"1\n2\n", f"1\n{line}\n".encode())}


def test_b34_words_that_stood_there_before_are_not_new() -> None:
    line = b"# ... rest of the file ...\n"
    assert "ELISION" not in {code for code, *_ in of(b"1\n" + line, b"2\n" + line)}
