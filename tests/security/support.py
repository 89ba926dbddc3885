"""What a person at a real terminal is shown, byte by byte."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from redline.core.characters import LOOKS_BLANK, is_default_ignorable
from tests.support.pseudo_terminal import on_terminal

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

PROMPT = "q to leave it pending: "
LARGE = (2000, 150)
_ROW = re.compile(r"([ \d]+)([-+].*)\Z")
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
_ESCAPED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def harmless(shown: bytes) -> str:
    """The text without our own colours; no control but LF and TAB is left, nothing that hides or reorders."""
    text = _COLOUR.sub(b"", shown).replace(b"\r\n", b"\n").decode("utf-8")
    bad = {
        character
        for character in set(text) - {"\n", "\t"}
        if unicodedata.category(character) in _ESCAPED
        or is_default_ignorable(character)
        or character in LOOKS_BLANK
        or (unicodedata.category(character) == "Zs" and character != " ")
    }
    assert bad == set()
    return text


def read_before_deciding(sandbox: Sandbox, proposal: str, *, size: tuple[int, int] = LARGE, **env: str) -> list[str]:
    """The lines that `confirm` shows down to its question; the proposal is left pending."""
    with on_terminal(sandbox.root, "confirm", proposal, size=size, **env) as terminal:
        terminal.wait_for(PROMPT)
        shown = terminal.shown
        terminal.type("q\n")
        assert terminal.finish() == 9
    return _without_numbers(harmless(shown).split("\n"))


def _without_numbers(lines: list[str]) -> list[str]:
    """Changed lines as they are in a diff: no line numbers, and what was broken to the width joined again."""
    whole: list[str] = []
    for line in lines:
        row = _ROW.match(line)
        if row is None:
            whole.append(line)
        elif row[1].isspace():
            whole[-1] += row[2][1:]
        else:
            whole.append(row[2])
    return whole


def codes(sandbox: Sandbox, proposal: str) -> dict[str, str]:
    """The findings of a proposal: code → severity."""
    findings = sandbox.redline("show", proposal, "--json").json["findings"]
    return {finding["code"]: finding["severity"] for finding in findings}
