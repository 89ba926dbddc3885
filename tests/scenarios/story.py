"""Plays a scenario with a driver and holds every answer to what the scenario's data says."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tests.support.scenarios import content_of, duration_of

if TYPE_CHECKING:
    from datetime import timedelta

    from tests.support.scenarios import File, Scenario, Table

NOBODYS = "f" * 16


@dataclass(frozen=True)
class Answer:
    """What one act was answered; `document` is what was displayed, `text` a patch or a message."""

    exit: int
    outcome: str | None = None
    replayed: bool = False
    error: str | None = None
    details: Table = field(default_factory=dict)
    receipt: Table | None = None
    document: Table | None = None
    text: str = ""


class Driver(Protocol):
    """One way to do what a scenario's steps say. Proposals are named by id; `other` is another person's account."""

    def files(self) -> dict[str, File]: ...
    def stamps(self) -> dict[str, object]: ...
    def edit_outside(self, path: str, file: File | None) -> None: ...
    def deny_path(self, pattern: str) -> None: ...
    def advance_clock(self, to: str | None, by: timedelta) -> None: ...
    def fail_the_write(self) -> None: ...
    def restart(self) -> None: ...
    def prepare(self, step: Table) -> Answer: ...
    def tamper_after_prepare(self, proposal: str) -> None: ...
    def show(self, proposal: str, *, other: bool) -> Answer: ...
    def confirm(self, proposal: str, shown: str | Table | None, *, other: bool) -> Answer: ...
    def decline(self, proposal: str, reason: str, *, other: bool) -> Answer: ...
    def confirm_twice_at_once(self, proposal: str, digest: str) -> tuple[Answer, Answer]: ...
    def feedback(self, session: str) -> list[str]: ...
    def model_calls(self, name: str, proposal: str) -> Answer: ...
    def stored(self) -> dict[str, str]: ...
    def receipts(self) -> list[str]: ...
    def faults(self) -> list[str]: ...


class Story:
    """One scenario on its way. Whatever the data says, a replay is the first receipt, unaltered."""

    def __init__(self, scenario: Scenario, driver: Driver) -> None:
        self._scenario = scenario
        self._driver = driver
        self.documents: dict[str, Table] = {}
        self._receipts: dict[str, Table] = {}

    def play(self) -> None:
        for number, step in enumerate(self._scenario.steps):
            self.do(step, f"step {number + 1}, {step['do']}")
        self._check_the_end()

    def do(self, step: Table, where: str) -> None:
        before = self._driver.files(), self._driver.stamps()
        answer = _ACTS[step["do"]](self, step)
        if answer is not None and "expect" in step:
            self._check(step["expect"], answer, where)
        if step.get("touches") == "nothing":
            assert (self._driver.files(), self._driver.stamps()) == before, where

    def _check(self, expect: Table, answer: Answer, where: str) -> None:
        wanted = dict(expect)
        given: Table = {"exit": answer.exit}
        for key, value in (("outcome", answer.outcome), ("replayed", answer.replayed), ("error", answer.error)):
            if value:
                given[key] = value
        if "key" in wanted or "fields" in wanted:
            given |= {key: value for key, value in answer.details.items() if key in {"key", "fields"}}
        found = [one for one in (answer.document or {}).get("findings", ()) if one["code"] == wanted.get("finding")]
        if found:
            given["finding"] = found[0]["code"]
        naming = wanted.pop("naming", ())
        assert given == wanted, (where, answer)
        for name in naming:
            assert self.documents.get(name, {"proposal": name})["proposal"][:7] in found[0]["text"] or (
                name in found[0]["text"]
            ), (where, found)
        self._check_replay(answer, where)

    def _check_replay(self, answer: Answer, where: str) -> None:
        if answer.receipt is not None:
            first = self._receipts.setdefault(answer.receipt["proposal"], answer.receipt)
            assert answer.receipt == first, where
            assert answer.receipt["outcome"] == answer.outcome, where

    def _check_the_end(self) -> None:
        assert self._driver.files() == self._scenario.files_then
        ids = {name: document["proposal"] for name, document in self.documents.items()}
        expected = {ids[name]: status for name, status in self._scenario.proposals.items()}
        assert self._driver.stored() == expected
        assert sorted(self._driver.receipts()) == sorted(one for one, status in expected.items() if status != "pending")
        assert self._driver.faults() == []

    def _prepare(self, step: Table) -> Answer:
        before = self._driver.files()
        answer = self._driver.prepare(step)
        assert self._driver.files() == before
        if answer.document is not None:
            self.documents[step["as"]] = answer.document
        return answer

    def _tamper(self, step: Table) -> None:
        self._driver.tamper_after_prepare(self._id(step))

    def _show(self, step: Table) -> Answer:
        other = step.get("by") == "another person"
        answer = self._driver.show(self._id(step), other=other)
        self._reveals_nothing(answer, self._driver.show(NOBODYS, other=other) if other else None, step)
        assert [text for text in step.get("contains", ()) if text not in answer.text] == []
        assert [text for text in step.get("lacks", ()) if text in answer.text] == []
        return answer

    def _confirm(self, step: Table) -> Answer:
        other = step.get("by") == "another person"
        shown = None if step.get("unseen") else _shown(self.documents[step["proposal"]], step)
        answer = self._driver.confirm(self._id(step), shown, other=other)
        self._reveals_nothing(answer, self._driver.confirm(NOBODYS, shown, other=other) if other else None, step)
        return answer

    def _decline(self, step: Table) -> Answer:
        other = step.get("by") == "another person"
        answer = self._driver.decline(self._id(step), step["reason"], other=other)
        unknown = self._driver.decline(NOBODYS, step["reason"], other=other) if other else None
        self._reveals_nothing(answer, unknown, step)
        return answer

    def _reveals_nothing(self, answer: Answer, unknown: Answer | None, step: Table) -> None:
        if unknown is not None:
            assert answer.text.replace(self._id(step), NOBODYS) == unknown.text
            assert answer.text

    def _edit_outside(self, step: Table) -> None:
        self._driver.edit_outside(step["path"], content_of(step["content"]))

    def _deny_path(self, step: Table) -> None:
        self._driver.deny_path(step["pattern"])

    def _advance_clock(self, step: Table) -> None:
        to = self.documents[step["to"]]["expires_at"] if "to" in step else None
        self._driver.advance_clock(to, duration_of(step.get("by", "0s")))

    def _fail_the_write(self, step: Table) -> None:
        self._driver.fail_the_write()

    def _restart(self, step: Table) -> None:
        self._driver.restart()

    def _race(self, step: Table) -> None:
        for n in range(1, step["rounds"] + 1):
            edits = [{key: value.replace("{n}", str(n)) for key, value in edit.items()} for edit in step["edits"]]
            prepared = self._prepare({"as": f"round {n}", "edits": edits})
            assert prepared.document is not None
            answers = self._driver.confirm_twice_at_once(prepared.document["proposal"], prepared.document["digest"])
            assert sorted((one.exit, one.outcome, one.replayed) for one in answers) == [
                (0, "applied", False),
                (0, "applied", True),
            ], f"round {n}"
            for answer in answers:
                self._check_replay(answer, f"round {n}")

    def _feedback(self, step: Table) -> None:
        assert self._driver.feedback(step["session"]) == step["reasons"]

    def _model_calls(self, step: Table) -> Answer:
        return self._driver.model_calls(step["name"], self._id(step))

    def _id(self, step: Table) -> str:
        return str(self.documents[step["proposal"]]["proposal"])


_ACTS = {
    "prepare": Story._prepare,
    "tamper-after-prepare": Story._tamper,
    "show": Story._show,
    "confirm": Story._confirm,
    "decline": Story._decline,
    "edit-outside": Story._edit_outside,
    "deny-path": Story._deny_path,
    "advance-clock": Story._advance_clock,
    "fail-the-write": Story._fail_the_write,
    "restart": Story._restart,
    "race": Story._race,
    "feedback": Story._feedback,
    "model-calls": Story._model_calls,
}


def _shown(document: Table, step: Table) -> str | Table:
    """The digest; or, where a step alters or drops a field of what was displayed, the document so changed."""
    if "altered" not in step and "omitted" not in step:
        return str(document["digest"])
    changed = copy.deepcopy(document)
    if "omitted" in step:
        del changed[step["omitted"]]
        return changed
    *way, last = (int(part) if part.isdigit() else part for part in re.findall(r"\w+", step["altered"]["field"]))
    inner: Any = changed
    for part in way:
        inner = inner[part]
    inner[last] = step["altered"]["to"]
    return changed
