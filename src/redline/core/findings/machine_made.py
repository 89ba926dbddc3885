"""Files that no person writes, and that no person reads with care either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.notes import Finding, Severity
from redline.core.paths import skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.change import ContentChange

_LOCK_FILES = frozenset(
    [
        "bun.lock",
        "bun.lockb",
        "cargo.lock",
        "composer.lock",
        "conan.lock",
        "deno.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "go.work.sum",
        "gradle.lockfile",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pixi.lock",
        "pnpm-lock.yaml",
        "podfile.lock",
        "poetry.lock",
        "pubspec.lock",
        "pylock.toml",
        "uv.lock",
        "yarn.lock",
    ]
)
# `@generated` is Phabricator's mark, which many tools took over; the other is Go's (go generate).
_MARKS = (b"@generated", b"DO NOT EDIT")
_HEAD_BYTES = 2000


def machine_made(change: ContentChange) -> Iterator[Finding]:
    if skeleton(change.path.name) in _LOCK_FILES:
        text = "a lock file: it decides which code of others is installed"
        yield Finding("LOCK_FILE", Severity.SENSITIVE, text, change.path)
    heads = [side.data[:_HEAD_BYTES] for side in (change.before, change.after) if side is not None]
    if any(mark in head for head in heads for mark in _MARKS):
        text = "calls itself generated: what makes it may undo this change, or may have had to change instead"
        yield Finding("GENERATED", Severity.SENSITIVE, text, change.path)
