from __future__ import annotations

import time

import pytest
from tests.unit.intake.support import code, refusal

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
    assert all(name in error.message for name in FORMATS)
    assert "--format" in error.hint


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
UNNUMBERED = b"```diff\n--- a/f\n+++ b/f\n@@ ... @@\n-a\n+b\n```\n"


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        (FENCED, BLOCK, "diff"),
        (FENCED, BLOCK, "search-replace"),
        (FENCED, WHOLE, "diff"),
        (WHOLE, BLOCK, "search-replace"),
        (UNNUMBERED, BLOCK, "udiff"),
        (UNNUMBERED, BLOCK, "search-replace"),
    ],
)
@pytest.mark.parametrize("prose", [b"", b"\nAnd then:\n\n"])
def test_b35_a_mixed_message_is_refused_whatever_format_is_said(
    first: bytes, second: bytes, chosen: str, prose: bytes
) -> None:
    for text in (first + prose + second, second + prose + first):
        error = refusal(text, format=chosen)
        assert error.code in {"FORMATS_MIXED", "TEXT_BEHIND", "FENCE_IS_DIFF"}, error.message
        assert refusal(text).code in {"FORMAT_AMBIGUOUS", "FORMATS_MIXED"}


@pytest.mark.parametrize("text", [FENCED, BLOCK, WHOLE, UNNUMBERED, BLOCK + b"\n" + BLOCK.replace(b"a.py", b"b.py")])
def test_a_message_in_one_format_is_no_mixture(text: bytes) -> None:
    assert read(b"Here it is:\n\n" + text + b"\nThat is all.\n").edits
