"""A deletion and the creation that continues its content: two changes, compared and shown as one rename."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.change import ChangeKind

if TYPE_CHECKING:
    from redline.core.change import Change
    from redline.core.paths import RepoPath


def renames(changes: tuple[Change, ...]) -> dict[RepoPath, Change]:
    """The deletion that each renamed path continues, by the new path; a deletion is continued once.

    A file that becomes one that is executed later is no rename: its whole content is to be read, where a rename would
    show only what differs.
    """
    ends = [change for change in changes if change.renamed_from is not None]
    if not ends:
        return {}
    from redline.core.findings.runs_later import rule_for  # noqa: PLC0415 -- start-up: few proposals rename

    gone = {change.path: change for change in changes if change.kind is ChangeKind.DELETE}
    return {
        change.path: gone.pop(change.renamed_from)
        for change in ends
        if change.renamed_from in gone and rule_for(change.path) is None
    }
