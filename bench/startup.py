"""Start-up of whole processes as ratios to `python -c pass`, measured in turn in one run.

Usage: startup.py [RUNS]. Prints a Markdown table of medians with the spread (10th to 90th percentile).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BIN = os.path.dirname(sys.executable)
COMMANDS = {
    "redline status": [os.path.join(BIN, "redline"), "status"],
    "redline --version": [os.path.join(BIN, "redline"), "--version"],
    "redline confirm --help": [os.path.join(BIN, "redline"), "confirm", "--help"],
    "redline list": [os.path.join(BIN, "redline"), "list"],
    "redline-agent --version": [os.path.join(BIN, "redline-agent"), "--version"],
}
HOOK = [os.path.join(BIN, "redline-agent"), "hook", "claude-code"]
FIELDS = {"file_path": "a.txt", "content": "a\n"}
EVENTS = {
    "a shell call": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}},
    "a prompt": {"hook_event_name": "UserPromptSubmit"},
    "the end of a turn": {"hook_event_name": "Stop"},
    "an edit": {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": FIELDS, "tool_use_id": "c1"},
}
BARE = [sys.executable, "-c", "pass"]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "HOME": folder,
            "XDG_STATE_HOME": os.path.join(folder, "state"),
            "XDG_CONFIG_HOME": os.path.join(folder, "config"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its byte code
        repository = os.path.join(folder, "repository")
        os.mkdir(repository)
        for command in (["git", "init", "-q"], [os.path.join(BIN, "redline"), "init"]):
            subprocess.run(command, cwd=repository, env=environment, check=True, capture_output=True)
        print(f"| whole process, {runs} runs in turn | ÷ `python -c pass` | spread |\n|---|---|---|")
        rows = {name: (command, b"") for name, command in COMMANDS.items()}
        for name, event in EVENTS.items():
            whole = {"session_id": "s1", "cwd": repository, **event}
            rows[f"redline-agent hook claude-code: {name}"] = (HOOK, json.dumps(whole).encode())
        for name, (command, stdin) in rows.items():
            ratios = sorted(ratio(command, stdin, repository, environment) for _ in range(runs))
            low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
            print(f"| `{name}` | {statistics.median(ratios):.2f} | {low:.2f}-{high:.2f} |")


def ratio(command: list[str], stdin: bytes, folder: str, environment: dict[str, str]) -> float:
    """One run of the command ÷ one of the bare interpreter, one right after the other."""
    return elapsed_s(command, stdin, folder, environment) / elapsed_s(BARE, b"", folder, environment)


def elapsed_s(command: list[str], stdin: bytes, folder: str, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, input=stdin, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
