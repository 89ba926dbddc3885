"""Standard input and output as a transport whose lines are bounded and whose waiting can be interrupted.

The SDK's own holds a line of any length, and reads in a thread that an interrupt waits for.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import anyio
import anyio.lowlevel
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from redline.frontends.agent.mcp.lines import Lines, TooLong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
    Outgoing = MemoryObjectSendStream[SessionMessage]

_PIECE_BYTES: Final = 64 * 1024
# What a pipe that is ready takes at once on every system (POSIX asks for 512, Linux and macOS give 4,096).
_ATOMIC_BYTES: Final = 512


@asynccontextmanager
async def connected(limit_bytes: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Serve on standard input and output, of which nothing else in this process reads or writes any more."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    refusals = outgoing.clone()
    stdin, stdout = _taken(0, os.O_RDONLY), _taken(1, os.O_WRONLY)

    async def read() -> None:
        lines = Lines(limit_bytes)
        with suppress(anyio.BrokenResourceError):  # the server has stopped
            async with to_server, refusals:
                while piece := await _read(stdin):
                    for line in lines.feed(piece):
                        message = _message(line, limit_bytes)
                        await (refusals if isinstance(message.message, JSONRPCError) else to_server).send(message)

    async def write() -> None:
        async with from_server:
            async for message in from_server:
                spelt = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await _write(stdout, spelt.encode() + b"\n")
                except BrokenPipeError:  # the client went away: its own choice
                    tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        yield incoming, outgoing


def _taken(fd: int, flags: int) -> int:
    """Take a standard stream for the protocol alone; what else reads or writes it meets the null device."""
    own, null = os.dup(fd), os.open(os.devnull, flags)
    os.dup2(null, fd)
    os.close(null)
    return own


async def _read(fd: int) -> bytes:
    await _until(anyio.wait_readable, fd)
    return os.read(fd, _PIECE_BYTES)


async def _write(fd: int, data: bytes) -> None:
    for start in range(0, len(data), _ATOMIC_BYTES):
        await _until(anyio.wait_writable, fd)
        os.write(fd, data[start : start + _ATOMIC_BYTES])


async def _until(ready: Callable[[int], Awaitable[None]], fd: int) -> None:
    try:
        await ready(fd)
    except PermissionError:  # a regular file: it is always ready, and epoll does not take it
        await anyio.lowlevel.checkpoint()


def _message(line: bytes | TooLong, limit_bytes: int) -> SessionMessage:
    """Read a line; what is no message becomes the answer that says so."""
    if isinstance(line, TooLong):
        text = f"LIMIT_SIZE: the line is longer than {limit_bytes} bytes; nothing of it was taken"
        return _refusal(INVALID_REQUEST, f"{text}. Smaller proposals join into one.", line.request_id)
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return _refusal(PARSE_ERROR, "the line is no JSON-RPC message", None)


def _refusal(code: int, message: str, request_id: int | str | None) -> SessionMessage:
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message)))
