"""Syntax roles: by name alone, over several lines, text never altered."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from redline.render.lines import Role, Span
from redline.render.syntax import MAX_BYTES, MAX_LINE_CHARACTERS, Syntax


def test_a_string_over_several_lines_keeps_its_role() -> None:
    syntax = Syntax("src/a.py", b'x = """one\ntwo = 2\n"""\ndef f(): pass\n')
    assert syntax.line(2) == [Span("two = 2", Role.STRING)]
    assert syntax.line(4)[:3] == [Span("def", Role.KEYWORD), Span(" "), Span("f", Role.NAME)]


def test_a_file_name_that_says_nothing_gets_no_colours() -> None:
    assert Syntax("notes.zzz", b"#!/usr/bin/python\ndef f(): pass\n").line(2) == []


def test_what_is_long_is_left_plain() -> None:
    assert Syntax("a.py", b"#\n" * (MAX_BYTES // 2 + 1)).line(1) == []
    assert Syntax("a.py", b"x = 1\n" + b"y" * (MAX_LINE_CHARACTERS + 1)).line(1) == []


def test_a_line_far_down_is_reached_in_bounded_time() -> None:
    start = time.perf_counter()
    assert Syntax("a.py", b"x = 1\n" * (MAX_BYTES // 6)).line(MAX_BYTES // 6)[0] == Span("x = ")
    assert time.perf_counter() - start < 5


@given(st.sampled_from(["a.py", "a.js", "a.md", "a.html", "a.c", "Makefile", "a.sh"]), st.binary(max_size=60))
def test_tokens_joined_are_the_text_or_there_are_none(name: str, data: bytes) -> None:
    syntax = Syntax(name, data)
    for number, line in enumerate(data.split(b"\n"), 1):
        shown = "".join(span.text for span in syntax.line(number))
        assert shown in {"", line.decode("utf-8", "surrogateescape")}
