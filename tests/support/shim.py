"""The preloaded libraries of tests/crash, compiled once for each test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "crash")


def build(factory: pytest.TempPathFactory, name: str = "shim") -> str:
    """The path of a library to preload. Skips the test where it cannot be built."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("failing or killing at a system call needs Linux and a C compiler")
    library = str(factory.getbasetemp() / f"{name}.so")
    if not os.path.exists(library):
        source = os.path.join(SOURCES, f"{name}.c")
        subprocess.run(
            [compiler, "-O1", "-Wall", "-shared", "-fPIC", "-o", library, source, "-ldl", "-pthread"], check=True
        )
    return library
