"""Decide several proposals in order: one receipt each, and what stops one does not stop the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.errors import RedlineError
from redline.frontends import exit_codes
from redline.render.document import ended_document, error_document, spell
from redline.render.sentences import ended

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
    """Decide each and show its end; the exit code is 0, or that of the first that did not end as wanted."""
    documents: list[Record] = []
    for prefix in prefixes:
        try:
            result = decide(prefix)
        except RedlineError as error:
            if len(prefixes) == 1:
                raise
            invocation.end(exit_codes.code_of(error))
            documents.append(error_document(error.code, error.message, error.hint, error.details))
            invocation.err.say(f"redline: {prefix}: {error.message}")
            continue
        outcome = result.filed.receipt.outcome
        if outcome is not wanted:
            invocation.end(exit_codes.OUTCOMES[outcome.value])
        documents.append(ended_document(result.filed, replayed=result.replayed))
        if not as_json:
            invocation.out.show(ended(result.filed, replayed=result.replayed))
        for kept in result.kept:
            invocation.err.say(f"  note: {kept.text}")
    if as_json:
        invocation.out.say(spell(documents[0] if len(documents) == 1 else {"results": documents}))
