"""From the options of `propose` to a request, the same for both programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypedDict

from redline import app
from redline.core.proposal import Origin
from redline.errors import UsageFault

if TYPE_CHECKING:
    from redline.app import ModelDesk, Request


_MAX_NAME_CHARACTERS = 200


class ProposeOptions(TypedDict):
    """The values of `options.propose_options`, as click names them."""

    source: str
    format_name: str | None
    path_text: str | None
    reason: str
    author: str
    session: str | None
    task: str | None
    tool_call: str | None
    ttl: str | None
    strip: int | None
    as_json: bool


class AgentOptions(ProposeOptions):
    """Those of `redline-agent propose`: `opens` lets further edits of the session join, `seals` ends that."""

    opens: bool
    seals: bool


def request_of(options: ProposeOptions, desk: ModelDesk, *, opens: bool = False) -> Request:
    """Read the text, at most one byte past the desk's limit, and put the request together.

    Raises UsageFault if the file cannot be read, UnsafePath for `--path`.
    """
    path_text, ttl = options["path_text"], options["ttl"]
    for name in ("author", "session", "task", "tool_call"):
        refuse_unspeakable(name, options.get(name))
    path = app.path_below(path_text, desk.root) if path_text is not None else None
    lifetime = app.parse_duration(ttl) if ttl is not None else None
    return app.request(
        text=_read(options["source"], desk.input_limit_bytes + 1),
        origin=Origin(options["author"], options["session"], options["task"], options["tool_call"]),
        format=options["format_name"],
        path=path,
        strip=options["strip"],
        reason=options["reason"],
        lifetime=lifetime,
        opens=opens,
    )


def is_name(text: str) -> bool:
    """Tell whether a session, a call or an author may be called so."""
    return len(text) <= _MAX_NAME_CHARACTERS and text.isprintable()


def refuse_unspeakable(name: str, value: object) -> None:
    """Names are stored, shown and searched for: they are text, and short."""
    text = str(value or "")
    if not is_name(text):
        raise UsageFault(
            f"--{name.replace('_', '-')} {text[:40]!a} is no name",
            hint=f"Give at most {_MAX_NAME_CHARACTERS} printable characters.",
        )


def _read(source: str, at_most_bytes: int) -> bytes:
    if source == "-":
        if sys.stdin.isatty():
            sys.stderr.write("Reading the edit from the terminal; end it with Ctrl-D.\n")
        return sys.stdin.buffer.read(at_most_bytes)
    try:
        with open(source, "rb") as file:
            return file.read(at_most_bytes)
    except OSError as error:
        raise UsageFault(
            f"{source} cannot be read: {error.strerror}",
            hint="Name a file with the edit, or - for standard input.",
        ) from error
