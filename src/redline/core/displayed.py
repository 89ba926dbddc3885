"""What a person is shown of a proposal, and whether what was shown is what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from redline.core.canonical import Json, Record
    from redline.core.hunks import Hunk
    from redline.core.paths import RepoPath
    from redline.core.proposal import Proposal

# Facts of the moment that `show --json` adds: they may have changed since, which is for the guard to judge.
VOLATILE = {"status": str}
VOLATILE_OF_CHANGE = {"drifted": bool}


def displayed(proposal: Proposal, hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> Record:
    """Spell all that a preview rests on; `hunks` has one entry for each change."""
    record = proposal.record
    changes = cast("list[Record]", record["changes"])
    document: Record = {"proposal": proposal.id, "digest": proposal.digest}
    for key in ("origin", "reason", "base", "created_at", "expires_at"):
        document[key] = record[key]
    document["changes"] = [
        {
            **change_record,
            "insertions": sum(hunk.insertions for hunk in hunks[change.path]),
            "deletions": sum(hunk.deletions for hunk in hunks[change.path]),
            "hunks": [{"id": hunk.id, "header": hunk.header} for hunk in hunks[change.path]],
        }
        for change, change_record in zip(proposal.changes, changes, strict=True)
    ]
    for key in ("findings", "leniencies", "derived", "depends_on"):
        document[key] = record[key]
    return document


def mismatches(given: Mapping[str, object], stored: Record) -> tuple[str, ...]:
    """Name every field, as a JSON path, in which what was displayed is not what is stored.

    Values and types both count: 1 is not true, and a field too many is a mismatch as well.
    """
    return tuple(_compare(_without_volatile(given), stored, ""))


def _without_volatile(given: Mapping[str, object]) -> dict[str, object]:
    kept = _drop(given, VOLATILE)
    changes = kept.get("changes")
    if isinstance(changes, list):
        kept["changes"] = [
            _drop(change, VOLATILE_OF_CHANGE) if isinstance(change, dict) else change for change in changes
        ]
    return kept


def _drop(given: Mapping[str, object], volatile: Mapping[str, type]) -> dict[str, object]:
    return {key: value for key, value in given.items() if type(value) is not volatile.get(key)}


def _compare(given: object, stored: Json, where: str) -> Iterator[str]:
    if isinstance(given, dict) and isinstance(stored, dict):
        for key in sorted({*given, *stored}):
            inner = f"{where}.{key}" if where else str(key)
            if key in given and key in stored:
                yield from _compare(given[key], stored[key], inner)
            else:
                yield inner
    elif isinstance(given, list) and isinstance(stored, list) and len(given) == len(stored):
        for index, (one, other) in enumerate(zip(given, stored, strict=True)):
            yield from _compare(one, other, f"{where}[{index}]")
    elif type(given) is not type(stored) or given != stored:
        yield where
