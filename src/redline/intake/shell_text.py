"""Shell commands that a message shows: whether they would change files, which redline never runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from redline.intake.fences import fences

if TYPE_CHECKING:
    from collections.abc import Sequence

LANGUAGES: Final = frozenset(
    {
        *(b"bash", b"sh", b"shell", b"zsh", b"fish", b"console", b"shell-session", b"shellsession", b"terminal"),
        *(b"powershell", b"pwsh", b"ps1", b"cmd", b"bat", b"batch"),
    }
)

_COMMAND_STARTS = rb"(?:^|[;&|])[ \t]*(?:[$%#>][ \t]+)?(?:sudo[ \t]+)?"
_WRITES = re.compile(
    rb"(?<!<)<<(?!<)|(?:[ \t][0-9&]?|\b(?:cat|echo))>{1,2}\|?[ \t]*(?!&|/dev/null\b)\S|"
    + _COMMAND_STARTS
    + rb"(?:(?:tee|rm|mv|cp|ln|touch|truncate|unlink|patch|dd|rsync|apply_?patch)\b"
    rb"|git[ \t]+(?:apply|am|mv|rm|restore|revert)\b"
    rb"|(?:sed|perl|ruby)\b[^;&|]*[ \t]-[A-Za-z]*i"
    rb"|(?:Set|Add|Out|New|Remove|Move|Copy|Rename)-(?:Content|File|Item)\b)"
    rb"|\|[ \t]*(?:sudo[ \t]+)?(?:tee|patch)\b"
)
_OF_A_SCRIPT = re.compile(
    rb"#!|[ \t]*(?:(?:if|for|while|until|case|function|set|param|trap|local|exit)\b|@echo\b|[\w-]+[ \t]*\(\))"
)
SCRIPT_NAME: Final = re.compile(rb"\.(?:sh|bash|zsh|fish|ps1|bat|cmd)\b")


def are_commands(lines: Sequence[bytes]) -> bool:
    """Tell whether lines are commands to type one by one, and no script that was meant as a file."""
    return not any(_OF_A_SCRIPT.match(line) for line in lines)


def writes_files(line: bytes) -> bool:
    """Tell whether a line of a script seems to change files; a look at its words, as no shell would."""
    return _WRITES.search(line) is not None


def file_writing_line(lines: Sequence[bytes]) -> int | None:
    """Find the first line, by its index, of a shell fence that changes files."""
    for fence in fences(lines):
        if fence.language not in LANGUAGES or fence.paths:
            continue
        end = fence.closes_at if fence.closes_at is not None else len(lines)
        for at in range(fence.opens_at + 1, end):
            if writes_files(lines[at]):
                return at
    return None
