"""Choose the format of an edit text: what the caller says wins; otherwise exactly one format must fit.

A further format is one module with NAME, LOOKS_FOR, `recognises` and `parse`, and one row here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.errors import MalformedEdit, UnknownFormat, UsageFault
from redline.intake import diff_text, native, unified_diff, whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.paths import RepoPath
    from redline.intake.edits import Reading


@dataclass(frozen=True, slots=True)
class _Format:
    name: str
    looks_for: str
    recognises: Callable[[bytes], bool]
    parse: Callable[[bytes, RepoPath | None, int | None], Reading]


_TABLE = (
    _Format(native.NAME, native.LOOKS_FOR, native.recognises, lambda text, _path, _strip: native.parse(text)),
    _Format(
        unified_diff.NAME,
        unified_diff.LOOKS_FOR,
        diff_text.recognises,
        lambda text, _path, strip: unified_diff.parse(text, strip=strip),
    ),
    _Format(
        whole_file.NAME,
        whole_file.LOOKS_FOR,
        whole_file.recognises,
        lambda text, path, _strip: whole_file.parse(text, path=path),
    ),
)

FORMATS: tuple[str, ...] = tuple(row.name for row in _TABLE)


def read(
    text: bytes,
    *,
    format: str | None = None,  # noqa: A002  the word of the command line
    path: RepoPath | None = None,
    strip: int | None = None,
) -> Reading:
    """Read the text in the given format, or in the one that fits.

    `path` makes the text that file's whole content; `strip` drops leading folders as `git apply -p` does.
    """
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
    return chosen.parse(text, path, strip)


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
    fitting = [row for row in _TABLE if row.recognises(text)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = [row.name for row in fitting]
        raise UnknownFormat(
            f"the text can be read as {' and as '.join(names)}",
            code="FORMAT_AMBIGUOUS",
            hint=f"Say which is meant: --format {' or --format '.join(names)}.",
            details={"formats": names},
        )
    raise UnknownFormat(
        "the text is no edit in a known format; looked for: "
        + "; ".join(f"{row.name} ({row.looks_for})" for row in _TABLE),
        hint="Say which format it is with --format.",
        details={"formats": list(FORMATS)},
    )
