"""What is remembered of declined parts, so that the same one is known again in another proposal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.canonical import digest
from redline.core.hunks import fingerprint
from redline.core.parts import PartKind
from redline.core.states import change_record

if TYPE_CHECKING:
    from redline.core.change import Change
    from redline.core.parts import Part

_KEY_LENGTH = 16


def memory_key(part: Part, change: Change) -> str:
    """Name the part by what it does: a hunk by content and context, any other by both sides of its change."""
    if part.kind is not PartKind.HUNK:
        return f"{part.path}#{part.kind.value}@{digest(change_record(change))[:_KEY_LENGTH]}"
    if part.hunk is not None:
        return f"{part.path}#{fingerprint(part.path, part.hunk.body)}"
    return f"{part.path}#{part.id.partition('-')[0]}"
