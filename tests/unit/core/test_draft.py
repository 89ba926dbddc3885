from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.draft import Draft, Verdict, resumed
from redline.core.hunks import FileDiff
from redline.core.parts import Part, PartKind, Selection, pieces
from redline.core.paths import RepoPath
from redline.core.reviewed import Comment, CommentKind, Coverage

A, B = RepoPath("a.txt"), RepoPath("b.txt")


def part(path: RepoPath, body: bytes) -> Part:
    (hunk,) = FileDiff(path, body, is_binary=False).hunks()
    return Part(path, PartKind.HUNK, f"{path}#{hunk.id}", hunk)


TWO = part(A, b"@@ -1,3 +1,3 @@\n-1\n+one\n 2\n-3\n+three\n")
FAR = part(A, b"@@ -30 +30 @@\n-30\n+thirty\n")
NEW = part(B, b"@@ -0,0 +1 @@\n+new\n")
MINE = part(A, b"@@ -30 +30 @@\n-30\n+dreissig\n")
DRAFT = Draft((TWO, FAR, NEW))
FIRST, SECOND = pieces(TWO)
NOTE = Comment(A, 3, CommentKind.QUESTION, "why?")


def names(parts: tuple[Part, ...]) -> list[str]:
    return [each.name for each in parts]


def test_what_is_undecided_is_taken_as_a_whole() -> None:
    assert (DRAFT.selection, DRAFT.left, DRAFT.taken) == (None, (), (TWO, FAR, NEW))
    assert (DRAFT.undecided, DRAFT.is_blank) == (DRAFT.parts, True)
    assert DRAFT.coverage == Coverage(3, (TWO.name, FAR.name, NEW.name))


def test_a_part_that_is_left_is_not_selected() -> None:
    draft = DRAFT.decide([FAR.name], Verdict.LEAVE).decide([NEW.name], Verdict.TAKE).see([TWO.name, FAR.name])
    assert draft.selection == Selection(frozenset({TWO.name, NEW.name}))
    assert (draft.left, draft.undecided, draft.unseen) == ((FAR,), (TWO,), (NEW,))
    assert draft.decide([FAR.name], Verdict.UNDECIDED).selection is None


def test_a_path_is_decided_at_once() -> None:
    assert DRAFT.decide_path(A, Verdict.LEAVE).left == (TWO, FAR)


def test_the_pieces_of_a_hunk_inherit_and_go_their_own_ways() -> None:
    draft = DRAFT.decide([TWO.name], Verdict.LEAVE).see([TWO.name]).mark([TWO.name], reviewed=True).split_up(TWO)
    assert (draft.parts, draft.left) == ((FIRST, SECOND, FAR, NEW), (FIRST, SECOND))
    assert draft.seen >= {FIRST.name, SECOND.name} <= draft.reviewed
    apart = draft.decide([SECOND.name], Verdict.TAKE)
    assert apart.selection == Selection(frozenset({SECOND.name, FAR.name, NEW.name}))


def test_what_cannot_be_split_stays() -> None:
    assert DRAFT.split_up(FAR).parts == DRAFT.parts


def test_an_edit_keeps_the_pieces_of_another_hunk_and_what_was_said_of_them() -> None:
    draft = DRAFT.split_up(TWO).decide([FIRST.name], Verdict.LEAVE).edit(A, b"text", (TWO, MINE))
    assert (draft.parts, draft.left, draft.written(A)) == ((FIRST, SECOND, MINE, NEW), (FIRST,), (MINE,))
    assert names(draft.unseen) == [SECOND.name, NEW.name]


def test_the_persons_own_text_is_taken_and_seen() -> None:
    draft = DRAFT.edit(A, b"text", (TWO, MINE))
    assert (draft.parts, draft.verdict(MINE.name)) == ((TWO, MINE, NEW), Verdict.TAKE)
    assert draft.selection == Selection(frozenset({TWO.name, MINE.name, NEW.name}), {A: b"text"})
    assert names(draft.unseen) == [TWO.name, NEW.name]
    assert names(DRAFT.edit(A, b"as before", ()).parts) == [NEW.name]


def test_comments_come_and_go() -> None:
    assert (DRAFT.comment(NOTE).comments, DRAFT.comment(NOTE).uncomment(NOTE)) == ((NOTE,), DRAFT)


def edited(path: RepoPath, data: bytes) -> tuple[Part, ...]:
    assert (path, data) == (A, b"text\xff")
    return (TWO, MINE)


@given(
    st.lists(st.tuples(st.sampled_from([TWO, FAR, NEW, MINE, FIRST]), st.sampled_from(Verdict)), max_size=5),
    st.booleans(),
    st.booleans(),
)
def test_a_draft_is_resumed_as_it_was_left(words: list[tuple[Part, Verdict]], is_edited: bool, is_split: bool) -> None:
    draft = DRAFT.comment(NOTE).see([NEW.name]).mark([NEW.name], reviewed=True)
    draft = draft.edit(A, b"text\xff", (TWO, MINE)) if is_edited else draft
    draft = draft.split_up(TWO).decide([SECOND.name], Verdict.TAKE) if is_split else draft
    present = {each.name for each in draft.parts}
    for each, verdict in words:
        if each.name in present and each is not FIRST:
            draft = draft.decide([each.name], verdict)
    assert resumed(DRAFT.parts, draft.record, edited) == draft


def test_only_what_is_there_again_is_carried_to_a_refreshed_proposal() -> None:
    draft = DRAFT.decide([FAR.name, NEW.name], Verdict.LEAVE).see([TWO.name, FAR.name]).comment(NOTE)
    carried = resumed((TWO, NEW), draft.edit(A, b"text\xff", (TWO, MINE)).record, None)
    assert carried == Draft((TWO, NEW), {NEW.name: Verdict.LEAVE}, frozenset({TWO.name}), comments=(NOTE,))
    assert resumed((NEW,), draft.record, None).comments == ()


@pytest.mark.parametrize(
    "record", [{}, {**DRAFT.record, "verdicts": {"x": "perhaps"}}, {**DRAFT.record, "comments": [1]}]
)
def test_a_record_of_something_else_is_refused(record: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        resumed(DRAFT.parts, record, None)  # type: ignore[arg-type]
