"""JSON that an answer shows in a fence of its own, with prose around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.intake.fences import fences
from redline.intake.markup import BOM, fault_at

if TYPE_CHECKING:
    from collections.abc import Callable

_MAY_SHOW_JSON: Final = re.compile(rb"(?m)^(?:`{3}|~{3})[^\n]*\n\s*[\[{]")


@dataclass(frozen=True, slots=True)
class ShownJson:
    """The JSON, behind as many empty lines as the text has lines before it, and what stands around it."""

    text: bytes
    prose: bytes


def shown_json(text: bytes, accepts: Callable[[bytes], bool]) -> ShownJson | None:
    """Find the one fence, under no path, that holds JSON which is accepted. Raises MalformedEdit for a second one."""
    if _MAY_SHOW_JSON.search(text) is None:
        return None
    lines = text.removeprefix(BOM).split(b"\n")
    found: ShownJson | None = None
    for fence in fences(lines):
        end = fence.closes_at if fence.closes_at is not None else len(lines)
        first = next((at for at in range(fence.opens_at + 1, end) if lines[at].strip()), end)
        if fence.paths or first == end or not lines[first].lstrip().startswith((b"{", b"[")):
            continue
        inner = b"\n".join(lines[fence.opens_at + 1 : end])
        if not accepts(inner):
            continue
        if fence.closes_at is None:
            raise fault_at(fence.opens_at, "a fence never ends; the answer may be cut off", "FENCE_OPEN", _ONE)
        if found is not None:
            raise fault_at(fence.opens_at, "a second fence holds an edit in JSON", "SEVERAL_FENCES", _ONE)
        around = [*lines[: fence.opens_at], *lines[end + 1 :]]
        found = ShownJson(b"\n" * (fence.opens_at + 1) + inner, b"\n".join(around))
    return found


_ONE: Final = "Send the whole JSON in one fence, several calls as one list."
