"""What HEAD has at a path, and what its checkout would make of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

_NO_VALUE = frozenset({"unspecified", "unset"})


class EntryKind(Enum):
    """The kinds of entries in a tree of git, by mode (gitdatamodel)."""

    REGULAR = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class Committed:
    """An entry of HEAD's tree."""

    kind: EntryKind
    oid: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path at which the tree may differ from HEAD; `committed` is None where HEAD has nothing.

    `path` is git's own, not yet checked; a byte that is no UTF-8 is a lone surrogate, as in `os.fsdecode`.
    """

    path: str
    committed: Committed | None
    is_unmerged: bool = False


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of HEAD; `conversion` says what a checkout would do to its bytes, and is empty if nothing."""

    data: bytes
    conversion: str


@dataclass(frozen=True, slots=True)
class CheckoutSettings:
    """Configuration that decides about line ends at checkout (git-config(1), core.autocrlf and core.eol)."""

    autocrlf: bool
    eol: str


def conversion_of(attributes: dict[str, str], settings: CheckoutSettings, data: bytes) -> str:
    """What a checkout would do to a blob's bytes, in words; empty if it certainly leaves them as they are.

    `attributes` as git-check-attr(1) prints them (gitattributes(5)).
    """
    if attributes["filter"] not in _NO_VALUE:
        return f"the filter {attributes['filter']!a}"
    if attributes["working-tree-encoding"] not in _NO_VALUE:
        return f"the encoding {attributes['working-tree-encoding']!a}"
    if attributes["ident"] == "set" and b"$Id" in data:
        return "the expansion of $Id$"
    if b"\n" in data and _gives_crlf(attributes, settings):
        return "CRLF line ends"
    return ""


def _gives_crlf(attributes: dict[str, str], settings: CheckoutSettings) -> bool:
    """`crlf` is the old name of `text`."""
    text = attributes["text"] if attributes["text"] != "unspecified" else attributes["crlf"]
    if text == "unset" or attributes["eol"] == "lf":
        return False
    if attributes["eol"] == "crlf" or settings.autocrlf:
        return True
    return settings.eol == "crlf" and text != "unspecified"
