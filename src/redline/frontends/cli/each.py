"""Decide several proposals in order: one receipt each, and what stops one does not stop the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.errors import RedlineError
from redline.frontends import exit_codes
from redline.frontends.endings import end_lines
from redline.frontends.outermost import interrupt_document, tell_of_interrupt
from redline.render.document import ended_document, error_document, spell
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.app import Ended
    from redline.core.canonical import Record
    from redline.core.lifecycle import Outcome
    from redline.frontends.cli.group import Invocation


def decide_each(
    invocation: Invocation,
    prefixes: tuple[str, ...],
    decide: Callable[[str], Ended],
    wanted: Outcome,
    *,
    as_json: bool,
) -> None:
    """Decide each and show its end; the exit code is 0, or that of the first that did not end as wanted.

    Raises KeyboardInterrupt if the person stops before any was decided or refused; later on, what was done is told.
    """
    told = _Told(invocation, as_json)
    for position, prefix in enumerate(prefixes):
        try:
            result = decide(prefix)
        except KeyboardInterrupt:
            if not told.documents:
                raise
            told.interrupt(prefixes[position:])
            break
        except RedlineError as error:
            if len(prefixes) == 1:
                raise
            told.refuse(prefix, error)
            continue
        told.end(result, wanted)
        if result.interrupted and prefixes[position + 1 :]:
            told.interrupt(prefixes[position + 1 :])
            break
    if as_json:
        documents = told.documents
        invocation.out.put(spell(documents[0] if len(prefixes) == 1 else {"results": [*documents]}))


@dataclass(slots=True)
class _Told:
    """What came of the proposals so far, in words as it comes and as documents for the end."""

    invocation: Invocation
    as_json: bool
    documents: list[Record] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def end(self, result: Ended, wanted: Outcome) -> None:
        receipt = result.filed.receipt
        self.documents.append(ended_document(result.filed, replayed=result.replayed))
        self.done.append(f"{receipt.proposal[:SHORT_ID]} {receipt.outcome.value}")
        if receipt.outcome is not wanted:
            self.invocation.end(exit_codes.OUTCOMES[receipt.outcome.value])
        if not self.as_json:
            self.invocation.out.tell(end_lines(result.filed, replayed=result.replayed), _paths(result))
        for kept in result.kept:
            self.invocation.err.say(f"  note: {kept.text}", [str(kept.path), kept.place or ""])

    def refuse(self, prefix: str, error: RedlineError) -> None:
        self.invocation.end(exit_codes.code_of(error))
        self.documents.append(error_document(error.code, error.message, error.hint, error.details))
        which = "" if prefix[:SHORT_ID] in error.message else f"{prefix}: "
        following = f"\n  Next: {error.hint}" if error.hint else ""
        self.invocation.err.say(f"redline: {which}{error.message}{following}")

    def interrupt(self, undecided: tuple[str, ...]) -> None:
        before = f"before that: {', '.join(self.done)}" if self.done else "everything is as before"
        what_stands = f"{before}; not decided: {', '.join(undecided)}"
        self.documents.append(interrupt_document(what_stands, undecided))
        tell_of_interrupt(what_stands)
        self.invocation.code = exit_codes.INTERRUPTED


def _paths(result: Ended) -> list[str]:
    return [str(step.path) for step in result.filed.receipt.steps]
