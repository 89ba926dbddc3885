"""redline's confirmation, killed at every call, before and after the next command has recovered."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bench.crash.audit import Tally, files_of, litter_of_git
from bench.crash.change import commit
from tests.crash.killer import Case, Killer

from redline import app
from redline.core.proposal import Origin

if TYPE_CHECKING:
    from bench.crash.change import Files

_NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


class Trials:
    """One proposal's deaths: `found` as they leave the tree, `settled` after recovery."""

    def __init__(self, folder: str, killer: Killer) -> None:
        self._killer = killer
        self._case = _case(folder)
        self._root = str(self._case.root)
        self._before = files_of(self._root)
        self.found = Tally("redline confirm, before recovery")
        self.settled = Tally("redline confirm, after recovery")
        unharmed = killer.run("confirm", self._case)
        if unharmed.get("outcome") != "applied":
            raise RuntimeError(f"undisturbed, redline ended with {unharmed}")
        self._after, self._whole = files_of(self._root), self._case.everything()
        self.calls: list[str] = unharmed["calls"]

    def kill(self, at: int) -> None:
        """Put everything back, die before the call numbered `at`, look; recover, look again."""
        self._case.restore()
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self._root, ".git", "index.lock"))
        died = self._killer.run("confirm", self._case, at=at)
        if died != {"killed_by": signal.SIGKILL}:
            raise RuntimeError(f"redline was to die before call {at}, {self.calls[at - 1]}, and answered {died}")
        self.found.count(files_of(self._root), self._before, self._after, self._litter())
        self._killer.run("recover", self._case)
        files = files_of(self._root)
        self.settled.count(files, self._before, self._after, self._litter())
        self.settled.notes += [f"death {at}: {fault}" for fault in self._contradictions(files)]

    def _litter(self) -> set[str]:
        ours = (name for name in self._case.leftovers() if not name.startswith(".git/"))
        return litter_of_git(self._root) | {f".proposals/{name.split('/')[0]}" for name in ours}

    def _contradictions(self, files: Files) -> list[str]:
        """What journal, receipt and tree say against one another, folders and all."""
        seen = self._killer.run("inspect", self._case)
        receipt = seen["receipt"]
        is_applied = receipt is not None and receipt["outcome"] == "applied"
        faults = list(seen["faults"])
        if is_applied != (files == self._after):
            faults.append(f"the receipt says {receipt and receipt['outcome']}")
        if self._case.everything() != (self._whole if is_applied else self._case.before):
            faults.append("folders differ")
        if seen["unfinished"]:
            faults.append("a write is unfinished")
        return faults


def kill_redline(folder: str, shim: str, stride: int) -> tuple[Tally, Tally]:
    """Let the confirmation die everywhere."""
    with Killer(shim) as killer:
        trials = Trials(folder, killer)
        for at in range(1, len(trials.calls) + 1, stride):
            trials.kill(at)
    return trials.found, trials.settled


def _case(folder: str) -> Case:
    """The repository with the change proposed; a digest may stand for a look here."""
    configuration = Path(os.environ["XDG_CONFIG_HOME"], "redline", "config.toml")
    configuration.parent.mkdir(parents=True)
    configuration.write_text('[confirm]\nlevel = "none"\n')
    home = Path(folder, "redline")
    home.mkdir()
    root = home / "repo"
    patch = commit(str(root))
    world = app.World(clock=lambda: _NOW)
    app.initialise(str(root), world, adopt=False)
    request = app.request(
        text=patch, origin=Origin("model"), format=None, path=None, strip=None, reason="", lifetime=None
    )
    with app.model(str(root), world) as desk:
        proposal = desk.prepare(request).proposal
    case = Case(root, Path(os.environ["XDG_STATE_HOME"]), home / "copy", proposal.id, proposal.digest, _NOW)
    case.freeze()
    return case
