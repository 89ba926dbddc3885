"""Words on a terminal: broken at blanks, never within a command or a path, and never in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.frontends.wrapping import wrapped
from redline.render.columns import columns
from redline.render.lines import Role, Span, plain
from tests.support.pseudo_terminal import on_terminal

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

WIDTH = 40


def words(text: str, *whole: str, width: int = WIDTH) -> list[str]:
    return ["".join(span.text for span in line) for line in wrapped([plain(text)], width, whole)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("x" * 40, ["x" * 40]),
        (
            "redline: a.txt was changed meanwhile, so nothing was written",
            ["redline: a.txt was changed meanwhile, so", "    nothing was written"],
        ),
        (
            "  Next: put right what is named here, then go on",
            ["  Next: put right what is named here,", "      then go on"],
        ),
        (
            "  Next: look at it again with `redline show 9f3c2a7`.",
            ["  Next: look at it again with", "      `redline show 9f3c2a7`."],
        ),
        (f"see {'/a' * 30} for more", ["see", f"    {'/a' * 30}", "    for more"]),
        (
            "a lone ` is no command, and the words behind it break",
            ["a lone ` is no command, and the words", "    behind it break"],
        ),
        (
            "udiff (```diff fences with `---`, `+++` and hunks)",
            ["udiff (```diff fences with `---`, `+++`", "    and hunks)"],
        ),
        ("\u6f22" * 20 + " " + "\u5b57" * 3, ["\u6f22" * 20, "    " + "\u5b57" * 3]),
    ],
)
def test_lines_break_at_blanks_and_hang(text: str, lines: list[str]) -> None:
    assert words(text) == lines


def test_a_name_with_blanks_stays_in_one_piece() -> None:
    text = "redline: the file my own notes.txt cannot be read"
    assert words(text, "my own notes.txt", "my own") == ["redline: the file my own notes.txt", "    cannot be read"]


def test_a_very_narrow_terminal_breaks_lines_itself() -> None:
    assert words("one two three four five six", width=20) == ["one two three four five six"]


def test_colours_go_with_their_words() -> None:
    line = (Span("stale", Role.WARNING), Span("   nothing was written   receipt 9f3c2a7"), Span(" end", Role.FAINT))
    assert [*wrapped([line], WIDTH)] == [
        (Span("stale", Role.WARNING), Span("   nothing was written   receipt")),
        (Span("    "), Span("9f3c2a7"), Span(" end", Role.FAINT)),
    ]


@given(st.text(alphabet="ab `\u6f22", max_size=300))
def test_nothing_but_blanks_is_lost_and_what_can_be_broken_fits(text: str) -> None:
    lines = words(text)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert [line for line in lines if columns(line) > WIDTH and " " in line.strip() and "`" not in line] == []


def test_a_long_refusal_is_broken_on_a_terminal_only(sandbox: Sandbox) -> None:
    message = (
        "redline: there is no terminal on which a person could be shown the change and asked\n"
        "  Next: Run `redline confirm` yourself in a terminal. Without one it takes --digest or --intent, and your own"
        ' configuration saying [confirm] level = "none".\n'
    )
    proposal = sandbox.propose(b"c\n", "--path", "c.txt")
    assert sandbox.redline("confirm", proposal).err == message
    with on_terminal(sandbox.root, "show", "abcdef", size=(24, 60)) as terminal:
        assert terminal.finish() == 9
    assert terminal.text == (
        "redline: there is no proposal 'abcdef' that you may see here\n"
        "  Next: Give 4 or more digits of an id. A person sees them\n"
        "      all with `redline list --status all`, a model those\n"
        "      that are pending with `redline-agent status`.\n"
    )


def test_a_document_is_never_broken(sandbox: Sandbox) -> None:
    with on_terminal(sandbox.root, "show", "abcdef", "--json", size=(24, 60)) as terminal:
        assert terminal.finish() == 6
    assert terminal.text.count("\n") == 1
