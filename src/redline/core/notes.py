"""What a reader of a proposal must be told: findings about its content, leniencies of its intake."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.paths import RepoPath


class Severity(Enum):
    INFO = "info"
    SENSITIVE = "sensitive"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about the change that a reviewer could miss; `line` counts from 1 in the after-text."""

    code: str
    severity: Severity
    text: str
    path: RepoPath | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Leniency:
    """A deviation from the edit's own words that intake allowed itself, in one unambiguous way."""

    code: str
    path: RepoPath
    text: str
