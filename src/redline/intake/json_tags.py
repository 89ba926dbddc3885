"""Calls of tools as JSON in tags, as Hermes and Qwen write them: `<tool_call>{"name": …, "arguments": …}</tool_call>`.

A call ends where its JSON ends: a closing tag inside a string of it is part of that string.
"""

from __future__ import annotations

import re
from typing import Final

from redline.intake.json_text import JsonFault, inner_spans
from redline.intake.markup import BOM, fault_at
from redline.intake.tagged import WHOLE, Tagged
from redline.intake.tool_shapes import JSON

STARTS: Final = re.compile(rb"(?m)^[ \t]*<tool_call>\s*(?=\{)")
_OPENS: Final = re.compile(STARTS.pattern.decode(), re.MULTILINE)
_CLOSES: Final = re.compile(r"\s*</tool_call>")
_NEXT: Final = re.compile(r"\s*(?=\{)")


def calls(text: bytes) -> tuple[list[Tagged], bytes]:
    """Read every call, and the prose around them. Raises MalformedEdit naming the line."""
    try:
        whole = text.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise fault_at(text.count(b"\n", 0, error.start), "a byte is not UTF-8", "ENCODING", "Send UTF-8.") from error
    found: list[Tagged] = []
    prose: list[str] = []
    behind, line = 0, 1
    while (opens := _OPENS.search(whole, behind)) is not None:
        line += whole.count("\n", behind, opens.start())
        values, end = _values(whole, opens.end(), line)
        found += [Tagged(value, f"line {line}: <tool_call>") for value in values]
        line += whole.count("\n", opens.start(), end)
        prose.append(whole[behind : opens.start()])
        behind = end
    return found, "\n".join([*prose, whole[behind:]]).encode("utf-8")


def _values(text: str, at: int, line: int) -> tuple[list[dict[str, object]], int]:
    """Give the objects of one pair of tags, mostly one, and where the closing tag ends."""
    values: list[dict[str, object]] = []
    where = f"line {line}: <tool_call>"
    while True:
        try:
            end = inner_spans(text, at)[1] + 1
        except JsonFault as error:
            raise fault_at(line - 1, f"a call never ends: {error}", "TAG_OPEN", WHOLE) from error
        values.append(JSON.typed(JSON.load(text[at:end].encode("utf-8"), where), dict, where))
        closes, further = _CLOSES.match(text, end), _NEXT.match(text, end)
        if closes is not None:
            return values, closes.end()
        if further is None:
            raise fault_at(line - 1, "no closing tag follows the JSON of a call", "TAG_OPEN", WHOLE)
        at = further.end()
