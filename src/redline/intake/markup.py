"""What models put around an edit for a person to read: paths on lines of their own, fences, markers of blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.core.notes import Leniency
from redline.errors import MalformedEdit

if TYPE_CHECKING:
    from redline.core.paths import RepoPath

BOM: Final = b"\xef\xbb\xbf"
BLOCK_HEAD: Final = re.compile(rb"[ \t]*(?:<{5,9}|-{3,}) SEARCH>?[ \t\r]*\Z")

_PATH_LINE = re.compile(
    rb"[ \t]*(?:\#{1,6}[ \t]*)?(?P<strong>\*{1,2})?(?P<tick>`)?(?P<path>[^`*\s](?:[^`*]*[^`*\s])?)"
    rb"(?(tick)`):?(?(strong)(?P=strong)):?[ \t]*\r?\Z"
)
_BEHIND_A_FENCE = re.compile(
    rb"[ \t]*(?:`{3,}+|~{3,}+)[ \t]*+(?:[^\s`./:]++(?:[ \t]++|:))?(?P<path>[^\s`{}]++)[ \t]*\r?\Z"
)
_ATTRIBUTE = re.compile(
    rb"[ \t]*(?:`{3,}+|~{3,}+)[^`]*?[\s{](?:title|filename|file|path)=(?:\"([^\"`]+)\"|'([^'`]+)'|([^\s\"'`}]+))[\s}]"
)
_INSIDE_A_PATH = re.compile(rb"[^.][./][^.]|\A\.[^./]")
_DOTTED_LANGUAGES = frozenset({b"asp.net", b"vb.net"})


def fault_at(index: int, what: str, code: str, hint: str) -> MalformedEdit:
    """A refusal that names a line of the text, which is given by its index from 0."""
    line = index + 1
    return MalformedEdit(f"line {line}: {what}", code=code, hint=hint, details={"line": line})


def below(path: str, root: str | None) -> str:
    """Give an absolute path below the root as a relative one, any other as it is."""
    return path.removeprefix(root.rstrip("/") + "/") if root is not None else path


def relativised(path: RepoPath, written: bytes = b"/") -> list[Leniency]:
    """Note that a path was written as an absolute one, if it was."""
    text = "the text names the file by its absolute path, which lies below the repository's root"
    return [Leniency("ABSOLUTE_PATH", path, text)] if written.startswith(b"/") else []


def path_on(line: bytes) -> bytes | None:
    """Return the path that the line consists of, if it is clearly one.

    It may stand as a heading, emphasised or as code; a blank inside is taken in code only, and a word without
    emphasis needs a dot or a slash inside.
    """
    found = _PATH_LINE.match(line)
    if found is None:
        return None
    path = found["path"].removesuffix(b":")
    clear = found["tick"] or (found["strong"] and _is_word(path)) or _looks_like_a_path(path)
    return path if clear else None


def path_behind_fence(line: bytes) -> bytes | None:
    """Return the path behind the mark of an opening fence: alone, after the language, or as an attribute."""
    named = _ATTRIBUTE.match(line + b"\n")
    if named is not None:
        return named[1] or named[2] or named[3]
    found = _BEHIND_A_FENCE.match(line)
    if found is None or found["path"].lower() in _DOTTED_LANGUAGES or b"=" in found["path"]:
        return None
    return found["path"] if _looks_like_a_path(found["path"]) else None


def _is_word(text: bytes) -> bool:
    return len(text.split()) == 1


def _looks_like_a_path(text: bytes) -> bool:
    return _is_word(text) and _INSIDE_A_PATH.search(text) is not None
