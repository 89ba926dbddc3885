"""The SDK's own client on `redline-agent mcp`, and a transcript of what both said."""

from __future__ import annotations

import json
import os
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mcp import Client, StdioServerParameters

from tests.support.sandbox import BIN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp.client.session import ElicitationFnT, MessageHandlerFnT
    from mcp_types import CallToolResult

LEGACY, MODERN = "legacy", "2026-07-28"

_LIKE = (
    (r"\b[0-9a-f]{64}\b", "64-digits"),
    (r"\b[0-9a-f]{16}\b", "9f3c2a71d04be865"),
    (r"(?<=#)[0-9a-f]{10}\b", "51dc62e3f0"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d(?!:)", "2026-11-30 14:31"),
    (r"(?<=receipt )[0-9a-f]{7}\b", "9f3c2a7"),
)


def normal(text: str) -> str:
    """The same for every run: ids, digests, hunks and times."""
    for pattern, word in _LIKE:
        text = re.sub(pattern, word, text)
    return text


class Handlers(TypedDict, total=False):
    """What the client answers to, by the SDK's names."""

    message_handler: MessageHandlerFnT
    elicitation_callback: ElicitationFnT


@asynccontextmanager
async def connected(root: Path, mode: str, *options: str, **handlers: Unpack[Handlers]) -> AsyncIterator[Client]:
    """Start the server in `root` and connect in one protocol generation."""
    command = StdioServerParameters(
        command=os.path.join(BIN, "redline-agent"), args=["mcp", *options], cwd=str(root), env=dict(os.environ)
    )
    async with Client(command, mode=mode, read_timeout_seconds=60, **handlers) as client:
        yield client


class Transcript:
    """Calls with their arguments, and what came back, as a model reads it."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lines: list[str] = []

    async def call(self, tool: str, **arguments: object) -> CallToolResult:
        result = await self._client.call_tool(tool, arguments)
        self._lines.append(f"\u2192 {tool} {json.dumps(arguments)}")
        (content,) = result.content
        assert content.type == "text"
        mark = "\u2717" if result.is_error else "\u2190"
        self._lines += [f"{mark} {line}" for line in content.text.split("\n")]
        return result

    def say(self, text: str) -> None:
        """Note what happens outside of the conversation."""
        self._lines.append(f"  ({text})")

    @property
    def text(self) -> str:
        return normal("\n".join(self._lines) + "\n")


def document(result: CallToolResult) -> dict[str, Any]:
    """The structured answer of a call that succeeded."""
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content
