"""Say why a chunk could not be placed, in a form from which a model can correct it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.intake.chunk_lines import COUNTED, LOOSEST, NEAR, gist, look_alike
from redline.intake.mismatch import differing, mismatch, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.core.paths import RepoPath
    from redline.errors import EditMismatch
    from redline.intake.chunk_lines import File, Hit
    from redline.intake.edits import Chunk

_LISTED = 20
_NAMED = 5
_IN_ORDER: Final = (
    "Put the chunks of a file in the order of their lines, each below the one before and below its own @@ line."
)
_REREAD: Final = "Read the file again and copy the lines of the chunk exactly from what it holds now."


def ambiguous(path: RepoPath, chunk: Chunk, hit: Hit) -> EditMismatch:
    but_for = f", but for {hit.tier.but_for}" if hit.tier.but_for else ""
    hint = "Give more lines of context, or an @@ line, exactly as the file has them."
    return _mismatch(path, chunk, f"fits {several(hit)}{but_for}", "AMBIGUOUS", hint, _listed(hit.places))


def no_anchor(file: File, path: RepoPath, chunk: Chunk, anchor: bytes) -> EditMismatch:
    hit = file.find([anchor], 0)
    if hit is not None:
        why = f"has an @@ line that stands at {_numbers(hit.places)}, not below the chunk before it"
        return _mismatch(path, chunk, why, "NO_MATCH", _IN_ORDER, _listed(hit.places))
    why = f"has an @@ line that the file does not have: {shown(anchor)}"
    wanted = gist(anchor)
    near = [at for at, key in enumerate(file.view(NEAR).keys) if wanted and wanted in key]
    if near:
        why += f"; line {near[0] + 1} is {shown(file.lines[near[0]])}"
    hint = "Behind @@ stands one whole line of the file, neither a part of one nor line numbers."
    return _mismatch(path, chunk, why, "NO_MATCH", hint, _listed(near))


def not_found(file: File, path: RepoPath, chunk: Chunk, old: Sequence[bytes], above: int) -> EditMismatch:
    hit = file.find(old, 0)
    if hit is None:
        why, near = _nearest(file, old)
        return _mismatch(path, chunk, why, "NO_MATCH", _REREAD, _listed(near))
    last = hit.places[-1]
    if chunk.at_end and last + len(old) < len(file.lines):
        where = "not at the end of the file"
    else:
        where = "above its @@ line" if last >= above else "not below the chunk before it"
    why = f"stands at {_numbers(hit.places)}, {where}"
    return _mismatch(path, chunk, why, "NO_MATCH", _IN_ORDER, _listed(hit.places))


def _mismatch(path: RepoPath, chunk: Chunk, why: str, code: str, hint: str, details: dict[str, object]) -> EditMismatch:
    of_chunk = f"the chunk of line {chunk.line} {why}"
    return mismatch(path, of_chunk, code, hint, {"input_line": chunk.line, **details})


def _nearest(file: File, old: Sequence[bytes]) -> tuple[str, list[int]]:
    """Tell where a chunk that fits nowhere nearly fits, and the first line that differs there."""
    view, wanted = file.view(NEAR), [gist(line) for line in old]
    known = [at for at, key in enumerate(wanted) if key and view.places(key)]
    if not known:
        return f"does not match the file, which has no line like {shown(max(old, key=len))}", []
    telling = min(known, key=lambda at: len(view.places(wanted[at])))
    candidates = [place - telling for place in view.places(wanted[telling])[:_LISTED]]
    keys = [look_alike(line) for line in old]
    here = file.view(LOOSEST).keys

    def unlike(first: int) -> list[int]:
        return [at for at, key in enumerate(keys) if not 0 <= first + at < len(here) or here[first + at] != key]

    best = min(candidates, key=lambda first: len(unlike(first)))
    at = unlike(best)[0]
    number = best + at
    what = f"the file {'begins' if number < 0 else 'ends'} where the chunk has {shown(old[at])}"
    if 0 <= number < len(here):
        found, stated = differing(file.lines[number], old[at])
        what = f"line {number + 1} is {found} where the chunk has {stated}"
    return f"does not match the file; at the nearest place {what}", [first for first in candidates if first >= 0]


def several(hit: Hit) -> str:
    """The number and the lines of the places."""
    count = f"{COUNTED} or more" if len(hit.places) == COUNTED else str(len(hit.places))
    return f"{count} places ({_numbers(hit.places)})"


def _listed(places: list[int]) -> dict[str, object]:
    return {"count": len(places), "lines": [place + 1 for place in places[:_LISTED]]}


def _numbers(places: list[int]) -> str:
    shown = ", ".join(str(place + 1) for place in places[:_NAMED])
    return f"{'line' if len(places) == 1 else 'lines'} {shown}{', …' if len(places) > _NAMED else ''}"
