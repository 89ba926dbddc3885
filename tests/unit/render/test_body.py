"""What of a change is not its hunks: whole files, bytes, losses, drift, names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.build import NOW, a_creation, a_deletion, a_proposal, a_state, an_edit
from tests.support.drawing import hunk, spelled

from redline.core.content import Content, Mode
from redline.core.hunks import FileDiff
from redline.core.paths import RepoPath
from redline.render.body import body
from redline.render.drawing import SIDE_BY_SIDE_WIDTH, SYNTAX_BYTES, Drawing, Layout, drawings, sourced
from redline.render.hexdump import hexdump
from redline.render.layout import lay_out, page
from redline.render.losses import losses
from redline.render.names import path_words
from redline.render.preview import preview
from redline.render.rows import unified
from redline.render.whole import whole


def no_diff(path: str, *, is_binary: bool = False) -> FileDiff:
    return FileDiff(RepoPath(path), b"", is_binary)


def test_a_file_is_whole_around_its_hunks() -> None:
    after = b"a\nB\nc\nd\ne\nf"
    one, two = hunk("-b", "+B", start=2), hunk("-x", "+e", start=5)
    stretches = list(whole([one, two], after))
    assert [stretch.id for stretch in stretches] == ["", one.id, "", two.id, ""]
    assert spelled(lay_out(unified(stretches), page(80, stretches))) == [
        "1 1  a",
        "@@  #51dc62e3f0",
        "2   -b",
        "  2 +B",
        "3 3  c",
        "4 4  d",
        "@@  #51dc62e3f0",
        "5   -x",
        "  5 +e",
        "6 6  f\u27e6no newline at end\u27e7",
    ]


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_a_hexdump_starts_at_the_first_difference_and_counts_what_it_leaves_out(before: bytes, after: bytes) -> None:
    first = next((i for i, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), None)
    start = (first if first is not None else min(len(before), len(after))) // 16 * 16
    head, *rows = spelled(hexdump(before, after))
    assert f"at byte {start}," in head
    left_out = (
        rows.pop()
        if rows and rows[-1].startswith("  not shown")
        else "  not shown: 0 bytes of before, 0 bytes of after"
    )
    shown = {mark: b"".join(bytes.fromhex(row[10:58]) for row in rows if row[9] == mark) for mark in ("-", "+", " ")}
    assert shown["-"] == before[start : start + 128]
    assert shown["+"] == after[start : start + 128]
    counted = [len(data) - len(shown[mark]) - len(shown[" "]) for data, mark in ((before, "-"), (after, "+"))]
    assert left_out == f"  not shown: {counted[0]} bytes of before, {counted[1]} bytes of after"


def test_a_binary_change_has_sizes_digests_and_bytes() -> None:
    sides = [Content(data, Mode.REGULAR) for data in (b"\0" * 40 + b"key", b"\0" * 40 + b"KEY")]
    stored = {side.sha256: side.data for side in sides}
    change = an_edit("a.bin", sides[0].data, sides[1].data)
    drawing = Drawing(80, content=stored.__getitem__)
    assert spelled(body(change, change, no_diff("a.bin", is_binary=True), (), drawing)) == [
        f"  binary: 43 bytes {sides[0].sha256[:12]} becomes 43 bytes {sides[1].sha256[:12]}",
        "  the first difference is in the row at byte 32, 0x20; offsets are hexadecimal",
        "00000010  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................",
        "00000020 -00 00 00 00 00 00 00 00 6b 65 79                 ........key",
        "00000020 +00 00 00 00 00 00 00 00 4b 45 59                 ........KEY",
        "  not shown: 16 bytes of before, 16 bytes of after",
    ]


def test_a_deletion_says_what_is_lost_and_who_still_speaks_of_it() -> None:
    change = a_deletion("old.py", b"class A:\n    def b(self): pass\ndef c(): pass\n")
    gone = hunk("-class A:", "-    def b(self): pass", "-async def c(): pass")
    assert losses([gone]) == "loses 3 lines, and with them A, c"
    drawing = Drawing(80, mentions=lambda path: [f"user of {path}.txt"])
    shown = spelled(body(change, change, no_diff("old.py"), (gone,), drawing))
    assert shown[:2] == ["  loses 3 lines, and with them A, c", '  still mentioned in "user of old.py.txt"']
    slow = spelled(body(change, change, no_diff("old.py"), (gone,), drawing._replace(mentions=lambda _: None)))
    assert slow[1] == "  whether other files mention it could not be found out in time"


def test_what_drifted_is_apart_from_what_is_proposed_and_cannot_be_selected() -> None:
    change = an_edit("a.txt", b"one\n", b"two\n")
    since = {RepoPath("a.txt"): FileDiff(RepoPath("a.txt"), b"@@ -1 +1 @@\n-one\n+three\n", is_binary=False)}
    shown = spelled(body(change, change, no_diff("a.txt"), (hunk("-one", "+two"),), Drawing(80, since=since)))
    assert shown == [
        "@@  #51dc62e3f0",
        "1   -one",
        "  1 +two",
        "",
        "  not proposed, but changed in it since then:",
        "@@ -1 +1 @@",
        "1   -one",
        "  1 +three",
    ]


def test_two_columns_only_where_there_is_room_and_something_on_both_sides() -> None:
    change = an_edit("a.txt", b"one\n", b"two\n")

    def is_beside(drawing: Drawing, *lines: str) -> bool:
        return any(
            "\u2502" in line for line in spelled(body(change, change, no_diff("a.txt"), (hunk(*lines),), drawing))
        )

    wide, narrow = Drawing(SIDE_BY_SIDE_WIDTH), Drawing(SIDE_BY_SIDE_WIDTH - 1)
    assert is_beside(wide, "-one", "+two")
    assert not is_beside(wide, "+two")
    assert not is_beside(narrow, "-one", "+two")
    assert is_beside(narrow._replace(layout=Layout.SIDE_BY_SIDE), "+two")
    assert not is_beside(wide._replace(layout=Layout.UNIFIED), "-one", "+two")


def test_a_path_is_never_taken_for_words_of_ours() -> None:
    assert path_words("a.py") == "a.py"
    assert path_words('a.py  renamed to "b') == '"a.py  renamed to \\"b"'
    long = path_words("d/" * 400 + "end.py")
    assert long.endswith('end.py" (806 characters)')
    assert len(long) < 120
    (change,) = [a_creation("x" * 200)]
    shown = spelled(
        preview(a_proposal(change), {change.path: ()}, {change.path: no_diff("x" * 200)}, "pending", {}, NOW)
    )
    whole_name = [line for line in shown if "xx" in line]
    assert [line.startswith("    ") for line in whole_name] == [False, True, True]
    assert "".join(line.strip() for line in whole_name).startswith("x" * 200 + "  new file")


def test_an_empty_file_and_a_mode_are_words() -> None:
    change = a_creation("empty", b"")
    assert spelled(body(change, change, no_diff("empty"), (), Drawing(80))) == ["  an empty file"]
    before = an_edit("run.sh").before
    assert before is not None
    after = a_state(b"before\n", Mode.EXECUTABLE)
    changed = type(change)(RepoPath("run.sh"), before, after)
    assert spelled(body(changed, changed, no_diff("run.sh"), (), Drawing(80))) == ["  mode 100644 becomes 100755"]


def test_colours_end_once_enough_was_lexed_for_them() -> None:
    changes = sourced(tuple(a_creation(name, b"x" * (SYNTAX_BYTES // 2)) for name in "abc"))
    assert [drawing.has_syntax for drawing in drawings(Drawing(80, has_syntax=True), changes)] == [True, True, False]
