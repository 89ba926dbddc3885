"""`redline show`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from redline import app
from redline.frontends.endings import end_lines
from redline.frontends.options import json_option
from redline.frontends.wrapping import wrapped
from redline.render.document import proposal_document, spell
from redline.render.lines import Line, plain
from redline.render.patch import patch
from redline.render.preview import header, preview, stat
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.app import Preview
    from redline.frontends.cli.group import Invocation


@click.command("show", epilog="Example: redline show 9f3c --patch | git apply --check")
@click.argument("prefix", metavar="ID")
@click.option("--patch", "form", flag_value="patch", help="Only the patch, byte for byte as `git apply` takes it.")
@click.option("--stat", "form", flag_value="stat", help="One line for each file.")
@json_option
@click.pass_obj
def command(invocation: Invocation, prefix: str, form: str | None, as_json: bool) -> None:  # noqa: FBT001 -- click
    """Show a proposal as stored: reason, findings and the whole change."""
    with app.person(invocation.folder, invocation.world) as redline:
        view = redline.viewer.preview(prefix)
    drifts = {drift.path: drift.text for drift in view.drifts}
    now = invocation.world.clock()
    out = invocation.out
    if as_json:
        out.put(spell(proposal_document(view.displayed, view.status, view.drifted)))
    elif form == "stat":
        out.show(stat(view.proposal, view.hunks, drifts))
    elif sys.stdout.isatty():
        from redline.frontends.cli.pager import paged

        lines = list(preview(view.proposal, view.hunks, view.diffs, view.status, drifts, now, out.width))
        closing = end_lines(view.filed, replayed=True) if view.filed is not None else _next_step(view)
        lines += [(), *wrapped(closing, out.width, [str(change.path) for change in view.proposal.changes])]
        paged(lines, invocation.color)
    else:
        if form is None:
            out.show([*header(view.proposal, view.hunks, view.status, now, out.width), ()])
        sys.stdout.buffer.write(patch(view.proposal.changes, view.diffs))
        sys.stdout.buffer.flush()


def _next_step(view: Preview) -> Iterator[Line]:
    if view.drifts:
        yield plain("  Next: nothing of it can be applied now; have the model propose it anew.")
    else:
        yield plain(f"  Next: `redline confirm {view.proposal.id[:SHORT_ID]}` to decide.")
