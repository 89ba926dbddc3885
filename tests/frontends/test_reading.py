"""A change as a person reads it on a terminal: layouts, drift, deletions, pagers."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import edit, replace, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox

LONG = "".join(f"line {number}\n" for number in range(200))


def shown(sandbox: Sandbox, *command: str, size: tuple[int, int] = (400, 80), **env: str) -> list[str]:
    with on_terminal(sandbox.root, "show", *command, size=size, **env) as terminal:
        assert terminal.finish() == 0
    return terminal.text.split("\n")


def set_own(key: str, value: str) -> None:
    subprocess.run(["git", "config", "--global", key, value], check=True)


def pager(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_two_columns_on_a_wide_terminal_and_one_where_it_is_asked_for(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    gap = " " * (78 - len("2 -two"))
    wide = shown(sandbox, proposal, size=(100, 160))
    assert f"2 -two{gap} \u2502 2 +zwei" in wide
    assert "2   -two" in shown(sandbox, proposal, "--unified", size=(100, 160))
    narrow = shown(sandbox, proposal, "--side-by-side", size=(100, 80))
    assert any(re.fullmatch(r"2 -two +\u2502 2 \+zwei", line) for line in narrow)


def test_a_layout_that_is_asked_for_holds_in_a_pipe_too(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    assert "2   -two\n  2 +zwei\n" in sandbox.redline("show", proposal, "--unified").text
    assert "\n-two\n+zwei\n" in sandbox.redline("show", proposal).text


def test_full_shows_what_did_not_change_as_well(sandbox: Sandbox) -> None:
    sandbox.write("long.txt", LONG.encode())
    proposal = sandbox.propose(edit(replace("long.txt", "line 100\n", "LINE 100\n")))
    lines = shown(sandbox, proposal, "--full")
    numbers = [found[1] for found in (re.search(r" [+ ](?:line|LINE) (\d+)$", line) for line in lines) if found]
    assert numbers == [str(number) for number in range(200)]
    assert "    101 +LINE 100" in lines


def test_a_drifted_file_is_followed_by_what_changed_meanwhile(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei"), replace("src/b.py", "1", "2")))
    sandbox.write("a.txt", b"one\ntwo\nthree\nfour\n")
    (sandbox.root / "src/b.py").unlink()
    lines = shown(sandbox, proposal)
    start = lines.index("  not proposed, but changed in it since then:")
    assert lines[start + 1 : start + 6] == ["@@ -1,3 +1,4 @@", "1 1  one", "2 2  two", "3 3  three", "  4 +four"]
    assert "src/b.py  edited  +1 \u22121  is gone since this was proposed" in lines


def test_a_deletion_names_the_files_that_still_mention_it(sandbox: Sandbox) -> None:
    sandbox.write("notes.md", b"see src/b.py\n")
    sandbox.write("untracked.md", b"see src/b.py\n")
    sandbox.git("add", "notes.md")
    proposal = sandbox.propose(edit({"op": "delete", "path": "src/b.py"}))
    lines = shown(sandbox, proposal)
    assert "  loses 2 lines, and with them b" in lines
    assert "  still mentioned in notes.md" in lines


def test_colours_come_from_the_files_name_and_never_alter_the_text(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(replace("src/b.py", "return 1", "return 2")))
    with on_terminal(sandbox.root, "show", proposal, size=(100, 80)) as terminal:
        assert terminal.finish() == 0
    assert b"\x1b[35mdef\x1b[0m" in terminal.shown
    assert b"\x1b[32;7m2\x1b[0m" in terminal.shown
    assert "  2 +    return 2" in terminal.text.split("\n")
    with on_terminal(sandbox.root, "show", proposal, size=(100, 80), NO_COLOR="1") as plain:
        assert plain.finish() == 0
    assert b"\x1b[" not in plain.shown
    after_the_age = slice(2, None)
    assert plain.text.split("\n")[after_the_age] == terminal.text.split("\n")[after_the_age]


# --- pagers -----------------------------------------------------------------------------------------------------------


def test_the_pager_of_the_persons_own_configuration_gets_the_coloured_text(sandbox: Sandbox, tmp_path: Path) -> None:
    proposal = sandbox.propose(edit(write("long.txt", LONG)))
    set_own("core.pager", "false")
    set_own("pager.redline", pager(tmp_path, "mine", 'echo "MINE $LESSSECURE $LESS ${LESSOPEN-none}"; cat'))
    lines = shown(sandbox, proposal, size=(24, 80), LESSOPEN="|touch trapped", LESS="-r")
    assert lines[0] == "MINE 1 FRX none"
    assert "    200 +line 199" in lines


@pytest.mark.parametrize("name", ["delta", "diff-so-fancy"])
def test_a_diff_filter_gets_a_git_diff_that_is_safe(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    proposal = sandbox.propose(edit(write("long.txt", LONG + "\x1b[2Jgone\n")))
    set_own("core.pager", f"{pager(tmp_path, name, 'cat')} --dark")
    lines = shown(sandbox, proposal, size=(24, 80))
    start = lines.index("--- /dev/null")
    assert lines[start + 1 : start + 4] == ["+++ b/long.txt", "@@ -0,0 +1,201 @@", "+line 0"]
    assert "+\u27e6ESC\u27e7[2Jgone" in lines


@pytest.mark.parametrize(
    "script", [None, "exit 3", "head -n 1 >/dev/null; exit 1"], ids=["missing", "failing", "failing-early"]
)
def test_a_pager_that_fails_loses_nothing(sandbox: Sandbox, tmp_path: Path, script: str | None) -> None:
    proposal = sandbox.propose(edit(write("long.txt", LONG * 50)))
    set_own("core.pager", pager(tmp_path, "mine", script) if script is not None else str(tmp_path / "missing"))
    lines = shown(sandbox, proposal, size=(24, 80))
    assert sum("+line" in line for line in lines) == 200 * 50
    assert "Traceback" not in "\n".join(lines)


def test_a_pager_that_is_quit_early_is_no_fault(sandbox: Sandbox, tmp_path: Path) -> None:
    proposal = sandbox.propose(edit(write("long.txt", LONG * 500)))
    set_own("core.pager", pager(tmp_path, "mine", "head -n 3"))
    assert len(shown(sandbox, proposal, size=(24, 80))) == 4


def test_no_pager_is_taken_from_the_repository_or_run_from_its_folders(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("long.txt", LONG)))
    pager(sandbox.root, "evil", "touch trapped")
    sandbox.git("config", "core.pager", str(sandbox.root / "evil"))
    sandbox.git("config", "pager.redline", str(sandbox.root / "evil"))
    set_own("pager.redline", "evil; cat")
    lines = shown(sandbox, proposal, size=(24, 80), PATH=f"{sandbox.root}:/usr/bin:/bin", PAGER="./evil")
    assert "    200 +line 199" in lines
    assert not (sandbox.root / "trapped").exists()


@pytest.mark.parametrize("value", ["", "cat", "false"])
def test_a_person_may_have_no_pager(sandbox: Sandbox, value: str) -> None:
    proposal = sandbox.propose(edit(write("long.txt", LONG)))
    set_own("pager.redline", value)
    assert "    200 +line 199" in shown(sandbox, proposal, size=(24, 80))


# --- the page ---------------------------------------------------------------------------------------------------------


def test_a_page_is_written_whole_and_again_over_itself(sandbox: Sandbox, tmp_path: Path) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "<zwei>")))
    target = tmp_path / "out" / "page.html"
    target.parent.mkdir()
    first = sandbox.redline("show", proposal, "--html", str(target))
    assert (first.code, first.out, first.err) == (0, b"", f"wrote {target}\n")
    text = target.read_text()
    assert "&lt;zwei&gt;" in re.sub(r"</?span[^>]*>", "", text)
    assert text.endswith("</html>\n")
    target.write_text(text[:200])
    assert sandbox.redline("show", proposal, "--html", str(target)).code == 0
    assert target.read_text().endswith("</html>\n")
    assert [path.name for path in target.parent.iterdir()] == ["page.html"]


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_a_page_never_replaces_what_is_not_one(sandbox: Sandbox, tmp_path: Path, kind: str) -> None:
    proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei")))
    target, other = tmp_path / "page.html", tmp_path / "other"
    other.write_text("mine")
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        target.symlink_to(other)
    else:
        target.mkdir()
    before = sorted(path.name for path in tmp_path.iterdir())
    assert sandbox.redline("show", proposal, "--html", str(target)).code == 2
    assert other.read_text() == "mine"
    assert target.is_symlink() == (kind == "link")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
