"""Absolute paths below the repository's root in texts whose own parsers know relative ones only.

Each text is taken by its parser with the root left out of its names, and what was left out is noted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from redline.errors import MalformedEdit, UnsafePath
from redline.intake import apply_patch, shell_wrapper, udiff, unified_diff
from redline.intake.edits import FilePatch
from redline.intake.markup import relativised

if TYPE_CHECKING:
    from redline.core.paths import RepoPath
    from redline.intake.edits import Reading


def parse_patch(text: bytes, root: str | None) -> Reading:
    if root is None:
        return apply_patch.parse(text)
    patch, named = shell_wrapper.relative(text, root)
    reading = apply_patch.parse(patch)
    return _noted(reading, [path for path in reading.paths if path.encode("utf-8") in named])


def parse_diff(text: bytes, strip: int | None, root: str | None) -> Reading:
    try:
        return unified_diff.parse(text, strip=strip)
    except UnsafePath as error:
        if error.code != "PATH_ABSOLUTE" or strip is not None or root is None:
            raise
        reading = _stripped(text, root.rstrip("/"))
        if reading is None:
            raise
        return _noted(reading, list(reading.paths))


def parse_udiff(text: bytes, root: str | None) -> Reading:
    try:
        return udiff.parse(text)
    except UnsafePath as error:
        if error.code != "PATH_ABSOLUTE" or root is None:
            raise
        base = re.escape(root.rstrip("/").encode("utf-8", "surrogateescape") + b"/")
        # Two such lines are never content there: the parser takes them for names, or refuses.
        names = re.compile(rb"(?m)^--- (?:" + base + rb")?(?P<old>[^\n]*\n)\+\+\+ " + base + rb"(?P<new>[^\t\r\n]*)")
        named = {found["new"].rstrip(b" ") for found in names.finditer(text)}
        reading = udiff.parse(names.sub(rb"--- \g<old>+++ \g<new>", text))
        return _noted(reading, [path for path in reading.paths if path.encode("utf-8") in named])


def _stripped(text: bytes, base: str) -> Reading | None:
    """Read the diff with the root's folders stripped, if every one of its names begins with these."""
    try:
        reading = unified_diff.parse(text, strip=base.count("/") + 1)
    except (MalformedEdit, UnsafePath):
        return None
    lines = text.split(b"\n")
    fits = all(isinstance(edit, FilePatch) and _names(lines, edit, base) for edit in reading.edits)
    return reading if fits else None


def _noted(reading: Reading, paths: list[RepoPath]) -> Reading:
    noted = [note for path in paths for note in relativised(path)]
    return replace(reading, leniencies=(*reading.leniencies, *noted))


def _names(lines: list[bytes], edit: FilePatch, base: str) -> bool:
    """Tell whether the section's own two lines name its paths by their absolute ones, or none."""
    two = lines[edit.line - 1 : edit.line + 1]
    for line, mark, path in zip(two, (b"--- ", b"+++ "), (edit.source, edit.target), strict=True):
        name = line.removeprefix(mark).rstrip(b"\r").partition(b"\t")[0]
        wanted = f"{base}/{path}".encode("utf-8", "surrogateescape") if path is not None else b"/dev/null"
        if not line.startswith(mark) or name != wanted:
            return False
    return True
