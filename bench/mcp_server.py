"""What an agent's host waits for when it starts `redline-agent mcp`, and what one call costs then.

Usage: mcp_server.py [RUNS]. Prints a Markdown table of medians with the spread (10th to 90th percentile).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BIN = os.path.dirname(sys.executable)
BARE = [sys.executable, "-c", "pass"]
AGENT = os.path.join(BIN, "redline-agent")
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
EDIT = {"edits": [{"op": "write", "path": "new.txt", "content": "new\n"}]}
# The least that a server of the standard library would import: what `status` does is what each call does.
COMMANDS: dict[str, list[str]] = {
    "`python -c pass`": BARE,
    "`redline-agent status` (a server by hand would import this)": [AGENT, "status"],
    "`import mcp.server.lowlevel`": [sys.executable, "-c", "import mcp.server.lowlevel"],
}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its byte code
        repository = os.path.join(folder, "repository")
        os.mkdir(repository)
        os.chdir(repository)
        for command in (["git", "init", "-q"], [os.path.join(BIN, "redline"), "init"]):
            subprocess.run(command, check=True, capture_output=True)
        measured: dict[str, list[float]] = {}
        for _ in range(runs):
            for name, command in COMMANDS.items():
                measured.setdefault(name, []).append(elapsed_s(lambda command=command: run(command)))
            for name, seconds in session_s().items():
                measured.setdefault(name, []).append(seconds)
    print(f"| {runs} runs in turn | ms | spread |\n|---|--:|--:|")
    for name, seconds in measured.items():
        print(f"| {name} | {_spread(seconds)} |")


def session_s() -> dict[str, float]:
    """One server's life: its first answer, its tools, one proposal, its end."""
    start = time.perf_counter()
    with subprocess.Popen([AGENT, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def ask(number: int, method: str, params: dict[str, object]) -> dict[str, object]:
            line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            server.stdin.write(line.encode() + b"\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert "result" in answer, answer
            return answer

        ask(1, "initialize", CLIENT)
        first = time.perf_counter() - start
        server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        tools = elapsed_s(lambda: ask(2, "tools/list", {}))
        propose = elapsed_s(lambda: ask(3, "tools/call", {"name": "propose_edits", "arguments": EDIT}))
        again = {"edits": [{"op": "write", "path": "new.txt", "content": "newer\n"}]}
        second = elapsed_s(lambda: ask(4, "tools/call", {"name": "propose_edits", "arguments": again}))
        server.stdin.close()
        end = elapsed_s(server.wait)
    return {
        "`redline-agent mcp`, start to the answer to `initialize`": first,
        "`tools/list`": tools,
        "the first `propose_edits` (loads intake)": propose,
        "a further one, which joins": second,
        "from the end of input to the end of the process": end,
    }


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def elapsed_s(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    return f"{statistics.median(ordered) * 1000:.0f} | {low * 1000:.0f}-{high * 1000:.0f}"


if __name__ == "__main__":
    main()
