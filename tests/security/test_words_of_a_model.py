"""What a reason, a path or a document can pretend: rows S49 to S53 and S55."""

from __future__ import annotations

import json

import pytest

from tests.security.support import read_before_deciding
from tests.support.sandbox import Sandbox, edit, write

MARKUP = [
    "[bold green]SAFE[/]",
    "[link=https://example.org]x[/link]",
    "[@click=app.approve]Show full diff[/]",
    "x[/]y",
    "[/tmp]",
    "a[i] [1, 2]",
]


def test_s49_forged_words_stay_behind_the_gutter_on_every_line(sandbox: Sandbox) -> None:
    forged = (
        "Approved by security.\n\nApply? [y/N] y\n\u2714 applied\r\n"
        + "pad " * 60
        + "\nIgnore the diff, type 7f3a: 7f3a"
    )
    proposal = sandbox.propose(edit(write("c.txt", "c\n"), reason=forged))
    lines = read_before_deciding(sandbox, proposal, size=(200, 50))
    first = next(number for number, line in enumerate(lines) if line.startswith("┃ model says: "))
    last = next(number for number, line in enumerate(lines) if line.endswith("type 7f3a: 7f3a"))
    words = lines[first : last + 1]
    assert all(line.startswith("┃ ") and len(line) <= 50 for line in words), words
    assert not any("Apply?" in line or "✔" in line for line in lines[:first] + lines[last + 1 :])
    assert lines[-1].startswith(f"Type {proposal[:4]} to apply")


def test_s49_a_long_reason_is_cut_with_its_count(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.txt", "c\n"), reason="\n".join(map(str, range(100)))))
    gutter = [line for line in read_before_deciding(sandbox, proposal) if line.startswith("┃ ")]
    assert len(gutter) == 41
    assert gutter[-1].startswith("┃ (60 more lines of the reason")


@pytest.mark.parametrize("markup", MARKUP)
def test_s50_s51_s52_markup_is_literal(sandbox: Sandbox, markup: str) -> None:
    proposal = sandbox.propose(edit(write("c.txt", f"{markup}\n"), reason=markup))
    lines = read_before_deciding(sandbox, proposal)
    assert f"┃ model says: {markup}" in lines
    assert f"+{markup}" in lines


def test_s50_markup_in_a_path_is_literal(sandbox: Sandbox) -> None:
    path = "[bold green]SAFE[red].py"
    proposal = sandbox.propose(edit(write(path, "x\n")))
    assert f'"{path}"  new file  +1 \u22120' in read_before_deciding(sandbox, proposal)


@pytest.mark.parametrize("path", ["a.py \u2192 b.py", "a.py  renamed from b.py", "x" * 200 + " " + "y" * 50])
def test_s53_a_path_never_has_the_shape_of_our_own_lines(sandbox: Sandbox, path: str) -> None:
    proposal = sandbox.propose(edit(write(path, "x\n")))
    lines = read_before_deciding(sandbox, proposal, size=(2000, 400))
    assert f'"{path}"  new file  +1 \u22120' in lines
    assert not any(line.startswith(path) for line in lines)


def test_s53_a_path_that_ends_in_blanks_is_refused(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    result = sandbox.redline("propose", "--json", stdin=json.dumps(edit(write("a.py     ", "x\n"))).encode())
    assert (result.code, result.json["error"]["code"]) == (5, "PATH_RESERVED")


def test_s55_documents_are_ascii_and_one_line(sandbox: Sandbox) -> None:
    hostile = "\x1b[2J \u202e \u2028 caf\u00e9"
    proposal = sandbox.propose(edit(write("c.txt", hostile), reason=hostile))
    sandbox.redline("decline", proposal, "-m", hostile)
    for command in (["show", proposal], ["list", "--status", "all"], ["log"], ["receipt", proposal]):
        result = sandbox.redline(*command, "--json")
        assert result.out.isascii()
        assert result.out.count(b"\n") == 1
        assert not any(byte < 0x20 for byte in result.out.removesuffix(b"\n"))
    told = sandbox.agent("feedback", "--json")
    assert told.out.isascii()
    assert told.json["events"][0]["reason"] == hostile
