"""Who decides, how that was authenticated, and over which digest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from redline.core.reviewed import NOT_REVIEWED

if TYPE_CHECKING:
    from datetime import datetime

    from redline.core.canonical import Record
    from redline.core.reviewed import Reviewed


class Level(Enum):
    """How a decision is authenticated, weakest first."""

    NONE = "none"
    TTY = "tty"

    @property
    def strength(self) -> int:
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class Person:
    """The account that acts, and the name git knows it by."""

    uid: int
    name: str
    email: str

    @property
    def record(self) -> Record:
        return {"role": "person", "name": self.name, "email": self.email, "uid": self.uid}


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's word over one digest; `reviewed` is how they came to it."""

    person: Person
    level: Level
    decided_at: datetime
    digest: str
    reason: str = ""
    reviewed: Reviewed = NOT_REVIEWED

    @property
    def decided_by(self) -> Record:
        return {
            "name": self.person.name,
            "email": self.person.email,
            "uid": self.person.uid,
            "level": self.level.value,
        }
