"""Many trials of one applier against one racer, and the audit of each."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from bench.race.methods import METHODS, Applier
from bench.race.racer import Racer
from bench.race.scene import Kind, Scene, Verdict, legal, token

if TYPE_CHECKING:
    import random

_CALIBRATIONS = 60
_EARLY, _LATE = -0.05, 1.25
_LEAD_NS = 20_000
_EXAMPLES = 3


@dataclass
class Tally:
    """What came of the trials of one cell.

    `lost`: what the racer did is neither in the file nor in anything that the applier names or leaves beside it.
    `torn`: the file is in no state that follows from both having acted one after the other. `missing`: it is gone.
    `met`: the racer began while the applier ran, as it does in three trials of four unless the machine is busy.
    `told`: it is in a file that the applier names. `left`: the write left something of its own behind.
    """

    method: str
    kind: str
    style: str
    is_redline: bool
    duration_us: float = 0.0
    trials: int = 0
    met: int = 0
    applied: int = 0
    refused: int = 0
    lost: int = 0
    torn: int = 0
    missing: int = 0
    told: int = 0
    left: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def record(self) -> dict[str, Any]:
        return asdict(self)


def race(folder: str, method: str, kind: Kind, style: str, trials: int, draw: random.Random) -> Tally:
    """Run one cell in a folder of its own."""
    root = os.path.join(folder, f"{method}-{kind.value}-{style}")
    os.mkdir(root)
    subprocess.run(["git", "init", "-q", root], check=True)
    os.chdir(root)
    scene = Scene(root, kind, style)
    scene.reset()
    applier = METHODS[method](root, kind)
    tally = Tally(method, kind.value, style, applier.is_redline)
    try:
        duration_ns = _calibrate(applier, scene)
        tally.duration_us = round(duration_ns / 1000, 1)
        with Racer(style) as racer:
            for number in range(1, trials + 1):
                _try_once(applier, scene, racer, number, _moments(draw, duration_ns), tally)
    finally:
        applier.close()
        os.chdir(folder)
    return tally


def _calibrate(applier: Applier, scene: Scene) -> int:
    """The median duration in nanoseconds of an apply that nobody disturbs."""
    took = []
    for _ in range(_CALIBRATIONS):
        scene.reset()
        applier.reset()
        start = time.perf_counter_ns()
        verdict = applier.apply()
        took.append(time.perf_counter_ns() - start)
        applier.settle()
        expected = scene.kind.after if verdict.applied else scene.kind.before
        if scene.read() != expected or applier.leftovers():
            raise RuntimeError(f"undisturbed, the applier failed: {verdict}, {applier.leftovers()}")
    return round(statistics.median(took))


def _moments(draw: random.Random, duration_ns: int) -> tuple[int, int, int]:
    """When the applier starts, and the racer's two moments, relative to one instant."""
    lead = _LEAD_NS + round(-_EARLY * duration_ns)
    first = draw.uniform(_EARLY, _LATE)
    second = draw.uniform(first, _LATE)
    return lead, lead + round(first * duration_ns), lead + round(second * duration_ns)


def _try_once(
    applier: Applier, scene: Scene, racer: Racer, number: int, moments: tuple[int, int, int], tally: Tally
) -> None:
    scene.reset()
    applier.reset()
    racer.prepare(number)
    now_ns = time.perf_counter_ns()
    applier_ns, first_ns, second_ns = (now_ns + moment for moment in moments)
    racer.start(number, first_ns, second_ns)
    while time.perf_counter_ns() < applier_ns:
        pass
    start_ns = time.perf_counter_ns()
    verdict = applier.apply()
    end_ns = time.perf_counter_ns()
    tally.met += start_ns <= racer.wait(number) <= end_ns
    verdict.kept.extend(applier.settle())
    _audit(applier, scene, number, verdict, tally)


def _audit(applier: Applier, scene: Scene, number: int, verdict: Verdict, tally: Tally) -> None:
    mark, found = token(number), scene.read()
    told = any(scene.carries(place, mark) for place in verdict.kept)
    seen = scene.is_seen(mark)
    is_legal = found in legal(scene.kind, mark, verdict)
    tally.trials += 1
    tally.applied += verdict.applied
    tally.refused += not verdict.applied
    tally.told += told
    tally.lost += not told and not seen
    tally.missing += found is None and not is_legal
    tally.torn += found is not None and not is_legal
    tally.left += bool(applier.leftovers())
    reason = verdict.reason or ("applied" if verdict.applied else "refused")
    tally.reasons[reason] = tally.reasons.get(reason, 0) + 1
    is_fine = is_legal and (told or seen) and not applier.leftovers()
    if not is_fine and len(tally.examples) < _EXAMPLES:
        tally.examples.append(_example(number, verdict, found, mark))


def _example(number: int, verdict: Verdict, found: bytes | None, mark: bytes) -> dict[str, Any]:
    shown = None if found is None else {"bytes": len(found), "has token": mark in found, "end": repr(found[-40:])}
    return {"trial": number, "verdict": asdict(verdict), "file": shown}
