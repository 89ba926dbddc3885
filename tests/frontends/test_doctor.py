"""`redline doctor` looks at what is really there."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from redline import app
from redline.adapters.worktree.exchange import AtomicExchange
from redline.core.protection import Strength
from tests.support.sandbox import edit, replace

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox


def strengths(sandbox: Sandbox) -> dict[str, Strength]:
    with app.person(str(sandbox.root), app.World()) as redline:
        return {item.name: item.strength for item in redline.protections()}


def text_of(sandbox: Sandbox, name: str) -> str:
    with app.person(str(sandbox.root), app.World()) as redline:
        return next(item.text for item in redline.protections() if item.name == name)


@pytest.fixture
def healthy(sandbox: Sandbox) -> Sandbox:
    assert sandbox.redline("init").code == 0
    return sandbox


def test_a_healthy_place_is_said_to_be_one(healthy: Sandbox) -> None:
    before = (healthy.tree(), sorted(os.listdir(healthy.root / ".proposals")))
    found = strengths(healthy)
    assert list(found) == ["journal", "git", "exchange", "leases", "index", "level", "terminal", "agents"]
    linux = Strength.HOLDS if sys.platform == "linux" else Strength.WEAK
    assert (found["journal"], found["git"], found["index"], found["level"]) == (Strength.HOLDS,) * 4
    assert (found["leases"], found["agents"]) == (linux, Strength.WEAK)
    assert (healthy.tree(), sorted(os.listdir(healthy.root / ".proposals"))) == before


def test_without_a_journal_the_rest_is_still_looked_at(sandbox: Sandbox) -> None:
    result = sandbox.redline("doctor", "--json")
    document: dict[str, Any] = json.loads(result.out)
    found = {item["name"]: item["strength"] for item in document["protections"]}
    assert (result.code, list(found)) == (0, ["journal", "level", "terminal", "agents"])
    assert (found["journal"], found["level"]) == ("missing", "holds")
    assert {key for item in document["protections"] for key in item} == {"name", "strength", "text", "advice"}
    assert not (sandbox.root / ".proposals").exists()
    assert sandbox.redline("doctor").text.splitlines()[:2] == [
        "missing  journal   there is none here yet: nothing was proposed or decided",
        "                   `redline init` makes it.",
    ]


def test_what_is_weak_is_named(healthy: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    (healthy.root / ".git" / "index.lock").touch()
    (healthy.root / ".git" / "info" / "exclude").write_bytes(b"")
    healthy.allow_level_none()

    def refuse(*_: object) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(AtomicExchange, "swap", refuse)
    found = strengths(healthy)
    assert (found["index"], found["git"], found["level"]) == (Strength.WEAK, Strength.MISSING, Strength.WEAK)
    assert found["exchange"] is Strength.WEAK
    assert "absent for some microseconds" in text_of(healthy, "exchange")


def test_an_altered_journal_is_missing_as_a_protection(healthy: Sandbox) -> None:
    healthy.propose(edit(replace("a.txt", "two", "zwei")))
    journal = healthy.root / ".proposals" / "journal.sqlite3"
    data = journal.read_bytes()
    journal.write_bytes(data.replace(b'"kind":"edit"', b'"kind":"EDIT"'))
    assert strengths(healthy)["journal"] is Strength.MISSING
