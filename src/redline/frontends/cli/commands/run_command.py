"""`redline run`."""

from __future__ import annotations

import shlex
import signal
from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.displayed import displayed
from redline.core.lifecycle import PENDING
from redline.frontends.cli.made import need_journal, tell_header
from redline.frontends.cli.recovered import settle
from redline.frontends.options import json_option
from redline.render.document import proposal_document, spell
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from redline.app import Ran
    from redline.core.canonical import Json, Record
    from redline.frontends.cli.group import Invocation

_FEW_MISSING = 5


@click.command(
    "run",
    short_help="Run a command on a copy; propose what it changed.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="Example: redline run -- ruff check --fix .",
)
@click.option("--reason", metavar="TEXT", default="", help="Why; the command line unless given.")
@json_option
@click.argument("words", metavar="-- CMD...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_obj
def command(invocation: Invocation, reason: str, as_json: bool, words: tuple[str, ...]) -> None:  # noqa: FBT001 -- click passes flags so
    """Run a command on a throw-away copy of your files, and propose what it changed.

    The copy is a linked worktree that starts with your files as they are, uncommitted work included, ignored files
    not. Your own files are not touched; the copy is removed. With --json, what the command prints goes to standard
    error.
    """
    need_journal(invocation, as_json=as_json)
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline)
        inner = redline.selected("", invocation.folder)
        line = shlex.join(words)
        ran = redline.runs.run(words, inner, app.origin("run"), reason or line, quietly=as_json)
    if as_json:
        invocation.out.put(spell(_document(ran)))
        return
    for path in ran.missing[:_FEW_MISSING]:
        invocation.err.say(f"note: the copy did not have {path}: it is no regular file", [path])
    for left in ran.taken.left_out:
        invocation.err.say(f"left out: {left.why}", [left.path])
    invocation.out.say(f"`{line}` {_end(ran.code)}", [line])
    _tell(invocation, ran)


def _tell(invocation: Invocation, ran: Ran) -> None:
    prepared = ran.taken.prepared
    if prepared is None:
        invocation.out.say(
            "nothing that could be proposed was changed" if ran.taken.left_out else "nothing was changed"
        )
        return
    tell_header(invocation, prepared)
    short = prepared.proposal.id[:SHORT_ID]
    invocation.out.say(f"  Next: `redline show {short}` to read it, `redline confirm {short}` to decide.")


def _end(code: int) -> str:
    return f"ended with code {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"


def _document(ran: Ran) -> Record:
    prepared = ran.taken.prepared
    proposal: Record = {"proposal": None}
    if prepared is not None:
        proposal = proposal_document(displayed(prepared.proposal, prepared.hunks), PENDING, frozenset())
    left_out: list[Json] = [{"path": left.path, "why": left.why} for left in ran.taken.left_out]
    return {**proposal, "run": {"code": ran.code, "left_out": left_out, "missing": [*ran.missing]}}
