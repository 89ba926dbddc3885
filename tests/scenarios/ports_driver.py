"""The scenarios' words through the two ports, with a tree in memory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.scenarios.story import Answer
from tests.support.desks import UID, Desks, Surroundings
from tests.support.memory_tree import MemoryGuard, MemoryTree
from tests.support.scenarios import File, edit_text

from redline.core.content import Content, Mode
from redline.core.decision import Level
from redline.core.displayed import displayed
from redline.core.held import Held
from redline.core.paths import RepoPath
from redline.core.proposal import Origin
from redline.errors import RedlineError
from redline.frontends import exit_codes
from redline.render.document import proposal_document
from redline.render.patch import patch
from redline.review.prepare import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.scenarios import Scenario, Table

    from redline.review.case import Ended
    from redline.review.prepare import Prepared

_TTL = {None: None, "1h": timedelta(hours=1)}


class PortsDriver:
    """Each act uses a desk of its own, as each command is a process of its own."""

    def __init__(self, folder: str, scenario: Scenario) -> None:
        self._tree = MemoryTree()
        self._guard = MemoryGuard(self._tree)
        self._desks = Desks(folder, self._tree, self._guard, Surroundings(scenario.ignored))
        self._returned: dict[str, Prepared] = {}
        for path, file in scenario.files.items():
            self.edit_outside(path, file)

    def files(self) -> dict[str, File]:
        return {str(path): File(content.data, content.mode.is_executable) for path, content in self._tree.files.items()}

    def stamps(self) -> dict[str, object]:
        return {str(path): stamp for path, stamp in self._tree.stamps.items()}

    def edit_outside(self, path: str, file: File | None) -> None:
        if file is None:
            self._tree.take(RepoPath(path))
        else:
            mode = Mode.EXECUTABLE if file.executable else Mode.REGULAR
            self._tree.put(RepoPath(path), Content(file.data, mode))

    def deny_path(self, pattern: str) -> None:
        policy = self._desks.policy
        self._desks.policy = replace(policy, denied_paths=(*policy.denied_paths, (pattern,)))

    def advance_clock(self, to: str | None, by: timedelta) -> None:
        self._desks.now = (datetime.fromisoformat(to) if to is not None else self._desks.now) + by

    def fail_the_write(self) -> None:
        self._guard.fails_before = 2

    def restart(self) -> None:
        """Nothing to do: no desk outlives its act."""

    def prepare(self, step: Table) -> Answer:
        self._desks.now += timedelta(seconds=1)
        origin = Origin("model", step.get("session"))
        request = Request(edit_text(step), origin, lifetime=_TTL[step.get("ttl")])
        try:
            prepared = self._desks.model().prepare(request)
        except RedlineError as error:
            return _refused(error)
        self._returned[prepared.proposal.id] = prepared
        document = proposal_document(displayed(prepared.proposal, prepared.hunks), "pending", frozenset())
        return Answer(0, "pending", document=document)

    def tamper_after_prepare(self, proposal: str) -> None:
        """Frozen values can be broken open; the port must not care."""
        returned = self._returned[proposal]
        other = replace(returned.proposal.changes[0], after=None)
        object.__setattr__(returned.proposal, "changes", (other,))
        returned.hunks.clear()

    def show(self, proposal: str, *, other: bool) -> Answer:
        try:
            view = self._desks.viewer(_uid(other=other)).preview(proposal)
        except RedlineError as error:
            return _refused(error)
        return Answer(0, view.status, text=patch(view.proposal.changes, view.diffs).decode())

    def confirm(self, proposal: str, shown: str | Table | None, *, other: bool) -> Answer:
        assert shown is not None
        return _answer(lambda: self._desks.user(_uid(other=other)).confirm(proposal, shown, Level.NONE))

    def decline(self, proposal: str, reason: str, *, other: bool) -> Answer:
        answer = _answer(lambda: self._desks.user(_uid(other=other)).decline(proposal, reason))
        return replace(answer, exit=0) if answer.outcome == "declined" else answer

    def confirm_twice_at_once(self, proposal: str, digest: str) -> tuple[Answer, Answer]:
        both_ready = threading.Barrier(2)

        def one(_number: int) -> Answer:
            both_ready.wait()
            return self.confirm(proposal, digest, other=False)

        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(one, range(2))
        return first, second

    def feedback(self, session: str) -> list[str]:
        told = self._desks.model().feedback(session)
        self._desks.model().acknowledge(session, told.cursor)
        return [answer.filed.receipt.reason for answer in told.answers]

    def model_calls(self, name: str, proposal: str) -> Answer:
        if hasattr(self._desks.model(), name):
            return Answer(0)
        return Answer(exit_codes.USAGE, error="no such operation")

    def stored(self) -> dict[str, str]:
        with self._desks.journal.reading() as reader:
            return {listed.proposal.id: listed.status for listed in reader.listed(pending_only=False)}

    def receipts(self) -> list[str]:
        return list(self._desks.receipts())

    def faults(self) -> list[str]:
        return [*self._desks.journal.faults(), *self._desks.unfinished(), *self._guard.unsettled(Held("lock"))]


def _uid(*, other: bool) -> int:
    return UID + 1 if other else UID


def _answer(act: Callable[[], Ended]) -> Answer:
    try:
        ended = act()
    except RedlineError as error:
        return _refused(error)
    outcome = ended.filed.receipt.outcome.value
    return Answer(exit_codes.OUTCOMES[outcome], outcome, ended.replayed, receipt=ended.filed.record)


def _refused(error: RedlineError) -> Answer:
    return Answer(exit_codes.code_of(error), error=error.code, details=error.details, text=error.message)
