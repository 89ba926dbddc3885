"""The one spelling of a record: JSON with sorted keys, ASCII, no floats, UTC microsecond times.

Two equal records have equal bytes, so the SHA-256 of those bytes names the record.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TypeAlias

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"
Record: TypeAlias = "dict[str, Json]"

_INSTANT = "%Y-%m-%dT%H:%M:%S.%fZ"


def encode(record: Json) -> str:
    """Spell the record canonically. `Json` has no floats: binary fractions have no canonical spelling."""
    return json.dumps(record, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def digest(record: Json) -> str:
    return digest_text(encode(record))


def digest_text(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def format_instant(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime(_INSTANT)


def parse_instant(text: str) -> datetime:
    """Raises ValueError if the text is not an instant as `format_instant` spells it."""
    instant = datetime.fromisoformat(text)
    if format_instant(instant) != text:
        raise ValueError(f"not an instant: {text!r}")
    return instant
