"""Hunks from marked lines, and what is drawn of spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.hunks import Hunk
from redline.render.drawn import drawn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redline.render.lines import Line


def hunk(*marked: str, start: int = 1) -> Hunk:
    """A hunk of lines with their marks, its sides starting at one number."""
    body = "\n".join(marked).encode("utf-8", "surrogateescape")
    insertions, deletions = (sum(line.startswith(mark) for line in marked) for mark in "+-")
    return Hunk("51dc62e3f0", "@@", start, start, insertions, deletions, body)


def spelled(lines: Iterable[Line]) -> list[str]:
    return ["".join(map(drawn, line)) for line in lines]
