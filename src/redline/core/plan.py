"""The plan of one guarded write: what recovery must know before the first byte moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from redline.core.paths import RepoPath
from redline.core.states import state_from, state_record

if TYPE_CHECKING:
    from redline.core.canonical import Record
    from redline.core.change import Change
    from redline.core.content import FileState

# In an intent, beside its plan: the write brings a tree back to a proposal's before, and no decision stands behind it.
PUT_BACK = "put_back"


@dataclass(frozen=True, slots=True)
class Step:
    """One path's sides, as planned and as receipted; its position in a plan names its slot in the transaction."""

    path: RepoPath
    before: FileState | None
    after: FileState | None


@dataclass(frozen=True, slots=True)
class WritePlan:
    """`new_folders` are those that the write creates, outermost first."""

    tx: str
    proposal: str
    steps: tuple[Step, ...]
    new_folders: tuple[RepoPath, ...]

    @property
    def record(self) -> Record:
        return {
            "tx": self.tx,
            "proposal": self.proposal,
            "steps": [step_record(step) for step in self.steps],
            "new_folders": [str(folder) for folder in self.new_folders],
        }


def steps_of(changes: tuple[Change, ...]) -> tuple[Step, ...]:
    return tuple(Step(change.path, change.before, change.after) for change in changes)


def step_record(step: Step) -> Record:
    return {"path": str(step.path), "before": state_record(step.before), "after": state_record(step.after)}


def step_from(record: Record) -> Step:
    return Step(RepoPath(cast("str", record["path"])), state_from(record["before"]), state_from(record["after"]))


def plan_from(record: Record) -> WritePlan:
    fields = cast("dict[str, Any]", record)
    return WritePlan(
        tx=fields["tx"],
        proposal=fields["proposal"],
        steps=tuple(step_from(step) for step in fields["steps"]),
        new_folders=tuple(RepoPath(folder) for folder in fields["new_folders"]),
    )
