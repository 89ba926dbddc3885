"""Tell a client that a proposal it subscribed to has changed: it ended, or another one took its place."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated

from redline.errors import RedlineError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

SCHEME: Final = "proposal://"
_LOOK_S: Final = 0.5


class Watch:
    """Looks at the proposals that somebody subscribed to; `status` tells how one stands.

    Clients of 2026-07-28 listen on the `bus`; an older one subscribes with the function that tells it.
    """

    def __init__(self, status: Callable[[str], str]) -> None:
        self._status = status
        self._seen: dict[str, str | None] = {}
        self._listened: list[str] = []
        self._subscribed: dict[str, Callable[[str], Awaitable[None]]] = {}
        self.bus = InMemorySubscriptionBus()

    async def subscribe(self, uri: str, tell: Callable[[str], Awaitable[None]]) -> None:
        self._seen[uri] = await self._stands(uri)
        self._subscribed[uri] = tell

    def unsubscribe(self, uri: str) -> None:
        self._subscribed.pop(uri, None)

    @asynccontextmanager
    async def listening(self, uris: Sequence[str]) -> AsyncIterator[None]:
        """Watch them for as long as a listening client's stream lasts."""
        self._seen |= {uri: await self._stands(uri) for uri in uris}
        self._listened += uris
        try:
            yield
        finally:
            for uri in uris:
                self._listened.remove(uri)

    async def run(self) -> None:
        """Look again and again; ends with the task that runs it."""
        while True:
            for uri in {*self._listened, *self._subscribed}:
                now = await self._stands(uri)
                if self._seen[uri] != now:
                    self._seen[uri] = now
                    await self._tell(uri)
            await anyio.sleep(_LOOK_S)

    async def _tell(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        if uri in self._subscribed:
            await self._subscribed[uri](uri)

    async def _stands(self, uri: str) -> str | None:
        """How the proposal stands; None if that cannot be told, for one because there is none of that name."""
        try:
            return await anyio.to_thread.run_sync(self._status, uri.removeprefix(SCHEME))
        except (RedlineError, OSError):
            return None
