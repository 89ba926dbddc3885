"""Read the document that says what a person was shown."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from redline.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Mapping

_HOW = "Write it with `redline show ID --json > FILE`."
_MAX_BYTES = 64 * 1024 * 1024


def read_intent(source: str) -> Mapping[str, object]:
    """Read one JSON object, refusing what two readers could read differently.

    Raises UsageFault.
    """
    try:
        if source == "-":
            data = sys.stdin.buffer.read(_MAX_BYTES)
        else:
            with open(source, "rb") as file:
                data = file.read(_MAX_BYTES)
        document = json.loads(data, object_pairs_hook=_unique)
    except OSError as error:
        raise UsageFault(f"{source} cannot be read: {error.strerror}", hint=_HOW) from error
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{source} does not say what was shown: {error}", hint=_HOW) from error
    if not isinstance(document, dict):
        raise UsageFault(f"{source} does not say what was shown: it is no JSON object", hint=_HOW)
    return document


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a key occurs twice")
    return dict(pairs)
