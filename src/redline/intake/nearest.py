"""What a text that is no edit in any format comes nearest to, so that its writer can put it right."""

from __future__ import annotations

import re
from typing import Final

from redline.intake.fences import fences
from redline.intake.shell_text import file_writing_line, writes_files

# The first that fits is named; those that can be nothing else come first.
_TELLING: Final[tuple[tuple[re.Pattern[bytes], str], ...]] = (
    (
        re.compile(rb"(?m)^[ \t]+\*\*\* (?:Begin|End) Patch\b"),
        "is of a Codex patch, but indented: its lines begin at the margin",
    ),
    (
        re.compile(rb"(?m)^\*\*\* (?:(?:Add|Delete|Update) File:|End Patch)"),
        "is of a Codex patch, but no line `*** Begin Patch` stands above it",
    ),
    (
        re.compile(rb"(?mi)^[ \t]*<{3,} ?(?:SEARCH|ORIGINAL|OLD|HEAD)\b"),
        "looks like the first line of a SEARCH/REPLACE block, which is `<<<<<<< SEARCH` at the margin",
    ),
    (
        re.compile(rb"(?mi)^[ \t]*-{3,} ?SEARCH\b"),
        "looks like the first line of a SEARCH/REPLACE block, but no dividing line `=======` stands below it",
    ),
    (
        re.compile(rb"(?mi)^[ \t]*(?:>{3,}|\+{3,}) ?(?:REPLACE|UPDATED|NEW)\b"),
        "looks like the last line of a SEARCH/REPLACE block, but no line `<<<<<<< SEARCH` stands above it",
    ),
    (
        re.compile(rb"(?m)^[ \t]+(?:diff --git |--- \S|@@ -[0-9])"),
        "looks like a diff, but indented: its lines begin at the margin",
    ),
    (
        re.compile(rb"(?m)^@@"),
        "looks like a hunk of a diff, but no `---` and `+++` lines name its file",
    ),
    (
        re.compile(rb"(?m)^(?:\+\+\+|---) (?:[ab]/)?[^\s/]+(?:/|\.)\S*[ \t\r]*$"),
        "looks like the name of a file in a diff, which has a `---` and a `+++` line, then hunks",
    ),
    (
        re.compile(rb"(?m)^[ \t]*</?(?:write_to_file|replace_in_file)>"),
        "looks like a tool's call in tags, but no parameter such as <path> follows its opening tag",
    ),
    (
        re.compile(rb"(?m)^[ \t]*<(?:(?:antml:)?(?:function_calls|invoke)\b|tool_call>|function=)"),
        "looks like a tool's call in tags that are not read: send it as JSON, or as Cline or Claude writes it",
    ),
    (
        re.compile(rb"\A(?:\xef\xbb\xbf)?\s*[{\[]"),
        "begins JSON, but no key of it tells which format it is",
    ),
    (
        re.compile(rb"(?m)^[ \t]*\{[ \t\r\n]*\"(?:schema|name|tool_name|file_path|path|type)\""),
        "begins JSON with other text around it: send it alone, or in a fence marked json",
    ),
)


def nearest(text: bytes) -> str | None:
    """Say in words, by line, what the text looks like and what it lacks."""
    for pattern, what in _TELLING:
        found = pattern.search(text)
        if found is not None:
            return f"line {text.count(b'%c' % 10, 0, found.end()) + 1} {what}"
    return _of_blocks(text.split(b"\n"))


def _of_blocks(lines: list[bytes]) -> str | None:
    writes = file_writing_line(lines)
    if writes is None and writes_files(lines[0]):
        writes = 0
    if writes is not None:
        return f"line {writes + 1} changes files by a shell command, which redline does not run"
    for fence in fences(lines):
        if fence.language in {b"diff", b"patch", b"udiff"}:
            return f"the diff in the fence of line {fence.opens_at + 1} has no `---` and `+++` lines that name its file"
        return f"the fence of line {fence.opens_at + 1} has no path above it, so that it is no whole file"
    return None
