from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import RepoPath
from redline.errors import EditMismatch
from redline.intake.edits import Range, Ranges
from redline.intake.ranges import apply_ranges

A = RepoPath("a")


def after(data: bytes, *ranges: Range) -> bytes:
    return apply_ranges(data, Ranges(A, ranges))


def refusal(data: bytes, *ranges: Range) -> EditMismatch:
    with pytest.raises(EditMismatch) as caught:
        after(data, *ranges)
    assert caught.value.hint
    assert caught.value.details == {"path": "a"}
    return caught.value


@pytest.mark.parametrize(
    ("data", "item", "expected"),
    [
        (b"", Range(0, 0, 0, 0, b"x"), b"x"),
        (b"ab\ncd\n", Range(0, 1, 1, 1, b"X"), b"aXd\n"),
        (b"ab\ncd\n", Range(0, 0, 1, 0, b""), b"cd\n"),
        (b"ab\ncd\n", Range(2, 0, 2, 0, b"ef\n"), b"ab\ncd\nef\n"),
        (b"ab\ncd\n", Range(0, 9, 0, 9, b"X"), b"abX\ncd\n"),
        (b"ab\r\ncd\r\n", Range(0, 9, 0, 99, b"X"), b"abX\r\ncd\r\n"),
        (b"ab\r\ncd\r\n", Range(0, 2, 1, 0, b""), b"abcd\r\n"),
        (b"ab\r\ncd\r\n", Range(1, 0, 1, 0, b"x\r\n"), b"ab\r\nx\r\ncd\r\n"),
        (b"ab\r\ncd\n", Range(1, 0, 1, 0, b"x\n"), b"ab\r\nx\ncd\n"),
        (b"ab\ncd", Range(0, 0, 9999, 0, b"X"), b"X"),
        (b"ab\ncd", Range(1, 9, 1, 9, b"\n"), b"ab\ncd\n"),
        ("\u00e9\u4e2dx".encode(), Range(0, 2, 0, 3, b"y"), "\u00e9\u4e2dy".encode()),
        ("\U0001f600x".encode(), Range(0, 2, 0, 3, b"y"), "\U0001f600y".encode()),
        ("a\u2028b\x0cc\x85d\n".encode(), Range(0, 2, 0, 3, b"B"), "a\u2028B\x0cc\x85d\n".encode()),
        (b"\xef\xbb\xbfab", Range(0, 0, 0, 1, b"X"), b"\xef\xbb\xbfXb"),
        (b"a\0b", Range(0, 2, 0, 3, b"c"), b"a\0c"),
    ],
)
def test_a_text_is_put_between_two_positions(data: bytes, item: Range, expected: bytes) -> None:
    assert after(data, item) == expected


def test_all_positions_are_of_the_content_before() -> None:
    first, second, third = Range(0, 0, 0, 1, b"AAA\n"), Range(1, 0, 1, 0, b"B"), Range(1, 0, 1, 1, b"C")
    assert after(b"a\nb\n", second, third, first) == b"AAA\n\nBC\n"


def test_insertions_at_one_position_keep_their_order() -> None:
    assert after(b"ab", *(Range(0, 1, 0, 1, text) for text in (b"1", b"2", b"3"))) == b"a123b"


@pytest.mark.parametrize(
    ("data", "ranges", "expected"),
    [
        (b"abc", (Range(0, 0, 0, 2, b""), Range(0, 1, 0, 3, b"")), "OVERLAP"),
        (b"abc", (Range(0, 1, 0, 2, b""), Range(0, 1, 0, 1, b"x")), "OVERLAP"),
        (b"abc", (Range(0, 0, 0, 9, b""), Range(0, 1, 0, 1, b"x")), "OVERLAP"),
        (b"a\n", (Range(3, 0, 3, 0, b"x"),), "NO_MATCH"),
        ("\U0001f600".encode(), (Range(0, 1, 0, 2, b""),), "NO_MATCH"),
        ("\U0001f600".encode(), (Range(0, 0, 0, 1, b""),), "NO_MATCH"),
        (b"caf\xe9", (Range(0, 0, 0, 1, b""),), "ENCODING"),
        ("x\n".encode("utf-16"), (Range(0, 0, 0, 1, b""),), "ENCODING"),
        (b"a\rb\n", (Range(0, 0, 0, 1, b""),), "LINE_ENDS"),
        (b"a\r", (Range(0, 0, 0, 1, b""),), "LINE_ENDS"),
        (b"a\r\n", (Range(0, 0, 0, 0, b"x\n"),), "LINE_ENDS"),
    ],
)
def test_b08_b10_what_has_no_one_meaning_is_refused(data: bytes, ranges: tuple[Range, ...], expected: str) -> None:
    assert refusal(data, *ranges).code == expected


def test_many_ranges_on_one_long_line_take_little_time() -> None:
    ranges = (Range(0, 2 * at, 0, 2 * at + 1, b"y") for at in range(100_000))
    assert after(b"x" * 200_000, *ranges) == b"yx" * 100_000


LINES = st.lists(st.text("a\u00e9\U0001f600", max_size=4), min_size=1, max_size=4)
# Lines and their characters as Python counts them.
POSITIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=2, max_size=6)


def in_utf16(lines: list[str], line: int, character: int) -> tuple[int, int]:
    excess = max(0, character - len(lines[line]))
    return line, len(lines[line][:character].encode("utf-16-le")) // 2 + excess


def offset(lines: list[str], end: str, line: int, character: int) -> int:
    return len(end.join([*lines[:line], lines[line][:character]]))


@given(LINES, st.sampled_from(["\n", "\r\n"]), POSITIONS)
def test_ranges_agree_with_counting(lines: list[str], end: str, positions: list[tuple[int, int]]) -> None:
    text = end.join(lines)
    ordered = sorted((min(line, len(lines) - 1), character) for line, character in positions)
    pairs = list(zip(ordered[::2], ordered[1::2], strict=False))
    expected = text
    for start, stop in reversed(pairs):
        first, last = (offset(lines, end, *position) for position in (start, stop))
        expected = expected[:first] + "X" + expected[last:]
    result = after(
        text.encode(), *(Range(*in_utf16(lines, *start), *in_utf16(lines, *stop), b"X") for start, stop in pairs)
    )
    assert result.decode() == expected


@given(st.binary(max_size=12), st.lists(st.builds(Range, *[st.integers(0, 4)] * 4, st.just(b"x")), max_size=3))
def test_arbitrary_content_and_ranges_are_taken_or_refused(data: bytes, ranges: list[Range]) -> None:
    with suppress(EditMismatch):
        after(data, *ranges)
