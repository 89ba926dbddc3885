"""The SDK's server around the tools: protocol, progress, resources. What a tool does is in `calls`."""

from __future__ import annotations

import json
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler, ResourcesListChanged
from mcp.shared.exceptions import MCPError

from redline import __version__
from redline.errors import RedlineError, UsageFault
from redline.frontends.agent.mcp.calls import Caller, Calls, Told, refused
from redline.frontends.agent.mcp.schemas import USUAL_WAIT_S
from redline.frontends.agent.mcp.stdio import connected
from redline.frontends.agent.mcp.tools import INSTRUCTIONS, TOOLS, Hint, Tool
from redline.frontends.agent.mcp.watch import SCHEME, Watch
from redline.frontends.outermost import system_refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp.server.context import ServerRequestContext

    from redline import app

    Context = ServerRequestContext[Any]

_LOOK_S: Final = 0.25
_PROGRESS_S: Final = 2.0
_MAX_NAME_CHARACTERS: Final = 200
_HINTS: Final = {
    Hint.READS: (True, False, True),
    Hint.ADDS: (False, False, False),
    Hint.ADDS_ONCE: (False, False, True),
    Hint.ENDS_ONCE: (False, True, True),
}


def serve(world: app.World, folder: str, session: str | None, author: str | None) -> None:
    """Serve one client until it closes our standard input.

    A session that is not named is a new one. Raises EnvironmentFault if the folder is in no repository.
    """
    calls = Calls(Caller(world, folder, session or secrets.token_hex(8)))
    with calls.desk() as desk:
        limit_bytes = desk.input_limit_bytes
    anyio.run(_Door(calls, author).serve, limit_bytes)


class _Door:
    """Handlers for one connection."""

    def __init__(self, calls: Calls, author: str | None) -> None:
        self._calls = calls
        self._author = author
        self._watch = Watch(calls.status)
        self._listen = ListenHandler(self._watch.bus)

    async def serve(self, limit_bytes: int) -> None:
        server: Server[Any] = Server(
            "redline",
            version=__version__,
            title="redline: edits that a person confirms",
            instructions=INSTRUCTIONS,
            on_list_tools=_list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=_list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen_to,
        )
        async with connected(limit_bytes) as (incoming, outgoing), anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch.run)
            await server.run(incoming, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!a}; there are {', '.join(TOOLS)}")
        try:
            told = await self._told(context, tool, params.arguments or {})
        except RedlineError as error:
            return _result(refused(error), is_error=True)
        except OSError as error:
            return _result(refused(system_refused(error)), is_error=True)
        return _result(told)

    async def _told(self, context: Context, tool: Tool, arguments: Mapping[str, Any]) -> Told:
        calls = self._calls
        if tool.name == "propose_edits":  # intake refuses what is wrong by its own key and says what is right
            return await self._proposed(context, calls.propose_edits, arguments)
        _refuse_unfit(tool, arguments)
        if tool.name == "propose_patch":
            return await self._proposed(context, calls.propose_patch, arguments)
        if tool.name == "await_decision":
            return await self._decision(context, float(arguments.get("timeout_s", USUAL_WAIT_S)))
        other = {
            "seal": calls.seal,
            "read_status": calls.read_status,
            "list_own_proposals": calls.list_own_proposals,
            "withdraw": calls.withdraw,
        }
        return await anyio.to_thread.run_sync(other[tool.name], arguments)

    async def _proposed(
        self, context: Context, call: Callable[[Mapping[str, Any], str], Told], arguments: Mapping[str, Any]
    ) -> Told:
        told = await anyio.to_thread.run_sync(call, arguments, self._author or _client_name(context))
        await self._watch.bus.publish(ResourcesListChanged())
        return told

    async def _decision(self, context: Context, timeout_s: float) -> Told:
        """Seal what is open, then look until there is news, nothing to wait for, or no time left."""
        started = anyio.current_time()
        next_progress = started
        await anyio.to_thread.run_sync(self._calls.seal, {})
        with self._calls.desk() as desk:
            await anyio.to_thread.run_sync(self._calls.heard, desk)
            while True:
                elapsed = anyio.current_time() - started
                look = partial(self._calls.news, desk, is_last=elapsed >= timeout_s)
                told = await anyio.to_thread.run_sync(look)
                if told is not None:
                    return told
                if started + elapsed >= next_progress:
                    next_progress += _PROGRESS_S
                    await context.session.report_progress(elapsed, timeout_s, "The person has not decided yet.")
                await anyio.sleep(min(_LOOK_S, timeout_s - elapsed))

    async def _list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        told = await anyio.to_thread.run_sync(self._calls.list_own_proposals, {})
        rows: Any = told.document["proposals"]
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=SCHEME + row["proposal"],
                    name=row["proposal"],
                    description=row["status"],
                    mime_type="application/json",
                )
                for row in rows
            ]
        )

    async def _read_resource(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            document = await anyio.to_thread.run_sync(self._calls.shown, uri.removeprefix(SCHEME))
        except RedlineError as error:
            told = refused(error)
            raise MCPError(types.INVALID_PARAMS, told.text, told.document) from error
        text = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(document))
        return types.ReadResourceResult(contents=[text])

    async def _subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        await self._watch.subscribe(str(params.uri), context.session.send_resource_updated)
        return types.EmptyResult()

    async def _unsubscribe(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._watch.unsubscribe(str(params.uri))
        return types.EmptyResult()

    async def _listen_to(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        async with self._watch.listening(params.notifications.resource_subscriptions or ()):
            return await self._listen(context, params)


async def _list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_spelt(tool) for tool in TOOLS.values()])


async def _list_templates(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template=SCHEME + "{id}",
        name="proposal",
        title="A proposal as `redline show --json` gives it",
        mime_type="application/json",
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


def _spelt(tool: Tool) -> types.Tool:
    reads, ends, once = _HINTS[tool.hint]
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            read_only_hint=reads, destructive_hint=ends, idempotent_hint=once, open_world_hint=False
        ),
    )


def _result(told: Told, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=told.text)], structured_content=told.document, is_error=is_error
    )


def _refuse_unfit(tool: Tool, arguments: Mapping[str, Any]) -> None:
    fault = best_match(Draft202012Validator(tool.takes).iter_errors(arguments))
    if fault is not None:
        raise UsageFault(
            f"{fault.json_path}: {fault.message}", code="ARGUMENTS", hint=f"See the input schema of {tool.name}."
        )


def _client_name(context: Context) -> str:
    """What the client calls itself, if that is a name."""
    client = context.session.client_params
    name = client.client_info.name if client is not None else ""
    return name if name.isprintable() and 0 < len(name) <= _MAX_NAME_CHARACTERS else "model"
