"""Many processes propose into one journal at once: is anything lost, duplicated or refused, and how long does one wait?

Usage: proposing.py [PROCESSES [EDITS]]. Prints a Markdown table; exits with 1 if a proposal is missing or twice there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from redline import app
from redline.core.proposal import Origin
from redline.errors import RedlineError

BIN = os.path.dirname(sys.executable)


@dataclass(frozen=True)
class Measured:
    """`waits_s` are the single calls, `made` the ids that were given, `errors` what was told instead."""

    elapsed_s: float
    waits_s: list[float]
    made: list[str]
    errors: list[str]


def measure(root: str, processes: int, edits: int) -> Measured:
    """Let the processes start, then propose all at once, in a repository that has a journal."""
    command = [sys.executable, os.path.abspath(__file__), "--propose", root]
    workers = [
        subprocess.Popen([*command, f"s{number}", str(edits)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in range(processes)
    ]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    start = time.perf_counter()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    answers = [json.loads(worker.communicate()[0]) for worker in workers]
    return Measured(
        time.perf_counter() - start,
        [wait for answer in answers for wait in answer["waits_s"]],
        [made for answer in answers for made in answer["made"]],
        [error for answer in answers for error in answer["errors"]],
    )


def propose(root: str, session: str, edits: int) -> None:
    """Be one process: each edit is a call that is made twice, as by a host that missed the answer."""
    answer: dict[str, list[object]] = {"waits_s": [], "made": [], "errors": []}
    with app.model(root, app.World()) as desk:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(edits):
            edit = {"op": "write", "path": f"{session}/{number}.txt", "content": f"{number}\n"}
            text = json.dumps({"schema": "redline.edit/1", "edits": [edit]}).encode()
            origin = Origin("bench", session, tool_call=f"c{number}")
            for is_repeated in (False, True):
                start = time.perf_counter()
                try:
                    prepared = desk.prepare(
                        app.request(
                            text=text, origin=origin, format="native", path=None, strip=None, reason="", lifetime=None
                        )
                    )
                except RedlineError as error:
                    answer["errors"].append(f"{error.code}: {error}")
                    continue
                answer["waits_s"].append(time.perf_counter() - start)
                if not is_repeated:
                    answer["made"].append(prepared.proposal.id)
    print(json.dumps(answer))


def main(processes: int, edits: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
        root = os.path.join(folder, "repository")
        os.mkdir(root)
        for command in (["git", "init", "-q"], [os.path.join(BIN, "redline"), "init"]):
            subprocess.run(command, cwd=root, check=True, capture_output=True)
        measured = measure(root, processes, edits)
        listed = subprocess.run(
            [os.path.join(BIN, "redline"), "list", "--json"], cwd=root, check=True, capture_output=True
        )
        stored = [row["proposal"] for row in json.loads(listed.stdout)["proposals"]]
    waits = sorted(measured.waits_s)
    print("| processes | edits each | stored | lost | twice | refused | a second | median ms | 99th | longest |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    lost, twice = len({*measured.made} - {*stored}), len(stored) - len({*measured.made})
    cells = [
        *(processes, edits, len(stored), lost, twice, len(measured.errors), f"{len(stored) / measured.elapsed_s:.0f}"),
        *(f"{waits[int(len(waits) * part)] * 1000:.0f}" for part in (0.5, 0.99)),
        f"{waits[-1] * 1000:.0f}",
    ]
    print(f"| {' | '.join(map(str, cells))} |")
    return 1 if lost or twice or measured.errors or len(stored) != processes * edits else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--propose"]:
        propose(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        given = [int(argument) for argument in sys.argv[1:]] + [64, 20][len(sys.argv) - 1 :]
        sys.exit(main(given[0], given[1]))
