from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.intake.fences import Fence, fences
from redline.intake.nearest import nearest
from redline.intake.shell_text import are_commands, writes_files

LINES = st.lists(st.sampled_from([b"```", b"````py", b"~~~", b"``` a`b", b"x", b"", b"src/x.py", b"\xff", b"  ```"]))


@given(LINES)
def test_fences_follow_one_another_and_end_as_they_begin(lines: list[bytes]) -> None:
    behind = 0
    for fence in fences(lines):
        assert fence.opens_at >= behind
        assert lines[fence.opens_at].startswith(fence.mark)
        if fence.closes_at is None:
            behind = len(lines)
        else:
            assert fence.closes_at > fence.opens_at
            assert lines[fence.closes_at].startswith(fence.mark)
            behind = fence.closes_at + 1
    assert not any(line in {b"```", b"````py", b"~~~"} for line in lines[behind:])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([b"```", b"x", b"```"], [Fence(b"```", b"", 0, 2, (), tight=False)]),
        ([b"a.py", b"~~~~ Python x", b"~~~", b"~~~~~"], [Fence(b"~~~~", b"python", 1, 3, (b"a.py",), tight=False)]),
        ([b"a.py", b"", b"```py:b.py"], [Fence(b"```", b"py", 2, None, (b"a.py", b"b.py"), tight=False)]),
        (
            [b"```", b"```\r", b"a.py", b"```", b"```"],
            [Fence(b"```", b"", 0, 1, (), tight=False), Fence(b"```", b"", 3, 4, (b"a.py",), tight=True)],
        ),
        ([b"``` a`b", b" ```"], []),
    ],
)
def test_a_fence_has_its_language_and_its_paths(lines: list[bytes], expected: list[Fence]) -> None:
    assert list(fences(lines)) == expected


@given(
    st.lists(
        st.sampled_from([b"@@", b"--- a/f", b"  *** Begin Patch", b"{", b'"name"', b"```diff", b"\xff", b"cat > f"])
    )
)
def test_the_nearest_format_is_told_of_any_text(lines: list[bytes]) -> None:
    found = nearest(b"\n".join(lines))
    assert found is None or "line " in found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"make > /dev/null", False),
        (b"make 2>&1 | grep -v x", False),
        (b"pytest -k 'a -> b'", False),
        (b"grep -i x f", False),
        (b"<<<<<<< SEARCH", False),
        (b"npm run rm-all", False),
        (b"make 2> log", True),
        (b"sed -n -i.bak s/a/b/ f", True),
        (b"> sudo rm f", True),
        (b"git apply x.patch", True),
        (b"PS> Remove-Item f; Set-Content g x", True),
    ],
)
def test_a_line_that_changes_files_is_known_by_its_words(line: bytes, expected: bool) -> None:
    assert writes_files(line) is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([b"pip install x", b"pytest"], True),
        ([b"$ ls"], True),
        ([b"#!/bin/sh", b"ls"], False),
        ([b"if x; then"], False),
        ([b"f () {"], False),
    ],
)
def test_commands_are_told_from_a_script(lines: list[bytes], expected: bool) -> None:
    assert are_commands(lines) is expected
