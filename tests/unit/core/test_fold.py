from __future__ import annotations

import pytest

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.fold import fold
from redline.core.paths import RepoPath

A, B, C = RepoPath("a"), RepoPath("b"), RepoPath("c")
ONE, TWO, THREE = (Content(data, Mode.REGULAR) for data in (b"1", b"2", b"3"))


def change(
    path: RepoPath, before: Content | None, after: Content | None, origin: RepoPath | None = None
) -> ContentChange:
    return ContentChange(path, before, after, origin)


@pytest.mark.parametrize(
    ("older", "newer", "net"),
    [
        ([change(A, ONE, TWO)], [change(B, ONE, TWO)], [change(A, ONE, TWO), change(B, ONE, TWO)]),
        ([change(A, ONE, TWO)], [change(A, TWO, THREE)], [change(A, ONE, THREE)]),
        ([change(A, ONE, TWO)], [change(A, TWO, ONE)], []),
        ([change(A, None, TWO)], [change(A, TWO, None)], []),
        ([change(A, ONE, None)], [change(A, None, THREE)], [change(A, ONE, THREE)]),
        ([change(A, ONE, TWO)], [change(A, TWO, None)], [change(A, ONE, None)]),
        (
            [change(A, ONE, None), change(B, None, ONE, A)],
            [change(B, ONE, TWO)],
            [change(A, ONE, None), change(B, None, TWO, A)],
        ),
        (
            [change(A, ONE, None), change(B, None, ONE, A)],
            [change(B, ONE, None), change(C, None, ONE, B)],
            [change(A, ONE, None), change(C, None, ONE, A)],
        ),
        (
            [change(A, ONE, None), change(B, None, ONE, A)],
            [change(A, None, ONE)],
            [change(B, None, ONE)],
        ),
        (
            [change(A, ONE, None), change(B, None, ONE, A)],
            [change(A, None, ONE, B), change(B, ONE, None)],
            [],
        ),
        (
            [change(A, ONE, TWO)],
            [change(A, TWO, None), change(B, None, TWO, A)],
            [change(A, ONE, None), change(B, None, TWO, A)],
        ),
    ],
)
def test_two_changes_are_one_net_change(
    older: list[ContentChange], newer: list[ContentChange], net: list[ContentChange]
) -> None:
    assert fold(tuple(older), tuple(newer)) == tuple(net)
