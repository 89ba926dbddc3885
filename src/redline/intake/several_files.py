"""The `<args>` of an `apply_diff` call of Roo and Kilo: several files, each with a path and diffs with a first line.

<file><path>…</path><diff><content>…</content><start_line>…</start_line></diff>…</file>…
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FILE = re.compile(r"\s*<file>\s*<path>(?P<path>[^<]*)</path>")
_DIFF = re.compile(r"\s*<diff>\s*<content>")
_DIFF_ENDS = re.compile(r"</content>\s*(?:<start_line>\s*(?P<line>[0-9]{1,9})\s*</start_line>\s*)?</diff>")
_FILE_ENDS = re.compile(r"\s*</file>")
_VERBATIM = re.compile(r"\s*<!\[CDATA\[(?P<text>.*)\]\]>\s*\Z", re.DOTALL)
_HEAD = re.compile(r"(?m)^(<{5,9} SEARCH>?[ \t\r]*\n)")
_HAS_LINE: Final = ":start_line:"


@dataclass(frozen=True, slots=True)
class FileBlocks:
    """A path, and the SEARCH/REPLACE blocks of its file in order."""

    path: str
    blocks: str


def several_files(text: str) -> list[FileBlocks] | None:
    """Read every file; None is a text with anything else in it, or with no file."""
    found: list[FileBlocks] = []
    at = 0
    while (opens := _FILE.match(text, at)) is not None:
        blocks: list[str] = []
        at = opens.end()
        while (diff := _DIFF.match(text, at)) is not None:
            end = text.find("</content>", diff.end())
            content, ends = text[diff.end() : end], _DIFF_ENDS.match(text, end) if end >= 0 else None
            if ends is None or "<content>" in content:
                return None
            blocks.append(_with_line(content, ends["line"]))
            at = ends.end()
        file_ends = _FILE_ENDS.match(text, at)
        if file_ends is None or not blocks:
            return None
        found.append(FileBlocks(opens["path"].strip(), "\n".join(blocks)))
        at = file_ends.end()
    return found if found and not text[at:].strip() else None


def _with_line(content: str, line: str | None) -> str:
    """Give the blocks, the only one with the line where it starts as its own first line says it."""
    verbatim = _VERBATIM.match(content)
    blocks = verbatim["text"] if verbatim is not None else content
    if line is None or _HAS_LINE in blocks or len(_HEAD.findall(blocks)) != 1:
        return blocks
    return _HEAD.sub(rf"\g<1>{_HAS_LINE}{line}\n-------\n", blocks)
