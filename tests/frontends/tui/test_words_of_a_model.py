"""What a model can say to the full screen, there and in a terminal's bytes: rows S28, S33, S40, S50 to S53."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.frontends.tui.support import LOOK, WIDE, Desk, rows, typed
from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import Sandbox, edit, write

if TYPE_CHECKING:
    from textual.pilot import Pilot

MARKUP = [
    "[bold green]SAFE[/]",
    "[link=https://example.org]x[/link]",
    "[@click=app.stop]Show the full diff[/]",
    "x[/]y",
    "[/tmp]",
    "a[i] [1, 2]",
    "\\[b]",
    "[red",
    "$text [$error]e[/]",
]
SCROLLBAR = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
# Positions, styles, modes, the pointer's shape: what Textual itself sends.
OUR_CSI = re.compile(r"\x1b\[[0-9;?<>=$]*[a-zA-Z]|\x1b\]22;default(\x07|\x1b\\)")


def proposed(sandbox: Sandbox, hostile: str) -> str:
    """The text as reason, in a path, in a line, in a comment of the model's."""
    path = re.sub(r"[^ -~]|[\\:?*<>|\"]", "_", hostile).strip("/. ")
    named = write(f"p {path}".replace("//", "/"), f"{hostile}\n")
    inside = write("src/b.py", f"b = 1  # {hostile}\n")
    return sandbox.propose(edit(named, inside, reason=hostile), "--author", "claude-code")


@pytest.mark.parametrize("hostile", MARKUP)
def test_s50_s52_markup_is_text_on_every_screen(person: Desk, hostile: str) -> None:
    proposal = proposed(person.sandbox, hostile)
    screens: list[str] = []

    def keep(pilot: Pilot[Any]) -> None:
        screens.append("\n".join(rows(pilot.app)))  # type: ignore[arg-type]

    keys: tuple[Any, ...] = (
        *("right_square_bracket", "j", "c", *typed("[b]hm[/b"), "enter", keep),
        *("slash", *typed("[no"), "enter", keep, "slash", *typed("no [b]"), "enter", keep),
        *("question_mark", keep, "q", "d", "enter", LOOK, keep, "escape", "x", LOOK, keep),
    )
    seen = person.review(proposal, *keys, size=WIDE)
    assert seen.answer is None
    reading, invalid, missing, _, confirm, declining = screens
    assert f"\u2503 claude-code says: {hostile}" in reading
    assert reading.count(hostile) >= 3
    assert "issue: [b]hm[/b" in reading
    assert "'[no' is no regular expression" in invalid
    assert "No line has 'no [b]'." in missing
    assert "issue: [b]hm[/b" in confirm
    assert "Decline all of it." in declining


def test_s51_a_click_on_the_models_words_does_nothing(person: Desk) -> None:
    proposal = proposed(person.sandbox, "[@click=app.stop]Show the full diff[/]")

    async def click_everywhere(pilot: Pilot[Any]) -> None:
        for row in range(24):
            for column in (10, 30, 50):
                await pilot.click(offset=(column, row))

    seen = person.review(proposal, click_everywhere)
    assert seen.answer is None
    assert "[@click=app.stop]Show the full diff[/]" in seen.text


@pytest.mark.parametrize(
    "path",
    ["a.py \u2192 b.py", "\u2503 redline says/ok.py", "x [link=y]z[/link].py", "d/" * 3 + "n" * 240 + ".py"],
)
def test_s53_no_path_passes_for_words_of_ours(person: Desk, path: str) -> None:
    proposal = person.sandbox.propose(edit(write(path, "x = 1\n")))
    seen = person.review(proposal, size=WIDE)
    quoted = f'"{path}"' if " " in path else path
    title = "".join(line.partition("\u2502")[2][3:].rstrip(SCROLLBAR) for line in seen.lines)
    assert f"{quoted}  new file".replace(" ", "") in title.replace(" ", "")


CONTROLS = "\x1b[2J\x1b]0;t\x07\x9b2J \u202ereversed\u2066 \u200b x\rover\bback"
SHOWN = "\u27e6ESC\u27e7[2J\u27e6ESC\u27e7]0;t\u27e6BEL\u27e7\u27e6U+009B\u27e72J \u27e6U+202E\u27e7reversed"


def test_s28_s33_nothing_that_acts_reaches_the_terminal(sandbox: Sandbox) -> None:
    proposal = proposed(sandbox, CONTROLS)
    with on_terminal(sandbox.root, "review", proposal, size=(40, 240)) as terminal:
        terminal.wait_for("Enter: confirm")
        terminal.type("]jc")
        terminal.wait_for("Comment on")
        terminal.type("hm\r")
        terminal.wait_for("issue: ")
        terminal.type("\r")
        terminal.wait_for("goes back")
        time.sleep(0.3)
        terminal.type("\x1b")
        terminal.wait_for("Nothing was confirmed")
        terminal.type("q")
        assert terminal.finish() == 9
    shown = terminal.shown.decode()
    assert SHOWN in OUR_CSI.sub("", shown)
    for character in "\x1b\x07\x08\x9b\u202e\u2066\u200b":
        assert character not in OUR_CSI.sub("", shown)
    assert "\x1b[2J" not in shown


def test_s50_the_bytes_of_markup(sandbox: Sandbox) -> None:
    hostile = "[bold green]SAFE[/] [link=https://example.org]x[/link] x[/]y"
    proposal = proposed(sandbox, hostile)
    with on_terminal(sandbox.root, "review", proposal, size=(40, 200)) as terminal:
        terminal.wait_for("Enter: confirm")
        terminal.type("q")
        assert terminal.finish() == 9
    assert f"says: {hostile}" in OUR_CSI.sub("", terminal.shown.decode())
    assert b"\x1b]8" not in terminal.shown


def test_s40_no_text_is_out_of_sight(person: Desk) -> None:
    far = "x = 1" + " " * 400 + "; evil()"
    wide = "\u4dc0" * 70 + "evil()"  # hexagrams: one column to Python's tables, two to a terminal's
    proposal = person.sandbox.propose(edit(write("a.py", f"{far}\n{wide}\n")))
    seen = person.review(proposal, "right_curly_bracket", size=(80, 40))
    shown = "".join(line[3:].rstrip(SCROLLBAR) for line in seen.lines).replace(" ", "")
    assert ";evil()" in shown
    assert shown.count("\u4dc0") == 70
    assert shown.replace("+", "").count("evil()") == 2


def test_a_paste_into_a_comment_cannot_act(person: Desk) -> None:
    from textual.events import Paste

    async def paste(pilot: Pilot[Any]) -> None:
        pilot.app.post_message(Paste("a\x1b]0;t\x07\u202eb"))
        await pilot.pause()

    proposal = person.sandbox.propose(edit(write("a.py", "x = 1\n")))
    seen = person.review(proposal, "j", "c", paste, "enter")
    assert seen.review is not None
    assert [comment.text for comment in seen.review.draft.comments] == ["a ]0;t  b"]
