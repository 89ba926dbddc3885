"""Say why a text could not be replaced, in a form from which a model can correct it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from redline.errors import EditMismatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from redline.core.paths import RepoPath
    from redline.intake.edits import Replace

_LISTED = 20
_NEAREST = 3
_TELLING_LINES = 5
_SHORTEST_HALF = 6
_TELLING_CHARACTERS = 12
_SHOWN_CHARACTERS, _SHOWN_BEFORE = 80, 30
REREAD: Final = "Read the file again and make the edit from what it holds now."
_REREAD: Final = "Read the file again and copy the lines to replace as they stand there."
_MORE: Final = "Give more of the surrounding text, or the right count."
_ONE_PLACE: Final = "Give more of the surrounding lines, so that the text stands in one place only."


def mismatch(
    path: RepoPath, why: str, code: str, hint: str = REREAD, details: dict[str, object] | None = None
) -> EditMismatch:
    """Say of a file in what the edit does not fit it."""
    return EditMismatch(f"{path}: {why}", code=code, hint=hint, details={"path": str(path), **(details or {})})


def empty_before(edit: Replace) -> EditMismatch:
    return EditMismatch(
        f"{edit.path}: the text to replace is empty, but the file is not",
        code="EMPTY_BEFORE",
        hint="Read the file, then give the lines that the new text is to replace.",
        details={"path": str(edit.path)},
    )


def wrong_count(data: bytes, edit: Replace, starts: Sequence[int], but_for: str = "") -> EditMismatch:
    """Name the lines where the text occurs; `but_for` says what was overlooked to find it."""
    details, where = _places(data, edit, starts)
    found = len(starts)
    return EditMismatch(
        f"{edit.path}: the text to replace{_beginning(edit)} occurs {found} times{but_for} ({where}), not {edit.count}",
        code="AMBIGUOUS" if edit.count is None or found > edit.count else "NO_MATCH",
        hint=_MORE if edit.exactly else _ONE_PLACE,
        details=details,
    )


def overlapping(data: bytes, edit: Replace, starts: Sequence[int], but_for: str = "") -> EditMismatch:
    details, where = _places(data, edit, starts)
    return EditMismatch(
        f"{edit.path}: occurrences of the text to replace{_beginning(edit)} overlap each other{but_for} ({where})",
        code="AMBIGUOUS",
        hint=_MORE if edit.exactly else _ONE_PLACE,
        details=details,
    )


def _places(data: bytes, edit: Replace, starts: Sequence[int]) -> tuple[dict[str, object], str]:
    lines: list[int] = []
    number, end = 1, 0
    for start in starts[:_LISTED]:
        number += data.count(b"\n", end, start)
        end = start
        lines.append(number)
    shown = ", ".join(map(str, lines)) + (", ..." if len(starts) > _LISTED else "")
    details = {"path": str(edit.path), "count": len(starts), "expected": edit.count, "lines": lines}
    return details, f"{'line' if len(starts) == 1 else 'lines'} {shown}"


def no_match(data: bytes, edit: Replace) -> EditMismatch:
    """Name the nearest places: where a telling line of the text stands, and how the lines around it differ."""
    nearest, why = nearest_places(data, edit.before)
    made = _made(data.removesuffix(b"\n").split(b"\n"), edit, nearest)
    hint = _REREAD if made is None else f"The new text already stands at line {made}; leave out an edit that is made."
    return EditMismatch(
        f"{edit.path}: the text to replace{_beginning(edit)} does not occur in the file; {why}",
        code="NO_MATCH",
        hint=hint,
        details={
            "path": str(edit.path),
            "count": 0,
            "expected": edit.count,
            "lines": [],
            "nearest": [max(at, 0) + 1 for at in nearest],
        },
    )


def nearest_places(data: bytes, text: bytes) -> tuple[list[int], str]:
    """Where lines that occur nowhere nearly stand, as indexes from 0 of a first line, and how they differ there."""
    lines, old = (whole.removesuffix(b"\n").split(b"\n") for whole in (data, text))
    nearest = _nearest(lines, old)
    return nearest, "; ".join(_difference(lines, old, at) for at in nearest) or "no line of it stands there"


def _made(lines: list[bytes], edit: Replace, nearest: list[int]) -> int | None:
    """The line at which the new text stands already, where the old one would nearly fit, or else in one place only."""
    new = edit.after.removesuffix(b"\n").split(b"\n")
    if len(edit.after.strip()) < _TELLING_CHARACTERS:
        return None
    if nearest:
        return next((at + 1 for at in nearest if at >= 0 and lines[at : at + len(new)] == new), None)
    places = [at for at, line in enumerate(lines) if line == new[0] and lines[at : at + len(new)] == new]
    return places[0] + 1 if len(places) == 1 else None


def _beginning(edit: Replace) -> str:
    first = next((line for line in edit.before.split(b"\n") if line.strip()), b"")
    return f", which begins {shown(first.strip())}," if first else ""


def _nearest(lines: list[bytes], old: list[bytes]) -> list[int]:
    """Give the indexes, from 0, at which the text would begin if a telling line of it, or half of one, stands in it."""
    haystack = b"\n" + b"\n".join([line.strip() for line in lines]) + b"\n"
    told = {line.strip(): at for at, line in enumerate(old) if line.strip()}
    telling = sorted(told.items(), key=lambda item: (-len(item[0]), item[1]))[:_TELLING_LINES]
    probes = [(b"\n" + line + b"\n", at) for line, at in telling]
    for line, at in telling:
        middle = len(line) // 2
        probes += [(half, at) for half in (b"\n" + line[:middle], line[middle:] + b"\n") if middle >= _SHORTEST_HALF]
    for probe, at in probes:
        found = [index - at for index in islice(_indexes(haystack, probe), _NEAREST)]
        if found:
            return found
    return []


def _indexes(haystack: bytes, probe: bytes) -> Iterator[int]:
    """Give the index of each line that holds the probe; a LF at its beginning is that of the line before."""
    ahead = probe.startswith(b"\n")
    index, end = 0, 0
    at = haystack.find(probe)
    while at >= 0:
        index += haystack.count(b"\n", end, at)
        end = at
        yield index if ahead else index - 1
        at = haystack.find(probe, at + len(probe) - 1)


def _difference(lines: list[bytes], old: list[bytes], begin: int) -> str:
    for at, line in enumerate(old):
        index = begin + at
        present = lines[index] if 0 <= index < len(lines) else None
        if present == line:
            continue
        if present is None:
            where = "begins" if index < 0 else "ends"
            return f"at line {max(begin, 0) + 1} it would fit in part, but the file {where} there"
        stated, found = differing(line, present)
        where = f"near line {max(begin, 0) + 1} its line {at + 1} has {stated}"
        return f"{where} where line {index + 1} of the file has {found}"
    return f"at line {begin + 1} it stands, but there the file's last line has no line end"


def differing(one: bytes, other: bytes) -> tuple[str, str]:
    """Show two lines, long ones from a little before the first character in which they differ on."""
    pairs = enumerate(zip(_text(one), _text(other), strict=False))
    at = next((place for place, (ours, theirs) in pairs if ours != theirs), min(len(_text(one)), len(_text(other))))
    return shown(one, at), shown(other, at)


def shown(line: bytes, around: int = 0) -> str:
    """Show a line in ASCII, a long one from a little before the given character on."""
    text = _text(line)
    start = max(around - _SHOWN_BEFORE, 0) if len(text) > _SHOWN_CHARACTERS else 0
    piece = text[start : start + _SHOWN_CHARACTERS]
    in_words = piece.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return f"{'...' if start else ''}{in_words!a}{'...' if start + len(piece) < len(text) else ''}"


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")
