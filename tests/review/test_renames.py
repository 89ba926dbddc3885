"""A rename is seen as git shows it: what it was, what it is, the edit's hunks; git and intake read it so."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from redline import intake
from redline.adapters.git.diff import DiffEngine
from redline.core.change import Change, ContentChange
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.paths import RepoPath
from redline.core.renames import renames
from redline.render.patch import patch
from redline.review.differences import differences

if TYPE_CHECKING:
    from pathlib import Path

    from redline.core.hunks import FileDiff

TEXT = b"".join(b"%d\n" % number for number in range(1, 21))
EDITED = TEXT.replace(b"\n10\n", b"\nten\n")
BINARY = bytes(range(256)) * 4


def _seen(*moved: tuple[str, Content, str, Content]) -> tuple[tuple[Change, ...], dict[RepoPath, FileDiff]]:
    """The changes of renames, each from a path and content to a path and content, and what is seen of them."""
    sides = {RepoPath(old): ContentChange(RepoPath(old), before, None) for old, before, _, _ in moved}
    for old, _, new, after in moved:
        sides[RepoPath(new)] = ContentChange(RepoPath(new), None, after, RepoPath(old))
    contents = {side.sha256: side.data for _, before, _, after in moved for side in (before, after)}
    changes = tuple(sides[path].identify(ObjectFormat.SHA1) for path in sorted(sides))
    return changes, differences(DiffEngine("/nowhere"), changes, contents.__getitem__)


def _file(data: bytes, mode: Mode = Mode.REGULAR) -> Content:
    return Content(data, mode)


def test_an_edited_rename_is_one_section_with_the_hunks_of_the_edit() -> None:
    changes, diffs = _seen(("a.py", _file(b"1\n2\n"), "b c.py", _file(b"1\ntwo\n", Mode.EXECUTABLE)))
    assert patch(changes, diffs) == (
        b"diff --git a/a.py b/b c.py\n"
        b"rename from a.py\n"
        b"rename to b c.py\n"
        b"old mode 100644\n"
        b"new mode 100755\n"
        b"index %s..%s\n"
        b"--- a/a.py\n"
        b"+++ b/b c.py\t\n"
        b"@@ -1,2 +1,2 @@\n"
        b" 1\n"
        b"-2\n"
        b"+two\n"
    ) % tuple(side.oid.encode() for side in (changes[0].before, changes[1].after) if side is not None)
    assert [len(diffs[path].hunks()) for path in diffs] == [0, 1]


def test_a_pure_rename_is_its_names() -> None:
    changes, diffs = _seen(("a.py", _file(TEXT), "b.py", _file(TEXT)))
    assert patch(changes, diffs) == b"diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n"


@pytest.mark.parametrize(
    ("old", "before", "new", "after"),
    [
        ("a", _file(TEXT), "b", _file(EDITED)),
        ("a", _file(TEXT), "new/b", _file(TEXT)),
        ("z", _file(TEXT), "b", _file(TEXT, Mode.EXECUTABLE)),
        ("a", _file(TEXT, Mode.EXECUTABLE), "b", _file(EDITED)),
        ("a", _file(BINARY), "b", _file(BINARY + b"x")),
        ("a", _file(BINARY), "b", _file(BINARY)),
        ("a", _file(b""), "b", _file(b"")),
        ("a", _file(b"x"), "b", _file(b"")),
        ("a", _file(b""), "b", _file(b"x")),
        ("a b", _file(TEXT), 'the "c"', _file(EDITED)),
        ("\u00e4", _file(TEXT), "\u00f6 \u00fc", _file(EDITED)),
        ("a", _file(TEXT), "b", _file(b"nothing of it\n")),
    ],
)
def test_git_and_intake_read_a_rename_as_it_was_meant(
    tmp_path: Path, old: str, before: Content, new: str, after: Content
) -> None:
    changes, diffs = _seen((old, before, new, after))
    text = patch(changes, diffs)
    assert _applied(tmp_path, old, before, text) == {new: after}
    if any(diff.is_binary for diff in diffs.values()):
        return
    reading = intake.read(text, format="diff", path=None, strip=None, root=None)
    resolved = intake.resolve(reading, {RepoPath(old): before, RepoPath(new): None})
    assert tuple(change.identify(ObjectFormat.SHA1) for change in resolved.changes) == changes
    assert resolved.leniencies == ()


def _applied(folder: Path, old: str, before: Content, text: bytes) -> dict[str, Content]:
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / old).write_bytes(before.data)
    (folder / old).chmod(0o755 if before.mode.is_executable else 0o644)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=text, check=True)
    found = [
        path for path in folder.rglob("*") if path.is_file() and path.parts[len(folder.parts)] not in {".git", "home"}
    ]
    return {
        str(path.relative_to(folder)): Content(
            path.read_bytes(), Mode.EXECUTABLE if path.stat().st_mode & 0o100 else Mode.REGULAR
        )
        for path in found
    }


def test_a_deletion_is_continued_once_and_only_a_deletion_is() -> None:
    changes, diffs = _seen(("a", _file(TEXT), "b", _file(EDITED)), ("a", _file(TEXT), "c", _file(TEXT)))
    assert {new: source.path for new, source in renames(changes).items()} == {"b": "a"}
    assert [sum(hunk.insertions for hunk in diffs[path].hunks()) for path in diffs] == [0, 1, 20]
    copied = Change(RepoPath("b"), None, changes[1].after, RepoPath("a"))
    assert renames((copied,)) == {}


def test_s25_a_file_that_is_moved_to_where_it_runs_is_shown_whole() -> None:
    changes, diffs = _seen(("notes.txt", _file(b"rm -rf\n"), ".github/workflows/ci.yml", _file(b"rm -rf\n")))
    assert renames(changes) == {}
    assert {str(path): [hunk.body for hunk in diff.hunks()] for path, diff in diffs.items()} == {
        ".github/workflows/ci.yml": [b"+rm -rf"],
        "notes.txt": [b"-rm -rf"],
    }
