"""The shim sees what the kernel sees: without that, no count of kill points means anything."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import KILLED, case_of
from tests.crash.killer import ROOT

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = (
    "write pwrite64 writev pwritev sendfile copy_file_range truncate ftruncate fallocate fsync fdatasync syncfs rename"
    " renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir chmod fchmod fchmodat chown"
    " fchown fchownat setxattr fsetxattr fremovexattr utimensat creat open openat"
)
OTHER_WRITERS = (
    "pwritev2 sync sync_file_range mknod mknodat lchown lsetxattr removexattr lremovexattr openat2 utime utimes"
)

ONCE = """
import json, sys
from tests.crash import server
request = json.loads(sys.argv[1])
server.app.start()
print(json.dumps(server._act(request)["calls"]))
"""


@pytest.mark.parametrize("name", ["R15", "R24"])
def test_the_shim_counts_every_call_that_strace_sees(name: str, swift_path: Path, shim: str) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    case = case_of(KILLED[name], swift_path)
    request = json.dumps(case.request("confirm"))
    log = swift_path / "strace"
    traced = ",".join(f"?{call}" for call in [*COUNTED.split(), *OTHER_WRITERS.split(), "access", "faccessat"])
    command = [strace, "-f", "-qq", "-e", f"trace={traced}", "-e", "signal=none", "-o", str(log)]
    done = subprocess.run(
        [*command, "-E", f"LD_PRELOAD={shim}", sys.executable, "-c", ONCE, request],
        cwd=ROOT,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    seen = calls_between_marks(log.read_text())
    counted = re.findall(r'"(\w+)"', done.stdout)
    assert sorted(seen) == sorted(counted)
    assert len(counted) > 100


def calls_between_marks(log: str) -> list[str]:
    """The calls of the armed process that change something, its threads' too; other processes' are not among them."""
    seen: list[str] = []
    armed = False
    for line in log.splitlines():
        match = re.match(r"\d+ +(\w+)\((.*)", line)
        if match is None:
            continue  # the second half of a call that another interrupted
        name, rest = match.groups()
        if "shim-armed" in rest or "shim-disarmed" in rest:
            armed = "shim-armed" in rest
        elif (
            armed
            and name not in {"access", "faccessat"}
            and (name not in {"open", "openat"} or re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", rest))
        ):
            seen.append(name)
    return seen
