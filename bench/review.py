"""The full-screen review of a large proposal against an empty Textual program, in turn in one run.

Usage: review.py [RUNS]. The proposal has 1,000 files and 100,000 lines of difference. Each run starts both programs on
a pseudo-terminal of 40 rows and 120 columns and measures from the start until the last row of the first screen is
there, in seconds of the clock and of the processor. Then, in one process on Textual's headless driver, single steps:
from the key's arrival to the end of the repaint, in the same two times.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import resource
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from typing import TYPE_CHECKING, Any

from textual import events

from redline import app
from redline.frontends.tui.application import ReviewApp, open_review
from redline.frontends.tui.review import Review

if TYPE_CHECKING:
    from textual.pilot import Pilot

BIN = os.path.dirname(sys.executable)
FILES = 1000
LINES = 84  # of a file; every sixth one changes: 100 lines of difference
STEPS = 200
KEYS = {"a row down": "j", "a page down": "pagedown", "a page up": "pageup", "the next file": "right_curly_bracket"}
SIZE = (40, 120)
EMPTY = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("ready to see")

Empty().run()
"""


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            HOME=folder, XDG_STATE_HOME=f"{folder}/state", XDG_CONFIG_HOME=f"{folder}/config", TERM="xterm-256color"
        )
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its byte code
        proposal = propose(f"{folder}/repository")
        app.start()
        commands = {
            "empty": ([sys.executable, "-c", EMPTY], b"ready to see"),
            "review": ([f"{BIN}/redline", "review", proposal], b"not shown in full"),
        }
        os.chdir(f"{folder}/repository")
        for command, mark in commands.values():
            first_screen(command, mark)
        times = [{name: first_screen(*commands[name]) for name in commands} for _ in range(runs)]
        print(f"| first screen, {runs} runs in turn | s | spread | processor, s | spread |\n|---|--:|--:|--:|--:|")
        for name in commands:
            print(f"| {name} | {' | '.join(middle([run[name][clock] for run in times]) for clock in (0, 1))} |")
        later = [[run["review"][clock] - run["empty"][clock] for run in times] for clock in (0, 1)]
        print(f"| later by | {' | '.join(map(middle, later))} |")
        print(f"\n| {STEPS} steps | median, ms | 95 %, ms | processor: median, ms | 95 %, ms |\n|---|--:|--:|--:|--:|")
        for name, took in asyncio.run(steps(proposal)).items():
            clocks = [sorted(1000 * step[clock] for step in took) for clock in (0, 1)]
            cells = [f"{found[len(found) * share // 100]:.1f}" for found in clocks for share in (50, 95)]
            print(f"| {name} | {' | '.join(cells)} |")


def middle(found: list[float]) -> str:
    found = sorted(found)
    return f"{statistics.median(found):.2f} | {found[0]:.2f}-{found[-1]:.2f}"


def propose(root: str) -> str:
    os.makedirs(root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    edits = []
    for number in range(FILES):
        path = f"d{number % 40}/f{number}.py"
        os.makedirs(os.path.dirname(f"{root}/{path}"), exist_ok=True)
        with open(f"{root}/{path}", "w", encoding="utf-8") as file:
            file.write("".join(f"def f{line}(a, b):  return a + b * {line}\n" for line in range(LINES)))
        changed = (f"def f{line}(a, b):  return a + b * {line + (line % 6 == 2)}\n" for line in range(LINES))
        edits.append({"op": "write", "path": path, "content": "".join(changed)})
    document = json.dumps({"schema": "redline.edit/1", "reason": "the numbers were wrong", "edits": edits})
    subprocess.run([f"{BIN}/redline", "init"], cwd=root, check=True, capture_output=True)
    command = [f"{BIN}/redline", "propose", "--json"]
    made = subprocess.run(command, cwd=root, input=document.encode(), check=True, capture_output=True)
    proposal: str = json.loads(made.stdout)["proposal"]
    return proposal


def first_screen(command: list[str], mark: bytes) -> tuple[float, float]:
    """Seconds of the clock and of the processor, its own and its children's."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    start, used = time.perf_counter(), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: _own(slave),  # noqa: PLW1509 -- this program has one thread
    )
    os.close(slave)
    shown = b""
    while mark not in shown:
        select.select([master], [], [], 30)
        shown += os.read(master, 65536)
    took = time.perf_counter() - start
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.close(master)
    return took, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - used


def _own(slave: int) -> None:
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


async def steps(proposal: str) -> dict[str, list[tuple[float, float]]]:

    with app.person(".", app.World()) as redline:
        review = open_review(redline, proposal)
        assert isinstance(review, Review)
        program = ReviewApp(redline, app.utc_now, review, color=True)
        async with program.run_test(size=(SIZE[1], SIZE[0])) as pilot:
            await pilot.pause()
            return {name: [await _step(pilot, key) for _ in range(STEPS)] for name, key in KEYS.items()}


async def _step(pilot: Pilot[Any], key: str) -> tuple[float, float]:
    start, used = time.perf_counter(), time.process_time()
    pilot.app.post_message(events.Key(key, None))
    await pilot.pause(0)
    return time.perf_counter() - start, time.process_time() - used


if __name__ == "__main__":
    main()
