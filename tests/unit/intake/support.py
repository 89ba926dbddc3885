"""Shorthand for intake tests: text and files in, the tree afterwards or the refusal's code out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

import pytest

from redline.core.content import Content, Mode
from redline.core.paths import RepoPath
from redline.errors import RedlineError
from redline.intake.detect import read
from redline.intake.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.intake.edits import Resolved


HUNK = b"@@ -1 +1 @@\n-a\n+b\n"
PLAIN = b"--- a/f\n+++ b/f\n" + HUNK


def git(name: bytes, *rest: bytes) -> bytes:
    return b"diff --git a/%b b/%b\n" % (name, name) + b"".join(line + b"\n" for line in rest)


class Options(TypedDict, total=False):
    format: str | None
    path: str
    strip: int


@dataclass(frozen=True)
class Outcome:
    tree: dict[str, Content]
    renames: dict[str, str]
    leniencies: tuple[str, ...]


def content(data: bytes | Content) -> Content:
    return data if isinstance(data, Content) else Content(data, Mode.REGULAR)


def executable(data: bytes) -> Content:
    return Content(data, Mode.EXECUTABLE)


def resolved(text: bytes, files: Mapping[str, bytes | Content], **options: Unpack[Options]) -> Resolved:
    path = RepoPath(options["path"]) if "path" in options else None
    reading = read(text, format=options.get("format"), path=path, strip=options.get("strip"))
    return resolve(reading, {path: content(files[path]) if path in files else None for path in reading.paths})


def applied(text: bytes, files: Mapping[str, bytes | Content], **options: Unpack[Options]) -> Outcome:
    """Give the whole tree after the edit."""
    result = resolved(text, files, **options)
    tree = {name: content(data) for name, data in files.items()}
    for change in result.changes:
        assert tree.get(change.path) == change.before
        tree.pop(change.path, None)
        if change.after is not None:
            tree[change.path] = change.after
    renames = {str(change.path): str(change.renamed_from) for change in result.changes if change.renamed_from}
    return Outcome(tree, renames, tuple(note.code for note in result.leniencies))


def tree(text: bytes, files: Mapping[str, bytes | Content], **options: Unpack[Options]) -> dict[str, bytes]:
    """Give the bytes of the tree after an edit that needed no leniency."""
    outcome = applied(text, files, **options)
    assert outcome.leniencies == ()
    return {name: after.data for name, after in outcome.tree.items()}


def refusal(
    text: bytes, files: Mapping[str, bytes | Content] | None = None, **options: Unpack[Options]
) -> RedlineError:
    with pytest.raises(RedlineError) as caught:
        resolved(text, files or {}, **options)
    assert caught.value.hint
    json.dumps(caught.value.details)
    return caught.value


def code(text: bytes, files: Mapping[str, bytes | Content] | None = None, **options: Unpack[Options]) -> str:
    return refusal(text, files, **options).code
