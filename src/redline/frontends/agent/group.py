"""The commands of `redline-agent`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import click

from redline import __version__, app
from redline.core.displayed import displayed
from redline.core.lifecycle import PENDING
from redline.errors import EnvironmentFault, UsageFault
from redline.frontends import exit_codes, invoking
from redline.frontends.agent.hooks import command
from redline.frontends.agent.sentences import prepared_lines, standing_lines
from redline.frontends.endings import end_lines
from redline.frontends.options import json_option, propose_options
from redline.frontends.request import AgentOptions, refuse_unspeakable, request_of
from redline.frontends.screen import Screen
from redline.render.document import ended_document, feedback_document, proposal_document, spell
from redline.render.sentences import answer_lines

if TYPE_CHECKING:
    from redline.app import Told

_POLL_S = 0.25


@dataclass
class Call:
    """One run of the program; `code` is what it will exit with."""

    world: app.World
    folder: str = "."
    code: int = exit_codes.OK

    @property
    def out(self) -> Screen:
        return Screen(sys.stdout, color=False)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: redline-agent propose --session s1 < edit.json",
)
@click.option("-C", "folder", metavar="DIR", default=".", help="Run as if started in DIR.")
@click.version_option(__version__, prog_name="redline-agent", message="%(prog)s %(version)s")
@click.pass_obj
def agent(call: Call, folder: str) -> None:
    """Propose edits to a person and hear what became of them."""
    call.folder = folder


@agent.command(
    "propose",
    short_help="Hand an edit to the person; no file is changed.",
    epilog="Example: redline-agent propose --session s1 --reason 'fix' change.patch",
)
@propose_options
@click.option("--open", "opens", is_flag=True, help="Join this edit to the session's others until --seal.")
@click.option("--seal", "seals", is_flag=True, help="Join it as the last one: the person may decide now.")
@click.pass_obj
def propose(call: Call, **options: Unpack[AgentOptions]) -> None:
    """Hand an edit to the person; nothing is changed until they confirm it.

    An edit of a session is meant for what that session has proposed already, not for what is still on disk. With
    --tool-call, an edit that is handed over twice is one proposal.
    """
    opens, session = options["opens"] or options["seals"], options["session"]
    if opens and session is None:
        raise UsageFault("--open and --seal go with --session", hint="Name the session whose edits belong together.")
    with app.model(call.folder, call.world) as desk:
        prepared = desk.prepare(request_of(options, desk, opens=opens))
        if options["seals"] and session is not None:
            desk.seal(session)
    if options["as_json"]:
        shown = displayed(prepared.proposal, prepared.hunks)
        call.out.put(spell(proposal_document(shown, PENDING, frozenset())))
        return
    call.out.say("\n".join(prepared_lines(prepared)))


@agent.command("seal", short_help="Let no further edit join.", epilog="Example: redline-agent seal --session s1")
@click.option("--session", metavar="ID", required=True, help="The session whose edits are complete.")
@json_option
@click.pass_obj
def seal(call: Call, session: str, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Let no further edit join what the session has open."""
    with app.model(call.folder, call.world) as desk:
        sealed = desk.seal(session)
    if as_json:
        call.out.put(spell({"proposal": sealed.id if sealed is not None else None}))
    elif sealed is not None:
        call.out.say(f"{sealed.id}: sealed, pending; a person decides.")
    else:
        call.out.say("Nothing was open.")


@agent.command("status", epilog="Example: redline-agent status 9f3c2a7")
@click.argument("prefix", metavar="[ID]", required=False)
@json_option
@click.pass_obj
def status(call: Call, prefix: str | None, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Tell how one proposal stands, or which are pending."""
    with app.model(call.folder, call.world) as desk:
        standings = desk.status(prefix)
    documents = [
        {
            "proposal": standing.proposal.id,
            "status": standing.status,
            "reason": standing.filed.receipt.reason if standing.filed is not None else None,
            "receipt": standing.filed.record if standing.filed is not None else None,
        }
        for standing in standings
    ]
    if as_json:
        call.out.put(spell(documents[0] if prefix is not None else {"proposals": [*documents]}))
        return
    for standing in standings:
        call.out.tell(standing_lines(standing))
    if not standings:
        call.out.say("No proposal is pending.")


@agent.command("feedback", epilog="Example: redline-agent feedback --session s1 --wait 60")
@click.option("--session", metavar="ID", help="Only what this session has not been told yet.")
@click.option(
    "--wait", "wait_s", metavar="SECONDS", type=click.FloatRange(0, 3600), default=0, help="How long to wait for news."
)
@json_option
@click.pass_obj
def feedback(call: Call, session: str | None, wait_s: float, as_json: bool) -> None:  # noqa: FBT001 -- click
    """Tell what was decided, with the person's reasons.

    With --session each outcome is told until it was delivered once; without, the latest 50 are listed.
    """
    with app.model(call.folder, call.world) as desk:
        told = desk.feedback(session)
        deadline = time.monotonic() + wait_s
        while not told.answers and time.monotonic() < deadline:
            time.sleep(_POLL_S)
            told = desk.feedback(session)
        if as_json:
            call.out.put(spell(feedback_document(told.answers, told.cursor)))
        else:
            _tell_feedback(call, told)
        if session is not None and told.answers:
            desk.acknowledge(session, told.cursor)


@agent.command("withdraw", epilog="Example: redline-agent withdraw 9f3c2a7")
@click.argument("prefix", metavar="ID")
@json_option
@click.pass_obj
def withdraw(call: Call, prefix: str, as_json: bool) -> None:  # noqa: FBT001 -- click passes flags so
    """Take a pending proposal back."""
    with app.model(call.folder, call.world) as desk:
        filed, replayed = desk.withdraw(prefix)
    if filed.receipt.outcome.value != "withdrawn":
        call.code = exit_codes.OUTCOMES[filed.receipt.outcome.value]
    if as_json:
        call.out.put(spell(ended_document(filed, replayed=replayed)))
    else:
        call.out.tell(end_lines(filed, replayed=replayed))


@agent.command("hook", epilog="Example: redline-agent hook claude-code < event.json")
@click.argument("name", metavar="AGENT", type=click.Choice(command.AGENTS))
@click.pass_obj
def hook(call: Call, name: str) -> None:
    """Answer one hook event of an agent: `redline init --agent` puts this into its configuration."""
    call.code = command.run(name, call.world)


@agent.command("mcp", short_help="Serve an agent over MCP.", epilog="Example: redline-agent mcp --session s1")
@click.option("--session", metavar="ID", help="Whose calls these are; else a new session.")
@click.option("--author", metavar="NAME", help="Whose edits these are; else what the client calls itself.")
@click.pass_obj
def mcp(call: Call, session: str | None, author: str | None) -> None:
    """Serve an agent on standard input and output (MCP); needs the extra `mcp`."""
    try:
        from redline.frontends.agent.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("redline"):
            raise
        raise EnvironmentFault(
            f"`redline-agent mcp` needs the MCP SDK, and {error.name} is not installed",
            code="MCP_MISSING",
            hint="pip install 'redline[mcp]'",
        ) from error
    for name, value in (("session", session), ("author", author)):
        refuse_unspeakable(name, value)
    serve(call.world, call.folder, session, author)


def _tell_feedback(call: Call, told: Told) -> None:
    for answer in told.answers:
        call.out.tell(answer_lines(answer))
    if not told.answers:
        call.out.say("Nothing new: no decision since the last time.")


def invoke(arguments: list[str], world: app.World) -> int:
    """Run one command through the command-line library."""
    call = Call(world)
    return invoking.invoke(agent, "redline-agent", arguments, call) or call.code
