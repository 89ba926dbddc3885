from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.intake.support import applied, tree

from redline.core.paths import RepoPath
from redline.errors import MalformedEdit, RedlineError
from redline.intake.edits import Reading, Replace
from redline.intake.search_replace import parse, recognises


def block(before: bytes = b"a\n", after: bytes = b"b\n") -> bytes:
    return b"<<<<<<< SEARCH\n" + before + b"=======\n" + after + b">>>>>>> REPLACE\n"


def cline(before: bytes = b"a\n", after: bytes = b"b\n") -> bytes:
    return b"------- SEARCH\n" + before + b"=======\n" + after + b"+++++++ REPLACE\n"


def edit(path: str, before: bytes = b"a\n", after: bytes = b"b\n") -> Replace:
    return Replace(RepoPath(path), before, after, 1, whole_lines=True, exactly=False)


def refusal(text: bytes) -> RedlineError:
    with pytest.raises(RedlineError) as caught:
        parse(text)
    assert caught.value.hint
    return caught.value


def test_blocks_of_several_files_are_read_in_order() -> None:
    text = (
        b"First:\n\na.py\n```python\n" + block() + b"```\n\nThen\n\nb/c\n```\n" + block(b"", b"x\n\n") + b"```\nDone.\n"
    )
    assert parse(text) == Reading("search-replace", "", (edit("a.py"), edit("b/c", b"", b"x\n\n")), ())


@pytest.mark.parametrize("head", [b"<<<<< SEARCH", b"<<<<<<<<< SEARCH", b"<<<<<<< SEARCH>", b"  <<<<<<< SEARCH \r"])
@pytest.mark.parametrize("divider", [b"=====", b"=========", b"\t======= \r"])
@pytest.mark.parametrize("tail", [b">>>>> REPLACE", b" >>>>>>>>> REPLACE\t\r"])
def test_markers_of_aider(head: bytes, divider: bytes, tail: bytes) -> None:
    text = b"f.py\n%b\na\n%b\nb\n%b\n" % (head, divider, tail)
    assert parse(text).edits == (edit("f.py"),)
    assert recognises(text) == (not head.startswith(b" "))


@pytest.mark.parametrize("head", [b"--- SEARCH", b"----------- SEARCH>", b"------- SEARCH\r"])
@pytest.mark.parametrize("divider", [b"===", b"============"])
@pytest.mark.parametrize("tail", [b"+++ REPLACE", b"+++++++ REPLACE>"])
def test_markers_of_cline(head: bytes, divider: bytes, tail: bytes) -> None:
    text = b"%b\na\n%b\nb\n%b" % (head, divider, tail)
    assert parse(text, path=RepoPath("f")).edits == (edit("f"),)
    assert recognises(text)


def test_a_given_path_is_that_of_every_block() -> None:
    text = cline() + b"\nMore:\n" + block(b"c\n")
    assert parse(text, path=RepoPath("f")) == Reading("search-replace", "", (edit("f"), edit("f", b"c\n")), ())


@pytest.mark.parametrize(
    "above",
    [
        b"src/f.py\n",
        b"src/f.py\n```python\n",
        b"```python\nsrc/f.py\n",
        b"src/f.py:\n````\n",
        b"`src/f.py`\n```\n",
        b"**src/f.py**\n```\n",
        b"**`src/f.py`:**\n```\n",
        b"### src/f.py\n```\n",
        b"#src/f.py\n```\n",
        b"  src/f.py  \r\n```\n",
        b"```python src/f.py\n",
        b"```src/f.py\n",
        b"So it is:\n```python src/f.py\n",
        b" ```python\nsrc/f.py\n```\n```python\n",
        b"src/f.py\n<source>python\n",
    ],
)
def test_a_name_stands_above_a_block(above: bytes) -> None:
    assert parse(b"Look:\n\n" + above + block()).edits == (edit("src/f.py"),)


@pytest.mark.parametrize(
    ("name", "path"), [(b"`My File`", "My File"), (b".gitignore", ".gitignore"), (b"Makefile", "Makefile")]
)
def test_other_clear_names(name: bytes, path: str) -> None:
    assert parse(name + b"\n" + block()).edits == (edit(path),)


@pytest.mark.parametrize("between", [b"", b"\nAnd this:\n\n", b"```\n\n```python\n"])
def test_a_block_without_a_name_is_one_for_the_file_before_it(between: bytes) -> None:
    reading = parse(b"f.py\n```\n" + block() + between + block(b"c\n"))
    assert reading.edits == (edit("f.py"), edit("f.py", b"c\n"))
    assert [(note.code, note.path) for note in reading.leniencies] == [("NAME_REUSED", "f.py")]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (b"no block\n", "NO_BLOCKS", None),
        (block(), "NAME_MISSING", 1),
        (b"f.py\n\n" + block(), "NAME_MISSING", 3),
        (b"f.py\n```\n```\n```\n" + block(), "NAME_MISSING", 5),
        (b"```python\n" + block(), "NAME_MISSING", 2),
        (b"```vb.net\n" + block(), "NAME_MISSING", 2),
        (b"Now change f.py\n" + block(), "NAME_UNCLEAR", 1),
        (b"In `f.py` do:\n```\n" + block(), "NAME_UNCLEAR", 1),
        (b"My File\n" + block(), "NAME_UNCLEAR", 1),
        (b"**New file: f.py**\n" + block(), "NAME_UNCLEAR", 1),
        (b"Makefile\n" + block(b""), "NAME_UNCLEAR", 1),
        (b"f.py\n```python g.py\n" + block(), "NAME_UNCLEAR", 3),
        (b"../f.py\n" + block(), "PATH_TRAVERSAL", None),
        (b"/etc/hosts\n" + block(), "PATH_ABSOLUTE", None),
        (b"`f\xff`\n" + block(), "PATH_ENCODING", None),
        (b"f.py\n<<<<<<< SEARCH\na\n", "BLOCK_OPEN", 2),
        (b"f.py\n<<<<<<< SEARCH\na\n=======\nb\n", "BLOCK_OPEN", 2),
        (b"f.py\n<<<<<<< SEARCH\na\n=======\nb\n+++++++ REPLACE\n", "BLOCK_OPEN", 2),
        (b"f.py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "BLOCK_BROKEN", 4),
        (b"f.py\n<<<<<<< SEARCH\na\n=======\nb\n" + block(), "BLOCK_NESTED", 6),
        (b"f.py\n" + block(b"<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> x\n"), "DIVIDER_TWICE", 8),
        (b"f.rst\n" + block(b"Summary\n=======\n"), "DIVIDER_TWICE", 5),
        (b"f.py\n" + block(b"a\n", b"b\n=======\nc\n"), "DIVIDER_TWICE", 6),
        (b"f.py\n" + block() + b"c\n>>>>>>> REPLACE\n", "MARKER_STRAY", 8),
        (b"<<<<<<< SEARCH f.py\na\n=======\nb\n>>>>>>> REPLACE\n", "MARKER_STRAY", 1),
        (b"f.py\n```\n" + block() + b"c\n```\n", "TEXT_BEHIND", 8),
    ],
)  # fmt: skip
def test_what_is_uncertain_is_refused_by_its_line(text: bytes, code: str, line: int | None) -> None:
    error = refusal(text)
    assert (error.code, error.details.get("line")) == (code, line)


def test_b35_a_marker_is_a_whole_line() -> None:
    before = b"see >>>>>>> REPLACE in docs\n<<<<<<< SEARCHED\n= = =\n====\n==========\n-- SEARCH\n"
    assert parse(b"f.md\n" + block(before, b"\\1 $& &lt;\n")).edits == (edit("f.md", before, b"\\1 $& &lt;\n"),)


def test_b14_content_is_split_at_lf_only() -> None:
    before = b"a\rb\x0c\xe2\x80\xa8\n\xff\x00\r\n"
    assert parse(b"f.md\n" + block(before, b"")).edits == (edit("f.md", before, b""),)


@pytest.mark.parametrize(
    "text", [b"", b"x\n=======\n", b"--- SEARCH\n+x\n", b"diff --git a/f b/f\n--- SEARCH\n", b"see `<<<<<<< SEARCH`\n"]
)
def test_other_texts_are_not_recognised(text: bytes) -> None:
    assert not recognises(text)


TEXTS = st.lists(st.binary(max_size=8).filter(lambda line: b"\n" not in line), max_size=4).map(
    lambda lines: b"".join(b"|" + line + b"\n" for line in lines)
)


@given(st.lists(st.tuples(st.sampled_from(["a.py", "b/c", "d"]), TEXTS, TEXTS), min_size=1, max_size=4))
def test_rendered_blocks_are_read_as_they_were(blocks: list[tuple[str, bytes, bytes]]) -> None:
    rendered = b"\n".join(
        b"`%b`\n```\n" % path.encode() + block(before, after) + b"```\n" for path, before, after in blocks
    )
    assert parse(rendered).edits == tuple(edit(path, before, after) for path, before, after in blocks)


LINES = st.sampled_from(
    [
        b"<<<<<<< SEARCH",
        b"=======",
        b">>>>>>> REPLACE",
        b"------- SEARCH",
        b"+++++++ REPLACE",
        b"```",
        b"f.py",
        b"",
        b"x",
    ]
)


@given(st.lists(LINES | st.binary(max_size=6), max_size=14).map(b"\n".join) | st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    recognises(text)
    with suppress(RedlineError):
        assert parse(text).edits
    with suppress(MalformedEdit):
        parse(text, path=RepoPath("f"))


@pytest.mark.parametrize("line", [b"# a.py", b"a.py", b"# src/a.py", b"<!-- a.py -->", b"// a.py"])
def test_a_new_files_first_line_that_is_its_name_is_left_out_and_noted(line: bytes) -> None:
    text = b"src/a.py\n<<<<<<< SEARCH\n=======\n" + line + b"\nx = 1\n>>>>>>> REPLACE\n"
    outcome = applied(text, {})
    assert (outcome.tree["src/a.py"].data, outcome.leniencies) == (b"x = 1\n", ("NAME_LINE_DROPPED",))


@pytest.mark.parametrize("line", [b"# see a.py", b"import a", b'"""a.py"""'])
def test_a_new_files_first_line_that_says_more_stays(line: bytes) -> None:
    text = b"src/a.py\n<<<<<<< SEARCH\n=======\n" + line + b"\nx = 1\n>>>>>>> REPLACE\n"
    assert tree(text, {}) == {"src/a.py": line + b"\nx = 1\n"}
