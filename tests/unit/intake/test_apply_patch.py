from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.core.notes import Leniency
from redline.core.paths import RepoPath
from redline.errors import MalformedEdit, RedlineError, UnsafePath
from redline.intake.apply_patch import NAME, parse, recognises
from redline.intake.edits import Chunk, Chunks, Delete, Edit, Move, Reading, Write

F, G = RepoPath("f"), RepoPath("g")
X = Write(F, b"x\n", None, None, as_new=True)
ADD = b"*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n"


def patch(*lines: bytes) -> bytes:
    return b"".join(line + b"\n" for line in (b"*** Begin Patch", *lines, b"*** End Patch"))


def update(*lines: bytes) -> bytes:
    return patch(b"*** Update File: f", *lines)


def chunks(*expected: Chunk) -> tuple[Edit, ...]:
    return (Chunks(F, expected),)


def refusal(text: bytes) -> RedlineError:
    with pytest.raises(RedlineError) as caught:
        parse(text)
    assert caught.value.hint
    json.dumps(caught.value.details)
    return caught.value


def test_every_section_becomes_its_edits_in_order() -> None:
    text = patch(
        b"*** Add File: a/b c.txt",
        b"+one",
        b"+",
        b"++two",
        b"*** Add File: empty",
        b"*** Delete File: gone",
        b"*** Update File: f",
        b"*** Move to: g",
        b"@@ def f():",
        b" kept",
        b"-old",
        b"+new",
        b"",
        b"@@",
        b"+last",
        b"*** End of File",
        b"",
        b"*** Update File: g",
        b"-x",
    )
    first = Chunk(b"def f():", (b" kept", b"-old", b"+new", b" "), at_end=False, line=10)
    second = Chunk(None, (b"+last",), at_end=True, line=15)
    edits = (
        Write(RepoPath("a/b c.txt"), b"one\n\n+two\n", None, None, as_new=True),
        Write(RepoPath("empty"), b"", None, None, as_new=True),
        Delete(RepoPath("gone")),
        Chunks(F, (first, second)),
        Move(F, G),
        Chunks(G, (Chunk(None, (b"-x",), at_end=False, line=20),)),
    )
    assert parse(text) == Reading(NAME, "", edits, ())


@pytest.mark.parametrize(
    "text",
    [
        ADD,
        ADD[:-1],
        b"\n \n" + ADD + b"\n\t\n",
        b"\xef\xbb\xbf" + ADD,
        ADD.replace(b"\n", b"\r\n"),
        ADD.replace(b"\n", b"\r\n")[:-2],
        b" \t*** Begin Patch \n  *** Add File: f  \n+x\n *** End Patch ",
        patch(b"*** Environment ID: remote-1", b"*** Add File: f", b"+x"),
        b"```\n" + ADD + b"```\n",
        b"~~~~ diff\n\n" + ADD + b"\n~~~~~  \n",
        b"<<'EOF'\n" + ADD + b"EOF\n",
        b"apply_patch <<'EOF'\n" + ADD + b"EOF",
        b'applypatch <<"PATCH-1"\r\n' + ADD.replace(b"\n", b"\r\n") + b"PATCH-1\r\n\r\n",
        b"  apply_patch<<EOF\n\n" + ADD + b"\nEOF\n",
        b"```bash\napply_patch << EOF\n" + ADD + b"EOF\n```",
        b"bash -lc 'apply_patch <<EOF\n" + ADD + b"EOF\n'",
        b"sh -c 'apply_patch <<'\\''EOF'\\''\n" + ADD + b"EOF'",
    ],
)
def test_what_stands_around_a_patch_changes_nothing(text: bytes) -> None:
    assert parse(text) == Reading(NAME, "", (X,), ())
    assert recognises(text)


@pytest.mark.parametrize("folder", [b"a-b", b"a-b/", b"'a-b'", b'"a-b"', b'"a-b/"'])
def test_the_paths_start_from_the_folder_that_the_command_changes_to(folder: bytes) -> None:
    body = patch(b"*** Update File: f", b"*** Move to: g", b" x")
    edits = parse(b"cd " + folder + b" && apply_patch <<'EOF'\n" + body + b"EOF\n").edits
    path, to = RepoPath("a-b/f"), RepoPath("a-b/g")
    assert edits == (
        Chunks(path, (Chunk(None, (b" x",), at_end=False, line=5),)),
        Move(path, to),
    )


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        (b"/", "PATH_ABSOLUTE"),
        (b"/repo", "PATH_ABSOLUTE"),
        (b"~/repo", "PATH_ABSOLUTE"),
        (b"..", "PATH_TRAVERSAL"),
        (b"a//", "PATH_TRAVERSAL"),
        (b".git", "PATH_GIT"),
        (b"a b", "PATCH_BEGIN"),
        (b"$HOME", "PATCH_BEGIN"),
        (b'"$HOME"', "PATCH_BEGIN"),
        (b"a; ls", "PATCH_BEGIN"),
        (b"", "PATCH_BEGIN"),
    ],
)
def test_a_folder_that_is_none_of_the_repository_is_refused(folder: bytes, expected: str) -> None:
    assert refusal(b"cd " + folder + b" && apply_patch <<'EOF'\n" + ADD + b"EOF\n").code == expected


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (b"x\n" + ADD, "PATCH_BEGIN", 1),
        (b"*** Begin Patch", "PATCH_OPEN", 1),
        (b"*** Begin Patch\n*** Add File: f\n+hello\n", "PATCH_OPEN", 3),
        (b"*** Begin Patch\n*** Update File: f\n", "PATCH_OPEN", 2),
        (b"*** Begin Patch\n*** Update File: f\n-a\n*** End of File\n", "PATCH_OPEN", 4),
        (patch(), "NO_FILES", 1),
        (patch(b"*** Environment ID: a"), "NO_FILES", 1),
        (patch(b"*** Environment ID: "), "PATCH_HEADER", 2),
        (patch(b"*** Environment ID: a", b"*** Environment ID: b"), "PATCH_HEADER", 3),
        (ADD + b"extra\n", "PATCH_NOT_ALONE", 5),
        (ADD + b"\n" + ADD, "PATCH_NOT_ALONE", 5),
        (patch(b""), "PATCH_HEADER", 2),
        (patch(b"*** Frobnicate File: f"), "PATCH_HEADER", 2),
        (patch(b"*** Add File:"), "PATCH_HEADER", 2),
        (patch(b"*** Delete File: f", b"-x"), "PATCH_HEADER", 3),
        (patch(b"*** Add File: f", b"+x", b"", b"+y"), "PATCH_LINE", 4),
        (patch(b"*** Add File: f", b"x"), "PATCH_LINE", 3),
        (update(), "SECTION_EMPTY", 2),
        (update(b"*** Move to: g"), "SECTION_EMPTY", 2),
        (update(b"*** Move to: f", b" x"), "PATCH_HEADER", 3),
        (update(b"-x", b"*** Move to: g"), "PATCH_LINE", 4),
        (update(b"x"), "PATCH_LINE", 3),
        (update(b"@@", b"-x", b"y"), "PATCH_LINE", 5),
        (update(b"@@", b"-x", b"\t"), "PATCH_LINE", 5),
        (update(b"@@x", b"-x"), "PATCH_LINE", 3),
        (update(b"@@"), "CHUNK_EMPTY", 3),
        (update(b"@@ class A", b"@@ def f", b"-x"), "CHUNK_EMPTY", 3),
        (update(b"*** End of File", b"-x"), "CHUNK_EMPTY", 3),
        (update(b"-x", b"*** End of File", b"-y"), "PATCH_LINE", 5),
        (b"```\n" + ADD, "FENCE_OPEN", 1),
        (b"```", "FENCE_OPEN", 1),
        (b"````\n" + ADD + b"```\n", "FENCE_OPEN", 1),
        (b"```\n" + ADD + b"```\nDone.\n", "FENCE_OPEN", 1),
        (b"<<EOF\n" + ADD, "PATCH_OPEN", 1),
        (b"<<'EOF\"\n" + ADD + b"EOF\n", "PATCH_BEGIN", 1),
        (b"<<'EOF'\n" + ADD + b"EOF2\n", "PATCH_OPEN", 1),
        (b"<<-EOF\n" + ADD + b"EOF\n", "PATCH_BEGIN", 1),
        (b"apply_patch <<'EOF'\n" + ADD + b"EOF\nls\n", "PATCH_NOT_ALONE", 7),
        (b"apply_patch <<'EOF' && ls\n" + ADD + b"EOF\n", "PATCH_BEGIN", 1),
        (b"ls; apply_patch <<'EOF'\n" + ADD + b"EOF\n", "PATCH_BEGIN", 1),
        (b"apply_patch <<'EOF'\nEOF\n", "PATCH_BEGIN", 2),
        (b"cat <<'EOF'\n" + ADD + b"EOF\n", "PATCH_BEGIN", 1),
        (b"cd a && <<'EOF'\n" + ADD + b"EOF\n", "PATCH_BEGIN", 1),
        (b"bash -lc 'apply_patch <<'EOF'\n" + ADD + b"EOF\n'", "PATCH_BEGIN", 1),
    ],
)
def test_a_fault_of_the_text_is_refused_by_its_line(text: bytes, code: str, line: int) -> None:
    error = refusal(text)
    assert (type(error), error.code, error.details) == (MalformedEdit, code, {"line": line})
    assert error.message.startswith(f"line {line}: ")


@pytest.mark.parametrize("header", [b"*** Add File: ", b"*** Delete File: ", b"*** Update File: "])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (b"/etc/hosts", "PATH_ABSOLUTE"),
        (b"a/../b", "PATH_TRAVERSAL"),
        (b"./f", "PATH_TRAVERSAL"),
        (b"\xff", "PATH_ENCODING"),
    ],
)
def test_a_path_is_taken_as_it_is_or_refused(header: bytes, path: bytes, code: str) -> None:
    error = refusal(patch(header + path, b"+x"))
    assert (type(error), error.code) == (UnsafePath, code)
    assert refusal(update(b"*** Move to: " + path, b" x")).code == code


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Headers lose the blanks at their end, lines do not.
        ((b"@@ f():  ", b"-x  ", b"*** End of File  "), Chunk(b"f():", (b"-x  ",), True, 3)),
        ((b"@@   f():", b"-x"), Chunk(b"  f():", (b"-x",), False, 3)),
        ((b"@@ ", b"-x"), Chunk(None, (b"-x",), False, 3)),
        # Empty lines are context within a chunk, and nothing before the first @@.
        ((b"", b"-x", b"", b""), Chunk(None, (b" ", b"-x", b" ", b" "), False, 3)),
        ((b"", b""), Chunk(None, (b" ", b" "), False, 3)),
        ((b"", b"", b"@@", b"-x"), Chunk(None, (b"-x",), False, 5)),
        ((b"-x", b"*** End of File", b" ", b""), Chunk(None, (b"-x",), True, 3)),
        # Bytes that are no UTF-8, a lone CR, other separators.
        ((b"-\xff\r\x0c", b"+\xe2\x80\xa8\x85\r."), Chunk(None, (b"-\xff\r\x0c", b"+\xe2\x80\xa8\x85\r."), False, 3)),
    ],
)
def test_the_lines_of_a_chunk(lines: tuple[bytes, ...], expected: Chunk) -> None:
    assert parse(update(*lines)) == Reading(NAME, "", chunks(expected), ())


def test_b28_what_looks_like_a_header_behind_its_tag_is_a_line() -> None:
    lines = (
        b" *** End Patch",
        b" *** Delete File: x",
        b"-*** Add File: x",
        b"+*** End Patch",
        b"--- old",
        b"+++ b/x",
        b" @@",
    )
    assert parse(update(*lines)).edits == chunks(Chunk(None, lines, at_end=False, line=3))


def test_a_cr_before_lf_is_the_patch_s_own_and_noted_where_it_may_have_been_meant() -> None:
    note = Leniency("CR_DROPPED", F, "some lines of the patch end CRLF; the new file got LF, as the format has it")
    assert parse(ADD.replace(b"+x\n", b"+x\r\n")) == Reading(NAME, "", (X,), (note,))
    assert parse(ADD.replace(b"+x\n", b"+x\r\r\n")).edits == (Write(F, b"x\r\n", None, None, as_new=True),)
    changed = parse(update(b"-x\r", b"+y"))
    assert changed == Reading(NAME, "", chunks(Chunk(None, (b"-x", b"+y"), at_end=False, line=3)), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"Here it is:\n\n*** Begin Patch\n", True),
        (b"no patch: *** Begin Patch\n", False),
        (b"+*** Begin Patch\n", False),
        (b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n *** Begin Patch\n", False),
        (b"*** Begin Patches\n", False),
        (b"", False),
    ],
)
def test_the_first_line_is_recognised_and_no_line_of_a_diff(text: bytes, expected: bool) -> None:
    assert recognises(text) is expected


@given(st.binary(max_size=200))
@example(b"*** Begin Patch\n*** Update File: f\n@@")
def test_arbitrary_bytes_are_read_or_refused(text: bytes) -> None:
    for candidate in (text, b"*** Begin Patch\n" + text + b"\n*** End Patch"):
        with contextlib.suppress(RedlineError):
            assert parse(candidate).edits


VALID = patch(
    *(b"*** Environment ID: e", b"*** Add File: a", b"+1", b"*** Delete File: b", b"*** Update File: c"),
    *(b"*** Move to: d", b"@@ x", b" y", b"-z", b"+w", b"", b"@@", b"+v", b"*** End of File"),
)


@given(
    st.integers(0, len(VALID)),
    st.integers(0, 30),
    st.sampled_from([b"", b"\n", b"\r", b"@@", b"```", b"EOF", b"\0", b" "]),
)
def test_a_damaged_patch_is_read_or_refused(at: int, size: int, put: bytes) -> None:
    damaged = VALID[:at] + put + VALID[at + size :]
    for text in (damaged, b"apply_patch <<EOF\n" + damaged + b"EOF\n", b"```\n" + damaged + b"```\n"):
        with contextlib.suppress(RedlineError):
            assert parse(text).edits


TEXT = st.binary(max_size=6).filter(lambda line: b"\n" not in line and not line.endswith(b"\r"))
ANCHOR = st.none() | st.binary(min_size=1, max_size=6).filter(lambda line: b"\n" not in line and line == line.rstrip())
LINES = st.lists(st.builds(bytes.__add__, st.sampled_from([b" ", b"-", b"+"]), TEXT), min_size=1, max_size=4).map(tuple)
CHUNKS = st.lists(st.builds(Chunk, ANCHOR, LINES, st.booleans(), st.just(0)), min_size=1, max_size=3).map(tuple)
ADDED = st.lists(TEXT, max_size=3).map(lambda lines: b"".join(line + b"\n" for line in lines))
EDITS: st.SearchStrategy[Edit] = st.one_of(
    st.just(Delete(F)),
    ADDED.map(lambda data: Write(F, data, None, None, as_new=True)),
    CHUNKS.map(lambda made: Chunks(F, made)),
)


def render(edit: Edit) -> list[bytes]:
    if isinstance(edit, Delete):
        return [b"*** Delete File: f"]
    if isinstance(edit, Write):
        return [b"*** Add File: f", *(b"+" + line for line in edit.data.split(b"\n")[:-1])]
    assert isinstance(edit, Chunks)
    lines = [b"*** Update File: f"]
    for chunk in edit.chunks:
        lines += [b"@@" if chunk.anchor is None else b"@@ " + chunk.anchor, *chunk.lines]
        lines += [b"*** End of File"] if chunk.at_end else []
    return lines


@given(st.lists(EDITS, min_size=1, max_size=3))
def test_what_is_rendered_is_read_back(edits: list[Edit]) -> None:
    text = patch(*(line for edit in edits for line in render(edit)))
    assert [without_lines(edit) for edit in parse(text).edits] == edits


def without_lines(edit: Edit) -> Edit:
    if not isinstance(edit, Chunks):
        return edit
    return Chunks(edit.path, tuple(Chunk(chunk.anchor, chunk.lines, chunk.at_end, 0) for chunk in edit.chunks))
