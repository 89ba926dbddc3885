"""Bytes to lines of a bounded length: of a longer one no more than the bound is ever held."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_END_BYTES: Final = 1024
# A request's own id, never one inside its parameters: only texts stand before it, or only the last brace behind it.
_ID_FIRST = re.compile(rb'\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(\d{1,18}|"[^"\\]*")\s*,')
_ID_LAST = re.compile(rb',\s*"id"\s*:\s*(\d{1,18}|"[^"\\]*")\s*\}\s*\Z')


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was passed over, and the request's id where its ends show one."""

    request_id: int | str | None


class Lines:
    """Takes pieces as they come and gives each line once it is whole, without its end."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._held = bytearray()
        self._is_passing_over = False

    def feed(self, piece: bytes) -> Iterator[bytes | TooLong]:
        *whole, rest = piece.split(b"\n")
        for end in whole:
            self._hold(end)
            yield self._taken()
        self._hold(rest)

    def _hold(self, piece: bytes) -> None:
        self._held += piece
        self._is_passing_over |= len(self._held) > self._limit_bytes
        if self._is_passing_over:
            del self._held[_END_BYTES:-_END_BYTES]

    def _taken(self) -> bytes | TooLong:
        line = bytes(self._held)
        self._held.clear()
        if not self._is_passing_over:
            return line
        self._is_passing_over = False
        found = _ID_FIRST.match(line) or _ID_LAST.search(line)
        return TooLong(_spelt(found[1].decode("utf-8", "replace")) if found is not None else None)


def _spelt(request_id: str) -> int | str:
    return request_id[1:-1] if request_id.startswith('"') else int(request_id)
