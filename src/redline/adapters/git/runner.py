"""Run git: constant arguments, an environment of our own, and only commands that run no configured program.

The rest of the environment is handed on: `environment.scrub` has cleaned it before (git(1), ENVIRONMENT VARIABLES and
SECURITY).
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from redline.errors import GitFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

TIMEOUT_S = 30
_VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_EDITOR": "/bin/false",
    "GIT_PAGER": "cat",
    "GIT_SSH_COMMAND": "/bin/false",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.quotePath": "true",
    "core.alternateRefsCommand": "",
    "color.ui": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "diff.ignoreSubmodules": "none",
    "log.showSignature": "false",
    "gpg.program": "/bin/false",
    "gpg.ssh.program": "/bin/false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}


def search_path(root: str) -> list[str]:
    """The folders of PATH, but for those that are relative or inside the repository."""
    inside = os.path.realpath(root) + os.sep
    return [
        folder
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)
        if os.path.isabs(folder) and not (os.path.realpath(folder) + os.sep).startswith(inside)
    ]


def git_executable(root: str) -> str:
    """Find git on PATH, passing over folders that are relative or inside the repository.

    Raises GitFailed (GIT_MISSING).
    """
    for folder in search_path(root):
        candidate = os.path.join(folder, "git")
        if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    raise GitFailed("git was not found on PATH", code="GIT_MISSING", hint="Install git, or put its folder on PATH.")


class GitRunner:
    """git for one folder, with leading options that every call gets."""

    def __init__(self, folder: str, executable: str, *options: str) -> None:
        self._folder = folder
        self._command = [executable, *options]

    def run(
        self,
        command: str,
        *arguments: str,
        stdin: bytes = b"",
        ok: Collection[int] = (0,),
        variables: Mapping[str, str | None] | None = None,
        settings: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> tuple[int, bytes]:
        """Run a git command and return its exit code and output.

        `variables` and `settings` override ours; a variable of None is not passed at all.
        Raises GitFailed if the exit code is not among `ok`.
        """
        environment = _environment(variables or {}, {**_SETTINGS, **(settings or {})})
        try:
            done = subprocess.run(
                [*self._command, command, *arguments],
                cwd=self._folder,
                env={**os.environ, **environment},
                input=stdin,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except OSError as error:
            raise GitFailed(f"git {command} could not be run: {error}") from error
        except subprocess.TimeoutExpired as error:
            raise GitFailed(
                f"git {command} did not end within {timeout_s} s",
                code="GIT_TIMEOUT",
                hint="Look for a pipe or a slow disk where git expects a file: .gitignore, core.excludesFile.",
            ) from error
        if done.returncode not in ok:
            complaint = done.stderr.decode("utf-8", "replace").strip()
            raise GitFailed(
                f"git {command} ended with code {done.returncode}: {complaint}",
                hint="Check the repository with `git status` and `git fsck`.",
            )
        return done.returncode, done.stdout


def _environment(overrides: Mapping[str, str | None], settings: Mapping[str, str]) -> dict[str, str]:
    environment = dict(_VARIABLES)
    environment["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    for name, override in overrides.items():
        if override is None:
            environment.pop(name, None)
        else:
            environment[name] = override
    return environment
