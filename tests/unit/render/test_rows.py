"""Rows: every line once, text never altered, what changed and what is blank marked."""

from __future__ import annotations

import itertools
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawing import hunk, spelled

from redline.core.hunks import HunkLine, LineKind
from redline.core.safetext import decode, safe
from redline.render.drawn import drawn, drawn_columns, drawn_sizes
from redline.render.layout import lay_out, page
from redline.render.lines import Role, Span, Tone
from redline.render.rows import Cell, HeaderRow, LineRow, Row, side_by_side, unified

LINE = st.text("ab_ \t\r\u00b7\u2192\u27e6\u0301\u202e\u00a0\u4e2d\udc80.", max_size=12)
REGION = st.builds(
    lambda removed, added, context: [f"-{line}" for line in removed] + [f"+{line}" for line in added] + [f" {context}"],
    st.lists(LINE, max_size=3),
    st.lists(LINE, max_size=3),
    LINE,
)
BODY = st.lists(REGION, min_size=1, max_size=4).map(lambda regions: [line for region in regions for line in region])


def cells(rows: list[Row]) -> list[Cell]:
    return [cell for row in rows if isinstance(row, LineRow) for cell in row.cells if cell is not None]


def shown_columns(shown: str) -> int:
    """What a terminal takes for text that is safe already (UAX #11)."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in shown
    )


def text(cell: Cell) -> str:
    return "".join(span.text for span in cell.spans)


@given(BODY)
def test_every_line_is_a_row_with_its_text_and_numbers(body: list[str]) -> None:
    one = hunk(*body, start=7)
    rows = list(unified([one]))
    assert rows[0] == HeaderRow(one)
    assert {row.hunk_id for row in rows if isinstance(row, LineRow)} == {one.id}
    assert [cell.line for cell in cells(rows)] == list(one.lines)
    assert [text(cell) for cell in cells(rows)] == [decode(line.data) for line in one.lines]


@given(BODY)
def test_side_by_side_shows_each_line_on_its_side_in_order(body: list[str]) -> None:
    one = hunk(*body)
    rows = [row for row in side_by_side([one]) if isinstance(row, LineRow)]
    sides = [[row.cells[side].line for row in rows if row.cells[side] is not None] for side in (0, 1)]  # type: ignore[union-attr]
    assert sides == [
        [line for line in one.lines if line.kind is not LineKind.ADDED],
        [line for line in one.lines if line.kind is not LineKind.REMOVED],
    ]


@given(BODY, st.integers(60, 100))
def test_a_layout_fits_the_width_and_leaves_nothing_out(body: list[str], width: int) -> None:
    one = hunk(*body)
    sheet = page(width, [one])
    lines = list(lay_out(unified([one]), sheet))[1:]
    assert max(map(shown_columns, spelled(lines))) <= width
    gutter = 2
    assert "".join(span.text for line in lines for span in line[gutter:]) == "".join(
        decode(ln.data) for ln in one.lines
    )
    beside = list(lay_out(side_by_side([one]), sheet))[1:]
    assert max(map(shown_columns, spelled(beside))) <= width


@given(LINE, LINE)
def test_spans_of_a_line_are_as_safe_as_the_line(removed: str, added: str) -> None:
    for cell in cells(list(unified([hunk(f"-{removed}", f"+{added}")]))):
        if not any(span.role in {Role.BLANK, Role.LOOKALIKE} for span in cell.spans):
            assert "".join(map(drawn, cell.spans)) == safe(text(cell))


def test_no_two_short_lines_are_drawn_alike() -> None:
    seen: dict[str, str] = {}
    for length in range(6):
        for characters in itertools.product(" \t\r\u00b7\u2192\u27e6a", repeat=length):
            line = "".join(characters)
            (cell,) = cells(list(unified([hunk(f"+{line}")])))
            shown = "".join(map(drawn, cell.spans))
            assert shown not in seen, (line, seen[shown])
            seen[shown] = line


def test_changed_characters_of_a_changed_line() -> None:
    (removed, added) = cells(list(unified([hunk("-limit = 100  # rows", "+limit = 1000  # rows")])))
    assert removed.spans == (
        Span("limit = ", Role.PLAIN, Tone.REMOVED),
        Span("100", Role.PLAIN, Tone.REMOVED_PART),
        Span("  # rows", Role.PLAIN, Tone.REMOVED),
    )
    assert added.spans == (
        Span("limit = ", Role.PLAIN, Tone.ADDED),
        Span("1000", Role.PLAIN, Tone.ADDED_PART),
        Span("  # rows", Role.PLAIN, Tone.ADDED),
    )


def test_blanks_that_matter_are_drawn() -> None:
    rows = list(unified([hunk("-\ta \u00a0 ", "+a\r", "\\ No newline at end of file")]))
    assert spelled(cell.spans for cell in cells(rows)) == [
        "\u2192   a \u27e6U+00A0\u27e7\u00b7",
        "a\u27e6CR\u27e7\u27e6no newline at end\u27e7",
    ]


def test_syntax_counts_only_where_it_spells_the_line() -> None:
    class Liar:
        def line(self, number: int) -> list[Span]:
            return [Span("safe", Role.KEYWORD), Span(" = 1")] if number == 1 else [Span("evil", Role.COMMENT)]

    rows = list(unified([hunk("+safe = 1", "+evil()")], None, Liar()))
    assert [cell.spans for cell in cells(rows)] == [
        (Span("safe", Role.KEYWORD, Tone.ADDED), Span(" = 1", Role.PLAIN, Tone.ADDED)),
        (Span("evil()", Role.PLAIN, Tone.ADDED),),
    ]


def test_side_by_side_puts_a_line_beside_the_one_that_continues_it() -> None:
    rows = side_by_side([hunk("-alpha = compute(1)", "-beta = 2", "+new = other", "+alpha = compute(2)")])
    pairs = [tuple(text(cell) if cell else None for cell in row.cells) for row in rows if isinstance(row, LineRow)]
    assert pairs == [(None, "new = other"), ("alpha = compute(1)", "alpha = compute(2)"), ("beta = 2", None)]


def test_a_missing_newline_belongs_to_its_line() -> None:
    one = hunk(" a", "-b", "\\ No newline at end of file", "+b")
    assert [(cell.line, cell.lacks_newline) for cell in cells(list(unified([one])))] == [
        (HunkLine(LineKind.CONTEXT, b"a", 1, 1), False),
        (HunkLine(LineKind.REMOVED, b"b", 2, None), True),
        (HunkLine(LineKind.ADDED, b"b", None, 2), False),
    ]


def test_layouts() -> None:
    one = hunk(" one", "-" + "x" * 40, "+two", "\\ No newline at end of file", start=9)
    assert spelled(lay_out(unified([one]), page(40, [one]))) == [
        "@@  #51dc62e3f0",
        " 9  9  one",
        "10    -" + "x" * 33,
        "      -" + "x" * 7,
        "   10 +two\u27e6no newline at end\u27e7",
    ]
    assert spelled(lay_out(side_by_side([one]), page(60, [one]))) == [
        "@@  #51dc62e3f0",
        " 9  one                      \u2502  9  one",
        "10 -" + "x" * 24 + " \u2502 10 +two\u27e6no newline at end\u27e7",
        "   -" + "x" * 16 + "         \u2502",
    ]


@given(LINE)
def test_columns_of_a_span_are_those_of_its_characters(line: str) -> None:
    for role in (Role.PLAIN, Role.BLANK, Role.LOOKALIKE):
        span = Span(line, role)
        assert drawn_columns(span) >= len(drawn(span)) - drawn(span).count("\u0301")
        assert len(drawn_sizes(span)) == len(line)
