from __future__ import annotations

import pytest
from tests.support.build import a_creation, a_deletion, a_state, an_edit

from redline.core.change import Change, ContentChange
from redline.core.content import Content, Mode
from redline.core.hunks import FileDiff, Hunk
from redline.core.memory import memory_key
from redline.core.parts import Part, PartKind, named_parts, parts_of, pieces, select, taken
from redline.core.paths import RepoPath
from redline.errors import UsageFault

A, NEW, OLD = RepoPath("a.txt"), RepoPath("new.txt"), RepoPath("old.txt")
BODY = b"@@ -1,5 +1,6 @@\n-1\n+one\n 2\n-3\n+three\n+more\n 4\n-5\n\\ No newline at end of file\n+five\n"
BEFORE = b"1\n2\n3\n4\n5"


def hunks_of(path: RepoPath, body: bytes) -> tuple[Hunk, ...]:
    return FileDiff(path, body, is_binary=False).hunks()


(HUNK,) = hunks_of(A, BODY)


def test_a_hunk_splits_at_the_lines_that_stay() -> None:
    assert [(piece.id, piece.header, piece.body) for piece in HUNK.pieces()] == [
        (f"{HUNK.id}.1", "@@ -1,2 +1,2 @@", b"-1\n+one\n 2"),
        (f"{HUNK.id}.2", "@@ -2,3 +2,4 @@", b" 2\n-3\n+three\n+more\n 4"),
        (f"{HUNK.id}.3", "@@ -4,2 +5,2 @@", b" 4\n-5\n\\ No newline at end of file\n+five"),
    ]
    assert HUNK.pieces()[0].pieces() == (HUNK.pieces()[0],)


@pytest.mark.parametrize(
    ("names", "after"),
    [
        ({HUNK.id}, b"one\n2\nthree\nmore\n4\nfive\n"),
        ({f"{HUNK.id}.1"}, b"one\n2\n3\n4\n5"),
        ({f"{HUNK.id}.2", f"{HUNK.id}.3"}, b"1\n2\nthree\nmore\n4\nfive\n"),
        ({f"{HUNK.id}.3"}, b"1\n2\n3\n4\nfive\n"),
    ],
)
def test_a_piece_is_taken_alone(names: set[str], after: bytes) -> None:
    change = an_edit("a.txt", BEFORE, b"whatever")
    results = taken(
        (change,),
        parts_of((change,), {A: (HUNK,)}),
        frozenset(f"a.txt#{name}" for name in names),
        {a_state(BEFORE).sha256: BEFORE, a_state(b"whatever").sha256: b""}.__getitem__,
    )
    assert results == (ContentChange(A, Content(BEFORE, Mode.REGULAR), Content(after, Mode.REGULAR)),)


RENAMED_BODY = b"@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n"
(RENAMED_HUNK,) = hunks_of(NEW, RENAMED_BODY)
RENAME = (
    Change(NEW, None, a_state(b"one\nzwei\n", Mode.EXECUTABLE), OLD),
    Change(OLD, a_state(b"one\ntwo\n"), None),
)
RENAME_CONTENTS = {a_state(data).sha256: data for data in (b"one\nzwei\n", b"one\ntwo\n")}
SOURCE = Content(b"one\ntwo\n", Mode.REGULAR)


@pytest.mark.parametrize(
    ("names", "results"),
    [
        (set(), ()),
        (
            {"new.txt#rename"},
            (ContentChange(NEW, None, SOURCE, OLD), ContentChange(OLD, SOURCE, None)),
        ),
        (
            {"new.txt#rename", "new.txt#mode", f"new.txt#{RENAMED_HUNK.id}"},
            (
                ContentChange(NEW, None, Content(b"one\nzwei\n", Mode.EXECUTABLE), OLD),
                ContentChange(OLD, SOURCE, None),
            ),
        ),
        (
            {f"new.txt#{RENAMED_HUNK.id}"},
            (ContentChange(OLD, SOURCE, Content(b"one\nzwei\n", Mode.REGULAR)),),
        ),
        (
            {"new.txt#mode"},
            (ContentChange(OLD, SOURCE, Content(b"one\ntwo\n", Mode.EXECUTABLE)),),
        ),
    ],
)
def test_a_rename_its_mode_and_its_hunks_are_taken_alone(names: set[str], results: tuple[ContentChange, ...]) -> None:
    parts = parts_of(RENAME, {NEW: (RENAMED_HUNK,), OLD: ()})
    assert [part.name for part in parts] == ["new.txt#rename", "new.txt#mode", f"new.txt#{RENAMED_HUNK.id}"]
    assert taken(RENAME, parts, frozenset(names), RENAME_CONTENTS.__getitem__) == results


BINARY = Change(A, a_state(b"\0"), a_state(b"\0\1", Mode.EXECUTABLE))
CHANGES = (a_creation("c.txt"), a_creation("empty", b""), a_deletion())


@pytest.mark.parametrize(
    ("change", "hunks", "names"),
    [
        (an_edit("a.txt"), (HUNK,), [f"a.txt#{HUNK.id}"]),
        (Change(A, a_state(), a_state(mode=Mode.EXECUTABLE)), (), ["a.txt"]),
        (Change(A, a_state(), a_state(b"x", Mode.EXECUTABLE)), (HUNK,), ["a.txt#mode", f"a.txt#{HUNK.id}"]),
        (BINARY, (), ["a.txt#mode", "a.txt#content"]),
        (Change(A, a_state(b"\0"), a_state(b"\1\0")), (), ["a.txt"]),
        (a_creation("a.txt", b""), (), ["a.txt"]),
    ],
)
def test_parts_have_names_that_their_ids_alone_give(change: Change, hunks: tuple[Hunk, ...], names: list[str]) -> None:
    parts = parts_of((change,), {A: hunks})
    assert [part.name for part in parts] == names
    assert [part.name for part in named_parts((change,), {"a.txt": [hunk.id for hunk in hunks]})] == names


@pytest.mark.parametrize(
    ("names", "after"),
    [
        ({"a.txt#mode"}, Content(b"\0", Mode.EXECUTABLE)),
        ({"a.txt#content"}, Content(b"\0\1", Mode.REGULAR)),
        ({"a.txt#mode", "a.txt#content"}, Content(b"\0\1", Mode.EXECUTABLE)),
    ],
)
def test_a_binary_content_and_its_mode_are_taken_alone(names: set[str], after: Content) -> None:
    contents = {a_state(data).sha256: data for data in (b"\0", b"\0\1")}
    results = taken((BINARY,), parts_of((BINARY,), {A: ()}), frozenset(names), contents.__getitem__)
    assert results == (ContentChange(A, Content(b"\0", Mode.REGULAR), after),)


PARTS = (
    Part(A, PartKind.HUNK, f"a.txt#{HUNK.id}", HUNK),
    Part(NEW, PartKind.RENAME, "new.txt#rename"),
    Part(NEW, PartKind.HUNK, f"new.txt#{RENAMED_HUNK.id}", RENAMED_HUNK),
)


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("a.txt", {PARTS[0].name}),
        (PARTS[0].name, {PARTS[0].name}),
        (PARTS[0].name[:-3], {PARTS[0].name}),
        (f"{PARTS[0].name}.2", {f"{PARTS[0].name}.2"}),
        ("new.txt", {PARTS[1].name, PARTS[2].name}),
        ("old.txt", {PARTS[1].name, PARTS[2].name}),
        ("new.txt#rename", {PARTS[1].name}),
        ("*.txt", {part.name for part in PARTS}),
    ],
)
def test_selectors(selector: str, names: set[str]) -> None:
    assert select([selector], (an_edit("a.txt"), *RENAME), PARTS) == names


@pytest.mark.parametrize("selector", ["b.txt", "a.txt#", "a.txt#ffffffffff", "a.txt#" + HUNK.id[:3], "*.py", ""])
def test_a_selector_that_names_nothing_is_refused(selector: str) -> None:
    with pytest.raises(UsageFault) as refusal:
        select(["a.txt", selector], (an_edit("a.txt"), *RENAME), PARTS)
    assert refusal.value.code == "NO_SUCH_PART"
    assert refusal.value.details["selector"] == selector


def test_a_hunk_is_remembered_by_its_lines_and_other_parts_by_both_sides() -> None:
    change = an_edit("a.txt")
    whole = Part(A, PartKind.HUNK, f"a.txt#{HUNK.id}-2", HUNK)
    assert memory_key(whole, change) == memory_key(Part(A, PartKind.HUNK, whole.name), change) == f"a.txt#{HUNK.id}"
    piece = pieces(whole)[1]
    assert memory_key(piece, change) == memory_key(Part(A, PartKind.HUNK, "", piece.hunk), change)
    assert memory_key(piece, change) != memory_key(pieces(whole)[0], change)
    mode = Part(A, PartKind.MODE, "a.txt#mode")
    assert memory_key(mode, change) == memory_key(mode, an_edit("a.txt"))
    assert memory_key(mode, change) != memory_key(mode, an_edit("a.txt", after=b"something else\n"))
