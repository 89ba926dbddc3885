"""A text that leaves out lines of the file, as `...` on a line of its own, at the same places in old and new."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.intake.splicing import Fit, spliced

if TYPE_CHECKING:
    from redline.intake.edits import Replace

_ELISION = re.compile(rb"(?m)^[ \t]*\.\.\.[ \t]*\r?\n")
_LISTED = 20


def elided(data: bytes, edit: Replace) -> tuple[bytes, list[Leniency]] | None:
    """Apply the edit part by part; None unless each part occurs exactly once, and all in order."""
    olds, news = _ELISION.split(edit.before), _ELISION.split(edit.after)
    whole = edit.count == 1 and all(text.endswith(b"\n") for text in (edit.before, edit.after))
    if not whole or len(olds) < 2 or len(olds) != len(news):
        return None
    haystack = b"\n" + data
    fits: list[Fit] = []
    for old, new in zip(olds, news, strict=True):
        if not old and not new:
            continue
        at = haystack.find(b"\n" + old) if old else -1
        if at < 0 or haystack.find(b"\n" + old, at + 1) >= 0:
            return None
        fits.append(Fit(at, at + len(old), new))
    if not fits or any(later.start < earlier.end for earlier, later in pairwise(fits)):
        return None
    parts = ", ".join(str(data.count(b"\n", 0, fit.start) + 1) for fit in fits[:_LISTED])
    text = f"the text leaves out lines with `...`; its parts stand once each, at lines {parts}"
    return spliced(data, fits), [Leniency("ELISION", edit.path, text)]
