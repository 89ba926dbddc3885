"""Intake: from a model's text to the changes it means, without touching a file.

`read` turns text into a `Reading`, which names the paths it needs; the caller reads these; `resolve` turns
the reading and the contents into net changes.
"""

from redline.intake.detect import FORMATS, read
from redline.intake.edits import Reading, Resolved
from redline.intake.resolve import resolve

__all__ = ["FORMATS", "Reading", "Resolved", "read", "resolve"]
