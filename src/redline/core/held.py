"""The lock as a type: what writes to the tree or the journal asks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """Proof that this process holds `.proposals/lock`; only the lock itself makes one."""

    lock_path: str
