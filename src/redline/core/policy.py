"""What this person and this repository allow; a repository can only make the person's own rules stricter."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from redline.core.decision import Level

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from redline.core.paths import RepoPath

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest text, file and proposal that are taken."""

    input_bytes: int = 16 * MIB
    file_bytes: int = 16 * MIB
    files: int = 1000

    def tightened(self, other: Limits) -> Limits:
        return Limits(
            min(self.input_bytes, other.input_bytes),
            min(self.file_bytes, other.file_bytes),
            min(self.files, other.files),
        )


@dataclass(frozen=True)
class Policy:
    """`level` is the least level that a confirmation must have.

    `lifetime` is how long a proposal stays open unless its maker asks otherwise, `longest_lifetime` the most.
    `denied_paths` is one layer of gitignore patterns for each source of rules: a layer may make exceptions from
    its own patterns, never from another's.
    """

    level: Level = Level.TTY
    denied_paths: tuple[tuple[str, ...], ...] = ()
    lifetime: timedelta = timedelta(hours=24)
    longest_lifetime: timedelta = timedelta.max
    limits: Limits = field(default_factory=Limits)

    def tightened(self, other: Policy) -> Policy:
        """Combine two policies so that the stricter rule of each kind holds."""
        return Policy(
            max(self.level, other.level, key=lambda level: level.strength),
            self.denied_paths + other.denied_paths,
            min(self.lifetime, other.longest_lifetime),
            min(self.longest_lifetime, other.longest_lifetime),
            self.limits.tightened(other.limits),
        )

    def denial(self, path: RepoPath) -> str | None:
        """The pattern that denies the path, or None."""
        for spec, patterns in zip(self._specs, self.denied_paths, strict=True):
            verdict = spec.check_file(path)
            if verdict.include and verdict.index is not None:
                return patterns[verdict.index]
        return None

    @staticmethod
    def fault(pattern: str) -> str | None:
        """Why a gitignore pattern has no meaning, or None."""
        if not pattern:
            return "an empty pattern denies nothing"
        try:
            _spec((pattern,))
        except (ValueError, re.error):
            return f"{pattern!a} is no gitignore pattern"
        return None

    @cached_property
    def _specs(self) -> tuple[GitIgnoreSpec, ...]:
        return tuple(map(_spec, self.denied_paths))


def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 -- start-up: most policies deny no path

    with warnings.catch_warnings(action="ignore"):
        return GitIgnoreSpec.from_lines(patterns)
