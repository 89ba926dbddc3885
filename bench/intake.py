"""Reading a diff of 100,000 lines in 1,000 files, against unidiff's parser: CPU time, in turn in one process.

Usage: intake.py [--runs N] [--files N]. Prints a Markdown table: medians with the spread (10th to 90th percentile) of
the ratio, and the peak of what each allocates beside the text (tracemalloc, a process each) as multiple of its size.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
import tracemalloc
from typing import TYPE_CHECKING

from unidiff.patch import PatchSet

from redline import intake

if TYPE_CHECKING:
    from collections.abc import Callable

HUNKS = 6
_TAGS = "   ----+++++   "  # one hunk: 15 lines behind its header, as of a paragraph rewritten


def diff(files: int) -> bytes:
    """Make the same text each time: 100 lines a file."""
    return "".join(line for number in range(files) for line in _section(number)).encode()


def _section(number: int) -> list[str]:
    path = f"src/package_{number // 50:02}/module_{number:04}.py"
    lines = [
        f"diff --git a/{path} b/{path}\n",
        f"index {number * 2654435761 % 2**32:08x}..{number * 40503 % 2**32:08x} 100644\n",
        f"--- a/{path}\n",
        f"+++ b/{path}\n",
    ]
    old, new = _TAGS.count(" ") + _TAGS.count("-"), _TAGS.count(" ") + _TAGS.count("+")
    for hunk in range(HUNKS):
        start = 40 * hunk + 7
        lines.append(f"@@ -{start},{old} +{start + (new - old) * hunk},{new} @@ def function_{hunk}(value):\n")
        lines += [_line(tag, number, start + at) for at, tag in enumerate(_TAGS)]
    return lines


def _line(tag: str, number: int, at: int) -> str:
    return f"{tag}{' ' * (4 * (at % 3))}value_{at} = combine(value_{at - 1}, {number * at % 977})\n"


def redline(text: bytes) -> object:
    return intake.read(text, format="diff").edits


def unidiff(text: str) -> object:
    return PatchSet(text)


def spent_s(parse: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    parse()
    return time.process_time() - start


def peak_bytes(parse: Callable[[], object]) -> int:
    tracemalloc.start()
    parse()
    return tracemalloc.get_traced_memory()[1]


def measure(runs: int, files: int) -> list[tuple[float, float]]:
    """Seconds of redline and of unidiff, the one first in every other run."""
    text = diff(files)
    decoded = text.decode()
    parsers = (lambda: redline(text), lambda: unidiff(decoded))
    found = []
    for run in range(runs):
        first = run % 2
        seconds = {which: spent_s(parsers[which]) for which in (first, 1 - first)}
        found.append((seconds[0], seconds[1]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--peak", choices=("redline", "unidiff"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    text = diff(options.files)
    if options.peak:
        decoded = text.decode()
        print(peak_bytes((lambda: redline(text)) if options.peak == "redline" else lambda: unidiff(decoded)))
        return
    measured = measure(options.runs, options.files)
    ratios = sorted(ours / theirs for ours, theirs in measured)
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    ours_ms, theirs_ms = (statistics.median(column) * 1000 for column in zip(*measured, strict=True))
    peaks = {name: _peak_elsewhere(name, options.files) / len(text) for name in ("redline", "unidiff")}
    lines = text.count(b"\n")
    print(f"| {lines:,} lines, {options.files:,} files, {len(text):,} bytes | ms | ÷ unidiff | memory ÷ text |")
    print("|---|--:|--:|--:|")
    ratio = f"{statistics.median(ratios):.2f} ({low:.2f}-{high:.2f})"
    print(f"| redline | {ours_ms:,.0f} | {ratio} | {peaks['redline']:.1f} |")
    print(f"| unidiff | {theirs_ms:,.0f} | 1 | {peaks['unidiff']:.1f} |")


def _peak_elsewhere(name: str, files: int) -> int:
    command = [sys.executable, __file__, "--files", str(files), "--peak", name]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
