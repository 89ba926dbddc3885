"""`redline show`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from redline import app
from redline.core.safetext import decode
from redline.frontends.endings import end_lines
from redline.frontends.options import json_option
from redline.frontends.screen import wants_color
from redline.frontends.wrapping import wrapped
from redline.render.document import proposal_document, spell
from redline.render.drawing import Drawing, Layout
from redline.render.lines import Line, plain
from redline.render.patch import patch
from redline.render.preview import header, preview, stat
from redline.render.sentences import SHORT_ID

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.app import PersonApp, Preview
    from redline.core.paths import RepoPath
    from redline.frontends.cli.group import Invocation

_PAGE_COLUMNS = 120
_MOST_BYTES_NOW = 8 * 1024 * 1024


@click.command("show", epilog="Example: redline show 9f3c --patch | git apply --check")
@click.argument("prefix", metavar="ID")
@click.option("--patch", "form", flag_value="patch", help="Only the patch, byte for byte as `git apply` takes it.")
@click.option("--stat", "form", flag_value="stat", help="One line for each file.")
@click.option("--side-by-side", "form", flag_value=Layout.SIDE_BY_SIDE.value, help="Before and after in two columns.")
@click.option("--unified", "form", flag_value=Layout.UNIFIED.value, help="One column, however wide the terminal is.")
@click.option("--full", "is_full", is_flag=True, help="Each file whole, and the whole reason.")
@click.option("--html", "page", metavar="FILE", type=click.Path(dir_okay=False), help="Write a page for a browser.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    prefix: str,
    form: str | None,
    page: str | None,
    is_full: bool,  # noqa: FBT001 -- click passes flags so
    as_json: bool,  # noqa: FBT001 -- as above
) -> None:
    """Show a proposal as stored: reason, findings and the whole change.

    In a pipe the change is a patch, unless a layout is asked for.
    """
    with app.person(invocation.folder, invocation.world) as redline:
        view = redline.viewer.preview(prefix)
        if as_json:
            invocation.out.put(spell(proposal_document(view.displayed, view.status, view.drifted)))
        elif page is not None:
            _write_page(invocation, view, _drawing(invocation, redline, view, None, is_full=is_full), page)
        elif form == "stat":
            out = invocation.out
            out.show(stat(view.proposal, view.hunks, view.diffs, _drifts(view), out.width))
        elif form == "patch":
            _write_patch(view)
        elif form is None and not is_full and not sys.stdout.isatty():
            out = invocation.out
            out.show([*_header(invocation, view, is_full=False), ()])
            _write_patch(view)
        else:
            _read(invocation, redline, view, _drawing(invocation, redline, view, form, is_full=is_full))


def _read(invocation: Invocation, redline: PersonApp, view: Preview, drawing: Drawing) -> None:
    def lines() -> Iterator[Line]:
        now = invocation.world.clock()
        drifts = _drifts(view)
        yield from preview(view.proposal, view.hunks, view.diffs, view.status, drifts, now, drawing.width, drawing)
        yield from _closing(view, drawing.width)

    def as_patch() -> Iterator[Line]:
        yield from _header(invocation, view, is_full=drawing.is_full)
        yield ()
        spelled = patch(view.proposal.changes, view.diffs).removesuffix(b"\n")
        yield from (plain(decode(line)) for line in spelled.split(b"\n"))
        yield from _closing(view, drawing.width)

    if sys.stdout.isatty():
        from redline.frontends.cli.pager import paged

        paged(lines, as_patch, invocation.color, redline.own_pager)
    else:
        invocation.out.show(lines())


def _drawing(invocation: Invocation, redline: PersonApp, view: Preview, form: str | None, *, is_full: bool) -> Drawing:
    return Drawing(
        invocation.out.width,
        Layout(form) if form is not None else Layout.AUTO,
        is_full,
        wants_color(sys.stdout, invocation.color),
        view.content,
        redline.viewer.since(view, max_bytes=_MOST_BYTES_NOW) if view.drifts else {},
        redline.mentions,
    )


def _header(invocation: Invocation, view: Preview, *, is_full: bool) -> Iterator[Line]:
    now, width = invocation.world.clock(), invocation.out.width
    return header(view.proposal, view.hunks, view.status, now, width, is_full=is_full)


def _drifts(view: Preview) -> dict[RepoPath, str]:
    return {drift.path: drift.text for drift in view.drifts}


def _write_page(invocation: Invocation, view: Preview, drawing: Drawing, path: str) -> None:
    from redline.frontends.cli.page_file import write_page
    from redline.render.html import MARK, html

    drifts, now = _drifts(view), invocation.world.clock()
    coloured = drawing._replace(has_syntax=True, width=_PAGE_COLUMNS)
    pieces = html(view.proposal, view.hunks, view.diffs, view.status, drifts, now, coloured)
    write_page(path, pieces, MARK)
    invocation.err.say(f"wrote {path}", [path])


def _write_patch(view: Preview) -> None:
    sys.stdout.buffer.write(patch(view.proposal.changes, view.diffs))
    sys.stdout.buffer.flush()


def _closing(view: Preview, width: int) -> Iterator[Line]:
    """How it ended, or what to do next."""
    closing = end_lines(view.filed, replayed=True) if view.filed is not None else _next_step(view)
    yield ()
    yield from wrapped(closing, width, [str(change.path) for change in view.proposal.changes])


def _next_step(view: Preview) -> Iterator[Line]:
    short = view.proposal.id[:SHORT_ID]
    if view.waits_for:
        yield plain(
            f"  Next: decide {', '.join(parent[:SHORT_ID] for parent in view.waits_for)} first: it starts there."
        )
    elif view.is_in_place:
        yield plain(f"  Next: the files hold all of it already; `redline confirm {short}` records that.")
    elif view.drifts:
        yield plain(f"  Next: `redline refresh {short}` makes it anew on the present files.")
    else:
        yield plain(f"  Next: `redline review {short}` or `redline confirm {short}` to decide.")
