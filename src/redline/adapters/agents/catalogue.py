"""Where each agent looks for hooks, and what redline puts there: the files of `hooks/agents`."""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

import redline
from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from redline.core.canonical import Json, Record

PROGRAM: Final = "redline-agent"
_CLINE_EVENTS: Final = ("PreToolUse", "UserPromptSubmit", "TaskStart", "TaskResume", "TaskComplete")


class Home(NamedTuple):
    """One agent's place for hooks, below the repository's root.

    `is_shared` is a file in which others have their say too; any other is redline's alone. `to_do` is what is left to
    the person.
    """

    template: str
    paths: tuple[str, ...]
    is_shared: bool
    to_do: str

    @property
    def is_executable(self) -> bool:
        return self.template.endswith(".sh")


HOMES: Final = {
    "claude-code": Home(
        "claude-code.json",
        (".claude/settings.json",),
        is_shared=True,
        to_do="Start Claude Code here and trust the folder; before 2.1.295 it lets a write through when a hook fails.",
    ),
    "codex": Home(
        "codex.json",
        (".codex/hooks.json",),
        is_shared=True,
        to_do="Start Codex here and trust the hooks in `/hooks`: until then, and after each change, it runs none.",
    ),
    "gemini": Home(
        "gemini.json",
        (".gemini/settings.json",),
        is_shared=True,
        to_do="Trust this folder in Gemini CLI: it runs the hooks of no other.",
    ),
    "cursor": Home(
        "cursor.json",
        (".cursor/hooks.json",),
        is_shared=True,
        to_do="Trust this workspace in Cursor and start it again.",
    ),
    "copilot": Home(
        "copilot.json",
        (".github/hooks/redline-copilot.json",),
        is_shared=False,
        to_do="Trust this folder in Copilot CLI.",
    ),
    "vscode": Home(
        "vscode.json",
        (".github/hooks/redline-vscode.json",),
        is_shared=False,
        to_do="Hooks are a preview in VS Code: see that they are switched on in its settings.",
    ),
    "opencode": Home(
        "opencode.js",
        (".opencode/plugins/redline.js",),
        is_shared=False,
        to_do="Start opencode again: it loads plugins when it starts.",
    ),
    "cline": Home(
        "cline.sh",
        tuple(f".clinerules/hooks/{name}" for name in _CLINE_EVENTS),
        is_shared=False,
        to_do="Switch hooks on in Cline's settings.",
    ),
}


def command_pattern(agent: str) -> re.Pattern[str]:
    """What a command that starts this agent's hook looks like, wherever the program is."""
    return re.compile(rf"(?:'[^'\n]*{PROGRAM}'|[^\s'\x22]*{PROGRAM}) hook {agent}")


def template(home: Home) -> str:
    """The text of a template, in the installed package or in a checkout."""
    package = os.path.dirname(redline.__file__)
    for folder in (os.path.join(package, "hooks"), os.path.join(package, "..", "..", "hooks")):
        path = os.path.normpath(os.path.join(folder, "agents", home.template))
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise EnvironmentFault(f"{home.template} is not installed", code="NOT_INSTALLED", hint="Install redline again.")


def rendered(home: Home, program: str) -> str:
    """The template with the path of the program in it, quoted as its language wants it."""
    text = template(home)
    if home.template.endswith(".json"):
        return json.dumps(_placed(json.loads(text), program), indent=2, ensure_ascii=False) + "\n"
    spelt = json.dumps(program) if home.template.endswith(".js") else shlex.quote(program)
    bare = f'"{PROGRAM}"' if home.template.endswith(".js") else PROGRAM
    return text.replace(bare, spelt)


def is_own(home: Home, agent: str, text: str) -> bool:
    """Tell whether a file that is redline's alone was written by it, for whatever program."""
    found = command_pattern(agent).search(text) or re.search(rf'PROGRAM = "([^"\n]*{PROGRAM})"', text)
    if found is None:
        return False
    program = found[1] if found.re.groups else shlex.split(found[0])[0]
    return text == rendered(home, program)


def _placed(value: Json, program: str) -> Json:
    if isinstance(value, dict):
        placed: Record = {key: _placed(inner, program) for key, inner in value.items()}
        return placed
    if isinstance(value, list):
        return [_placed(inner, program) for inner in value]
    if isinstance(value, str) and value.startswith(f"{PROGRAM} "):
        return value.replace(PROGRAM, shlex.quote(program), 1)
    return value
