"""A person at a real terminal, in tmux at 80 columns and 24 rows, reviews a change of twelve files."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.frontends.tui.conftest import text
from tests.support.sandbox import BIN, edit, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
PATIENCE_S = 30


class Tmux:
    """One window of a tmux server of its own."""

    def __init__(self, sandbox: Sandbox, socket: str) -> None:
        self._socket = socket
        self._tmux("-f", os.devnull, "new-session", "-d", "-x", "80", "-y", "24", "-c", str(sandbox.root), "sh")

    def type(self, *keys: str) -> None:
        """Type key after key, as a person does."""
        for key in keys:
            self._tmux("send-keys", key)
            time.sleep(0.05)

    def enter(self, text: str) -> None:
        """Type a text letter by letter, and Enter."""
        for letter in text:
            self._tmux("send-keys", "-l", letter)
        self._tmux("send-keys", "Enter")

    def wait_for(self, text: str) -> str:
        """The screen once it shows the text."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in (shown := self._tmux("capture-pane", "-p")):
            assert time.monotonic() < deadline, f"{text!r} was not shown:\n{shown}"
            time.sleep(0.05)
        return shown

    def end(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        return subprocess.run(
            ["tmux", "-S", self._socket, *arguments], check=True, capture_output=True, text=True
        ).stdout


@pytest.fixture
def terminal(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tmux]:
    tmux = Tmux(sandbox, str(tmp_path_factory.mktemp("t") / "s"))
    yield tmux
    tmux.end()


PATHS = [f"f{number:02}.txt" for number in range(11)]
CHANGED = text(_10="zehn", _40="vierzig")


@pytest.fixture
def proposal(sandbox: Sandbox) -> str:
    for path in PATHS:
        sandbox.write(path, text().encode())
    edits = [*(write(path, CHANGED) for path in PATHS), write("z.txt", "neu\n")]
    return sandbox.propose(edit(*edits, reason="German"), "--session", "s1")


def test_twelve_files_one_hunk_left_with_a_comment_one_edited_the_rest_confirmed(
    sandbox: Sandbox, terminal: Tmux, proposal: str
) -> None:
    _review(terminal, proposal)
    expected = {path: CHANGED.encode() for path in PATHS}
    expected["f00.txt"] = text(_40="vierzig").encode()
    expected["f01.txt"] = text(_10="ZEHN", _40="vierzig").encode()
    expected["z.txt"] = b"neu\n"
    assert {path: sandbox.read(path) for path in expected} == expected

    ends = {event["outcome"]: event for event in sandbox.redline("log", "--json").json["events"]}
    receipt = ends["applied"]["receipt"]
    assert ends["superseded"]["receipt"]["successor"] == ends["applied"]["proposal"]
    assert (receipt["reason"], receipt["decided_by"]["level"]) == ("keep ten in f00", "tty")
    shares, comment = receipt["review"]["shares"], receipt["review"]["comments"][0]
    assert receipt["review"]["shown"] == {"parts": 23, "unseen": []}
    assert receipt["review"]["comments"] == [
        {"path": "f00.txt", "line": 10, "side": "after", "kind": "issue", "text": "not here"}
    ]

    (event,) = sandbox.agent("feedback", "--session", "s1", "--json").json["events"]
    told = {key: [name.partition("#")[0] for name in event[key]] for key in ("applied", "declined", "replaced")}
    rest = [path for path in PATHS[2:] for _ in range(2)]
    assert told == {"applied": ["f00.txt", "f01.txt", *rest, "z.txt"], "declined": ["f00.txt"], "replaced": ["f01.txt"]}
    assert (event["declined"], event["replaced"]) == (shares["declined"], shares["replaced"])
    assert (len(shares["model"]), len(shares["person"])) == (21, 1)
    assert event["comments"] == [comment]


def _review(terminal: Tmux, proposal: str) -> None:
    terminal.enter(f"EDITOR='sed -i s/zehn/ZEHN/' {BIN}/redline review {proposal}")
    terminal.wait_for("12 files")
    terminal.type("j", "j", "j", "j")
    terminal.wait_for("f00.txt  1/12")
    terminal.type("j", "c")
    terminal.wait_for("Comment on f00.txt, line 10")
    terminal.enter("not here")
    terminal.wait_for("issue: not here")
    terminal.type("n")
    terminal.wait_for("1 left")
    terminal.type("}", "e")
    terminal.wait_for("1 file edited")
    for _ in range(60):
        if "You have seen all of it" in terminal.wait_for("looked at"):
            break
        terminal.type("Space")
    terminal.type("Enter")
    terminal.wait_for(f"Type {proposal[:4]} to apply")
    time.sleep(0.5)
    terminal.enter(proposal[:4])
    terminal.wait_for("Why is the rest left?")
    terminal.enter("keep ten in f00")
    terminal.wait_for("applied 12 files")
