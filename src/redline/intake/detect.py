"""Choose the format of an edit text: what the caller says wins; otherwise exactly one format must fit.

A further format is one module with NAME, LOOKS_FOR, `recognises` and `parse`, and one row here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.errors import MalformedEdit, UnknownFormat, UsageFault
from redline.intake import (
    apply_patch,
    diff_text,
    native,
    search_replace,
    tool_call,
    tool_shapes,
    udiff,
    unified_diff,
    whole_file,
    workspace_edit,
)

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
    return tool_call.parse(
        text,
        patch=apply_patch.parse,
        blocks=lambda blocks, path: search_replace.parse(blocks, path=path),
        root=hints.root,
    )


_TABLE = (
    _Format(
        native.NAME, native.LOOKS_FOR, native.recognises, lambda text, _hints: native.parse(text), native.recognises
    ),
    _Format(tool_shapes.NAME, tool_call.LOOKS_FOR, tool_call.recognises, _parse_tool_call, tool_call.recognises),
    _Format(
        workspace_edit.NAME,
        workspace_edit.LOOKS_FOR,
        workspace_edit.recognises,
        lambda text, hints: workspace_edit.parse(text, root=hints.root),
        workspace_edit.recognises,
    ),
    _Format(
        apply_patch.NAME,
        apply_patch.LOOKS_FOR,
        apply_patch.recognises,
        lambda text, _hints: apply_patch.parse(text),
        apply_patch.is_outright,
    ),
    _Format(
        search_replace.NAME,
        search_replace.LOOKS_FOR,
        search_replace.recognises,
        lambda text, _hints: search_replace.parse(text),
    ),
    _Format(
        unified_diff.NAME,
        unified_diff.LOOKS_FOR,
        diff_text.recognises,
        lambda text, hints: unified_diff.parse(text, strip=hints.strip),
    ),
    _Format(udiff.NAME, udiff.LOOKS_FOR, udiff.recognises, lambda text, _hints: udiff.parse(text), udiff.recognises),
    _Format(
        whole_file.NAME,
        whole_file.LOOKS_FOR,
        whole_file.recognises,
        lambda text, hints: whole_file.parse(text, path=hints.path),
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
    chosen = _named(format) if format is not None else _detected(text, path)
    if path is not None and chosen.name != whole_file.NAME:
        raise UsageFault(
            f"a path is given, but the format {chosen.name} names its paths itself",
            hint="Leave the path out, or say --format whole-file.",
        )
    if strip is not None and chosen.name != unified_diff.NAME:
        raise UsageFault(f"--strip fits diffs only; this is {chosen.name}", hint="Leave --strip out.")
    reading = chosen.parse(text, Hints(path, strip, root))
    _refuse_mixture(reading)
    return reading


def _refuse_mixture(reading: Reading) -> None:
    """Refuse a message of which one format would take a part and drop the rest."""
    if not reading.prose:
        return
    for row in _TABLE:
        if row.name != reading.format and row.recognises(reading.prose):
            raise MalformedEdit(
                f"beside the edit in the format {reading.format} the text holds one in the format {row.name}",
                code="FORMATS_MIXED",
                hint="Send all edits in one format, or each format in a message of its own.",
                details={"formats": [reading.format, row.name]},
            )


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
            hint="If it holds edits in several formats, send all of them in one; else say which format it is:"
            f" --format {' or --format '.join(names)}.",
            details={"formats": names},
        )
    raise UnknownFormat(
        "the text is no edit in a known format; looked for: "
        + "; ".join(f"{row.name} ({row.looks_for})" for row in _TABLE),
        hint="Say which format it is with --format.",
        details={"formats": list(FORMATS)},
    )
