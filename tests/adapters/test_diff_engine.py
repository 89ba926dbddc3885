"""The diff engine against the judge: what it makes, `git apply` takes, and the result is byte for byte *after*."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters.git.diff import DiffEngine
from redline.core.change import ContentChange
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.hunks import FileDiff, LineKind
from redline.core.paths import RepoPath
from redline.errors import EnvironmentFault
from redline.render.patch import patch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.core.change import Change

Side = Content | None


def _changes(sides: Mapping[str, tuple[Side, Side]]) -> tuple[tuple[Change, ...], dict[str, bytes]]:
    contents = [ContentChange(RepoPath(path), *sides[path]) for path in sorted(sides)]
    known = {side.sha256: side.data for content in contents for side in (content.before, content.after) if side}
    return tuple(content.identify(ObjectFormat.SHA1) for content in contents), known


def compare(sides: Mapping[str, tuple[Side, Side]]) -> dict[RepoPath, FileDiff]:
    changes, known = _changes(sides)
    return DiffEngine("/nowhere").compare(changes, known.__getitem__)


def one(before: bytes | None, after: bytes | None) -> FileDiff:
    sides = [Content(data, Mode.REGULAR) if data is not None else None for data in (before, after)]
    (diff,) = compare({"f": (sides[0], sides[1])}).values()
    return diff


def applied(sides: Mapping[str, tuple[Side, Side]]) -> dict[str, Side]:
    """Apply the patch with git in a scratch repository that holds every *before*; what is there then."""
    changes, known = _changes(sides)
    text = patch(changes, DiffEngine("/nowhere").compare(changes, known.__getitem__))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for path, (before, _) in sides.items():
            if before is not None:
                target = Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(before.data)
                target.chmod(0o755 if before.mode.is_executable else 0o644)
        command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
        done = subprocess.run(command, cwd=folder, input=text, capture_output=True, check=False)
        assert done.returncode == 0, (done.stderr, text)
        return {path: _found(Path(folder, path)) for path in sides}


def _found(path: Path) -> Side:
    if not path.exists():
        return None
    return Content(path.read_bytes(), Mode.EXECUTABLE if path.stat().st_mode & 0o100 else Mode.REGULAR)


_lines = st.sampled_from([b"a", b"b", b"", b"\r", b"\ta ", b"-- x", b"++ y", b"@@ -1 +1 @@", b"diff --git a/0 b/0",
                          b"GIT binary patch", b"\\ No newline at end of file", b"\xff\xfe", "é\u2028\x85".encode(),
                          b"x\ry", b"\x0c", b"literal 3"])  # fmt: skip
_texts = st.builds(
    lambda lines, end, last: end.join(lines) + (end if last else b""),
    st.lists(_lines, max_size=12),
    st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"]),
    st.booleans(),
)
_datas = _texts | st.binary(max_size=60) | st.binary(max_size=20).map(lambda data: b"text\n" * 1700 + data)
_sides = st.none() | st.builds(Content, _datas, st.sampled_from(Mode))


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(_sides, _sides).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=4))
def test_git_takes_the_patch_and_the_result_is_after(pairs: list[tuple[Side, Side]]) -> None:
    names = ("a b/f.txt", "d/ü.py", "d/.gitattributes", 'q"x')
    sides = dict(zip(names, pairs, strict=False))
    assert applied(sides) == {path: after for path, (_, after) in sides.items()}


@settings(max_examples=60, deadline=None)
@given(_texts, _texts)
def test_the_hunks_hold_every_changed_line(before: bytes, after: bytes) -> None:
    diff = one(before, after) if before != after else FileDiff(RepoPath("f"), b"", is_binary=False)
    old, new = before.split(b"\n"), after.split(b"\n")
    for hunk in diff.hunks():
        for line in hunk.lines:
            if line.before_number is not None:
                assert old[line.before_number - 1] == line.data
            if line.after_number is not None:
                assert new[line.after_number - 1] == line.data


def test_a_text_difference_has_hunks_only() -> None:
    diff = one(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
    assert diff == FileDiff(RepoPath("f"), b"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n", is_binary=False)


@pytest.mark.parametrize(
    ("before", "after", "body"),
    [
        (None, b"a\n", b"@@ -0,0 +1 @@\n+a\n"),
        (b"a\n", None, b"@@ -1 +0,0 @@\n-a\n"),
        (b"", b"a\n", b"@@ -0,0 +1 @@\n+a\n"),
        (b"a\n", b"", b"@@ -1 +0,0 @@\n-a\n"),
        (None, b"", b""),
        (b"", None, b""),
        (b"a", b"a\n", b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        (b"a\n", b"b", b"@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"),
        (b"a\n", b"a\r\n", b"@@ -1 +1 @@\n-a\n+a\r\n"),
        (
            b"a\rb\r",
            b"a\rc\r",
            b"@@ -1 +1 @@\n-a\rb\r\n\\ No newline at end of file\n+a\rc\r\n\\ No newline at end of file\n",
        ),
        (b"a \n", b"a\n", b"@@ -1 +1 @@\n-a \n+a\n"),
    ],
)
def test_absent_empty_and_unusual_ends_are_spelt_as_git_spells_them(
    before: bytes | None, after: bytes | None, body: bytes
) -> None:
    assert one(before, after) == FileDiff(RepoPath("f"), body, is_binary=False)


def test_binary_is_a_nul_among_the_first_8000_bytes_and_nothing_else() -> None:
    early, late = one(b"x" * 7999 + b"\0", b"y"), one(b"x\n" * 4000 + b"\0\n", b"x\n" * 4000 + b"\0y\n")
    assert (early.is_binary, early.hunks()) == (True, ())
    assert early.body.startswith(b"GIT binary patch\n")
    assert not late.is_binary
    assert [line.data for hunk in late.hunks() for line in hunk.lines if line.kind is LineKind.ADDED] == [b"\0y"]


def test_a_mode_alone_makes_no_body() -> None:
    sides = {"f": (Content(b"a\n", Mode.REGULAR), Content(b"a\n", Mode.EXECUTABLE))}
    assert compare(sides) == {RepoPath("f"): FileDiff(RepoPath("f"), b"", is_binary=False)}
    assert applied(sides) == {"f": Content(b"a\n", Mode.EXECUTABLE)}


def test_hundreds_of_files_are_compared_in_one_process_and_come_back_in_order() -> None:
    sides: dict[str, tuple[Side, Side]] = {}
    for number in range(600):
        data = b"%d\n" % number
        before = Content(data, Mode.REGULAR) if number % 3 else None
        after = Content(b"\0" * number + data * 2, Mode.REGULAR) if number % 5 or before is None else None
        sides[f"d{number % 7}/f{number}"] = (before, after)
    diffs = compare(sides)
    assert list(diffs) == [RepoPath(path) for path in sorted(sides)]
    assert all(diff.path == path for path, diff in diffs.items())
    assert applied(sides) == {path: after for path, (_, after) in sides.items()}


def test_nothing_to_compare_is_nothing() -> None:
    assert compare({}) == {}


def test_equal_lines_are_never_shown_as_moved_by_whitespace_or_indentation() -> None:
    # S41: no option of the person's configuration hides a blank
    assert one(b"if x:\n    a\n", b"if x:\n\ta\n").body == b"@@ -1,2 +1,2 @@\n if x:\n-    a\n+\ta\n"


def _temporary_files_in(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)  # what it remembers


def test_no_copy_of_a_content_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _temporary_files_in(monkeypatch, tmp_path)
    one(b"secret\n", b"other\n")
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []


def test_a_full_temporary_folder_is_said_to_be_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _temporary_files_in(monkeypatch, tmp_path / "none")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(EnvironmentFault) as refusal:
        one(b"a\n", b"b\n")
    assert refusal.value.code == "TEMP_UNWRITABLE"


def test_copies_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _temporary_files_in(monkeypatch, tmp_path)
    modes: list[int] = []

    def content(_: str) -> bytes:
        modes.extend(path.stat().st_mode & 0o777 for path in tmp_path.glob("redline-*"))
        return os.urandom(4)

    changes, _ = _changes({"f": (Content(b"a", Mode.REGULAR), Content(b"b", Mode.REGULAR))})
    DiffEngine("/nowhere").compare(changes, content)
    assert set(modes) == {0o700}
