"""The scenarios of `fixtures/scenarios` as values; `fixtures/scenarios/README.md` describes their words."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

Table = dict[str, Any]

FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "fixtures/scenarios"
)
_UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "s": timedelta(seconds=1), "us": timedelta(microseconds=1)}


@dataclass(frozen=True)
class File:
    data: bytes
    executable: bool = False


@dataclass(frozen=True)
class Scenario:
    """One file: what is given, the steps with what each answers, and what stands in the end.

    `not_by` names the ways in which it makes no sense, with the reason. `proposals` maps each proposal that must be
    stored in the end to "pending" or its outcome.
    """

    id: str
    title: str
    files: dict[str, File]
    ignored: tuple[str, ...]
    steps: tuple[Table, ...]
    files_then: dict[str, File]
    proposals: dict[str, str]
    not_by: dict[str, str]
    by_terminal: bool
    is_killed: bool

    @property
    def moves_the_clock(self) -> bool:
        return any(step["do"] == "advance-clock" for step in self.steps)


def load(path: str) -> Scenario:
    """Read one scenario. Raises ValueError for a key that no scenario has."""
    with open(path, "rb") as file:
        document = tomllib.load(file)
    given, then = document.pop("given", {}), document.pop("then", {})
    files = _present(_files(given))
    scenario = Scenario(
        id=document.pop("id"),
        title=document.pop("title"),
        files=files,
        ignored=tuple(given.pop("ignored", ())),
        steps=tuple(_step(step) for step in document.pop("steps")),
        files_then=_present({**files, **_files(then)}),
        proposals=then.pop("proposals", {}),
        not_by=document.pop("not-by", {}),
        by_terminal=document.pop("by-terminal", False),
        is_killed=document.pop("killed", False),
    )
    for left in (document, given, then):
        if left:
            raise ValueError(f"{path}: unknown keys {sorted(left)}")
    return scenario


def load_all() -> tuple[Scenario, ...]:
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith(".toml"))
    return tuple(load(os.path.join(FOLDER, name)) for name in names)


def edit_text(step: Table) -> bytes:
    """The model's text of a `prepare` step."""
    if "text" in step:
        return str(step["text"]).encode()
    return json.dumps({"schema": "redline.edit/1", "reason": step.get("reason", ""), "edits": step["edits"]}).encode()


def content_of(value: str | Table) -> File | None:
    """Read a text, or a table with `text` or `hex` and `executable`, or with `absent`; None is an absent file."""
    if isinstance(value, str):
        return File(value.encode())
    if value.get("absent"):
        return None
    data = bytes.fromhex(value["hex"]) if "hex" in value else str(value["text"]).encode()
    return File(data, bool(value.get("executable", False)))


def duration_of(text: str) -> timedelta:
    """Read "24h", "1us", "-1us"."""
    unit = text.lstrip("-0123456789")
    return int(text.removesuffix(unit)) * _UNITS[unit]


def _present(files: dict[str, File | None]) -> dict[str, File]:
    return {path: file for path, file in files.items() if file is not None}


def _files(section: Table) -> dict[str, File | None]:
    """The files of `files`, and those of each series: one for each n of 1..count, `{n}` standing for it."""
    found = {path: content_of(value) for path, value in section.pop("files", {}).items()}
    for series in section.pop("series", ()):
        for n in range(1, series["count"] + 1):
            found[_numbered(series["path"], n)] = content_of(_numbered(series["content"], n))
    return found


def _step(step: Table) -> Table:
    edits = list(step.get("edits", ()))
    for series in step.pop("series", ()):
        edits += [_numbered(series["edit"], n) for n in range(1, series["count"] + 1)]
    return {**step, "edits": edits} if edits else step


def _numbered(value: Any, n: int) -> Any:
    if isinstance(value, str):
        return value.replace("{n}", str(n))
    return {key: _numbered(inner, n) for key, inner in value.items()} if isinstance(value, dict) else value
