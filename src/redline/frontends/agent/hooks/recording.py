"""From the call of an agent's tool to a proposal: its paths mean files in the folder where the agent works."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Final

from redline import app
from redline.core.proposal import Origin
from redline.errors import EnvironmentFault
from redline.frontends.agent.hooks.events import PATCH
from redline.frontends.request import is_name

if TYPE_CHECKING:
    from redline.app import ModelDesk, Prepared
    from redline.frontends.agent.hooks.events import Answer, Event

_PATH_KEYS: Final = ("file_path", "filePath", "path", "notebook_path")
# In a patch only headers begin with asterisks: each line of content has its tag before it.
_RELATIVE_HEADER: Final = re.compile(r"(?m)^(\*\*\* (?:(?:Add|Delete|Update) File|Move to): )(?!/)")


def propose(desk: ModelDesk, event: Event, author: str) -> Prepared:
    """Record the edit as a part of what its session has open.

    Raises IntakeError, EnvironmentFault.
    """
    for name in (event.session, event.tool_call):
        if name is not None and not is_name(name):
            raise EnvironmentFault(f"{name[:40]!a} is no name for a session or a call", code="EVENT_UNREADABLE")
    call = event.call or {}
    folder = os.path.realpath(event.folder)
    fields = call.get("input", call)
    if isinstance(fields, dict):
        placed = _in_folder(fields, folder, is_at_root=folder == desk.root, is_patch=call.get("name") == PATCH)
        call = {**call, "input": placed} if "input" in call else placed
    return desk.prepare(
        app.request(
            text=json.dumps(call, sort_keys=True).encode(),
            origin=Origin(author, event.session, None, event.tool_call),
            format="tool-call",
            path=None,
            strip=None,
            reason="",
            lifetime=None,
            opens=event.session is not None,
        )
    )


def _in_folder(fields: Answer, folder: str, *, is_at_root: bool, is_patch: bool) -> Answer:
    """The fields with every path that depends on the folder, or leads there through links, written out."""
    patch = fields.get("patch")
    if is_patch and isinstance(patch, str):
        prefix = folder.rstrip("/") + "/"
        return fields if is_at_root else {"patch": _RELATIVE_HEADER.sub(lambda found: found[1] + prefix, patch)}
    return {key: _written_out(value, folder) if key in _PATH_KEYS else value for key, value in fields.items()}


def _written_out(path: object, folder: str) -> object:
    if not isinstance(path, str) or not path or "\0" in path:
        return path
    whole = os.path.join(folder, path)
    return os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
