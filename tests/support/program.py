"""`redline` with a clock and an account of the test's choosing; a process of the tests, not a test."""

from __future__ import annotations

import os
import sys
from datetime import datetime

from redline.app import World, utc_now
from redline.frontends.cli import main

if __name__ == "__main__":
    now = os.environ.get("REDLINE_TEST_NOW", "")
    clock = (lambda: datetime.fromisoformat(now)) if now else utc_now
    world = World(clock, int(os.environ.get("REDLINE_TEST_UID", os.getuid())))
    sys.exit(main.run(sys.argv[1:], world))
