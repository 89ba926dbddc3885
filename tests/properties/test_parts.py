"""Any part of a proposal can be taken alone: what comes out is what git makes of just those hunks."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters.git.diff import DiffEngine
from redline.core.change import Change
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.hunks import Hunk, LineKind, carry_out
from redline.core.parts import parts_of, pieces, taken
from redline.core.paths import RepoPath

PATH = RepoPath("a.txt")
lines = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"\r", b"\xff", b"a\x0cb"]), max_size=30)
ends = st.booleans()


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A text and a rewriting of it that leaves stretches alone."""
    before = draw(lines)
    after: list[bytes] = []
    for line in before:
        act = draw(st.sampled_from(["keep"] * 6 + ["drop", "change", "insert"]))
        after += {"keep": [line], "drop": [], "change": [line + b"!"], "insert": [b"new", line]}[act]
    after += draw(lines) if draw(st.booleans()) and not before else []
    return _joined(before, last=draw(ends)), _joined(after, last=draw(ends))


def _joined(parts: list[bytes], *, last: bool) -> bytes:
    text = b"\n".join(parts)
    return text + b"\n" if parts and last else text


def _hunks(before: bytes, after: bytes) -> tuple[Change, tuple[Hunk, ...], dict[str, bytes]]:
    old, new = (Content(data, Mode.REGULAR).state(ObjectFormat.SHA1) for data in (before, after))
    change = Change(PATH, old, new)
    contents = {old.sha256: before, new.sha256: after}
    with tempfile.TemporaryDirectory() as folder:
        diffs = DiffEngine(folder).compare([change], contents.__getitem__)
    return change, diffs[PATH].hunks(), contents


def _by_git(before: bytes, hunks: list[Hunk]) -> bytes:
    """Apply a patch of just these hunks, their numbers after set right."""
    patch = [b"--- a/a.txt\n+++ b/a.txt\n"]
    shift = 0
    for hunk in hunks:
        kinds = [line.kind for line in hunk.lines]
        olds = sum(kind in {LineKind.CONTEXT, LineKind.REMOVED} for kind in kinds)
        news = sum(kind in {LineKind.CONTEXT, LineKind.ADDED} for kind in kinds)
        start = hunk.before_start + shift + (1 if olds == 0 else 0) - (1 if news == 0 else 0)
        patch += [b"@@ -%d,%d +%d,%d @@\n" % (hunk.before_start, olds, start, news), hunk.body, b"\n"]
        shift += news - olds
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_bytes(before)
        done = subprocess.run(
            ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-"],
            cwd=folder,
            input=b"".join(patch),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (done.stderr, patch)
        return Path(folder, "a.txt").read_bytes()


@given(texts(), st.data())
@settings(max_examples=80, deadline=None)
def test_any_subset_of_hunks_gives_what_git_gives(text: tuple[bytes, bytes], data: st.DataObject) -> None:
    before, after = text
    if before == after or b"\0" in before + after:
        return
    change, hunks, contents = _hunks(before, after)
    chosen = [hunk for hunk in hunks if data.draw(st.booleans())]
    parts = parts_of((change,), {PATH: hunks})
    names = frozenset(f"{PATH}#{hunk.id}" for hunk in chosen)
    results = taken((change,), parts, names, contents.__getitem__)
    result = results[0].after if results else Content(before, Mode.REGULAR)
    assert result is not None
    assert result.data == (_by_git(before, chosen) if chosen else before)
    assert carry_out(before, hunks) == after


@given(texts(), st.data())
@settings(max_examples=60, deadline=None)
def test_any_subset_of_pieces_gives_what_git_gives(text: tuple[bytes, bytes], data: st.DataObject) -> None:
    """Pieces overlap in the unchanged lines that they share, so git gets them one after the other, last first."""
    before, after = text
    if before == after or b"\0" in before + after:
        return
    change, hunks, contents = _hunks(before, after)
    parts = parts_of((change,), {PATH: hunks})
    split = [piece for part in parts for piece in pieces(part)]
    chosen = [piece for piece in split if data.draw(st.booleans())]
    results = taken((change,), parts, frozenset(piece.name for piece in chosen), contents.__getitem__)
    result = results[0].after if results else Content(before, Mode.REGULAR)
    expected = before
    for piece in reversed(chosen):
        assert piece.hunk is not None
        expected = _by_git(expected, [piece.hunk])
    assert result is not None
    assert result.data == expected
    everything = taken((change,), parts, frozenset(piece.name for piece in split), contents.__getitem__)
    assert everything[0].after == Content(after, Mode.REGULAR)
