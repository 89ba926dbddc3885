"""`RepoPath`: a repository-relative path that cannot escape, hide or name redline's or git's own files.

A path is refused or taken as it is, never normalised into something acceptable.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Self

from redline.core.characters import is_default_ignorable
from redline.errors import UnsafePath

MAX_PATH_BYTES = 1024
MAX_COMPONENT_BYTES = 255
MAX_DEPTH = 64

_GIT_SHORT_NAME = re.compile(r"git~[0-9]+\Z")
_SELF_SHORT_NAME = re.compile(r"propos~[0-9]+\Z")
_POLICY_NAME = re.compile(r"(\.redline\.toml|redlin~[0-9]+(\.tom)?)\Z")
_SUBMODULES_NAME = re.compile(r"(\.gitmodules|(gitmod|gi7eba)~[0-9]+)\Z")
_SHOWN_CHARACTERS = 200
_DRIVE = re.compile(r"[A-Za-z]:")
_RESERVED_STEM = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\Z")
_RESERVED_CHARACTERS = frozenset('<>:"|?*')


def skeleton(component: str) -> str:
    """Reduce a path component to what a forgiving file system could take it for.

    Covers case folding, compatibility forms, invisible code points, NTFS streams and trailing dots and blanks.
    """
    visible = component.casefold()
    if not component.isascii():
        folded = unicodedata.normalize("NFKC", component).casefold()
        visible = "".join(character for character in folded if not is_default_ignorable(character))
    return visible.split(":", 1)[0].rstrip(". ")


class RepoPath(str):
    """A path below the repository's root, `/`-separated, UTF-8 and NFC.

    Raises UnsafePath, its `code` naming the rule.
    """

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        fault = _fault(value)
        if fault is not None:
            code, why = fault
            shown = value if len(value) <= _SHOWN_CHARACTERS else value[:_SHOWN_CHARACTERS] + "..."
            raise UnsafePath(
                f"path {shown!a} {why}",
                code=code,
                hint="Name the file relative to the repository's root, as `git ls-files` prints it.",
                details={"path": shown.encode("utf-8", "backslashreplace").decode("utf-8")},
            )
        return super().__new__(cls, value)

    @property
    def parents(self) -> tuple[str, ...]:
        """The folders above it, outermost first, without the root."""
        parts = self.split("/")[:-1]
        return tuple("/".join(parts[: depth + 1]) for depth in range(len(parts)))

    @property
    def name(self) -> str:
        return self.rsplit("/", 1)[-1]

    @property
    def portability_fault(self) -> str | None:
        """Why the path could not be checked out on every system, or None."""
        for component in self.split("/"):
            stem = component.split(".", 1)[0].rstrip(" ").casefold()
            if _RESERVED_STEM.match(stem):
                return f"{component!a} is a device name on Windows"
            if component.endswith((".", " ")):
                return f"{component!a} ends in a dot or a blank"
            if not _RESERVED_CHARACTERS.isdisjoint(component):
                return f"{component!a} holds a character that Windows reserves"
        return None


def _fault(value: str) -> tuple[str, str] | None:
    return _encoding_fault(value) or _shape_fault(value) or _disguise_fault(value)


def _encoding_fault(value: str) -> tuple[str, str] | None:
    try:
        size_bytes = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        return "PATH_ENCODING", "is not UTF-8"
    if not value.isprintable() and any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in value):
        return "PATH_CONTROL", "holds a control character or a line separator"
    if unicodedata.normalize("NFC", value) != value:
        return "PATH_ENCODING", "is not in Unicode normal form C"
    if size_bytes > MAX_PATH_BYTES:
        return "PATH_TOO_LONG", f"is longer than {MAX_PATH_BYTES} bytes"
    return None


def _shape_fault(value: str) -> tuple[str, str] | None:
    if "\\" in value:
        code = "PATH_ABSOLUTE" if value.startswith("\\\\") else "PATH_BACKSLASH"
        return code, "holds a backslash; folders are separated by /"
    if value.startswith(("/", "~")) or _DRIVE.match(value):
        return "PATH_ABSOLUTE", "is absolute"
    parts = value.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return "PATH_TRAVERSAL", "has an empty, `.` or `..` component"
    if len(parts) > MAX_DEPTH:
        return "PATH_TOO_LONG", f"is more than {MAX_DEPTH} folders deep"
    if any(len(part.encode("utf-8")) > MAX_COMPONENT_BYTES for part in parts):
        return "PATH_TOO_LONG", f"has a component longer than {MAX_COMPONENT_BYTES} bytes"
    return None


def _disguise_fault(value: str) -> tuple[str, str] | None:
    skeletons = [skeleton(part) for part in value.split("/")]
    for part in skeletons:
        if part == ".git" or _GIT_SHORT_NAME.match(part):
            return "PATH_GIT", "reaches into git's own folder"
        if part == ".proposals" or _SELF_SHORT_NAME.match(part):
            return "PATH_SELF", "reaches into redline's own journal"
        if not part:
            return "PATH_TRAVERSAL", "has a component that some file systems read as empty"
    if _POLICY_NAME.match(skeletons[0]):
        return "PATH_SELF", "is this repository's redline policy; a person edits it by hand"
    if _SUBMODULES_NAME.match(skeletons[0]):
        return "PATH_SUBMODULE", "decides where submodules come from; a person edits it by hand"
    return None
