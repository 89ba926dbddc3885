"""The hunk model of preview, review and partial confirmation.

It reads only diffs that redline's own engine made; `unidiff` keeps the lines, this module names the hunks.
Diff text is held as Latin-1, a one-to-one picture of the bytes, so that any byte survives and LF alone ends a line.
"""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unidiff.patch import Hunk as PatchedHunk

    from redline.core.paths import RepoPath

HUNK_ID_LENGTH = 10
_HEADER = "--- a/file\n+++ b/file\n"


class LineKind(Enum):
    CONTEXT = " "
    ADDED = "+"
    REMOVED = "-"
    NO_NEWLINE = "\\"


_KINDS = {kind.value.encode(): kind for kind in LineKind}
_BEFORE_KINDS = frozenset({LineKind.CONTEXT, LineKind.REMOVED})
_AFTER_KINDS = frozenset({LineKind.CONTEXT, LineKind.ADDED})


@dataclass(frozen=True, slots=True)
class HunkLine:
    """One line without its mark and its LF; numbers count from 1, None on the side that lacks the line."""

    kind: LineKind
    data: bytes
    before_number: int | None
    after_number: int | None


class Replacement(NamedTuple):
    """Lines of the text before, from `start` (counted from 0), and the text that takes their place."""

    start: int
    lines: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Hunk:
    """`id` comes from path, content and context, never from line numbers. `body` is the lines with their marks."""

    id: str
    header: str
    before_start: int
    after_start: int
    insertions: int
    deletions: int
    body: bytes

    @property
    def lines(self) -> tuple[HunkLine, ...]:
        return tuple(self._numbered())

    def pieces(self) -> tuple[Hunk, ...]:
        """Split wherever unchanged lines have changes on both sides; neighbours share those lines.

        A piece is called after its hunk and its number from 1; a hunk that cannot be split is its only piece.
        """
        runs = self._runs()
        changed = [index for index, (is_context, _) in enumerate(runs) if not is_context]
        if len(changed) < 2:
            return (self,)
        around = ([line for _, run in runs[max(index - 1, 0) : index + 2] for line in run] for index in changed)
        return tuple(self._piece(number, lines) for number, lines in enumerate(around, 1))

    def replacements(self) -> Iterator[Replacement]:
        """What the hunk does to the text before it, in order, without its unchanged lines."""
        at = self.before_start - any(line.before_number is not None for line in self.lines)
        for is_context, run in self._runs():
            before = sum(line.before_number is not None for line in run)
            if not is_context:
                yield Replacement(at, before, b"".join(_after_texts(run)))
            at += before

    def _runs(self) -> list[tuple[bool, list[HunkLine]]]:
        """Stretches of unchanged and of changed lines, by turns; a mark of no newline goes with its line."""
        runs: list[tuple[bool, list[HunkLine]]] = []
        for line in self.lines:
            is_context = line.kind is LineKind.CONTEXT
            if runs and (line.kind is LineKind.NO_NEWLINE or runs[-1][0] is is_context):
                runs[-1][1].append(line)
            else:
                runs.append((is_context, [line]))
        return runs

    def _piece(self, number: int, lines: list[HunkLine]) -> Hunk:
        body = b"\n".join(line.kind.value.encode() + line.data for line in lines)
        before = [line.before_number for line in lines if line.before_number is not None]
        after = [line.after_number for line in lines if line.after_number is not None]
        added, removed = (sum(line.kind is kind for line in lines) for kind in (LineKind.ADDED, LineKind.REMOVED))
        header = f"@@ {_range('-', before[0], len(before))} {_range('+', after[0], len(after))} @@"
        return Hunk(f"{self.id}.{number}", header, before[0], after[0], added, removed, body)

    def _numbered(self) -> Iterator[HunkLine]:
        before, after = self.before_start, self.after_start
        for marked in self.body.split(b"\n"):
            kind = _KINDS[marked[:1]]
            in_before = kind in _BEFORE_KINDS
            in_after = kind in _AFTER_KINDS
            yield HunkLine(kind, marked[1:], before if in_before else None, after if in_after else None)
            before += in_before
            after += in_after


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One path's difference: `body` is hunks, or git's binary patch, or empty where only mode or presence differ."""

    path: RepoPath
    body: bytes
    is_binary: bool

    def hunks(self) -> tuple[Hunk, ...]:
        """Read the body's hunks in order; a binary difference has none."""
        if self.is_binary or not self.body:
            return ()
        from unidiff.patch import PatchSet  # noqa: PLC0415 -- start-up: most commands read no hunks

        text = io.StringIO(_HEADER + self.body.decode("latin-1"), newline="\n")
        patched = PatchSet(text)[0]
        seen: Counter[str] = Counter()
        return tuple(self._hunk(hunk, seen) for hunk in patched)

    def _hunk(self, hunk: PatchedHunk, seen: Counter[str]) -> Hunk:
        body = "".join(f"{line.line_type}{line.value}" for line in hunk).removesuffix("\n").encode("latin-1")
        name = fingerprint(self.path, body)
        seen[name] += 1
        hunk_id = name if seen[name] == 1 else f"{name}-{seen[name]}"
        return Hunk(hunk_id, _header(hunk), hunk.source_start, hunk.target_start, hunk.added, hunk.removed, body)


def fingerprint(path: RepoPath, body: bytes) -> str:
    """Name a hunk's content and context at its path, wherever in the file they stand."""
    return hashlib.sha256(path.encode() + b"\0" + body).hexdigest()[:HUNK_ID_LENGTH]


def carry_out(before: bytes, hunks: Iterable[Hunk]) -> bytes:
    """The text with these hunks, of its own diff and in order, carried out, whatever becomes of the others."""
    lines = before.split(b"\n")
    ended = [line + b"\n" for line in lines[:-1]] + lines[-1:]
    after: list[bytes] = []
    position = 0
    for hunk in hunks:
        for start, count, text in hunk.replacements():
            after += [*ended[position:start], text]
            position = start + count
    return b"".join([*after, *ended[position:]])


def count(hunks: Mapping[RepoPath, tuple[Hunk, ...]]) -> tuple[int, int]:
    """Count the lines inserted and deleted."""
    flat = [hunk for of_path in hunks.values() for hunk in of_path]
    return sum(hunk.insertions for hunk in flat), sum(hunk.deletions for hunk in flat)


def _after_texts(run: list[HunkLine]) -> Iterator[bytes]:
    """The added lines with their line ends; the last one may lack its own."""
    for line, following in zip_longest(run, run[1:]):
        if line.kind is LineKind.ADDED:
            yield line.data if following is not None and following.kind is LineKind.NO_NEWLINE else line.data + b"\n"


def _header(hunk: PatchedHunk) -> str:
    before = _range("-", hunk.source_start, hunk.source_length)
    after = _range("+", hunk.target_start, hunk.target_length)
    section = hunk.section_header.encode("latin-1").decode("utf-8", "replace")
    return f"@@ {before} {after} @@" + (f" {section}" if section else "")


def _range(mark: str, start: int, length: int) -> str:
    """Spell a side as git does: a length of 1 goes without saying."""
    return f"{mark}{start}" if length == 1 else f"{mark}{start},{length}"
