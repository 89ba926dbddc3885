"""Each key of the full-screen review, typed at the real program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.events import Key, MouseScrollDown, Paste

from redline.core.draft import Verdict
from redline.core.lifecycle import Outcome
from redline.core.reviewed import Comment, CommentKind
from redline.frontends.tui.application import Answer
from redline.frontends.tui.review_screen import Act
from tests.frontends.tui.conftest import GERMAN, text
from tests.frontends.tui.support import LOOK, WIDE, Desk, Seen, typed

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from redline.core.draft import Draft


def draft_of(seen: Seen) -> Draft:
    assert seen.review is not None
    return seen.review.draft


def verdicts(seen: Seen) -> list[Verdict]:
    draft = draft_of(seen)
    return [draft.verdict(part.name) for part in draft.parts]


def at_once(*keys: str) -> Callable[[Pilot[Any]], None]:
    """Keys that all arrive before the first of them was answered."""

    def press(pilot: Pilot[Any]) -> None:
        for key in keys:
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))

    return press


U, T, L = Verdict.UNDECIDED, Verdict.TAKE, Verdict.LEAVE


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ((), "@@ -1,8 +1,8 @@"),
        (("j",), " 1  1  1"),
        (("down", "down"), " 2    -2"),
        (("j", "j", "k"), " 1  1  1"),
        (("j", "up"), "@@ -1,8 +1,8 @@"),
        (("right_square_bracket",), "@@ -22,7 +22,7 @@"),
        (("right_square_bracket", "right_square_bracket", "left_square_bracket"), "@@ -22,7 +22,7 @@"),
        (("right_curly_bracket",), "z.txt  new file  +1"),
        (("right_curly_bracket", "left_curly_bracket"), "n.txt  edited  +4"),
        (("G",), "That is all of it."),
        (("G", "g"), "proposal "),
        (("end", "home"), "proposal "),
        (("slash", *typed("acht|50"), "enter"), "50    -50"),
        (("slash", *typed("zig|zwanzig"), "enter", "ctrl+n"), "   50 +fuenfzig"),
        (("slash", *typed("zig|zwanzig"), "enter", "ctrl+p"), "   50 +fuenfzig"),
        (("slash", *typed("zig"), "enter", "g", "slash", "enter"), "   25 +fuenfundzwanzig"),
    ],
)
def test_the_keys_that_move(person: Desk, proposal: str, keys: tuple[str, ...], row: str) -> None:
    assert person.review(proposal, *keys).cursor.startswith(row)


def test_pages_move_what_is_in_sight(person: Desk, proposal: str) -> None:
    for there, back in (("pagedown", "pageup"), ("ctrl+d", "ctrl+u")):
        gone = person.review(proposal, there)
        assert "proposal " not in gone.text
        assert "proposal " in person.review(proposal, there, back).text


def test_y_and_n_decide_and_go_on_to_the_next(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, "y", "n")
    assert verdicts(seen) == [T, L, U, U]
    assert seen.cursor.startswith("@@ -47,7 +47,7 @@")
    assert verdicts(person.review(proposal, "y", "n", "left_square_bracket", "u")) == [T, U, U, U]


def test_n_leaves_in_a_search_too(person: Desk, proposal: str) -> None:
    assert verdicts(person.review(proposal, "slash", *typed("zig"), "enter", "n")) == [U, L, U, U]


def test_a_and_d_decide_a_file_and_a_title_all_of_it(person: Desk, proposal: str) -> None:
    assert verdicts(person.review(proposal, "a")) == [T, T, T, U]
    assert verdicts(person.review(proposal, "a", "d")) == [T, T, T, L]
    assert verdicts(person.review(proposal, "right_curly_bracket", "left_curly_bracket", "n")) == [L, L, L, U]


def test_space_folds_the_part_away_and_again_unfolds_it(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, "space")
    draft = draft_of(seen)
    assert draft.reviewed == {draft.parts[0].name}
    assert "zwei" not in seen.text
    assert seen.cursor.startswith("@@ -22,7 +22,7 @@")
    back = person.review(proposal, "space", "left_square_bracket", "space")
    assert draft_of(back).reviewed == frozenset()
    assert "zwei" in back.text


def test_a_file_that_was_reviewed_folds_to_its_title(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, *["space"] * 3)
    assert "n.txt  edited  +4 \u22124  reviewed" in seen.text
    assert "@@ -1,8" not in seen.text
    assert (
        draft_of(person.review(proposal, *["space"] * 3, "left_curly_bracket", "left_curly_bracket", "space")).reviewed
        == frozenset()
    )


def test_space_first_shows_the_rest_of_a_long_part(person: Desk) -> None:
    from tests.support.sandbox import edit, write

    lines = "".join(f"line {number}\n" for number in range(50))
    long = person.sandbox.propose(edit(write("long.txt", lines)))
    once = person.review(long, "space")
    assert draft_of(once).reviewed == frozenset()
    assert draft_of(once).unseen
    assert "+line 20" in once.text
    done = person.review(long, *["space"] * 4)
    assert (draft_of(done).unseen, len(draft_of(done).reviewed)) == ((), 1)


def test_s_splits_a_part_that_can_be(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, "s", "n", "y")
    assert [part.id[-2:] for part in draft_of(seen).parts[:2]] == [".1", ".2"]
    assert verdicts(seen) == [L, T, U, U, U]
    assert "It cannot be split" in person.review(proposal, "right_square_bracket", "s").text


def test_c_comments_on_the_line_and_capital_c_removes_it(person: Desk, proposal: str) -> None:
    keys = ("j", "j", "j", "c", *typed("why?"), "tab", "tab", "enter")
    seen = person.review(proposal, *keys)
    assert draft_of(seen).comments == (Comment("n.txt", 2, CommentKind.QUESTION, "why?"),)  # type: ignore[arg-type]
    assert "  \u2506 question: why?" in seen.text
    before = person.review(proposal, "j", "j", "c", *typed("no"), "enter")
    assert [(c.line, c.is_before) for c in draft_of(before).comments] == [(2, True)]
    assert draft_of(person.review(proposal, *keys, "j", "C")).comments == ()
    assert "is on no comment" in person.review(proposal, "C").text
    assert draft_of(person.review(proposal, "j", "c", *typed("no"), "escape")).comments == ()
    assert "Go to a line" in person.review(proposal, "g", "c").text


def test_layouts_and_the_list_of_files(person: Desk, proposal: str) -> None:
    beside, below = " 2 -2", "\u2502  2 +zwei"
    assert below in person.review(proposal, size=WIDE).text
    assert below in person.review(proposal, "1").text
    assert below not in person.review(proposal, "2", size=WIDE).text
    assert below in person.review(proposal, "2", "0", size=WIDE).text
    assert beside in person.review(proposal, size=WIDE).text
    wide, narrow = person.review(proposal, size=WIDE), person.review(proposal)
    assert "    z.txt" in wide.text.replace("\u25b6 ", "  ")
    assert "    z.txt " not in narrow.text
    assert "    z.txt " not in person.review(proposal, "t", size=WIDE).text
    assert "  z.txt " in person.review(proposal, "t").text


def test_x_declines_with_a_reason(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, "n", "x", LOOK, *typed("not now"), "enter")
    assert isinstance(seen.answer, Answer)
    assert (seen.answer.act, seen.answer.reason) == (Act.DECLINE, "not now")
    ended = person.carry_out(seen)
    assert (ended.filed.receipt.outcome, ended.filed.receipt.reason) == (Outcome.DECLINED, "not now")


def test_x_typed_ahead_with_its_answer_declines_nothing(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, at_once("x", "enter"))
    assert seen.answer is None
    assert "Decline all of it. Why?" in seen.text


def test_the_least_that_a_small_proposal_takes(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, *["space"] * 4, "enter", LOOK, *typed(proposal[:4]), "enter")
    ended = person.carry_out(seen)
    assert ended.filed.receipt.outcome is Outcome.APPLIED
    assert person.sandbox.read("n.txt") == text(**GERMAN).encode()
    shown = ended.filed.receipt.reviewed.coverage
    assert (shown is not None and shown.parts, shown is not None and shown.unseen) == (4, ())


def test_what_was_never_shown_needs_a_word_of_its_own(person: Desk, proposal: str) -> None:
    short = person.review(proposal, "enter", LOOK, *typed(proposal[:4]), "enter")
    assert short.answer is None
    assert "Something was never shown in full" in short.text
    count = len(draft_of(short).unseen)
    assert count > 0
    assert f"Not shown in full, and taken: {count}" in short.text
    full = person.review(proposal, "enter", LOOK, *typed(f"{proposal[:4]} unseen"), "enter")
    ended = person.carry_out(full)
    shown = ended.filed.receipt.reviewed.coverage
    assert shown is not None
    assert (shown.parts, len(shown.unseen)) == (4, count)


@pytest.mark.parametrize("word", ["", "y", "yes", "0000", "unseen"])
def test_only_the_code_confirms(person: Desk, proposal: str, word: str) -> None:
    seen = person.review(proposal, *["space"] * 4, "enter", LOOK, *typed(word), "enter")
    assert seen.answer is None
    assert ("is not its code" in seen.text) == bool(word)


def test_s61_what_is_typed_ahead_never_confirms(person: Desk, proposal: str) -> None:
    seen = person.review(proposal, *["space"] * 4, at_once("enter", *typed(proposal[:4]), "enter"))
    assert seen.answer is None
    assert f"Type {proposal[:4]} to apply; Enter alone or Esc goes back: \u2588" in seen.text


def test_s61_a_paste_never_confirms(person: Desk, proposal: str) -> None:
    def paste(pilot: Pilot[Any]) -> None:
        pilot.app.screen.post_message(Paste(f"{proposal[:4]}\n"))

    seen = person.review(proposal, *["space"] * 4, "enter", LOOK, paste, "enter")
    assert seen.answer is None


def test_what_is_left_and_commented_is_told_before_the_code(person: Desk, proposal: str) -> None:
    keys = ("n", "j", "c", *typed("hm"), "enter", "right_curly_bracket", "space")
    seen = person.review(proposal, *keys, "enter", LOOK)
    for said in (
        "Left: not applied, and the model is told so: 1",
        "Comments: 1",
        "n.txt:22  issue: hm",
        "z.txt  1 part",
    ):
        assert said in seen.text
    back = person.review(proposal, *keys, "enter", LOOK, "escape")
    assert "Nothing was confirmed, nothing was written." in back.text


def test_the_rest_is_left_with_a_reason(person: Desk, proposal: str) -> None:
    keys = ("n", *["space"] * 3, "enter", LOOK, *typed(proposal[:4]), "enter", *typed("two is fine"), "enter")
    ended = person.carry_out(person.review(proposal, *keys))
    assert ended.filed.receipt.reason == "two is fine"
    assert person.sandbox.read("n.txt") == text(_25="fuenfundzwanzig", _50="fuenfzig").encode()


def test_when_all_is_left_there_is_nothing_to_confirm(person: Desk, proposal: str) -> None:
    assert "Every part is left: x declines" in person.review(proposal, "d", "d", "enter").text


def test_q_leaves_and_the_help_lists_every_key(person: Desk, proposal: str) -> None:
    from redline.frontends.tui.keys import DECIDING, READING

    assert person.review(proposal, "y", "q").answer is None
    shown = person.review(proposal, "question_mark", size=WIDE).text
    for key in (*DECIDING, *READING):
        assert key.words in shown
    assert "zwei" in person.review(proposal, "question_mark", "q").text


def test_the_mouse(person: Desk, proposal: str) -> None:
    from redline.frontends.tui.diff_view import DiffView

    async def click(pilot: Pilot[Any]) -> None:
        await pilot.click(DiffView, offset=(10, 9))

    async def point_at_file(pilot: Pilot[Any]) -> None:
        await pilot.click("#files", offset=(5, 1))

    async def wheel(pilot: Pilot[Any]) -> None:
        await pilot._post_mouse_events([MouseScrollDown], DiffView)

    assert person.review(proposal, click).lines[10].startswith("\u25b6")
    seen = person.review(proposal, point_at_file, size=WIDE)
    assert "z.txt  2/2" in seen.text
    assert "proposal " not in person.review(proposal, wheel).text


def test_a_review_goes_on_where_it_was_left(person: Desk, proposal: str) -> None:
    first = person.review(proposal, "n", "space", "j", "c", *typed("hm"), "enter", "q")
    person.redline.desk.keep_draft(draft_key(first), draft_of(first))
    again = person.review(proposal)
    assert "This review goes on where you left it." in again.text
    assert draft_of(again).record == draft_of(first).record


def draft_key(seen: Seen) -> str:
    assert seen.review is not None
    return seen.review.view.proposal.id
