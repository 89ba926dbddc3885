"""What a command made of a copy of the tree, path by path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.content import Content


@dataclass(frozen=True, slots=True)
class NetChange:
    """A path, as git names it, from what was put into the copy to what is there now.

    `fault` says why it cannot be proposed, and is empty if it can.
    """

    path: str
    before: Content | None
    after: Content | None
    fault: str = ""
