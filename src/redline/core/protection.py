"""What protects a person here, and what does not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Strength(Enum):
    HOLDS = "holds"
    WEAK = "weak"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Protection:
    """One protection in a sentence; `advice` is what would make it stronger, empty where nothing would."""

    name: str
    strength: Strength
    text: str
    advice: str = ""
