from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.frontends.tui.support import Desk, desk
from tests.support.sandbox import edit, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.sandbox import Sandbox

LINES = [str(number) for number in range(1, 61)]


def text(**words: str) -> str:
    """Sixty numbered lines; `_2="zwei"` replaces the second."""
    lines = list(LINES)
    for key, word in words.items():
        lines[int(key[1:]) - 1] = word
    return "".join(f"{line}\n" for line in lines)


GERMAN = {"_2": "zwei", "_5": "fuenf", "_25": "fuenfundzwanzig", "_50": "fuenfzig"}


@pytest.fixture
def person(sandbox: Sandbox) -> Iterator[Desk]:
    with desk(sandbox) as made:
        yield made


@pytest.fixture
def proposal(sandbox: Sandbox) -> str:
    """Three hunks in n.txt, of which the first has two pieces, and a new file."""
    sandbox.write("n.txt", text().encode())
    return sandbox.propose(
        edit(write("n.txt", text(**GERMAN)), write("z.txt", "neu\n"), reason="German"), "--session", "s1"
    )
