"""Moves are told by exact bytes."""

from __future__ import annotations

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.moves import with_moves
from redline.core.paths import RepoPath


def change(path: str, before: bytes | None, after: bytes | None) -> ContentChange:
    return ContentChange(RepoPath(path), content(before), content(after))


def content(data: bytes | None) -> Content | None:
    return Content(data, Mode.REGULAR) if data is not None else None


def moves(*changes: ContentChange) -> dict[str, str | None]:
    return {found.path: found.renamed_from for found in with_moves(changes)}


def test_a_creation_continues_the_deletion_that_had_its_bytes() -> None:
    assert moves(change("z", b"same", None), change("a", None, b"same"), change("b", None, b"other")) == {
        "a": "z",
        "b": None,
        "z": None,
    }


def test_each_deletion_is_continued_once_in_the_order_of_paths() -> None:
    gone = (change("p", b"same", None), change("q", b"same", None))
    assert moves(*gone, *(change(name, None, b"same") for name in "xyz")) == {
        **dict.fromkeys("pq"),
        "x": "p",
        "y": "q",
        "z": None,
    }


def test_empty_files_and_edits_are_no_moves() -> None:
    assert moves(change("a", b"", None), change("b", None, b""), change("c", b"1", b"2"), change("d", b"2", None)) == (
        dict.fromkeys("abcd")
    )
