from __future__ import annotations

import time

import pytest
from tests.unit.intake.support import code, refusal, resolved

from redline.errors import IntakeError, MalformedEdit, RedlineError, UnknownFormat, UsageFault
from redline.intake.detect import FORMATS, read

DIFF = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
NATIVE = b'{"schema":"redline.edit/1","edits":[{"op":"delete","path":"f"}]}'
WHOLE = b"src/f.py\n```python\nx = 1\n```\n"


def test_the_formats_are_named_as_on_the_command_line() -> None:
    assert set(FORMATS) == {
        *("native", "diff", "apply-patch", "search-replace", "udiff", "whole-file", "tool-call", "workspace-edit")
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DIFF, "diff"),
        (b"\xef\xbb\xbf" + DIFF, "diff"),
        (b"Here:\n\n```diff\n" + DIFF + b"```\nDone.\n", "diff"),
        (b"`src/f.py`\n```diff\n" + DIFF + b"```\n", "diff"),
        (NATIVE, "native"),
        (b" \r\n\t" + NATIVE + b"\n", "native"),
        (WHOLE, "whole-file"),
    ],
)
def test_the_one_format_that_fits_is_taken(text: bytes, expected: str) -> None:
    assert read(text).format == expected


@pytest.mark.parametrize("text", [b"", b" \n\t\r\n"])
@pytest.mark.parametrize("chosen", [None, *FORMATS])
def test_empty_input_is_refused(text: bytes, chosen: str | None) -> None:
    error = refusal(text, format=chosen)
    assert (type(error), error.code) == (MalformedEdit, "INPUT_EMPTY")


def test_text_in_no_format_names_what_was_looked_for() -> None:
    error = refusal(b"I changed the file as you asked.\n")
    assert (type(error), error.code, error.details) == (
        UnknownFormat,
        "FORMAT_UNKNOWN",
        {"formats": list(FORMATS)},
    )
    assert error.message == "the text is no edit in a known format"
    assert all(name in error.hint for name in (*FORMATS, "--format"))


def test_text_in_two_formats_names_both() -> None:
    error = refusal(WHOLE + b"\n" + DIFF)
    assert (error.code, error.details) == ("FORMAT_AMBIGUOUS", {"formats": ["diff", "whole-file"]})


def test_b35_an_explicit_format_is_not_second_guessed() -> None:
    text = b"README.md\n````markdown\n```diff\n" + DIFF + b"```\n````\n"
    assert code(text) == "FORMAT_AMBIGUOUS"
    assert read(text, format="whole-file").paths == ("README.md",)


def test_an_unknown_explicit_format_names_the_known_ones() -> None:
    error = refusal(DIFF, format="ed")
    assert (type(error), error.code) == (UnknownFormat, "FORMAT_UNKNOWN")
    assert all(name in error.hint for name in FORMATS)


def test_an_option_of_another_format_is_a_usage_fault() -> None:
    assert type(refusal(DIFF, path="f", format="diff")) is UsageFault
    assert type(refusal(NATIVE, strip=1)) is UsageFault


def test_every_refusal_is_an_intake_error() -> None:
    for text in (b"x", b"{", b"@@ -1 +1 @@\n", b"f.py\n```\n"):
        error: RedlineError = refusal(text)
        assert isinstance(error, IntakeError)


BLANKS = b" \t" * 100_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"schema":"' + b'\\"' * 300_000 + b"\\", "INPUT_JSON"),
        (b"--- f" + BLANKS + b"x\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "NAMES_DIFFER"),
        (b"a.a" * 100_000 + b" b\n```\nx\n```\n", "FORMAT_UNKNOWN"),
        (b"x" + BLANKS + b"*\n```\nx\n```\n", "FORMAT_UNKNOWN"),
        (b"Binary files " * 30_000 + b"\n", "FORMAT_UNKNOWN"),
        (b'--- "' + b"\\1" * 200_000 + b"\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "HEADER_NAME"),
        (b"--- x\n" * 100_000, "FORMAT_UNKNOWN"),
        (b"```\n" * 100_001, "FORMAT_UNKNOWN"),
        ((b"From " + b"a" * 40 + b" x\n") * 30_000 + b"--- f\n+++ f\n", "SECTION_EMPTY"),
    ],
)
def test_hostile_text_is_refused_in_little_time(text: bytes, expected: str) -> None:
    start = time.process_time()
    assert code(text) == expected
    assert time.process_time() - start < 5


BLOCK = b"src/a.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
FENCED = b"```diff\n" + DIFF + b"```\n"
PATCH = b"*** Begin Patch\n*** Add File: n\n+x\n*** End Patch\n"
CALL = b'{"name": "Write", "input": {"file_path": "n", "content": "x"}}'
UNNUMBERED = b"```diff\n--- a/f\n+++ b/f\n@@ ... @@\n-a\n+b\n```\n"


@pytest.mark.parametrize(
    ("first", "second", "chosen", "passed_over"),
    [
        (FENCED, BLOCK, "diff", "search-replace"),
        (FENCED, BLOCK, "search-replace", "diff"),
        (FENCED, WHOLE, "diff", "whole-file"),
        (FENCED, WHOLE, "whole-file", "diff"),
        (WHOLE, BLOCK, "search-replace", "whole-file"),
        (UNNUMBERED, BLOCK, "udiff", "search-replace"),
        (UNNUMBERED, BLOCK, "search-replace", "udiff"),
    ],
)
@pytest.mark.parametrize("prose", [b"\n", b"\nAnd then:\n\n"])
def test_b35_a_mixed_message_is_refused_or_what_is_passed_over_is_told(
    first: bytes, second: bytes, chosen: str, passed_over: str, prose: bytes
) -> None:
    """A said format wins over quoted code, which is noted; nothing of a mixture is taken where none is said."""
    for text in (first + prose + second, second + prose + first):
        assert refusal(text).code in {"FORMAT_AMBIGUOUS", "FORMATS_MIXED"}
        reading = read(text, format=chosen)
        assert reading.format == chosen
        assert len(reading.passed_over) == 1
        assert passed_over in reading.passed_over[0]


def test_the_hint_of_an_ambiguous_text_can_be_followed() -> None:
    text = FENCED + b"\nThe file then is:\n\n" + WHOLE
    assert refusal(text).hint.endswith("--format diff or --format whole-file; the rest is then passed over, and noted.")
    outcome = resolved(text, {"f": b"a\n"}, format="diff")
    assert [(note.code, note.path, note.text) for note in outcome.leniencies] == [
        ("PASSED_OVER", "f", "what looks like an edit in the format whole-file was passed over")
    ]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (FENCED + b"\n" + FENCED, "diff"),
        (BLOCK + b"\n>>>>>>> REPLACE\n", "search-replace"),
        (UNNUMBERED + b"\n@@ ... @@\n-a\n+b\n", "udiff"),
        (WHOLE + b"\n```\ny = 2\n```\n", "whole-file"),
        (PATCH + b"\n" + PATCH, "apply-patch"),
        (b"```json\n" + CALL + b"\n```\n\n```json\n" + CALL + b"\n```\n", "tool-call"),
    ],
)
def test_a_said_format_leaves_nothing_of_its_own_over(text: bytes, chosen: str) -> None:
    assert type(refusal(text, format=chosen)) is MalformedEdit


@pytest.mark.parametrize("text", [FENCED, BLOCK, WHOLE, UNNUMBERED, BLOCK + b"\n" + BLOCK.replace(b"a.py", b"b.py")])
def test_a_message_in_one_format_is_no_mixture(text: bytes) -> None:
    assert read(b"Here it is:\n\n" + text + b"\nThat is all.\n").edits


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (b"f.py\n  <<<<<<< SEARCH\n  a\n", "line 2 looks like the first line of a SEARCH/REPLACE block"),
        (
            b"f.py\n------- SEARCH\na\n+++++++ REPLACE\n",
            "line 2 looks like the first line of a SEARCH/REPLACE block, but no",
        ),
        (b"a\n>>>>>>> REPLACE\n", "line 2 looks like the last line of a SEARCH/REPLACE block"),
        (b"*** Update File: f\n@@\n-a\n+b\n*** End Patch\n", "line 1 is of a Codex patch, but no line"),
        (b"- so:\n  *** Begin Patch\n  *** End Patch\n", "line 2 is of a Codex patch, but indented"),
        (b"So:\n\n  --- a/f\n  +++ b/f\n", "line 3 looks like a diff, but indented"),
        (b"```\n@@ ... @@\n-a\n+b\n```\n", "line 2 looks like a hunk of a diff, but no"),
        (b"```diff\n-a\n+b\n```\n", "the diff in the fence of line 1 has no"),
        (b"Now\n```python\nx\n```\n", "the fence of line 2 has no path above it"),
        (b'{"files": []}', "line 1 begins JSON, but no key"),
        (b'Here: \n{"name": "Write"}', "line 2 begins JSON with other text around it"),
        (b"```bash\ncat > f.py <<'EOF'\nx\nEOF\n```\n", "line 2 changes files by a shell command"),
        (b"cat > f.py <<'EOF'\nx\nEOF\n", "line 1 changes files by a shell command"),
        (b"<function=Edit>\n", "line 1 looks like a tool's call in tags that are not read"),
        (b"<write_to_file>\nx\n", "line 1 looks like a tool's call in tags"),
    ],
)
def test_what_is_in_no_format_is_told_what_it_comes_nearest_to(text: bytes, near: str) -> None:
    error = refusal(text)
    assert (type(error), error.code) == (UnknownFormat, "FORMAT_UNKNOWN")
    assert error.message.startswith("the text is no edit in a known format: " + near), error.message
