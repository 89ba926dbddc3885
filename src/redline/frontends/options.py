"""Options that several commands share."""

from __future__ import annotations

import click

FORMATS = (
    "native",
    "diff",
    "udiff",
    "whole-file",
    "apply-patch",
    "tool-call",
    "search-replace",
    "workspace-edit",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def propose_options(command: click.decorators.FC) -> click.decorators.FC:
    """What both programs' `propose` take."""
    options = (
        click.argument("source", metavar="[FILE|-]", default="-", type=click.Path(dir_okay=False, allow_dash=True)),
        click.option(
            "--format",
            "format_name",
            metavar="F",
            type=click.Choice(FORMATS),
            help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; else detected.",
        ),
        click.option(
            "--path",
            "path_text",
            metavar="PATH",
            help="The text is the whole new content of PATH (from the root, or absolute).",
        ),
        click.option("--reason", metavar="TEXT", default="", help="Why; shown to the person who decides."),
        click.option("--author", metavar="NAME", default="model", help="Whose text it is."),
        click.option("--session", metavar="ID", help="The agent's session, for its feedback."),
        click.option("--task", metavar="ID", help="The task that it belongs to."),
        click.option("--tool-call", metavar="ID", help="The agent's call that made it."),
        click.option("--ttl", metavar="24h", help="How long it may be confirmed: 90s, 45m, 24h, 7d."),
        click.option(
            "--strip", metavar="N", type=click.IntRange(0, 32), help="Leading folders to drop, as `git apply -p`."
        ),
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command
