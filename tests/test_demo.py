"""The demo tells the whole story, and what it claims is checked while it runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_the_demo_runs_to_its_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "redline"), "demo"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    said = done.stdout.decode()
    assert done.returncode == 0, (said, done.stderr)
    for line in (
        "stale   nothing was written",
        "all shown. Confirm?",
        "applied 2 files",
        "already applied on",
        "The person's reason: keep 3.10 until March",
        "its write was cut off; every file is as before",
        "the journal is whole",
    ):
        assert line in said
    assert re.search(r"killed: \d+ of 20 files hold the new content, and there is no receipt", said)
    assert said.count("\u2713") == 4
    assert list(scratch.iterdir()) == []
