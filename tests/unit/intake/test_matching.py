from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import RepoPath
from redline.errors import EditMismatch
from redline.intake.edits import Replace
from redline.intake.matching import replace

F = RepoPath("f")


def lines(before: bytes, after: bytes, count: int | None = 1) -> Replace:
    """Make the edit of a block: whole lines, leniently."""
    return Replace(F, before, after, count, whole_lines=True, exactly=False)


def outcome(data: bytes, edit: Replace) -> tuple[bytes, list[str]]:
    after, noted = replace(data, edit)
    assert all(note.path == F for note in noted)
    return after, [note.code for note in noted]


def refusal(data: bytes, edit: Replace) -> EditMismatch:
    with pytest.raises(EditMismatch) as caught:
        replace(data, edit)
    assert caught.value.hint
    assert caught.value.details["path"] == "f"
    return caught.value


@pytest.mark.parametrize(
    ("data", "before", "after", "expected"),
    [
        (b"a\nb\nc\n", b"b\n", b"B\n", b"a\nB\nc\n"),
        (b"a\nb\nc\n", b"b\n", b"", b"a\nc\n"),
        (b"ab\nb\nb c\n", b"b\n", b"B\n", b"ab\nB\nb c\n"),
        (b"ab\nb\nb c\n", b"b", b"B", b"ab\nB\nb c\n"),
        (b"xb\nb", b"b", b"B", b"xb\nB"),
        (b"\n\nx\n", b"\n\n", b"\n", b"\nx\n"),
        (b"a\rb\n\x0cc\n", b"\x0cc\n", b"\\1 $& &lt;\n", b"a\rb\n\\1 $& &lt;\n"),
        (b"\xef\xbb\xbfa\nb\n", b"a\n", b"A\n", b"\xef\xbb\xbfA\nb\n"),
        (b"caf\xe9\nx\n", b"x\n", b"y\n", b"caf\xe9\ny\n"),
    ],
)
def test_whole_lines_are_replaced_exactly(data: bytes, before: bytes, after: bytes, expected: bytes) -> None:
    assert outcome(data, lines(before, after)) == (expected, [])


@pytest.mark.parametrize(
    ("data", "before", "count", "expected"),
    [
        (b"axa", b"a", 2, b"YxY"),
        (b"axa", b"a", None, b"YxY"),
        (b"aaaa", b"aa", 2, b"YY"),
        (b"x = x", b"x", None, b"Y = Y"),
    ],
)
def test_the_stated_number_of_places_is_replaced(
    data: bytes, before: bytes, count: int | None, expected: bytes
) -> None:
    assert outcome(data, Replace(F, before, b"Y", count)) == (expected, [])


def test_every_whole_line_is_replaced_when_no_count_is_given() -> None:
    assert outcome(b"b\nb\nab\nb", lines(b"b\n", b"c\n", None)) == (b"c\nc\nab\nc", ["LAST_LINE_END"])


@pytest.mark.parametrize(
    ("data", "edit", "expected"),
    [
        (b"}\n\n}\n}\n", lines(b"}\n", b"Y\n"), ("AMBIGUOUS", 3, 1, [1, 3, 4])),
        (b"a\na\nb\n", Replace(F, b"a", b"Y", 3), ("NO_MATCH", 2, 3, [1, 2])),
        (b"a\nb\na\nb\na\n", lines(b"a\nb\na\n", b"Y\n"), ("AMBIGUOUS", 1, 1, [1])),
        (b"ababa", Replace(F, b"aba", b"Y", None), ("AMBIGUOUS", 1, None, [1])),
        (b"  a\nb\n\ta\n", lines(b"a\n", b"Y\n"), ("AMBIGUOUS", 2, 1, [1, 3])),
        (b"a \nb\na\t\n", lines(b"a\n", b"Y\n"), ("AMBIGUOUS", 2, 1, [1, 3])),
        (b" a\n a\n a\n", lines(b"a\na\n", b"Y\n"), ("AMBIGUOUS", 2, 1, [1, 2])),
        (b"x\n" * 30, lines(b"x\n", b"Y\n"), ("AMBIGUOUS", 30, 1, list(range(1, 21)))),
    ],
)
def test_another_number_of_places_is_refused_with_its_lines(
    data: bytes, edit: Replace, expected: tuple[str, int, int | None, list[int]]
) -> None:
    error = refusal(data, edit)
    details = error.details
    assert (error.code, details["count"], details["expected"], details["lines"]) == expected


def test_b33_an_empty_text_fits_an_empty_file_only() -> None:
    assert outcome(b"", lines(b"", b"new\n")) == (b"new\n", [])
    assert refusal(b"\n", lines(b"", b"new\n")).code == "EMPTY_BEFORE"


def test_an_edit_that_keeps_its_text_changes_nothing_wherever_it_stands() -> None:
    assert outcome(b"a\na\n", lines(b"a\n", b"a\n")) == (b"a\na\n", [])
    assert refusal(b"b\n", lines(b"a\n", b"a\n")).code == "NO_MATCH"


@pytest.mark.parametrize(
    ("data", "before", "after", "expected", "codes"),
    [
        # line ends
        (b"a\r\nb\r\nc\r\n", b"a\nb\n", b"a\nx\nb\n", b"a\r\nx\r\nb\r\nc\r\n", ["LINE_ENDS"]),
        (b"a\nb\nc\n", b"a\r\nb\r\n", b"a\r\nx\r\nb\r\n", b"a\nx\nb\nc\n", ["LINE_ENDS"]),
        (b"a \r\nb\r\n", b"a\n", b"a\nx\n", b"a \r\nx\r\nb\r\n", ["TRAILING_SPACE", "LINE_ENDS"]),
        # blanks at line ends
        (b"a  \n\t\nb\n", b"a\n\nb\n", b"a\n\nB\n", b"a  \n\t\nB\n", ["TRAILING_SPACE"]),
        (b"a\nb\n", b"a \nb\t\n", b"a \nx \nb\t\n", b"a\nx \nb\n", ["TRAILING_SPACE"]),
        # blank lines at the edges
        (b"a\nb\n", b"\nb\n\n", b"\nB\n\n", b"a\nB\n", ["BLANK_EDGES"]),
        (b"a\n\nb\nc\n", b"\n\nb\n", b"\n\nB\n", b"a\n\nB\nc\n", ["BLANK_EDGES"]),
        # indentation
        (
            b"if x:\n    a:\n\n        b\n",
            b"a:\n\n    b\n",
            b"a:\n\n    b\n    c\n",
            b"if x:\n    a:\n\n        b\n        c\n",
            ["INDENTATION"],
        ),
        (b"a:\n\tb\n", b"  a:\n  \tb\n", b"  a:\n  \tc\n\n", b"a:\n\tc\n\n", ["INDENTATION"]),
        (b"  a\n  b\n", b"\na\nb\n", b"\nA\nb\n", b"  A\n  b\n", ["INDENTATION", "BLANK_EDGES"]),
        # look-alike characters
        (
            b"top-level 'x'\ny\n",
            "top\u2011level \u2018x\u2019\n".encode(),
            "top\u2011level \u2018x\u2019\n\u2018z\u2019\n".encode(),
            "top-level 'x'\n\u2018z\u2019\ny\n".encode(),
            ["LOOK_ALIKE"],
        ),
        ("a\xa0b\n".encode(), b"a b\n", b"c\n", b"c\n", ["LOOK_ALIKE"]),
        # lines left out
        (b"a\nb\nc\nd\ne\n", b"a\n...\nd\n", b"A\n...\nD\n", b"A\nb\nc\nD\ne\n", ["ELISION"]),
        (b"a\nb\nc\n", b"...\nc\n", b"...\nC\n", b"a\nb\nC\n", ["ELISION"]),
        # the file's last line
        (b"a\nb", b"b\n", b"b\nc\n", b"a\nb\nc", ["LAST_LINE_END"]),
        (b"a\nb ", b"b\n", b"c\n", b"a\nc", ["TRAILING_SPACE", "LAST_LINE_END"]),
        (b"a\r\nb", b"a\nb\n", b"a\nb\nc\n", b"a\r\nb\r\nc", ["LINE_ENDS", "LAST_LINE_END"]),
    ],
)  # fmt: skip
def test_a_tier_is_taken_and_noted(data: bytes, before: bytes, after: bytes, expected: bytes, codes: list[str]) -> None:
    assert outcome(data, lines(before, after)) == (expected, codes)


@pytest.mark.parametrize(
    ("data", "before", "after", "expected"),
    [
        (b"if (a\r\n && b) c;\r\n", b"(a\n && b)", b"(a\n && d)", b"if (a\r\n && d) c;\r\n"),
        (b"if (a\n && b) c;\n", b"(a\r\n && b)", b"(x)", b"if (x) c;\n"),
        (b"x = 1\r\ny\r\n", b"x = 1", b"x = 1\nz", b"x = 1\r\nz\r\ny\r\n"),
        (b"x = 1\ny\n", b"x = 1", b"x = 1\r\nz", b"x = 1\nz\ny\n"),
    ],
)
def test_b08_a_piece_of_a_line_takes_the_files_line_ends(
    data: bytes, before: bytes, after: bytes, expected: bytes
) -> None:
    assert outcome(data, Replace(F, before, after, 1, exactly=False)) == (expected, ["LINE_ENDS"])


def test_a_text_without_a_last_line_end_leaves_that_of_the_file() -> None:
    assert outcome(b" a\r\nb\r\n", lines(b"a", b"a\nx")) == (b" a\r\n x\r\nb\r\n", ["INDENTATION", "LINE_ENDS"])
    assert outcome(b"x\na\r", lines(b"a \r", b"a \r")) == (b"x\na\r", ["TRAILING_SPACE"])


@pytest.mark.parametrize(
    ("data", "before", "after"),
    [
        (b"\tx:\n\t\tflush()\n", b"    x:\n        flush()\n", b""),  # tabs and blanks
        (b"a\n  b\n", b"  a\n  b\n", b"  c\n"),  # not one shift for all lines
        (b"a:\n b\n", b"  a:\n   b\n", b" c\n"),  # the new text cannot be moved as far
        (b"a\nb\na\nc\n", b"a\n...\nc\n", b"A\n...\nc\n"),  # a part that stands twice
        (b"c\nb\na\n", b"a\n...\nc\n", b"A\n...\nC\n"),  # parts in another order
        (b"a\nb\nc\n", b"a\n...\nc\n", b"A\nc\n"),  # left out on one side only
        (b"a\nb\nc\n", b"...\nc\n", b"x\n...\nc\n"),  # nothing to put the first part in place of
        (b"a\nb\nc\nd\n", b"a\nX\nY\nd\n", b"z\n"),  # first and last line alone are no match
        ("и\u0306\n".encode(), "й\n".encode(), b"x\n"),
        (b"b", b"a\n", b"x\n"),
        (b"", b"\n", b"x\n"),
        (b"\xef\xbb\xbf", b" \n", b"x\n"),
    ],
)
def test_what_no_tier_covers_is_refused(data: bytes, before: bytes, after: bytes) -> None:
    assert refusal(data, lines(before, after)).code == "NO_MATCH"


@pytest.mark.parametrize(
    ("data", "before"),
    [(b"a \n", b"a\n"), (b" a\n", b"a\n"), (b"a\r\nb\r\n", b"a\nb\n"), (b"a\n", b"\na\n"), (b"a", b"a\n")],
)
def test_an_exact_edit_uses_no_tier(data: bytes, before: bytes) -> None:
    assert refusal(data, Replace(F, before, b"x\n", 1, whole_lines=True)).code == "NO_MATCH"


@pytest.mark.parametrize(
    ("data", "edit", "says", "nearest"),
    [
        (
            b"x\nalpha = 1\nbeta = 2\n",
            lines(b"alpha = 1\nbeta = 3\n", b"y\n"),
            "near line 2 its line 2 has 'beta = 3' where line 3 of the file has 'beta = 2'",
            [2],
        ),
        (
            "x\nreturn it\u2019s nöt\n".encode(),
            lines("return it\u2019s not\n".encode(), b"y\n"),
            "its line 1 has 'return it\\u2019s not' where line 2 of the file has 'return it\\u2019s n\\xf6t'",
            [2],
        ),
        (b"alpha = 1\n", lines(b"alpha = 1\nbeta\n", b"y\n"), "at line 1 it would fit in part, but the file ends", [1]),
        (b"beta = 2\n", lines(b"a\nbeta = 2\n", b"y\n"), "at line 1 it would fit in part, but the file begins", [1]),
        (b"a\n", lines(b"b\n", b"y\n"), "does not occur in the file; no line of it stands there", []),
        (b"a", Replace(F, b"a\n", b"y\n", 1), "the file's last line has no line end", [1]),
    ],
)  # fmt: skip
def test_a_refusal_shows_the_nearest_places(data: bytes, edit: Replace, says: str, nearest: list[int]) -> None:
    error = refusal(data, edit)
    assert says in error.message
    assert error.details["nearest"] == nearest


def test_a_long_line_is_shown_around_the_first_difference() -> None:
    error = refusal(b"a" * 500 + b"b" + b"c" * 500 + b"\n", lines(b"a" * 500 + b"x" + b"c" * 500 + b"\n", b""))
    assert f"has ...'{'a' * 30}x{'c' * 49}'... where" in error.message
    assert len(error.message) < 500


def test_a_refusal_says_that_the_edit_seems_to_be_made() -> None:
    new = b"return send(url)\n"
    assert "already stands at line 2" in refusal(b"x\n" + new, lines(b"old\n", new)).hint


@pytest.mark.parametrize(
    ("data", "old", "new"),
    [
        (b"the body\n", b"old\n", b"b\n"),
        (
            b"def f():\n    return send(url)\ndef g():\n    return send(url, body)\n",
            b"    return send(url, bodyy)\n",
            b"return send(url)\n",
        ),
        (b"return send(url)\nx\nreturn send(url)\n", b"old\n", b"return send(url)\n"),
    ],
    ids=["a part of a word", "another place, indented", "several places"],
)
def test_a_refusal_does_not_say_so_of_text_elsewhere(data: bytes, old: bytes, new: bytes) -> None:
    assert "already stands" not in refusal(data, lines(old, new)).hint


SMALL = st.lists(st.sampled_from([b"a", b"b", b" a", b""]), max_size=7)


def text(parts: list[bytes]) -> bytes:
    return b"".join(part + b"\n" for part in parts)


@given(haystack=SMALL, needle=SMALL.filter(bool), new=SMALL, count=st.sampled_from([1, 1, 2]))
def test_exact_whole_lines_agree_with_a_naive_search(
    haystack: list[bytes], needle: list[bytes], new: list[bytes], count: int
) -> None:
    edit = Replace(F, text(needle), text(new), count, whole_lines=True)
    every = choices(haystack, needle)
    results = {text(put(haystack, places, len(needle), new)) for places in every if len(places) == count}
    if max(map(len, every)) == count and len(results) == 1:
        assert replace(text(haystack), edit) == (results.pop(), [])
    else:
        assert refusal(text(haystack), edit).code in {"AMBIGUOUS", "NO_MATCH"}


def choices(haystack: list[bytes], needle: list[bytes]) -> list[list[int]]:
    """Give every set of places of the needle that do not overlap."""
    found: list[list[int]] = [[]]
    for start in range(len(haystack)):
        if haystack[start : start + len(needle)] == needle:
            found += [[*places, start] for places in found if not places or places[-1] + len(needle) <= start]
    return found


def put(haystack: list[bytes], places: list[int], size: int, new: list[bytes]) -> list[bytes]:
    result = haystack
    for place in reversed(places):
        result = [*result[:place], *new, *result[place + size :]]
    return result


WORDS = st.lists(st.integers(0, 10**6).map(lambda number: b"word %d" % number), min_size=3, max_size=9, unique=True)
INDENTS = st.sampled_from([b"", b"  ", b"    ", b"\t", b"\t  "])


@given(words=WORDS, indents=st.lists(INDENTS, min_size=9, max_size=9), prefix=INDENTS.filter(bool), data=st.data())
def test_a_text_with_other_blanks_gives_the_result_that_was_made(
    words: list[bytes], indents: list[bytes], prefix: bytes, data: st.DataObject
) -> None:
    block = [indent + word for indent, word in zip(indents, words, strict=False)]
    at = data.draw(st.integers(0, len(block) - 1))
    new = [*block[:at], b"  new", b"", *block[at + 1 :]]
    above, below = [b"above"], [b"below"]
    kind = data.draw(st.sampled_from(["shifted", "outdented", "trailing", "crlf", "edges"]))
    file, made = [*above, *block, *below], [*above, *new, *below]
    end = b"\n"
    if kind == "shifted":
        file = [*above, *(prefix + line for line in block), *below]
        made = [*above, *(prefix + line if line else line for line in new), *below]
    elif kind == "outdented":
        block, new = [prefix + line for line in block], [prefix + line if line else line for line in new]
    elif kind == "trailing":
        tails = dict(zip(block, data.draw(st.lists(st.sampled_from([b"", b" ", b"\t"]), min_size=9)), strict=False))
        file, made = ([line + tails.get(line, b"") for line in each] for each in (file, made))
    elif kind == "edges":
        block, new = [b"", *block, b""], [b"", *new, b""]
    else:
        end = b"\r\n"
    before, expected = (b"".join(line + end for line in each) for each in (file, made))
    assert outcome(before, lines(text(block), text(new)))[0] == expected


@given(data=st.binary(max_size=60), before=st.binary(min_size=1, max_size=8), after=st.binary(max_size=8))
def test_any_bytes_give_a_content_or_a_refusal(data: bytes, before: bytes, after: bytes) -> None:
    for whole_lines in (False, True):
        for exactly in (False, True):
            with suppress(EditMismatch):
                replace(data, Replace(F, before, after, 1, whole_lines=whole_lines, exactly=exactly))


@pytest.mark.parametrize(
    ("data", "before"),
    [
        (b"x\n" * 100_000, b"x\n" * 50_000),
        (b"x\n" * 100_000, b"x\n" * 50_000 + b"y\n"),
        (b"\tx\n" * 100_000, b"  x\n" * 50_000),
        (b"\tx\n" * 100_000, b"x\n" * 50_000),
        (b"\tx\n" * 100_000, b"x\n"),
        (b"x \n" * 100_000, b"\nx\n\n"),
        (b"a" * 300_000, b"a" * 100_000 + b"b"),
        (b"a" * 300_000, b"b" + b"a" * 100_000),
        (b"x\n" * 100_000, b"x\n...\n" * 5_000),
        ("it\u2019s\n".encode() * 100_000, b"it's\n" * 1_000),
        (b"\n" * 100_000, b"\n" * 50_000 + b"x\n"),
    ],
)  # fmt: skip
def test_many_equal_lines_take_no_long_time(data: bytes, before: bytes) -> None:
    started = time.process_time()
    assert refusal(data, lines(before, before + b"z\n")).code in {"AMBIGUOUS", "NO_MATCH"}
    assert time.process_time() - started < 5


def test_many_places_and_many_new_lines_take_no_long_time() -> None:
    started = time.process_time()
    assert outcome(b" x\n" * 20_000, lines(b"x\n", b"y\n", None)) == (b" y\n" * 20_000, ["INDENTATION"])
    old, new = (b"".join(b"%d %s\n" % (at % 7, kind) for at in range(20_000)) for kind in (b"a", b"b"))
    assert outcome(old.replace(b"\n", b" \n"), lines(old, new)) == (new, ["TRAILING_SPACE"])
    assert time.process_time() - started < 5


def test_b08_a_text_that_begins_with_a_line_end_splits_no_crlf() -> None:
    done, notes = replace(b"a\r\nb\r\nc\r\n", Replace(RepoPath("f"), b"\nb", b"\nB", 1, exactly=False))
    assert (done, [note.code for note in notes]) == (b"a\r\nB\r\nc\r\n", ["LINE_ENDS"])


def test_b08_a_last_line_without_an_end_gets_no_half_of_one() -> None:
    done, _ = replace(b"a\r\nb", Replace(RepoPath("f"), b"b\n", b"B\nC\n", 1, whole_lines=True, exactly=False))
    assert done == b"a\r\nB\r\nC"
