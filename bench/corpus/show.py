"""One case for a person's eyes: the text, how it ends, and what it changes."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

from tests.support.corpora import cases, judge, sets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.corpora import Case, Tree


def shown(folder: Path, title: str) -> str:
    name, _, case_name = title.partition("/")
    if name not in sets(folder):
        sys.exit(f"there is no set {name}; a case is named SET/CASE")
    found = [case for case in cases(folder, name) if case.title == title or case.name == case_name]
    return "\n".join(part for case in found for part in _parts(case)) or f"there is no case {title}"


def _parts(case: Case) -> Iterator[str]:
    result = judge(case)
    yield f"== {case.title}, {case.format}, {case.grade} {' '.join(case.args)}\n{_text(case.text)}"
    yield f"== {result.verdict.value} {result.code} {result.message}".rstrip()
    yield from (f"{note.code} {note.path}: {note.text}" for note in result.notes)
    if result.tree is not None:
        yield "== what it changes"
        yield from _difference(case.before, result.tree)
        if case.after is not None and result.tree != case.after:
            yield "== what it should have made of it"
            yield from _difference(result.tree, case.after)


def _difference(before: Tree, after: Tree) -> Iterator[str]:
    for path in sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)):
        (old_mode, old), (new_mode, new) = before.get(path, ("none", b"")), after.get(path, ("none", b""))
        names = (f"{_text(path)} {old_mode}", f"{_text(path)} {new_mode}")
        yield from difflib.unified_diff(_text(old).split("\n"), _text(new).split("\n"), *names, lineterm="")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
