"""File states and changes as JSON values, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from redline.core.change import Change
from redline.core.content import FileState, Mode
from redline.core.paths import RepoPath

if TYPE_CHECKING:
    from redline.core.canonical import Json, Record


def state_record(state: FileState | None) -> Json:
    if state is None:
        return None
    return {"oid": state.oid, "sha256": state.sha256, "mode": state.mode.value, "size": state.size_bytes}


def state_from(record: Json) -> FileState | None:
    if record is None:
        return None
    fields = cast("dict[str, str]", record)
    return FileState(fields["oid"], fields["sha256"], Mode(fields["mode"]), int(fields["size"]))


def change_record(change: Change) -> Record:
    return {
        "path": str(change.path),
        "kind": change.kind.value,
        "before": state_record(change.before),
        "after": state_record(change.after),
        "renamed_from": str(change.renamed_from) if change.renamed_from is not None else None,
    }


def change_from(record: Json) -> Change:
    fields = cast("Record", record)
    renamed_from = fields["renamed_from"]
    return Change(
        RepoPath(cast("str", fields["path"])),
        state_from(fields["before"]),
        state_from(fields["after"]),
        RepoPath(cast("str", renamed_from)) if renamed_from is not None else None,
    )
