"""SEARCH/REPLACE blocks: the text to find and the text to put in its place, between marker lines.

Two families of markers, Aider's `<<<<<<< SEARCH` and Cline's `------- SEARCH`. A marker is a whole line; a block that
could end at two places is refused, never guessed. Roo's blocks are Aider's with the line, of the file before the edit,
at which the text starts: `:start_line:` and a number, a row of dashes, and the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.core.notes import Leniency
from redline.core.paths import RepoPath
from redline.errors import MalformedEdit
from redline.intake.edits import Reading, Replace
from redline.intake.markup import BLOCK_HEAD, below, fault_at, path_behind_fence, path_on, relativised

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "search-replace"
LOOKS_FOR: Final = "blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`"


@dataclass(frozen=True, slots=True)
class _Family:
    """The marker lines behind a head of one family, and how a whole block is written."""

    divider: re.Pattern[bytes]
    tail: re.Pattern[bytes]
    shown: tuple[str, str, str]


_AIDER: Final = _Family(
    re.compile(rb"[ \t]*={5,9}[ \t\r]*\Z"),
    re.compile(rb"[ \t]*>{5,9} REPLACE[ \t\r]*\Z"),
    ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
)
_CLINE: Final = _Family(
    re.compile(rb"[ \t]*={3,}[ \t\r]*\Z"),
    re.compile(rb"[ \t]*\+{3,} REPLACE>?[ \t\r]*\Z"),
    ("------- SEARCH", "=======", "+++++++ REPLACE"),
)
_AIDER_HEAD = re.compile(rb"(?m)^<{5,9} SEARCH>?[ \t\r]*$")
# A removed `-- SEARCH` looks so too in a diff, which has no line of = signs.
_CLINE_HEAD, _CLINE_DIVIDER = re.compile(rb"(?m)^-{3,} SEARCH>?[ \t\r]*$"), re.compile(rb"(?m)^={3,}[ \t\r]*$")
_LOST_MARKER = re.compile(rb"[ \t]*(?:<{5,9}|>{5,9}|-{5,}|\+{5,}) ?(?:SEARCH|REPLACE)\b")
_FENCE = re.compile(rb"[ \t]*(?:`{3,}|~{3,}|</?(?:source|code|pre|codeblock|sourcecode)>)")
_START_LINE = re.compile(rb":start_line:[ \t]*([0-9]{1,9})[ \t\r]*\Z")
_END_LINE = re.compile(rb":end_line:[ \t]*[0-9]{1,9}[ \t\r]*\Z")
_DASHES = re.compile(rb"-{7}[ \t\r]*\Z")
_ESCAPED = re.compile(rb"(?m)^\\(?=<{7}|={7}|>{7}|-{7}|:(?:start|end)_line:)")
_WORD = re.compile(rb"[ \t]*([\w.+-]+)[ \t\r]*\Z")
_NAME_IS_WITHIN: Final = 3


@dataclass(frozen=True, slots=True)
class _Block:
    """A block by the indexes of its marker lines."""

    head: int
    divider: int
    tail: int


@dataclass(slots=True)
class _Progress:
    """How far the blocks of one file have come, as long as they go downwards and each states its line.

    `last` is the last line, of the file as it was, that they have dealt with, and None where that is no longer certain;
    `added` is how many lines the file has more since.
    """

    last: int | None = 0
    added: int = 0

    def line_now(self, stated: int | None, before: bytes, after: bytes) -> int | None:
        """Give the line at which a block stands once those before it are made, where that is certain."""
        if stated is None or self.last is None or stated <= self.last:
            self.last = None
            return None
        line, count = stated + self.added, before.count(b"\n")
        self.last = stated + count - 1
        self.added += after.count(b"\n") - count
        return line


def recognises(text: bytes) -> bool:
    if _AIDER_HEAD.search(text):
        return True
    return _CLINE_HEAD.search(text) is not None and _CLINE_DIVIDER.search(text) is not None


def parse(text: bytes, *, path: RepoPath | None = None, root: str | None = None) -> Reading:
    """Read every block; `path` is the file of all of them, if the text itself names none.

    Absolute paths are taken below `root`, which is noted.

    Raises MalformedEdit naming the line, UnsafePath.
    """
    lines = text.split(b"\n")
    edits: list[Replace] = []
    leniencies: list[Leniency] = []
    prose: list[bytes] = []
    progress: dict[RepoPath, _Progress] = {}
    previous_end = -1
    for block in _blocks(lines):
        written = _path_above(lines, block, previous_end) if path is None else None
        named = _located(written, root) if written is not None else path
        if named is None:
            if not edits:
                raise fault_at(block.head, "a block names no file", "NAME_MISSING", _NAME_IT)
            named = edits[-1].path
            where = f"the block at line {block.head + 1} names no file; it was read as one for the file before it"
            leniencies.append(Leniency("NAME_REUSED", named, where))
        elif written is not None:
            leniencies += relativised(named, written)
        stated, before, after = _sides(lines, block)
        if not before and _family_of(lines[block.head]) is _AIDER and _is_name_line(lines[block.divider + 1], named):
            after = after.partition(b"\n")[2]
            what = f"the first line of the new file, line {block.divider + 2} of the text, is its name and was left out"
            leniencies.append(Leniency("NAME_LINE_DROPPED", named, what))
        line = progress.setdefault(named, _Progress()).line_now(stated, before, after)
        edits.append(Replace(named, before, after, 1, whole_lines=True, exactly=False, line=line))
        _refuse_text_behind(lines, block)
        prose += lines[previous_end + 1 : block.head + 1]  # the head: a fence around a block is no file's
        previous_end = block.tail
    if not edits:
        raise MalformedEdit("no SEARCH/REPLACE block was found", code="NO_BLOCKS", hint=_MARKERS)
    prose += lines[previous_end + 1 :]
    return Reading(NAME, "", tuple(edits), tuple(leniencies), b"\n".join(prose))


def _blocks(lines: list[bytes]) -> Iterator[_Block]:
    at = 0
    while at < len(lines):
        family = _family_of(lines[at])
        if family is not None:
            block = _block(lines, at, family)
            yield block
            at = block.tail
        elif _LOST_MARKER.match(lines[at]):
            shown = ascii(lines[at][:40].decode("utf-8", "backslashreplace"))
            raise fault_at(at, f"the marker {shown} belongs to no block", "MARKER_STRAY", _MARKERS)
        at += 1


def _family_of(line: bytes) -> _Family | None:
    """Return the family whose head the line is."""
    if not BLOCK_HEAD.match(line):
        return None
    return _AIDER if line.lstrip().startswith(b"<") else _CLINE


def _block(lines: list[bytes], head: int, family: _Family) -> _Block:
    divider: int | None = None
    for at in range(head + 1, len(lines)):
        line = lines[at]
        if _family_of(line) is not None:
            raise fault_at(
                at, f"a block begins before the block of line {head + 1} has ended", "BLOCK_NESTED", _MARKERS
            )
        if family.divider.match(line):
            if divider is not None:
                why = f"the block of line {head + 1} has a second dividing line, and either may be part of the text"
                raise fault_at(at, why, "DIVIDER_TWICE", _OTHER_LINES)
            divider = at
        elif family.tail.match(line):
            if divider is None:
                raise fault_at(at, f"the block of line {head + 1} has no dividing line", "BLOCK_BROKEN", _MARKERS)
            return _Block(head, divider, at)
    what = f"a block never ends: `{family.shown[2 if divider is not None else 1]}` is missing"
    raise fault_at(head, f"{what}; the answer may be cut off", "BLOCK_OPEN", "Send every block whole.")


def _sides(lines: list[bytes], block: _Block) -> tuple[int | None, bytes, bytes]:
    """Give the line that a block of Roo's states, None for any other, the text to find and the one to put there."""
    at = block.head
    found = _START_LINE.match(lines[at + 1])
    if found is not None:
        at += 1
        at += _END_LINE.match(lines[at + 1]) is not None
        at += _DASHES.match(lines[at + 1]) is not None
    before, after = _between(lines, at, block.divider), _between(lines, block.divider, block.tail)
    if found is None:
        return None, before, after
    return int(found[1]), _ESCAPED.sub(b"", before), _ESCAPED.sub(b"", after)


def _is_name_line(line: bytes, path: RepoPath) -> bool:
    """Whether a new file's first line is only its name, perhaps in a comment: aider takes it for none of the text."""
    words = line.strip(b"#/*<>!-`:; \t\r").split()
    return len(words) == 1 and words[0].rsplit(b"/", 1)[-1] == path.name.encode("utf-8")


def _between(lines: list[bytes], first: int, last: int) -> bytes:
    return b"".join([line + b"\n" for line in lines[first + 1 : last]])


def _path_above(lines: list[bytes], block: _Block, previous_end: int) -> bytes | None:
    """Find the path above a block: on the first line that is no fence, among three; a blank line names none."""
    found: list[bytes] = []
    for at in range(block.head - 1, max(block.head - 1 - _NAME_IS_WITHIN, previous_end), -1):
        line = lines[at]
        if _FENCE.match(line):
            behind = path_behind_fence(line)
            found += [behind] if behind is not None else []
            continue
        if line.strip():
            on_it = path_on(line) or (_word_on(line) if block.divider > block.head + 1 else None)
            if on_it is None and not found:
                raise fault_at(at, "the line above a block is no clear file name", "NAME_UNCLEAR", _NAME_IT)
            found += [on_it] if on_it is not None else []
        break
    if len(set(found)) > 1:
        raise fault_at(block.head, "two names stand above a block", "NAME_UNCLEAR", _NAME_IT)
    return found[0] if found else None


def _located(written: bytes, root: str | None) -> RepoPath:
    return RepoPath(below(written.decode("utf-8", "surrogateescape"), root))


def _refuse_text_behind(lines: list[bytes], block: _Block) -> None:
    """Refuse lines between the end of a block and that of its fence: they were meant to be part of something."""
    fenced = block.head > 0 and _FENCE.match(lines[block.head - 1]) is not None
    behind = next((at for at in range(block.tail + 1, len(lines)) if lines[at].strip()), None)
    if not fenced or behind is None or _FENCE.match(lines[behind]):
        return
    if not any(_family_of(line) for line in lines[behind : behind + _NAME_IS_WITHIN]):
        raise fault_at(behind, "text stands between a block and the end of its fence", "TEXT_BEHIND", _MARKERS)


def _word_on(line: bytes) -> bytes | None:
    """Return the line's only word, which will do as a name where the file must already exist."""
    found = _WORD.match(line)
    return found[1] if found is not None else None


_MARKERS: Final = (
    "Write each block as `<<<<<<< SEARCH`, the present lines, `=======`, the new lines, `>>>>>>> REPLACE`, each marker"
    " on a line of its own."
)
_NAME_IT: Final = "Put the file's path, and nothing else, on the line directly above the block or its fence."
_OTHER_LINES: Final = "Choose lines that hold no row of = signs, or send this change as a diff or as redline.edit/1."
