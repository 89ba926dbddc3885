"""Golden pictures of the full screen, as SVG; times and ids are made the same for every run.

`make golden` rewrites them, and the two that the README shows; review the diff.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.frontends.tui.support import LOOK, SMALL, WIDE, Desk, drive, typed
from tests.support.sandbox import edit, replace, write

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "full_screens"
SHOWN = ROOT / "docs" / "pictures"
BEFORE = '''"""Talk to the service."""

from urllib.request import urlopen


def get(url):
    """Fetch a page."""
    return urlopen(url).read()


def post(url, data):
    """Send data, and return the answer."""
    answer = urlopen(url, data)
    return answer.read()
'''
AFTER = '''"""Talk to the service."""

import time
from urllib.request import urlopen


def get(url, tries=3):
    """Fetch a page; the service answers 429 under load."""
    for waited in range(tries):
        answer = urlopen(url)
        if answer.status != 429:
            return answer.read()
        time.sleep(2 ** waited)
    raise TimeoutError(url)


def post(url, data):
    """Send data, and return the answer."""
    answer = urlopen(url, data)
    return answer.read()
'''
_LIKE = (
    (r"\b[0-9a-f]{16}\b", "41be09d1c3a8e7f2"),
    (r"terminal-\d+", "terminal"),
    (r"(?<=>Type&#160;)[0-9a-f]{4}\b", "41be"),
    (r"(?<=>)[0-9a-f]{7}(?=&#160;|<)", "41be09d"),
    (r"(?s)\s*@font-face \{.*?\}", ""),
    (r"[ \t]+(?=\n)", ""),
)


@pytest.fixture
def picture(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a screen with its golden picture."""

    def check(path: Path, shown: str) -> None:
        for pattern, word in _LIKE:
            shown = re.sub(pattern, word, shown)
        if request.config.getoption("--golden-write"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(shown, encoding="utf-8")
        assert shown == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def retry(person: Desk) -> str:
    person.sandbox.write("src/http.py", BEFORE.encode())
    person.sandbox.write("src/retry.py", b"LIMIT = 1\n")
    reason = "The service answers 429 under load. Waiting and trying again is what its documentation asks for."
    edits = (
        write("docs/retry.md", "# Retry\n\nA request is sent three times.\n"),
        write("src/http.py", AFTER),
        replace("src/retry.py", "LIMIT = 1", "LIMIT = 3"),
    )
    return person.sandbox.propose(edit(*edits, reason=reason), "--author", "claude-code")


COMMENTED = ("space", "j", "j", "j", "j", "c", *typed("why not the standard library"), "tab", "tab", "enter")


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("review", (), SMALL),
        ("review-wide", (), WIDE),
        ("review-decided", ("n", "space"), SMALL),
        ("comment", COMMENTED[:-1], SMALL),
        ("help", ("question_mark",), SMALL),
        ("confirm", ("n", "space", "space", "space", "enter", LOOK), SMALL),
        ("confirm-unseen", ("enter", LOOK, *typed("0000"), "enter"), SMALL),
        ("decline", ("x", LOOK, *typed("not now")), SMALL),
    ],
)
def test_a_screen(
    person: Desk,
    retry: str,
    picture: Callable[[Path, str], None],
    name: str,
    keys: tuple[Any, ...],
    size: tuple[int, int],
) -> None:
    picture(GOLDEN / f"{name}.svg", person.a_little_later(retry, *keys, size=size).picture)


def test_the_list(person: Desk, retry: str, picture: Callable[[Path, str], None]) -> None:
    person.sandbox.write("a.txt", b"one\n2\nthree\n")
    other = person.sandbox.propose(edit(replace("a.txt", "2", "zwei"), reason="German"), "--author", "codex")
    person.sandbox.write("a.txt", b"one\n3\nthree\n")
    now = person.redline.viewer.preview(other).proposal.created_at + timedelta(minutes=3)
    picture(GOLDEN / "list.svg", drive(person.redline, None, (), clock=lambda: now).picture)


def test_the_pictures_of_the_readme(person: Desk, retry: str, picture: Callable[[Path, str], None]) -> None:
    picture(SHOWN / "review.svg", person.a_little_later(retry, *COMMENTED, size=(140, 32)).picture)
    keys = (*COMMENTED, "y", "n", "space", "space", "enter", LOOK)
    picture(SHOWN / "confirm.svg", person.a_little_later(retry, *keys, size=(100, 22)).picture)
