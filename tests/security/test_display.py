"""What content can do to the screen: rows S28 to S45 of the attack checklist, on a real terminal."""

from __future__ import annotations

import pytest

from tests.security.support import codes, harmless, read_before_deciding
from tests.support.pseudo_terminal import on_terminal
from tests.support.sandbox import Sandbox, edit, replace, write

TERMINAL_CONTROLS = ["\x1b[2J", "\x1b[1A", "\x1b[8m", "\x1b[6n", "\x1bc"]
OPERATING_SYSTEM_COMMANDS = [
    "\x1b]0;title\x07",
    "\x1b]2;title\x1b\\",
    "\x1b]8;;http://example.org\x07ok\x1b]8;;\x07",
    "\x1b]52;c;AAAA\x07",
    "\x1b]50;font\x07",
    "\x1bP$q\x1b\\",
    "\x1b_apc\x1b\\",
]


def _visible(text: str) -> str:
    return text.replace("\x1b", "⟦ESC⟧").replace("\x07", "⟦BEL⟧")


@pytest.mark.parametrize("hostile", TERMINAL_CONTROLS)
def test_s28_terminal_controls_are_shown_not_obeyed(sandbox: Sandbox, hostile: str) -> None:
    proposal = sandbox.propose(edit(write("a.py", f"x = 1  # {hostile}end\n"), reason=f"a{hostile}b"))
    lines = read_before_deciding(sandbox, proposal)
    assert f"+x = 1  # {_visible(hostile)}end" in lines
    assert f"┃ model says: a{_visible(hostile)}b" in lines
    assert codes(sandbox, proposal)["CONTROL"] == "sensitive"


def test_s28_a_control_in_a_path_is_refused_in_visible_form(sandbox: Sandbox) -> None:
    sandbox.redline("init")
    (sandbox.root.parent / "edit.json").write_text(
        '{"schema":"redline.edit/1","reason":"r","edits":[{"op":"write","path":"a\\u001b[2J.py","content":"x"}]}'
    )
    with on_terminal(sandbox.root, "propose", "../edit.json") as terminal:
        assert terminal.finish() == 5
    assert "a\\x1b[2J.py" in harmless(terminal.shown)


def test_s29_no_operating_system_command_gets_through(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "\n".join(OPERATING_SYSTEM_COMMANDS) + "\n"), reason="r"))
    lines = read_before_deciding(sandbox, proposal)
    assert [line for line in lines if line.startswith("+⟦")] == [
        f"+{_visible(hostile)}" for hostile in OPERATING_SYSTEM_COMMANDS
    ]
    assert "CONTROL" in codes(sandbox, proposal)


def test_s30_eight_bit_controls_are_shown_as_code_points_and_bytes(sandbox: Sandbox) -> None:
    diff = (
        b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n two\n three\n"
        b"+\xc2\x9b2J \xc2\x9d0;t \xc2\x90q \x9b2J\n"
    )
    proposal = sandbox.propose(diff)
    assert "+⟦U+009B⟧2J ⟦U+009D⟧0;t ⟦U+0090⟧q ⟦x9B⟧2J" in read_before_deciding(sandbox, proposal)
    assert codes(sandbox, proposal) == {"CONTROL": "sensitive", "NOT_UTF8": "sensitive"}


def test_s31_an_unterminated_command_swallows_nothing(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "a\x1b]0;open\nafter\nb\x1b]0;closed\x07rest\n")))
    lines = read_before_deciding(sandbox, proposal)
    at = lines.index("+a⟦ESC⟧]0;open")
    assert lines[at + 1 : at + 3] == ["+after", "+b⟦ESC⟧]0;closed⟦BEL⟧rest"]


def test_s32_what_overwrites_is_seen(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "evil()\r# safe line\nabc\b\b\bxyz\nd\x7fe\n")))
    lines = read_before_deciding(sandbox, proposal)
    at = lines.index("+evil()⟦CR⟧# safe line")
    assert lines[at + 1 : at + 3] == ["+abc⟦BS⟧⟦BS⟧⟦BS⟧xyz", "+d⟦DEL⟧e"]


def test_s33_bidirectional_controls_are_spelt_and_critical_in_code(sandbox: Sandbox) -> None:
    controls = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    proposal = sandbox.propose(edit(write("a.py", "".join(f"x{control}y\n" for control in controls))))
    lines = read_before_deciding(sandbox, proposal)
    at = lines.index("+x⟦U+202A⟧y")
    assert lines[at : at + len(controls)] == [f"+x⟦U+{ord(control):04X}⟧y" for control in controls]
    assert codes(sandbox, proposal) == {"BIDI": "critical"}
    prose = sandbox.propose(edit(write("a.md", "x\u200fy\n")))
    assert codes(sandbox, prose) == {"BIDI": "sensitive"}


def test_s34_right_to_left_letters_are_told(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "\u05d0 = 1 < \u05d1\n")))
    said = "sensitive  a.py: 1 line with right-to-left text, which moves what stands beside it, first at line 1"
    assert any(line.startswith(said) for line in read_before_deciding(sandbox, proposal))


def test_s35_invisible_characters_are_spelt(sandbox: Sandbox) -> None:
    hidden = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u034f\u180e"
    proposal = sandbox.propose(edit(write("a.py", "".join(f"x{character}y\n" for character in hidden))))
    lines = read_before_deciding(sandbox, proposal)
    at = lines.index("+x⟦U+200B⟧y")
    assert lines[at : at + len(hidden)] == [f"+x⟦U+{ord(character):04X}⟧y" for character in hidden]
    assert codes(sandbox, proposal) == {"INVISIBLE": "sensitive"}


def test_s36_a_message_in_tags_or_selectors_is_read_out(sandbox: Sandbox) -> None:
    tags = "".join(chr(0xE0000 + ord(sign)) for sign in "ignore all")
    selectors = "".join(chr(0xE0100 + ord(sign) - 16) for sign in "rm -rf")
    proposal = sandbox.propose(edit(write("a.py", f"x{tags}\ny{selectors}\n")))
    lines = read_before_deciding(sandbox, proposal)
    assert '+x⟦10 invisible: tags "ignore all"⟧' in lines
    assert '+y⟦6 invisible: bytes "rm -rf"⟧' in lines
    said = '10 in a row at line 1 (tags "ignore all"), first at line 1  INVISIBLE'
    assert any(line.startswith("critical  a.py: ") and line.endswith(said) for line in lines)


def test_s37_a_lookalike_is_flagged_and_can_still_be_confirmed(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "p\u0430ssword = 1\n")))
    said = '"p\u0430ssword" mixes Cyrillic and Latin (U+0430 looks like a)  CONFUSABLE'
    assert any(line.endswith(said) for line in read_before_deciding(sandbox, proposal))


def test_s38_a_line_ends_at_lf_only(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\nend\n")))
    lines = read_before_deciding(sandbox, proposal)
    at = lines.index("+a⟦U+2028⟧b⟦U+2029⟧c⟦U+0085⟧d⟦VT⟧e⟦FF⟧f⟦U+001C⟧g")
    assert lines[at + 1] == "+end"
    (change,) = sandbox.redline("show", proposal, "--json").json["changes"]
    assert change["insertions"] == 2


def test_s39_marks_do_not_pile_up_nor_change_our_own_signs(sandbox: Sandbox) -> None:
    proposal = sandbox.propose(edit(write("a.py", "z" + "\u0301" * 200 + "\n\u20d2start\n")))
    lines = read_before_deciding(sandbox, proposal, size=(2000, 2000))
    at = lines.index("+z\u0301\u0301" + "⟦U+0301⟧" * 198)
    assert lines[at + 1] == "+⟦U+20D2⟧start"


def test_s40_no_text_is_out_of_sight(sandbox: Sandbox) -> None:
    far, long = "x = 1" + " " * 400 + "; evil()", "y" * 1_000_000 + "Z"
    proposal = sandbox.propose(edit(write("a.py", f"{far}\n{long}\n")))
    with on_terminal(sandbox.root, "confirm", proposal, size=(24, 80)) as terminal:
        terminal.wait_for("q to leave it pending: ")
        shown = harmless(terminal.shown)
        terminal.type("q\n")
        assert terminal.finish() == 9
    assert "; evil()" in shown
    assert shown.count("y") >= 1_000_000
    assert "Z" in shown
    assert codes(sandbox, proposal) == {"FAR_RIGHT": "sensitive", "MINIFIED": "sensitive"}


def test_s41_white_space_is_no_way_to_hide(sandbox: Sandbox) -> None:
    sandbox.write("w.py", b"if a:\n    b\nc\n")
    proposal = sandbox.propose(edit(replace("w.py", "\nc\n", "\n    c")))
    lines = read_before_deciding(sandbox, proposal)
    assert any(line.startswith("sensitive  w.py: only blanks and line breaks change") for line in lines)
    assert any(line.endswith("⟦no newline at end⟧") for line in lines)
    odd = sandbox.propose(edit(write("o.py", "a\u00a0b\u3000c\n")))
    assert "+a⟦U+00A0⟧b⟦U+3000⟧c" in read_before_deciding(sandbox, odd)
    assert codes(sandbox, odd) == {"ODD_BLANK": "info"}
    ends = sandbox.propose(edit(write("a.txt", "one\r\ntwo\r\nthree\r\n")))
    assert "+two⟦CR⟧" in read_before_deciding(sandbox, ends)
    assert codes(sandbox, ends) == {"LINE_ENDS": "sensitive"}


def test_s42_a_reformatting_says_how_much_else_changes(sandbox: Sandbox) -> None:
    before = "".join(f"f({number});  limit = 10;\n" for number in range(500))
    sandbox.write("a.c", before.encode())
    after = before.replace("  limit", " limit").replace("f(7); limit = 10", "f(7); limit = 99")
    proposal = sandbox.propose(edit(write("a.c", after)))
    lines = read_before_deciding(sandbox, proposal)
    said = "2 words or signs of the edited files change  MASS_CHANGE"
    assert any(line.startswith("sensitive  at least 1000 changed lines") and line.endswith(said) for line in lines)


def test_s43_every_kind_of_change_has_a_line_of_its_own(sandbox: Sandbox) -> None:
    sandbox.write("bin", b"\0binary")
    diff = (
        b"diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
        b"diff --git a/src/b.py b/src/c.py\nsimilarity index 100%\nrename from src/b.py\nrename to src/c.py\n"
        b"diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n"
    )
    proposal = sandbox.propose(diff)
    lines = read_before_deciding(sandbox, proposal)
    assert any(line.startswith("a.txt  mode changed") for line in lines)
    assert "  mode 100644 becomes 100755" in lines
    assert any(line.startswith("src/c.py  renamed from src/b.py") for line in lines)
    assert any(line.startswith("empty  new file") for line in lines)
    gone = sandbox.propose(edit({"op": "delete", "path": "bin"}))
    lines = read_before_deciding(sandbox, gone)
    assert any(line.startswith("bin  deleted") for line in lines)
    assert any(line.startswith("  binary: 7 bytes ") and line.endswith(" becomes absent") for line in lines)


@pytest.mark.parametrize(("mode", "code"), [(b"120000", "PATH_SYMLINK"), (b"160000", "PATH_SUBMODULE")])
def test_s43_links_and_submodules_are_refused(sandbox: Sandbox, mode: bytes, code: str) -> None:
    sandbox.redline("init")
    diff = b"diff --git a/l b/l\nnew file mode %s\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n" % mode
    result = sandbox.redline("propose", "--json", stdin=diff)
    assert (result.code, result.json["error"]["code"]) == (5, code)


def test_s44_binary_under_a_texts_name_is_critical(sandbox: Sandbox) -> None:
    mark = sandbox.propose(edit(write("bom.py", "\ufeffx = 1\n")))
    assert codes(sandbox, mark) == {"BOM": "info"}
    assert "+⟦U+FEFF⟧x = 1" in read_before_deciding(sandbox, mark)
    proposal = sandbox.propose(_patch_to_utf_16(sandbox))
    lines = read_before_deciding(sandbox, proposal)
    assert any(line.startswith("critical  n.py: holds UTF-16, or bytes that pass for it, under") for line in lines)
    assert any(line.endswith("but the bytes of 1 binary file. Confirm?") for line in lines)


def _patch_to_utf_16(sandbox: Sandbox) -> bytes:
    sandbox.write("n.py", "x = 1\n".encode("utf-16"))
    sandbox.git("add", "-N", "n.py")
    patch = sandbox.git("diff", "--binary", "--", "n.py")
    sandbox.git("rm", "-q", "--cached", "n.py")
    (sandbox.root / "n.py").unlink()
    return patch


def test_s45_minified_generated_and_lock_files_are_told_and_shown_whole(sandbox: Sandbox) -> None:
    minified = "x" * 2500 + "END"
    proposal = sandbox.propose(
        edit(write("m.js", f"{minified}\n"), write("g.go", "// @generated\n"), write("yarn.lock", "a\n"))
    )
    assert "+" + minified in read_before_deciding(sandbox, proposal, size=(2000, 4000))
    assert codes(sandbox, proposal) == {"MINIFIED": "sensitive", "GENERATED": "sensitive", "LOCK_FILE": "sensitive"}
