"""The preloaded fault shim, compiled once for each test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "crash", "shim.c")


def build(factory: pytest.TempPathFactory) -> str:
    """The library's path. Skips the test where it cannot be built."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("failing or killing at a system call needs Linux and a C compiler")
    library = str(factory.getbasetemp() / "shim.so")
    if not os.path.exists(library):
        subprocess.run([compiler, "-O1", "-Wall", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return library
