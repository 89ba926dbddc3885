"""Many processes propose into one journal at once: none is lost, none is there twice, none is told of a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.proposing import measure

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox


def test_eight_processes_propose_five_edits_each_and_repeat_every_call(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    measured = measure(str(sandbox.root), processes=8, edits=5)
    stored = [row["proposal"] for row in sandbox.redline("list", "--json").json["proposals"]]
    assert measured.errors == []
    assert len(measured.waits_s) == 8 * 5 * 2
    assert len(stored) == 8 * 5
    assert sorted(measured.made) == sorted(stored)
    assert sandbox.redline("verify").code == 0
