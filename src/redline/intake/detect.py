"""Choose the format of an edit text: what the caller says wins; otherwise exactly one format must fit.

A further format is one module with NAME, LOOKS_FOR, `recognises` and `parse`, and one row here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redline.errors import MalformedEdit, UnknownFormat, UsageFault
from redline.intake import (
    absolute,
    apply_patch,
    diff_text,
    messages,
    native,
    search_replace,
    shell_wrapper,
    tool_call,
    tool_shapes,
    udiff,
    unified_diff,
    whole_file,
    workspace_edit,
)
from redline.intake.nearest import nearest
from redline.intake.shell_text import file_writing_line
from redline.intake.shown_json import shown_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.paths import RepoPath
    from redline.intake.edits import Reading


@dataclass(frozen=True, slots=True)
class Hints:
    """What the caller knows beside the text.

    `path` makes the text that file's whole content; `strip` drops leading folders as `git apply -p` does; `root` is
    the folder that absolute paths may lie below.
    """

    path: RepoPath | None = None
    strip: int | None = None
    root: str | None = None


@dataclass(frozen=True, slots=True)
class _Format:
    """`is_outright` tells texts that are this format and no other, whatever they hold further inside."""

    name: str
    looks_for: str
    recognises: Callable[[bytes], bool]
    parse: Callable[[bytes, Hints], Reading]
    is_outright: Callable[[bytes], bool] = lambda _text: False


def _parse_tool_call(text: bytes, hints: Hints) -> Reading:
    surroundings = tool_shapes.Surroundings(
        patch=lambda patch: absolute.parse_patch(patch, hints.root),
        section=lambda path, diff, creates: apply_patch.parse_section(path, diff, creates=creates),
        blocks=lambda blocks, path: search_replace.parse(blocks, path=path),
        root=hints.root,
    )
    return tool_call.parse(text, surroundings)


def _parse_patch(text: bytes, hints: Hints) -> Reading:
    found = shell_wrapper.isolate(text)
    if found is None:
        return apply_patch.parse(text)
    return replace(absolute.parse_patch(found.patch, hints.root), prose=found.prose)


def _is_patch(text: bytes) -> bool:
    """Tell whether what looks like other formats can only stand in the patch; a named fence may hold a file instead."""
    if not apply_patch.recognises(text):
        return False
    found = shell_wrapper.isolate(text)
    return found is None or not found.named


def _json(
    name: str,
    looks_for: str,
    recognises: Callable[[bytes], bool],
    parse: Callable[[bytes, Hints], Reading],
    is_shown: Callable[[bytes], bool] | None = None,
) -> _Format:
    """A format of JSON, which is the whole text or stands in one fence of it; `is_shown` then recognises it there."""
    accepts = is_shown or recognises

    def parse_shown(text: bytes, hints: Hints) -> Reading:
        shown = None if recognises(text) else shown_json(text, accepts)
        if shown is None:
            return parse(text, hints)
        reading = parse(shown.text, hints)
        return replace(reading, prose=reading.prose + b"\n" + shown.prose)

    def fits(text: bytes) -> bool:
        return recognises(text) or shown_json(text, accepts) is not None

    return _Format(name, looks_for, fits, parse_shown, recognises)


_TABLE = (
    _json(native.NAME, native.LOOKS_FOR, native.recognises, lambda text, _hints: native.parse(text)),
    _json(tool_shapes.NAME, tool_call.LOOKS_FOR, tool_call.recognises, _parse_tool_call, tool_call.is_call),
    _json(
        workspace_edit.NAME,
        workspace_edit.LOOKS_FOR,
        workspace_edit.recognises,
        lambda text, hints: workspace_edit.parse(text, root=hints.root),
    ),
    _Format(apply_patch.NAME, apply_patch.LOOKS_FOR, apply_patch.recognises, _parse_patch, _is_patch),
    _Format(
        search_replace.NAME,
        search_replace.LOOKS_FOR,
        search_replace.recognises,
        lambda text, hints: search_replace.parse(text, root=hints.root),
    ),
    _Format(
        unified_diff.NAME,
        unified_diff.LOOKS_FOR,
        diff_text.recognises,
        lambda text, hints: absolute.parse_diff(text, hints.strip, hints.root),
    ),
    _Format(
        udiff.NAME,
        udiff.LOOKS_FOR,
        udiff.recognises,
        lambda text, hints: absolute.parse_udiff(text, hints.root),
        udiff.recognises,
    ),
    _Format(
        whole_file.NAME,
        whole_file.LOOKS_FOR,
        whole_file.recognises,
        lambda text, hints: whole_file.parse(text, path=hints.path, root=hints.root),
    ),
)

FORMATS: tuple[str, ...] = tuple(row.name for row in _TABLE)


def read(
    text: bytes,
    *,
    format: str | None = None,  # noqa: A002  the word of the command line
    path: RepoPath | None = None,
    strip: int | None = None,
    root: str | None = None,
) -> Reading:
    """Read the text in the given format, or in the one that fits; the rest is as in `Hints`."""
    if not text.strip():
        raise MalformedEdit("the input is empty", code="INPUT_EMPTY", hint="Pass the model's edit text.")
    if path is None:
        text = messages.spoken(text) or text
    chosen = _named(format) if format is not None else _detected(text, path)
    if path is not None and chosen.name != whole_file.NAME:
        raise UsageFault(
            f"a path is given, but the format {chosen.name} names its paths itself",
            hint="Leave the path out, or say --format whole-file.",
        )
    if strip is not None and chosen.name != unified_diff.NAME:
        raise UsageFault(f"--strip fits diffs only; this is {chosen.name}", hint="Leave --strip out.")
    reading = chosen.parse(text, Hints(path, strip, root))
    return _with_nothing_hidden(reading, is_said=format is not None)


def _with_nothing_hidden(reading: Reading, *, is_said: bool) -> Reading:
    """Refuse a message of which one format would take a part and drop the rest.

    Where the caller said the format, what only looks like another one is quoted, and a person is told of it.
    """
    if not reading.prose:
        return reading
    writes = file_writing_line(reading.prose.split(b"\n"))
    others = [row.name for row in _TABLE if row.name != reading.format and row.recognises(reading.prose)]
    if is_said:
        told = [f"what looks like an edit in the format {' or '.join(others)} was passed over"] if others else []
        told += ["a shell command that changes files was passed over"] if writes is not None else []
        return replace(reading, passed_over=(*reading.passed_over, *told))
    if others:
        raise MalformedEdit(
            f"beside the edit in the format {reading.format} the text holds one in the format {others[0]}",
            code="FORMATS_MIXED",
            hint="Send all edits in one format, or each format in a message of its own. If one is only quoted, say"
            f" which format is meant: --format {reading.format}.",
            details={"formats": [reading.format, others[0]]},
        )
    if writes is not None:
        shown = reading.prose.split(b"\n")[writes].strip()[:80].decode("utf-8", "backslashreplace")
        raise MalformedEdit(
            f"beside the edit the text changes files by a shell command: {shown!a}",
            code="SHELL_EDIT",
            hint="Send that change as an edit too; redline runs no command."
            f" To leave it out: --format {reading.format}.",
            details={"command": shown},
        )
    return reading


def _named(name: str) -> _Format:
    for row in _TABLE:
        if row.name == name:
            return row
    raise UnknownFormat(
        f"there is no format {name!a}",
        hint=f"Known formats: {', '.join(FORMATS)}.",
        details={"formats": list(FORMATS)},
    )


def _detected(text: bytes, path: RepoPath | None) -> _Format:
    if path is not None:
        return _named(whole_file.NAME)
    outright = [row for row in _TABLE if row.is_outright(text)]
    fitting = outright or [row for row in _TABLE if row.recognises(text)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = [row.name for row in fitting]
        raise UnknownFormat(
            f"the text can be read as {' and as '.join(names)}",
            code="FORMAT_AMBIGUOUS",
            hint="If it holds edits in several formats, send all of them in one. If one of them is only quoted, say"
            f" which format is meant: --format {' or --format '.join(names)}; the rest is then passed over, and noted.",
            details={"formats": names},
        )
    near = nearest(text)
    raise UnknownFormat(
        "the text is no edit in a known format" + (f": {near}" if near is not None else ""),
        hint="Write the edit as one of: "
        + "; ".join(f"{row.name} ({row.looks_for})" for row in _TABLE)
        + ". To say which one is meant, use --format.",
        details={"formats": list(FORMATS)},
    )
