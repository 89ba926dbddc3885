"""Facts about a change that a reviewer could miss, read from its bytes alone, in linear time.

Each module of this package knows one kind of fact and says it in words for a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.findings.attributes import attributes
from redline.core.findings.encoding import encoding
from redline.core.findings.extent import extent
from redline.core.findings.hidden import hidden
from redline.core.findings.lookalikes import lookalikes
from redline.core.findings.machine_made import machine_made
from redline.core.findings.presence import mode, presence
from redline.core.findings.runs_later import runs_later
from redline.core.findings.shadows import shadows
from redline.core.findings.text_change import compare
from redline.core.findings.white_space import white_space
from redline.core.notes import Severity

if TYPE_CHECKING:
    from redline.core.change import ContentChange
    from redline.core.notes import Finding

_GRAVITY = {severity: -rank for rank, severity in enumerate(Severity)}


def examine(changes: tuple[ContentChange, ...]) -> tuple[Finding, ...]:
    """List what is true of the whole, then the findings in the order of the changes, gravest first within a path."""
    texts = [compare(change) for change in changes]
    found = [*extent(changes, texts)]
    moved = {change.renamed_from for change in changes if change.renamed_from is not None}
    for change, text in zip(changes, texts, strict=True):
        of_path = [
            *runs_later(change.path),
            *shadows(change),
            *(presence(change) if change.path not in moved else ()),
            *mode(change),
            *encoding(change),
            *white_space(change),
            *machine_made(change),
            *attributes(text),
            *hidden(text),
            *lookalikes(text),
        ]
        found += sorted(of_path, key=lambda finding: _GRAVITY[finding.severity])
    return tuple(found)
