"""`redline confirm`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import click

from redline import app
from redline.core.lifecycle import Outcome
from redline.errors import UsageFault
from redline.frontends.cli.asking import Asked, confirm_one
from redline.frontends.cli.each import decide_each
from redline.frontends.cli.recovered import settle
from redline.frontends.options import json_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redline.frontends.cli.group import Invocation


@click.command("confirm", epilog="Example: redline confirm 9f3c --only src/a.py")
@click.argument("prefixes", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--only",
    "selectors",
    metavar="SELECTOR",
    multiple=True,
    help="Take only this path, glob or PATH#HUNK; may be given again. The rest is declined. For one ID.",
)
@click.option("-m", "--reason", metavar="REASON", default="", help="What the model is told of the rest, with --only.")
@click.option("--in-place", is_flag=True, help="Record that the files hold it already; nothing is written.")
@click.option("--digest", metavar="D", help="The digest of what you were shown; for one ID.")
@click.option(
    "--intent",
    "intent_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="What you were shown, as `show --json` printed it; for one ID.",
)
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    prefixes: tuple[str, ...],
    selectors: tuple[str, ...],
    reason: str,
    in_place: bool,  # noqa: FBT001 -- click passes flags so
    digest: str | None,
    intent_file: str | None,
    as_json: bool,  # noqa: FBT001 -- as above
) -> None:
    """Read the whole change, then apply exactly that, or nothing.

    On a terminal you are shown everything and asked for the proposal's short code. Repeating a confirmation
    returns the receipt and writes nothing.
    """
    shown = _shown(prefixes, digest, intent_file)
    if (selectors or reason) and len(prefixes) != 1:
        raise UsageFault("--only and --reason go with one ID", hint="Confirm them one by one.")
    if reason and not selectors:
        raise UsageFault("--reason is told of what --only leaves out", hint="`redline decline ID -m` declines it all.")
    with app.person(invocation.folder, invocation.world) as redline:
        settle(invocation, redline, prefixes)
        asked = Asked(shown, selectors, reason, in_place=in_place)
        decide = partial(confirm_one, invocation, redline, asked)
        decide_each(invocation, prefixes, decide, Outcome.APPLIED, as_json=as_json)


def _shown(prefixes: tuple[str, ...], digest: str | None, intent_file: str | None) -> str | Mapping[str, object] | None:
    if digest is None and intent_file is None:
        return None
    if len(prefixes) != 1 or (digest is not None and intent_file is not None):
        raise UsageFault("--digest or --intent goes with one ID", hint="Confirm them one by one.")
    if digest is not None:
        return digest
    from redline.frontends.intent import read_intent

    return read_intent(cast("str", intent_file))
