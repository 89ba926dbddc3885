"""What the tests of both programs ask again and again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Result, Sandbox


def assert_one_clear_sentence(result: Result, code: int, *named: str) -> None:
    """The exit code, and on standard error: one sentence that names what it is about, then the next step."""
    assert (result.code, result.out) == (code, b""), (result.out, result.err)
    lines = result.err.splitlines()
    assert len(lines) == 2, result.err
    assert lines[0].startswith("redline: ")
    assert lines[1].startswith("  Next: ")
    assert "Traceback" not in result.err
    for name in named:
        assert name in lines[0], result.err


def assert_error_document(result: Result, code: int, name: str) -> dict[str, Any]:
    """The exit code, and on standard output: one error document and nothing else."""
    assert result.code == code, (result.out, result.err)
    assert result.out.isascii()
    assert result.out.count(b"\n") == 1
    document: dict[str, Any] = result.json
    assert list(document) == ["error"]
    error: dict[str, Any] = document["error"]
    assert list(error) == ["code", "message", "hint", "details"]
    assert error["code"] == name
    assert error["message"]
    assert error["hint"]
    assert isinstance(error["details"], dict)
    return error


def stored_state(sandbox: Sandbox) -> tuple[object, object, object]:
    """The tree, git's own files and the list of proposals: what a refusal must not change."""
    listed = sandbox.redline("list", "--status", "all", "--json")
    return sandbox.tree(), sandbox.git_state(), listed.out


def bytes_below(folder: Path) -> bytes:
    """Every byte of every file, for looking up what must be nowhere."""
    found = b""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found += file.read()
    return found
