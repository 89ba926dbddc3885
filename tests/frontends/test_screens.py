"""Golden screens: what a person sees, with times and ids made the same for every run.

`pytest --golden-write tests/frontends/test_screens.py` rewrites them; review the diff.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import edit, replace, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.sandbox import Sandbox

SCREENS = Path(__file__).parent.parent / "golden" / "screens"
WIDTH = 80


@pytest.fixture
def screen(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a screen with its golden file; every line fits the terminal."""

    def check(name: str, shown: str) -> None:
        assert max(map(len, shown.splitlines())) <= WIDTH, shown
        normal = _normal(shown)
        path = SCREENS / f"{name}.txt"
        if request.config.getoption("--golden-write"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(normal, encoding="utf-8")
        assert normal == path.read_text(encoding="utf-8")

    return check


_LIKE = (
    (r"\b[0-9a-f]{64}\b", "64 digits"),
    (r"\b[0-9a-f]{16}\b", "9f3c2a71d04be865"),
    (r"(?<=#)[0-9a-f]{10}\b", "51dc62e3f0"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-11-30 14:31:00"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d(?!:)", "2026-11-30 14:31"),
    (r"just now|\b\d+ (?:s|min) ago", "3 min ago"),
    (r"(?<=Type )[0-9a-f]{4}\b", "9f3c"),
    (r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{7}\b", "9f3c2a7"),
)


def _normal(shown: str) -> str:
    for pattern, word in _LIKE:
        shown = re.sub(pattern, word, shown)
    return shown


def _on_terminal(sandbox: Sandbox, *command: str, keys: tuple[str, ...] = ()) -> str:
    with on_terminal(sandbox.root, *command, size=(100, WIDTH)) as terminal:
        for text in keys:
            terminal.wait_for(": " if keys.index(text) else "pending: ")
            terminal.type(text)
        terminal.finish()
    return terminal.text


def _rename(sandbox: Sandbox) -> str:
    return sandbox.propose(
        edit(
            replace("a.txt", "two", "zwei"),
            write("docs/span.md", "# Span\n"),
            reason="Window clashes with the GUI's Window; Span is the term that docs/ and the tests use.",
        ),
        "--author",
        "claude-code",
    )


def test_the_first_screens(sandbox: Sandbox, screen: Callable[[str, str], None]) -> None:
    made = sandbox.redline("init").text
    screen("init", made.replace(str(sandbox.root), "/home/ada/project"))
    screen("list-empty", sandbox.redline("list").err)
    screen("help", sandbox.redline("--help").text)
    screen("help-confirm", sandbox.redline("confirm", "--help").text)
    screen("help-propose", sandbox.redline("propose", "--help").text)
    screen("help-agent", sandbox.agent("--help").text)


def test_a_proposal_from_reading_to_replay(sandbox: Sandbox, screen: Callable[[str, str], None]) -> None:
    proposal = _rename(sandbox)
    screen("show", _on_terminal(sandbox, "show", proposal))
    screen("show-stat", _on_terminal(sandbox, "show", proposal, "--stat"))
    screen("confirm-left-pending", _on_terminal(sandbox, "confirm", proposal, keys=("q\n",)))
    screen(
        "confirm-applied",
        _on_terminal(sandbox, "confirm", proposal, keys=(proposal[:4] + "\n",)).replace(
            f": {proposal[:4]}\n", ": 9f3c\n"
        ),
    )
    screen("confirm-replay", _on_terminal(sandbox, "confirm", proposal))
    receipt = _on_terminal(sandbox, "receipt", proposal)
    screen("receipt", re.sub(r"(?m)^  ([0-9a-f]{10}|absent) \u2192 [0-9a-f]{10}", "  before \u2192 after", receipt))


def test_every_kind_of_change(sandbox: Sandbox, screen: Callable[[str, str], None]) -> None:
    sandbox.write("logo.bin", b"\0" * 20 + b"red")
    sandbox.write("old.py", b"class Old:\n    pass\n\n\ndef helper():\n    pass\n")
    sandbox.write("guide.md", b"Call `old.helper`.\n")
    sandbox.git("add", ".")
    proposal = sandbox.propose(
        edit(
            {"op": "move", "path": "a.txt", "to": "b.txt"},
            replace("b.txt", "two", "zwei"),
            {"op": "delete", "path": "old.py"},
            write("logo.bin", "\0" * 20 + "blue"),
            write("empty file.txt", ""),
            replace("src/b.py", "    return 1\n", "\treturn 1 \r\n\u202e"),
            write("run.sh", "true", executable=True),
        )
    )
    screen("show-kinds", _on_terminal(sandbox, "show", proposal))
    screen("show-side-by-side", _on_terminal(sandbox, "show", proposal, "--side-by-side"))


def test_every_status_in_one_list(sandbox: Sandbox, screen: Callable[[str, str], None]) -> None:
    sandbox.allow_level_none()
    applied = sandbox.propose(edit(write("notes.md", "n\n"), reason="start the notes"), "--author", "codex")
    declined = sandbox.propose(
        edit(replace("src/b.py", "1", "2"), reason="drop Python 3.10"), "--author", "claude-code"
    )
    drifted = sandbox.propose(edit(replace("src/b.py", "1", "3"), reason="retry on 429"), "--author", "codex")
    _rename(sandbox)
    sandbox.confirm(applied)
    sandbox.redline("decline", declined, "-m", "keep 3.10 until March")
    sandbox.write("src/b.py", b"def b():\n    return 5\n")
    screen("list-pending", _on_terminal(sandbox, "list"))
    screen("list-all", _on_terminal(sandbox, "list", "--status", "all"))
    screen("status", _on_terminal(sandbox, "status"))
    screen("show-drifted", _on_terminal(sandbox, "show", drifted))
    screen("confirm-stale", _on_terminal(sandbox, "confirm", drifted))
    screen("log", _on_terminal(sandbox, "log"))


def test_work_that_was_done_already(sandbox: Sandbox, screen: Callable[[str, str], None]) -> None:
    screen("help-capture", sandbox.redline("capture", "--help").text)
    screen("help-run", sandbox.redline("run", "--help").text)
    sandbox.redline("init")
    sandbox.write("a.txt", b"one\nzwei\nthree\n")
    sandbox.write("notes.md", b"# Notes\n")
    screen("capture-keep", _on_terminal(sandbox, "capture", "notes.md", "--keep", "--reason", "start the notes"))
    sandbox.git("add", "notes.md")
    screen("capture", _on_terminal(sandbox, "capture", "--author", "codex"))
    (sandbox.root / "odd").symlink_to("a.txt")
    screen("capture-refused", _on_terminal(sandbox, "capture"))
    (sandbox.root / "odd").unlink()
    screen("capture-nothing", _on_terminal(sandbox, "capture"))
    screen("run", _on_terminal(sandbox, "run", "--", "sed", "-i", "s/two/zwei/", "a.txt"))
    screen("run-nothing", _on_terminal(sandbox, "run", "--", "true"))
    mixed = ("sh", "-c", "ln -s a.txt odd; echo x > a.txt; exit 3")
    screen("run-left-out", _on_terminal(sandbox, "run", "--reason", "try it", "--", *mixed))
