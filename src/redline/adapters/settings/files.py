"""Read the person's `config.toml` and the repository's `.redline.toml` into one policy (toml.io 1.0).

A key that is not known is refused by name: a rule that is misspelt would otherwise be a rule that is not there.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from redline.core.decision import Level
from redline.core.policy import MIB, Limits, Policy
from redline.errors import SettingsFault, UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

POLICY_NAME = ".redline.toml"
_MAX_BYTES = 1 << 20
_DURATION = re.compile(r"([1-9][0-9]{0,5})([smhdw])\Z")
_LONGEST = timedelta(days=36500)
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def load(root: str) -> Policy:
    """The person's policy, made stricter by the repository's.

    Raises SettingsFault naming the file and the key.
    """
    own = _read(os.path.join(config_home(), "redline", "config.toml"), Policy(), os.O_CLOEXEC)
    allows_all = Policy(level=Level.NONE, lifetime=timedelta.max, limits=_UNLIMITED)
    repository = _read(os.path.join(root, POLICY_NAME), allows_all, os.O_NOFOLLOW | os.O_CLOEXEC)
    return own.tightened(replace(repository, longest_lifetime=repository.lifetime))


def config_home() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")


def parse_duration(text: str) -> timedelta:
    """Read a duration such as `90s`, `45m`, `24h`, `7d` or `2w`.

    Raises UsageFault.
    """
    match = _DURATION.match(text)
    if match is None:
        raise UsageFault(f"{text!a} is no duration", hint="Write a number and a unit: 90s, 45m, 24h, 7d or 2w.")
    duration = timedelta(seconds=int(match[1]) * _UNIT_S[match[2]])
    if duration > _LONGEST:
        raise UsageFault(f"{text!a} is longer than {_LONGEST.days}d", hint="Write a shorter one.")
    return duration


_UNLIMITED = Limits(1 << 62, 1 << 62, 1 << 62)


def _read(path: str, base: Policy, flags: int) -> Policy:
    """Read one file on top of `base`; an absent file is `base`. A repository's own is never read through a link."""
    try:
        document = tomllib.loads(_text(path, flags))
    except FileNotFoundError:
        return base
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsFault(
            f"{path} cannot be read: {error}", hint="Repair the file; until then redline does nothing."
        ) from error
    return _Section(path, document).policy(base)


def _text(path: str, flags: int) -> str:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | flags)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError("it is no regular file")
        data = b""
        while len(data) <= _MAX_BYTES and (chunk := os.read(fd, _MAX_BYTES)):
            data += chunk
    finally:
        os.close(fd)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES} bytes")
    return data.decode("utf-8")


class _Section:
    """One file's tables, taken apart key by key."""

    def __init__(self, path: str, document: dict[str, object]) -> None:
        self._path = path
        self._left: dict[str, object] = {}
        for table, value in document.items():
            if not isinstance(value, dict):
                raise self._fault(table, "is no table")
            self._left.update({f"{table}.{key}": inner for key, inner in value.items()})

    def policy(self, base: Policy) -> Policy:
        limits = base.limits
        policy = Policy(
            level=self._take("confirm.level", base.level, _level),
            denied_paths=self._take("paths.deny", base.denied_paths, _patterns),
            lifetime=self._take("proposals.ttl", base.lifetime, _duration),
            longest_lifetime=base.longest_lifetime,
            limits=Limits(
                self._take("limits.input_mib", limits.input_bytes, _mib),
                self._take("limits.file_mib", limits.file_bytes, _mib),
                self._take("limits.files", limits.files, _count),
            ),
        )
        for key in self._left:
            raise self._fault(key, "is not known")
        return policy

    def _take(self, key: str, default: _T, convert: Callable[[object], _T]) -> _T:
        if key not in self._left:
            return default
        try:
            return convert(self._left.pop(key))
        except (ValueError, UsageFault) as error:
            raise self._fault(key, f"is not understood: {error}") from error

    def _fault(self, key: str, what: str) -> SettingsFault:
        return SettingsFault(
            f"{self._path}: {key} {what}",
            hint="Known keys: confirm.level, paths.deny, proposals.ttl, limits.input_mib, limits.file_mib,"
            " limits.files.",
            details={"file": self._path, "key": key},
        )


def _level(value: object) -> Level:
    for level in Level:
        if value == level.value:
            return level
    raise ValueError(f"write one of {', '.join(repr(level.value) for level in Level)}")


def _patterns(value: object) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("write a list of gitignore patterns")
    for pattern in value:
        fault = Policy.fault(pattern)
        if fault is not None:
            raise ValueError(fault)
    return (tuple(value),)


def _duration(value: object) -> timedelta:
    if not isinstance(value, str):
        raise ValueError('write a text such as "24h"')  # noqa: TRY004 -- a value of the person's file
    return parse_duration(value)


def _mib(value: object) -> int:
    return _count(value) * MIB


def _count(value: object) -> int:
    if type(value) is not int or value < 1:
        raise ValueError("write a whole number, 1 or more")
    return value
