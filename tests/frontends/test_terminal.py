"""Confirming and reading on a real terminal: every byte that reaches it, and every way to say no."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import BIN, edit, replace, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.sandbox import Sandbox

PROMPT = "q to leave it pending: "
BIDI = "x = 1  # \u202e evil\n"


def _status(sandbox: Sandbox, proposal: str) -> str:
    status: str = sandbox.redline("show", proposal, "--json").json["status"]
    return status


def _two_files(sandbox: Sandbox) -> str:
    return sandbox.propose(
        edit(replace("a.txt", "two", "zwei"), write("src/new.py", BIDI), reason="German numbers\nare asked for."),
        "--author",
        "claude-code",
    )


def test_confirm_shows_reason_findings_and_the_whole_diff_and_the_code_applies_it(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        terminal.wait_for(PROMPT)
        before_answer = terminal.text
        terminal.type(proposal[:4] + "\n")
        assert terminal.finish() == 0
    lines = before_answer.split("\n")
    assert "┃ claude-code says: German numbers" in lines
    assert "┃ are asked for." in lines
    assert "critical  src/new.py: 1 line with bidirectional controls, first at line 1  BIDI" in lines
    assert lines[lines.index("2   -two") + 1] == "  2 +zwei"
    assert "  1 +x = 1  # ⟦U+202E⟧ evil" in lines
    assert lines[-2:] == [
        "2 files, 2 hunks, all shown. Confirm?",
        f"Type {proposal[:4]} to apply, n to decline, q to leave it pending: ",
    ]
    assert f"applied 2 files   receipt {proposal[:7]} · journal 4" in terminal.text
    assert sandbox.read("a.txt") == b"one\nzwei\nthree\n"
    assert sandbox.read("src/new.py") == BIDI.encode()


def test_a_change_longer_than_the_screen_is_shown_to_its_last_line_before_the_question(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("long.txt", "".join(f"line {number}\n" for number in range(390)))))
    with on_terminal(sandbox.root, "confirm", proposal, size=(24, 72)) as terminal:
        terminal.wait_for(PROMPT)
        lines = terminal.text.split("\n")
        shown = [line for line in lines if "+line" in line]
        assert shown == [f"    {number + 1:>3} +line {number}" for number in range(390)]
        terminal.type("q\n")
        assert terminal.finish() == 9


def test_any_other_answer_leaves_it_pending(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    before = sandbox.tree(), sandbox.git_state(), sandbox.redline("status").out
    for answer in ("wrong\n", "\n", "\x04", "q\n", "y\n", "yes\n", "N\n", f"{proposal[:4]}0\n"):
        with on_terminal(sandbox.root, "confirm", proposal) as terminal:
            terminal.wait_for(PROMPT)
            terminal.type(answer)
            assert terminal.finish() == 9, answer
        typed = answer.strip("\n\x04")
        was = "" if typed in {"", "q"} else f"{typed!a} is not its code: "
        assert terminal.text.endswith(
            f"\nredline: {was}{proposal[:7]} is left pending; nothing was written\n"
            f"  Next: `redline confirm {proposal[:7]}` asks again.\n"
        )
        assert (sandbox.tree(), sandbox.git_state(), sandbox.redline("status").out) == before, answer
    assert _status(sandbox, proposal) == "pending"


def test_n_declines_with_the_reason_that_is_typed(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    before = sandbox.tree()
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("n\n")
        terminal.wait_for("Enter for no reason): ")
        terminal.type("keep the English\n")
        assert terminal.finish() == 3
    assert terminal.text.endswith(
        f"declined   nothing was written; the model is told   receipt {proposal[:7]} · journal 3\n"
        "  reason: keep the English\n"
    )
    assert sandbox.tree() == before
    receipt = sandbox.redline("receipt", proposal, "--json").json["receipt"]
    assert (receipt["outcome"], receipt["reason"]) == ("declined", "keep the English")


@pytest.mark.parametrize("asked_for_reason", [False, True])
def test_ctrl_c_leaves_it_pending(sandbox: Sandbox, asked_for_reason: bool) -> None:
    proposal = _two_files(sandbox)
    before = sandbox.tree(), sandbox.git_state(), sandbox.redline("status").out
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        terminal.wait_for(PROMPT)
        if asked_for_reason:
            terminal.type("n\n")
            terminal.wait_for("Enter for no reason): ")
        terminal.type("\x03")
        assert terminal.finish() == 130
    assert "interrupted; everything is as before\n" in terminal.text
    assert (sandbox.tree(), sandbox.git_state(), sandbox.redline("status").out) == before
    assert _status(sandbox, proposal) == "pending"


def test_ctrl_c_with_json_is_a_document(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    script = f"{os.path.join(BIN, 'redline')} confirm {proposal} --json > ../answer.json"
    with on_terminal(sandbox.root, "/bin/sh", "-c", f"trap : INT; {script}") as terminal:
        terminal.wait_for(PROMPT)
        terminal.type_ahead("\x03")
        assert terminal.finish() == 130
    assert json.loads((sandbox.root.parent / "answer.json").read_bytes())["error"]["code"] == "INTERRUPTED"


def test_what_was_typed_before_the_question_does_not_answer_it(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    before = sandbox.tree()
    early = (proposal[:4] + "\n") * 3
    with on_terminal(sandbox.root, "confirm", proposal, keys_before=early) as terminal:
        terminal.type_ahead(early)
        terminal.wait_for(PROMPT)
        terminal.type("\n")
        assert terminal.finish() == 9
    assert sandbox.tree() == before
    assert _status(sandbox, proposal) == "pending"


def test_a_drifted_proposal_is_refused_without_a_question(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    sandbox.write("a.txt", b"mine\n")
    before = sandbox.tree()
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        assert terminal.finish() == 4
    assert terminal.text == (
        f"stale   nothing was written   receipt {proposal[:7]} · journal 3\n"
        "  a.txt changed since this was proposed\n"
        f"  Next: `redline refresh {proposal[:7]}` makes it anew on the present files.\n"
    )
    assert sandbox.tree() == before


def test_a_digest_of_something_else_is_refused_without_a_question(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    document = sandbox.redline("show", proposal, "--json").json
    (sandbox.root.parent / "other.json").write_text(json.dumps({**document, "reason": "another"}))
    for options in (["--digest", "0" * 64], ["--intent", "../other.json"]):
        with on_terminal(sandbox.root, "confirm", proposal, *options) as terminal:
            assert terminal.finish() == 11
        assert PROMPT not in terminal.text
    (sandbox.root.parent / "same.json").write_text(json.dumps(document))
    for options in (["--digest", document["digest"]], ["--intent", "../same.json"]):
        with on_terminal(sandbox.root, "confirm", proposal, *options) as terminal:
            terminal.wait_for(PROMPT)
            terminal.type("q\n")
            assert terminal.finish() == 9


def test_an_applied_proposal_is_replayed_without_a_question(sandbox: Sandbox) -> None:
    sandbox.allow_level_none()
    proposal = _two_files(sandbox)
    assert sandbox.confirm(proposal).code == 0
    sandbox.write("a.txt", b"edited since\n")
    before = sandbox.tree()
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        assert terminal.finish() == 0
    first, second = terminal.text.splitlines()
    assert re.fullmatch(
        rf"already applied on \d{{4}}-\d\d-\d\d \d\d:\d\d by Ada Example \(receipt {proposal[:7]}\)", first
    )
    assert second == "  nothing was written"
    assert sandbox.tree() == before


def _cut_off(sandbox: Sandbox, proposal: str) -> None:
    """Confirm in a process that dies between the first file and the second."""
    script = (
        "import os, sys\n"
        "from redline import app\n"
        "from redline.adapters.worktree.exchange import AtomicExchange\n"
        "from redline.core.decision import Level\n"
        "AtomicExchange.rename_new = lambda *_: os._exit(9)\n"
        "app.start()\n"
        "with app.person('.', app.World()) as redline:\n"
        f"    shown = redline.viewer.preview({proposal!r}).displayed\n"
        f"    redline.desk.confirm({proposal!r}, shown, Level.TTY)\n"
    )
    died = subprocess.run([sys.executable, "-c", script], cwd=sandbox.root, check=False)
    assert died.returncode == 9


def test_a_write_that_was_cut_off_is_told_in_words(sandbox: Sandbox) -> None:
    proposal, before = _two_files(sandbox), sandbox.tree()
    _cut_off(sandbox, proposal)
    assert sandbox.tree() != before
    for command, code in (("confirm", 7), ("confirm", 7), ("show", 0)):
        with on_terminal(sandbox.root, command, proposal, size=(200, 100)) as terminal:
            assert terminal.finish() == code
        first, when, why, following = terminal.text.splitlines()[-4:]
        assert first == ("not applied   the write stopped before its end and was taken back: a.txt, src/new.py")
        assert re.fullmatch(
            rf"  confirmed on [-0-9]+ [:0-9]+ by Ada Example   receipt {proposal[:7]} · journal 4", when
        )
        assert why.startswith("  the write was cut off")
        assert following == f"  Next: `redline refresh {proposal[:7]}` makes it anew; this proposal has ended."
    assert sandbox.tree() == before


def test_a_command_tells_of_a_write_that_it_took_back_on_its_way(sandbox: Sandbox) -> None:
    other = sandbox.propose(edit(write("c.txt", "c\n")))
    for command, stdin in (
        (["propose", "--path", "z.txt"], b"z\n"),
        (["decline", other], b""),
        (["confirm", other], b""),
    ):
        dead = _two_files(sandbox)
        _cut_off(sandbox, dead)
        told = sandbox.redline(*command, stdin=stdin).err
        assert told.startswith(
            f"note: an earlier write, of {dead[:7]}, had been cut off; it was taken back,"
            f" and every file is as before it (`redline receipt {dead[:7]}`)\n"
        )
    assert sandbox.redline("recover").text == "nothing is unfinished\n"


def test_several_proposals_are_asked_for_one_by_one(sandbox: Sandbox) -> None:
    first, second = _two_files(sandbox), sandbox.propose(edit(write("c.txt", "c\n")))
    with on_terminal(sandbox.root, "confirm", first, second) as terminal:
        terminal.wait_for(f"Type {first[:4]} to apply, n to decline, q to leave it pending: ")
        terminal.type(first[:4] + "\n")
        terminal.wait_for(f"Type {second[:4]} to apply, n to decline, q to leave it pending: ")
        terminal.type(second[:4] + "\n")
        assert terminal.finish() == 0
    assert (sandbox.read("a.txt"), sandbox.read("c.txt")) == (b"one\nzwei\nthree\n", b"c\n")


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_at_the_second_question_says_what_the_first_answer_did(sandbox: Sandbox, as_json: bool) -> None:
    first, second = _two_files(sandbox), sandbox.propose(edit(write("c.txt", "c\n")))
    options = ["--json"] if as_json else []
    with on_terminal(sandbox.root, "confirm", first, second, *options) as terminal:
        terminal.wait_for(f"Type {first[:4]} to apply, n to decline, q to leave it pending: ")
        terminal.type(first[:4] + "\n")
        terminal.wait_for(f"Type {second[:4]} to apply, n to decline, q to leave it pending: ")
        terminal.type("\x03")
        assert terminal.finish() == 130
    what_stands = f"interrupted; before that: {first[:7]} applied; not decided: {second}"
    assert f"\n{what_stands}\n" in terminal.text
    assert sandbox.read("a.txt") == b"one\nzwei\nthree\n"
    assert _status(sandbox, second) == "pending"
    if as_json:
        done, stopped = json.loads(terminal.text.splitlines()[-1])["results"]
        assert (done["proposal"], done["outcome"]) == (first, "applied")
        assert stopped == {
            "error": {
                "code": "INTERRUPTED",
                "message": what_stands,
                "hint": "Repeat the command to go on.",
                "details": {"undecided": [second]},
            }
        }


def test_standard_streams_elsewhere_do_not_replace_the_terminal(sandbox: Sandbox) -> None:
    """`yes CODE | redline confirm ID > log` still asks the person's own terminal."""
    proposal = _two_files(sandbox)
    script = f"yes {proposal[:4]} | {os.path.join(BIN, 'redline')} confirm {proposal} --json > ../log.json"
    with on_terminal(sandbox.root, "/bin/sh", "-c", script) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("q\n")
        assert terminal.finish() == 9
    assert json.loads((sandbox.root.parent / "log.json").read_bytes())["error"]["code"] == "NOT_CONFIRMED"
    assert _status(sandbox, proposal) == "pending"


HOSTILE = {
    "clear-screen": "\x1b[2J\x1b[1;1H",
    "cursor-up-and-erase": "\x1b[1A\x1b[2K",
    "hidden": "\x1b[8mhidden\x1b[0m",
    "report": "\x1b[6n",
    "reset": "\x1bc",
    "title": "\x1b]0;title\x07",
    "link": "\x1b]8;;http://example.org\x07ok\x1b]8;;\x07",
    "clipboard": "\x1b]52;c;AAAA\x07",
    "font": "\x1b]50;x\x1b\\",
    "dcs": "\x1bP$q\x1b\\",
    "apc": "\x1b_x\x1b\\",
    "c1-csi": "\x9b31m",
    "c1-osc": "\x9d0;t\x9c",
    "c1-dcs": "\x90x\x9c",
    "unterminated": "\x1b]0;swallows what follows",
    "carriage-return": "evil()\r# safe line",
    "backspace": "abc\b\b\bxyz",
    "delete": "abc\x7f\x7f",
    "bidi": "\u202eright\u202c \u2066x\u2069 \u200f \u061c",
    "invisible": "a\u200bb\u2060c\ufeffd\u00ade\u034ff\u180eg",
    "tags": "".join(chr(0xE0000 + ord(character)) for character in "tags"),
    "variation": "x\ufe01\U000e0101",
    "line-separators": "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg",
    "markers": "\u27e6ESC\u27e7",
}
_ALLOWED = re.compile(rb"\x1b\[[0-9;]*m")
_HIDING = re.compile(
    "[\x80-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f\u061c\u2060-\u2064\ufeff\u00ad\u034f\u180e\u2028\u2029]"
)


def _assert_harmless(shown: bytes) -> str:
    """No ESC but our own SGR, no control but LF, TAB and the terminal's own CR before LF, nothing that hides."""
    bare = _ALLOWED.sub(b"", shown).replace(b"\r\n", b"\n")
    controls = sorted({byte for byte in bare if (byte < 0x20 and byte not in b"\n\t") or byte == 0x7F})
    assert controls == []
    text = bare.decode("utf-8")
    assert _HIDING.findall(text) == []
    assert [character for character in text if 0xE0000 <= ord(character) <= 0xE0FFF] == []
    return text


def test_hostile_content_and_reason_reach_a_terminal_only_in_visible_form(sandbox: Sandbox) -> None:
    everything = " ".join(HOSTILE.values())
    text = edit(write("hostile.py", "\n".join(HOSTILE.values()) + "\n"), reason=everything[:1500])
    proposal = sandbox.propose(text)
    with on_terminal(sandbox.root, "confirm", proposal, size=(2000, 200)) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("n\n")
        terminal.wait_for("Enter for no reason): ")
        terminal.type("\x1b[2Jno\x9b31m\n")
        assert terminal.finish() == 3
    echoed = terminal.shown.replace(b"^[", b"").replace(b"\xc2\x9b31m\r\n", b"\r\n")  # the terminal's own echo
    shown = _assert_harmless(echoed)
    assert "+⟦ESC⟧[2J⟦ESC⟧[1;1H" in shown
    assert "+⟦U+009B⟧31m" in shown
    assert "+evil()⟦CR⟧# safe line" in shown
    assert "+abc⟦BS⟧⟦BS⟧⟦BS⟧xyz" in shown
    assert "+⟦U+27E6⟧ESC⟦U+27E7⟧" in shown
    assert "reason: ⟦ESC⟧[2Jno⟦U+009B⟧31m" in shown
    for command in (["show", proposal], ["list", "--status", "all"], ["log"], ["receipt", proposal]):
        with on_terminal(sandbox.root, "--color", "always", *command, size=(2000, 200)) as reading:
            assert reading.finish() == 0
        _assert_harmless(reading.shown)


HOSTILE_ARGUMENTS = [
    ["propose", "--author", "\x1b[2J", "/dev/null"],
    ["show", "\x1b[2J\x9b31m"],
    ["confirm", "\x1b]0;t\x07"],
    ["\x1b[2J"],
    ["list", "--status", "\x1b[2J"],
    ["list", "--\x1b[2J"],
    ["propose", "/no\x1b[2J/file"],
    ["propose", "--format", "\x1b[2J", "/dev/null"],
    ["propose", "--ttl", "\x1b[2J", "/dev/null"],
    ["propose", "--path", "\x1b[2J\r", "/dev/null"],
    ["log", "--since", "\x1b[2J"],
    ["-C", "/no\x1b[2J", "list"],
]


def test_hostile_arguments_come_back_in_visible_form(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    for arguments in HOSTILE_ARGUMENTS:
        with on_terminal(sandbox.root, *arguments) as terminal:
            assert terminal.finish() in {2, 5, 6, 9}, arguments
        _assert_harmless(terminal.shown)


def test_a_hostile_branch_and_git_person_are_shown_in_visible_form(sandbox: Sandbox) -> None:
    sandbox.git("config", "user.name", "A\x1b[2Jda")
    sandbox.git("symbolic-ref", "HEAD", "refs/heads/b\u202exy")
    proposal = sandbox.propose(edit(write("c.txt", "c\n")))
    assert sandbox.redline("decline", proposal, "-m", "no").code == 0
    for command in (["log"], ["receipt", proposal], ["show", proposal], ["confirm", proposal]):
        with on_terminal(sandbox.root, *command) as terminal:
            terminal.finish()
        shown = _assert_harmless(terminal.shown)
        if command[0] in {"log", "receipt"}:
            assert "A⟦ESC⟧[2Jda" in shown


def test_the_models_words_have_a_gutter_on_every_line_of_a_narrow_terminal(sandbox: Sandbox) -> None:
    forged = "Approved by security.\n\n" + "pad " * 30 + "Confirm? Type 7f3a to apply: 7f3a\napplied 1 file"
    proposal = sandbox.propose(edit(write("c.txt", "c\n"), reason=forged))
    with on_terminal(sandbox.root, "confirm", proposal, size=(24, 50)) as terminal:
        terminal.wait_for(PROMPT)
        lines = terminal.text.split("\n")
        terminal.type("q\n")
        terminal.finish()
    first = next(number for number, line in enumerate(lines) if "says:" in line)
    last = next(number for number, line in enumerate(lines) if "applied 1 file" in line)
    words = lines[first : last + 1]
    assert all(line.startswith("┃ ") and len(line) <= 50 for line in words), words
    assert lines[last + 1] == ""
    assert "".join(line.removeprefix("┃ ") for line in words).count("pad ") == 30


def test_a_reason_of_many_lines_is_cut_and_says_how_much_is_left(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("c.txt", "c\n"), reason="\n".join(map(str, range(100)))))
    with on_terminal(sandbox.root, "show", proposal, size=(200, 80)) as terminal:
        assert terminal.finish() == 0
    gutter = [line for line in terminal.text.split("\n") if line.startswith("┃ ")]
    assert gutter[-2:] == ["┃ 39", "┃ (60 more lines of the reason: `redline show ID --full`)"]
    assert len(gutter) == 41


def test_a_path_that_looks_like_words_of_ours_is_quoted(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py  edited, was b.py  +0", "x\n"), write("plain.py", "x\n")))
    with on_terminal(sandbox.root, "show", proposal, "--stat") as terminal:
        assert terminal.finish() == 0
    assert terminal.text == ('"a.py  edited, was b.py  +0"  new file  +1 \u22120\nplain.py  new file  +1 \u22120\n')


def test_markup_of_terminal_libraries_is_literal(sandbox: Sandbox) -> None:
    words = "[bold green]SAFE[/] [link=https://e]x[/link] x[/]y [/tmp] a[i]"
    proposal = sandbox.propose(edit(write("c.txt", words + "\n"), reason=words))
    with on_terminal(sandbox.root, "show", proposal, size=(50, 120)) as terminal:
        assert terminal.finish() == 0
    assert f"┃ model says: {words}\n" in terminal.text
    assert f"+{words}\n" in terminal.text


COLOURS: list[tuple[list[str], dict[str, Any], bool]] = [
    ([], {}, True),
    ([], {"NO_COLOR": "1"}, False),
    ([], {"NO_COLOR": ""}, True),
    ([], {"TERM": "dumb"}, False),
    (["--color", "never"], {}, False),
    (["--color", "always"], {"NO_COLOR": "1"}, True),
]


def test_colours_on_a_terminal(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    for options, env, is_coloured in COLOURS:
        for command in ("show", "confirm"):
            with on_terminal(sandbox.root, *options, command, proposal, size=(60, 80), **env) as terminal:
                if command == "confirm":
                    terminal.wait_for(PROMPT)
                    terminal.type("q\n")
                terminal.finish()
            assert (b"\x1b[" in terminal.shown) is is_coloured, (options, env, command)


def test_a_pipe_has_no_colour_unless_it_is_asked_for(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    assert b"\x1b" not in sandbox.redline("show", proposal).out
    assert b"\x1b[2m" in sandbox.redline("--color", "always", "list", "--status", "all").out
    assert b"\x1b" not in sandbox.redline("--color", "always", "show", proposal, "--patch").out
    assert b"\x1b" not in sandbox.redline("--color", "always", "show", proposal, "--json").out


def _trap(folder: Path) -> dict[str, Any]:
    """An environment in which every program that could be configured leaves a mark."""
    script = folder / "trap"
    script.write_text(f"#!/bin/sh\ntouch {folder}/trapped\ncat\n")
    script.chmod(0o755)
    return {
        "PAGER": str(script),
        "GIT_PAGER": str(script),
        "LESSOPEN": f"|{script} %s",
        "LESSCLOSE": f"{script} %s %s",
        "LESS": f"-r +!{script}",
        "LESSKEY": str(script),
        "LESSEDIT": str(script),
        "VISUAL": str(script),
        "EDITOR": str(script),
        "GIT_EXTERNAL_DIFF": str(script),
    }


def test_long_output_pages_through_less_alone_whatever_the_environment_says(sandbox: Sandbox) -> None:
    trap = _trap(sandbox.root.parent)
    sandbox.git("config", "core.pager", trap["PAGER"])
    sandbox.git("config", "diff.external", trap["PAGER"])
    proposal = sandbox.propose(edit(write("long.txt", "".join(f"line {number}\n" for number in range(200)))))
    with on_terminal(sandbox.root, "show", proposal, **trap) as terminal:
        terminal.wait_for("+line 10")
        assert "+line 100" not in terminal.text
        terminal.type("!touch trapped-by-shell\n")
        terminal.type("v")
        terminal.type("q")
        terminal.type("q")
        assert terminal.finish() == 0
    assert "Traceback" not in terminal.text
    assert not (sandbox.root.parent / "trapped").exists()
    assert not (sandbox.root / "trapped-by-shell").exists()


def test_in_a_pipe_nothing_is_paged(sandbox: Sandbox) -> None:
    trap = _trap(sandbox.root.parent)
    proposal = sandbox.propose(edit(write("long.txt", "".join(f"line {number}\n" for number in range(200)))))
    shown = sandbox.redline("show", proposal, **trap)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.endswith(b"+line 199\n")
    assert not (sandbox.root.parent / "trapped").exists()


def test_a_reader_that_goes_away_gets_no_traceback(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("long.txt", "".join(f"line {number}\n" for number in range(20000)))))
    program = os.path.join(BIN, "redline")
    for command in (
        "show ID",
        "show ID --patch",
        "list --status all",
        "list --json",
        "status",
        "status --json",
        "--help",
    ):
        done = subprocess.run(
            ["/bin/bash", "-c", f"{program} {command.replace('ID', proposal)} | true; echo ${{PIPESTATUS[0]}}"],
            cwd=sandbox.root,
            capture_output=True,
            check=True,
        )
        assert (done.stdout, done.stderr) == (b"0\n", b""), command


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C.UTF-8"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "C.UTF-8", "really-C", "ascii-streams"],
)
def test_content_beyond_ascii_passes_in_every_locale(sandbox: Sandbox, env: dict[str, Any]) -> None:
    text = json.dumps(edit(write("caf\u00e9.txt", "na\u00efve \U0001f600 \u6f22\n"), reason="\u00fcber")).encode()
    made = sandbox.redline("propose", "--json", stdin=text, **env)
    assert (made.code, made.err) == (0, "")
    proposal = made.json["proposal"]
    patch = sandbox.redline("show", proposal, "--patch", **env)
    assert "+na\u00efve \U0001f600 \u6f22\n".encode() in patch.out
    for command in (["show", proposal], ["list"], ["show", proposal, "--stat"]):
        shown = sandbox.redline(*command, **env)
        assert (shown.code, shown.err) == (0, "")
    sandbox.git("apply", "--check", stdin=sandbox.redline("show", proposal, **env).out)


def test_without_a_terminal_confirm_is_refused_at_once(sandbox: Sandbox) -> None:
    proposal = _two_files(sandbox)
    before = sandbox.tree()
    for stdin in (b"", f"{proposal[:4]}\n".encode() * 50, b"y\n" * 50):
        refused = sandbox.redline("confirm", proposal, "--json", stdin=stdin)
        assert (refused.code, refused.json["error"]["code"]) == (9, "CONFIRM_NO_TTY")
    digest = sandbox.redline("show", proposal, "--json").json["digest"]
    refused = sandbox.redline("confirm", proposal, "--digest", digest, "--json", REDLINE_YES="1", CI="1")
    assert (refused.code, refused.json["error"]["code"]) == (9, "CONFIRM_NO_TTY")
    assert sandbox.tree() == before


def test_what_is_grave_stands_once_more_above_the_question(sandbox: Sandbox) -> None:
    """A long change scrolls its header away."""
    text = "".join(f"line {number}\n" for number in range(60)) + "# ... rest of the file ...\n"
    proposal = sandbox.propose(edit(write("long.txt", text)))
    with on_terminal(sandbox.root, "confirm", proposal) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("q\n")
        terminal.finish()
    behind = terminal.text.split("+# ... rest of the file ...")[1]
    assert "words that seem to stand for text that was left out" in behind.split("Confirm?")[0]
