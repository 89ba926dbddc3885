"""What each tool does: arguments in, a document and short sentences out. Nothing here knows the protocol."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from redline import app
from redline.core.hunks import count
from redline.core.lifecycle import PENDING
from redline.core.proposal import Origin
from redline.errors import DecisionRefused
from redline.frontends.agent.sentences import how_taken, prepared_lines, standing_lines
from redline.frontends.endings import end_lines
from redline.frontends.screen import Screen
from redline.render.document import error_document, feedback_document, proposal_document
from redline.render.lines import plain
from redline.render.sentences import answer_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from redline.app import ModelDesk, Prepared, Standing
    from redline.core.canonical import Json, Record
    from redline.errors import RedlineError
    from redline.render.lines import Line

_EDIT_SCHEMA: Final = "redline.edit/1"


@dataclass(frozen=True, slots=True)
class Told:
    """The same answer twice: as sentences, and as the document that the tool's output schema describes."""

    text: str
    document: Record


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose calls these are, by the program's own context; `folder` is where it was started."""

    world: app.World
    folder: str
    session: str


class Calls:
    """The tools of one session.

    Each call opens the repository anew: a server lives long, and policy, HEAD and journal are to be those of now.
    Every method raises RedlineError where it cannot do what it is asked.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._told_up_to = 0

    def propose_edits(self, arguments: Mapping[str, Any], author: str) -> Told:
        text = json.dumps({"schema": _EDIT_SCHEMA, **arguments}).encode()
        with self.desk() as desk:
            return self._propose(desk, text, {"format": "native"}, author)

    def propose_patch(self, arguments: Mapping[str, Any], author: str) -> Told:
        with self.desk() as desk:
            text = arguments["patch"].encode()
            return self._propose(desk, text, arguments, author)

    def seal(self, _: Mapping[str, Any]) -> Told:
        with self.desk() as desk:
            sealed = desk.seal(self._caller.session)
        if sealed is None:
            return Told("Nothing was open.", {"proposal": None})
        return Told(f"{sealed.id}: sealed, pending; a person decides.", {"proposal": sealed.id})

    def read_status(self, arguments: Mapping[str, Any]) -> Told:
        with self.desk() as desk:
            (standing,) = desk.status(arguments["proposal"])
        return Told(_spoken(standing_lines(standing)), _standing(standing))

    def list_own_proposals(self, _: Mapping[str, Any]) -> Told:
        with self.desk() as desk:
            standings = desk.own(self._caller.session)
        rows: list[Json] = [_standing(standing) for standing in standings]
        said = [
            f"{row.proposal.id}: {row.status}; {', '.join(change.path for change in row.proposal.changes)}"
            for row in standings
        ]
        text = _spoken(map(plain, said or ["This session has proposed nothing."]))
        return Told(text, {"session": self._caller.session, "proposals": rows})

    def withdraw(self, arguments: Mapping[str, Any]) -> Told:
        with self.desk() as desk:
            (standing,) = desk.status(arguments["proposal"])
            if standing.proposal.origin.session != self._caller.session:
                raise DecisionRefused(
                    f"proposal {standing.proposal.id} is not this session's",
                    hint="list_own_proposals tells which are.",
                )
            filed, replayed = desk.withdraw(standing.proposal.id)
        receipt = filed.receipt
        document: Record = {"proposal": receipt.proposal, "outcome": receipt.outcome.value, "replayed": replayed}
        return Told(_spoken(end_lines(filed, replayed=replayed)), document)

    def heard(self, desk: ModelDesk) -> None:
        """Note that the last news reached the session: it calls again.

        Until then another process of the session would tell the same once more.
        """
        if self._told_up_to:
            desk.acknowledge(self._caller.session, self._told_up_to)
            self._told_up_to = 0

    def news(self, desk: ModelDesk, *, is_last: bool) -> Told | None:
        """What was decided since the last news; None if that is nothing, something may come, and more looks follow."""
        session = self._caller.session
        # In this order: what is decided between the two looks is news then, and not lost between them.
        own = [standing.proposal.id for standing in desk.own(session) if standing.filed is None]
        told = desk.feedback(session)
        decided = {answer.filed.receipt.proposal for answer in told.answers}
        pending = [proposal for proposal in own if proposal not in decided]
        if not told.answers and pending and not is_last:
            return None
        self._told_up_to = told.cursor if told.answers else 0
        lines = [line for answer in told.answers for line in answer_lines(answer)]
        lines += [plain(f"{proposal}: pending; the person has not decided.") for proposal in pending]
        document: Record = {**feedback_document(told.answers, told.cursor), "pending": [*pending]}
        return Told(_spoken(lines or [plain("This session has nothing pending, and nothing new.")]), document)

    def shown(self, prefix: str) -> Record:
        """A proposal as `redline show --json` gives it."""
        with app.model_viewer(self._caller.folder, self._caller.world) as viewer:
            view = viewer.preview(prefix)
        return proposal_document(view.displayed, view.status, view.drifted)

    def status(self, prefix: str) -> str:
        """How a proposal stands, as the resource that shows it says."""
        with self.desk() as desk:
            (standing,) = desk.status(prefix)
        return standing.status

    def desk(self) -> AbstractContextManager[ModelDesk]:
        return app.model(self._caller.folder, self._caller.world)

    def _propose(self, desk: ModelDesk, text: bytes, options: Mapping[str, Any], author: str) -> Told:
        path = options.get("path")
        prepared = desk.prepare(
            app.request(
                text=text,
                origin=Origin(author, self._caller.session),
                format=options.get("format"),
                path=app.path_below(path, desk.root) if path is not None else None,
                strip=options.get("strip"),
                reason=options.get("reason", ""),
                lifetime=None,
                opens=True,
            )
        )
        return Told(_spoken(map(plain, prepared_lines(prepared))), _prepared(prepared))


def refused(error: RedlineError) -> Told:
    """What a model is told of an error: its code and the next step come with it."""
    hint = f"\nNext: {error.hint}" if error.hint else ""
    document = error_document(error.code, error.message, error.hint, error.details)
    return Told(_spoken(map(plain, f"{error.code}: {error.message}{hint}".split("\n"))), document)


def _spoken(lines: Iterable[Line]) -> str:
    """Spell lines as a terminal may show them: a host shows them on one."""
    text = io.StringIO()
    Screen(text, color=False).show(lines)
    return text.getvalue().removesuffix("\n")


def _prepared(prepared: Prepared) -> Record:
    proposal = prepared.proposal
    insertions, deletions = count(prepared.hunks)
    record = proposal.record
    return {
        "proposal": proposal.id,
        "digest": proposal.digest,
        "status": PENDING,
        "how": how_taken(prepared),
        "paths": [str(change.path) for change in proposal.changes],
        "insertions": insertions,
        "deletions": deletions,
        "depends_on": [*proposal.depends_on],
        "findings": record["findings"],
        "leniencies": record["leniencies"],
    }


def _standing(standing: Standing) -> Record:
    receipt = standing.filed.receipt if standing.filed is not None else None
    return {
        "proposal": standing.proposal.id,
        "status": standing.status,
        "reason": receipt.reason if receipt is not None else None,
        "successor": receipt.successor if receipt is not None else None,
        "paths": [str(change.path) for change in standing.proposal.changes],
    }
