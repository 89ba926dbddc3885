"""Put redline's hooks into an agent's configuration, or take them out: planned first, then written."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sysconfig
from typing import TYPE_CHECKING, Final, NamedTuple

from redline.adapters.agents.catalogue import HOMES, PROGRAM, command_pattern, is_own, rendered
from redline.adapters.agents.merging import Shared
from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.adapters.agents.catalogue import Home

_UNSPEAKABLE: Final = re.compile(r"""['"\\\x00-\x1f]""")
_MOST_BYTES: Final = 4 << 20


class FileChange(NamedTuple):
    """One file below the root; None is an absent one."""

    path: str
    before: str | None
    after: str | None
    is_executable: bool


def plan(root: str, agent: str, program: str | None) -> tuple[FileChange, ...]:
    """What the agent's hooks need, with the path of `redline-agent`; without one, what taking them out needs.

    Raises EnvironmentFault where a file is not redline's to change, or cannot be understood.
    """
    return tuple(_changes(root, agent, program))


def own_program(root: str) -> str:
    """The `redline-agent` that belongs to the running redline; agents start hooks with a PATH of their own.

    Raises EnvironmentFault if there is none, or its path cannot be written into every configuration.
    """
    beside = os.path.join(sysconfig.get_path("scripts"), PROGRAM)
    found = beside if os.access(beside, os.X_OK) else shutil.which(PROGRAM)
    if found is None or not os.path.isabs(found) or os.path.realpath(found).startswith(os.path.realpath(root) + os.sep):
        raise EnvironmentFault(
            f"{PROGRAM} is not installed outside this repository", code="NOT_INSTALLED", hint="Install redline again."
        )
    if _UNSPEAKABLE.search(found) is not None:
        raise EnvironmentFault(
            f"the path {found!a} cannot stand in a shell command and in JSON alike",
            code="PROGRAM_UNSPEAKABLE",
            hint="Install redline in a folder with a plain name.",
        )
    return found


def write(root: str, change: FileChange) -> None:
    """Carry one change out: the file is there whole, before or after. Raises OSError."""
    target = os.path.join(root, change.path)
    if change.after is None:
        os.unlink(target)
        _remove_empty(root, os.path.dirname(change.path))
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    mode = stat.S_IMODE(os.lstat(target).st_mode) if change.before is not None else 0o644
    new = f"{target}.redline-new"
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(change.after.encode("utf-8"))
        os.fchmod(file.fileno(), mode | (0o111 if change.is_executable else 0))
        os.fsync(file.fileno())
    os.replace(new, target)


def is_installed(root: str, agent: str) -> bool:
    """Tell whether a file of the agent's has this hook, in whatever state."""
    home = HOMES[agent]
    command = re.compile(rf"{PROGRAM}'? hook {agent}\b")
    return any(command.search(text) if home.is_shared else text for text in _texts(root, home))


def _changes(root: str, agent: str, program: str | None) -> Iterator[FileChange]:
    home = HOMES[agent]
    for path in home.paths:
        before = _read(root, path)
        if home.is_shared:
            after = _shared(path, before, agent, program)
        else:
            if before is not None and not is_own(home, agent, before):
                raise _foreign(path)
            after = rendered(home, program) if program is not None else None
        if after != before:
            yield FileChange(path, before, after, home.is_executable)


def _shared(path: str, before: str | None, agent: str, program: str | None) -> str | None:
    if before is None:
        return rendered(HOMES[agent], program) if program is not None else None
    shared = Shared(path, before, command_pattern(agent))
    if program is None:
        return shared.without_hooks()
    return shared.with_hooks(json.loads(rendered(HOMES[agent], program)))


def _texts(root: str, home: Home) -> Iterator[str]:
    for path in home.paths:
        try:
            yield _read(root, path) or ""
        except EnvironmentFault:
            continue


def _read(root: str, path: str) -> str | None:
    """A file of the repository, never through a link: that could lead into the person's own configuration."""
    place = root
    for name in path.split("/"):
        place = os.path.join(place, name)
        if os.path.islink(place):
            raise EnvironmentFault(
                f"{os.path.relpath(place, root)} is a link", code="AGENT_CONFIG_LINK", hint="Put a real one there."
            )
    try:
        with open(place, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise EnvironmentFault(f"{path} is no UTF-8", code="AGENT_CONFIG_UNREADABLE", hint="Repair it.") from error


def _foreign(path: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"{path} is not redline's, or was changed since",
        code="AGENT_CONFIG_FOREIGN",
        hint="Move it away, or put the hook there by hand: `hooks/agents` has it. Nothing was written.",
    )


def _remove_empty(root: str, folder: str) -> None:
    """Remove the folders that hold nothing any more."""
    while folder and not os.listdir(os.path.join(root, folder)):
        os.rmdir(os.path.join(root, folder))
        folder = os.path.dirname(folder)
