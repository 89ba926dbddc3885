"""Send each installed hook a write that it must deny, as its agent would, and judge the answer."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Final

from redline.adapters.agents.catalogue import HOMES
from redline.adapters.agents.installation import is_installed, own_program, plan
from redline.core.agents import AGENTS
from redline.core.protection import Protection, Strength
from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    from redline.core.canonical import Json, Record

_LIMIT_S: Final = 30.0
# Outside every repository: it can only be denied, and nothing is recorded.
_OUTSIDE: Final = "/redline-doctor"
_CLAUDES: Final = ("hookSpecificOutput", "permissionDecision")
_DENIALS: Final[dict[str, tuple[tuple[str, ...], Json]]] = {
    "claude-code": (_CLAUDES, "deny"),
    "codex": (_CLAUDES, "deny"),
    "gemini": (("decision",), "deny"),
    "cursor": (("permission",), "deny"),
    "copilot": (("permissionDecision",), "deny"),
    "vscode": (_CLAUDES, "deny"),
    "cline": (("cancel",), True),
}


def protections(root: str) -> tuple[Protection, ...]:
    """One for each agent whose configuration here holds a hook of redline's."""
    return tuple(_protection(root, agent) for agent in AGENTS if is_installed(root, agent))


def event(root: str, agent: str) -> Record:
    """A write outside the repository, in the agent's words."""
    file: Record = {"file_path": _OUTSIDE, "content": ""}
    named: Record = {"session_id": "redline-doctor", "cwd": root, "hook_event_name": "PreToolUse", "tool_input": file}
    patch = f"*** Begin Patch\n*** Add File: {_OUTSIDE}\n+x\n*** End Patch"
    events: dict[str, Record] = {
        "claude-code": {**named, "tool_name": "Write"},
        "codex": {**named, "tool_name": "apply_patch", "tool_input": {"command": patch}},
        "gemini": {**named, "hook_event_name": "BeforeTool", "tool_name": "write_file"},
        "cursor": {**named, "hook_event_name": "preToolUse", "tool_name": "Write"},
        "copilot": {"cwd": root, "toolName": "create", "toolArgs": {"path": _OUTSIDE, "file_text": ""}},
        "vscode": {**named, "tool_name": "create_file", "tool_input": {"filePath": _OUTSIDE, "content": ""}},
        "opencode": {"event": "tool.execute.before", "directory": root, "tool": "write", "args": file},
        "cline": {
            "hookName": "PreToolUse",
            "workspaceRoots": [root],
            "preToolUse": {"toolName": "write_to_file", "parameters": {"path": _OUTSIDE, "content": ""}},
        },
    }
    return events[agent]


def denies(agent: str, answer: bytes) -> bool:
    """Tell whether the answer denies the write in the agent's words."""
    try:
        found: Json = json.loads(answer)
    except ValueError:
        return False
    if agent == "opencode":
        return isinstance(found, dict) and isinstance(found.get("deny"), str)
    path, wanted = _DENIALS[agent]
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found == wanted


def _protection(root: str, agent: str) -> Protection:
    name = f"hook {agent}"
    again = f"`redline init --agent {agent}` writes it anew; with --dry-run it shows what differs."
    try:
        program = own_program(root)
        if plan(root, agent, program):
            # Only our own program is ever run: a configuration may have come with a clone.
            text = "its configuration is not what this redline writes; it was not tried"
            return Protection(name, Strength.WEAK, text, again)
        if not _fires(root, agent, program):
            text = "it does not deny a write when it is asked to"
            return Protection(name, Strength.MISSING, text, "Install redline again.")
    except EnvironmentFault as fault:
        return Protection(name, Strength.WEAK, fault.message, fault.hint)
    return Protection(name, Strength.HOLDS, "it was sent a write and denied it", HOMES[agent].to_do)


def _fires(root: str, agent: str, program: str) -> bool:
    """Run what the configuration, which is as we write it, has the agent run."""
    sent = json.dumps(event(root, agent)).encode()
    try:
        done = subprocess.run(
            [program, "hook", agent], input=sent, cwd=root, capture_output=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and denies(agent, done.stdout)
