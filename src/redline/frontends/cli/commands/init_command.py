"""`redline init`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.agents import AGENTS
from redline.errors import UsageFault
from redline.frontends.options import json_option
from redline.render.lines import Role, Span, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.app import HookPlan, Initialised
    from redline.frontends.cli.group import Invocation
    from redline.render.lines import Line

_WORDS = {
    "created": "made the journal",
    "found": "the journal is there already:",
    "adopted": "took over the journal",
}
_ROLES = {"+": Role.ADDED, "-": Role.REMOVED, "@": Role.HUNK}


@click.command(
    "init",
    short_help="Make the journal of this repository; set up an agent's hooks.",
    epilog="Example: redline init --agent claude-code",
)
@click.option("--adopt", is_flag=True, help="Trust a journal that was copied or moved here; it is checked first.")
@click.option(
    "--agent",
    "agents",
    metavar="NAME",
    multiple=True,
    type=click.Choice(AGENTS),
    help=f"Have this agent's edits proposed, by hooks in its own configuration here: {', '.join(AGENTS)}.",
)
@click.option(
    "--dry-run", "is_trial", is_flag=True, help="With --agent: show what would be written, and write nothing."
)
@click.option("--remove", is_flag=True, help="With --agent: take the hooks out again.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    adopt: bool,  # noqa: FBT001 -- click passes flags so
    agents: tuple[str, ...],
    is_trial: bool,  # noqa: FBT001
    remove: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Make `.proposals/`, private and outside git's sight, and register it as yours.

    With --agent also set up hooks: the agent's edits are recorded as proposals, and not written.
    """
    if (is_trial or remove) and not agents:
        raise UsageFault("--dry-run and --remove go with --agent", hint="Name the agent whose hooks are meant.")
    plan = app.plan_agent_hooks(invocation.folder, agents, remove=remove) if agents else None
    is_about_hooks_only = is_trial or remove
    done = None if is_about_hooks_only else app.initialise(invocation.folder, invocation.world, adopt=adopt)
    if plan is not None and not is_trial:
        app.carry_out(plan)
    if as_json:
        from redline.render.document import spell

        invocation.out.put(spell(_document(done, plan)))
        return
    if done is not None:
        _say_done(invocation, done)
    if plan is not None and is_trial:
        invocation.out.show(_diff(plan))
    elif plan is not None:
        _say_written(invocation, plan)


def _document(done: Initialised | None, plan: HookPlan | None) -> dict[str, object]:
    document: dict[str, object] = {} if done is None else {"folder": done.folder, "did": done.did}
    if plan is not None:
        document["files"] = [
            {"path": change.path, "before": change.before, "after": change.after} for change in plan.changes
        ]
        document["to_do"] = plan.to_do
    return document


def _say_done(invocation: Invocation, done: Initialised) -> None:
    invocation.out.say(f"{_WORDS[done.did]} {done.folder}")
    if done.did == "created":
        invocation.out.say("  Next: `redline propose FILE` hands over a model's edit.")


def _say_written(invocation: Invocation, plan: HookPlan) -> None:
    for change in plan.changes:
        what = "removed" if change.after is None else "changed" if change.before is not None else "made"
        invocation.out.say(f"{what} {change.path}")
    if not plan.changes:
        invocation.out.say("nothing to write: the configuration is as it should be")
    if any(change.after is not None for change in plan.changes) and plan.to_do:
        invocation.out.say("  It names the redline-agent of this machine: do not share it as it is.")
    for agent, words in plan.to_do.items():
        invocation.out.say(f"  Next, {agent}: {words}")
    if plan.to_do:
        invocation.out.say("  Next: `redline doctor` sends each hook an event and judges the answer.")


def _diff(plan: HookPlan) -> Iterator[Line]:
    """What would be written, as a diff."""
    from difflib import unified_diff

    for change in plan.changes:
        before, after = ((text or "").splitlines() for text in (change.before, change.after))
        old, new = ("/dev/null" if text is None else change.path for text in (change.before, change.after))
        for line in unified_diff(before, after, old, new, lineterm=""):
            is_header = line.startswith(("--- ", "+++ "))
            yield (Span(line, Role.STRONG if is_header else _ROLES.get(line[:1], Role.PLAIN)),)
    if not plan.changes:
        yield plain("nothing to write: the configuration is as it should be")
