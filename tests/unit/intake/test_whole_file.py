from __future__ import annotations

import pytest
from tests.unit.intake.support import code, tree

from redline.intake.detect import read
from redline.intake.whole_file import recognises


@pytest.mark.parametrize(
    "data",
    [
        b"x",
        b"a\r\nb\rc\x0c",
        b"\xff\xfe\0",
        b"```\n",
        b"\xef\xbb\xbfx\n",
        b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
    ],
)
def test_with_a_path_the_whole_text_is_the_content(data: bytes) -> None:
    assert tree(data, {"f": b"old"}, path="f") == {"f": data}
    assert tree(data, {}, path="new/f") == {"new/f": data}


@pytest.mark.parametrize(
    "path_line",
    [
        b"src/f.py",
        b"src/f.py:",
        b"`src/f.py`",
        b"`src/f.py`:",
        b"**src/f.py**",
        b"**src/f.py:**",
        b"**`src/f.py`**",
        b"**`src/f.py`:**",
        b"### src/f.py",
        b"# `src/f.py`",
        b"#src/f.py",
        b"*src/f.py*",
        b"  src/f.py",
        b"src/f.py  ",
        b"src/f.py\r",
        b"src/f.py\n",
    ],
)
@pytest.mark.parametrize("language", [b"", b"python", b" c++"])
def test_a_path_line_may_be_decorated(path_line: bytes, language: bytes) -> None:
    text = b"Here it is.\n\n" + path_line + b"\n```" + language + b"\nx = 1\n```\nThat is all.\n"
    assert tree(text, {}) == {"src/f.py": b"x = 1\n"}


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"a\r\n", b"\xff\0\r\x0c\n", b" ```\n", b"~~~\nx\n~~~\n", b"``\n", b"no ``` here\n"]
)
def test_content_between_the_fences_is_taken_byte_for_byte(data: bytes) -> None:
    assert tree(b"a.txt\n```\n" + data + b"```\n", {"a.txt": b"old\n"}) == {"a.txt": data}


def test_several_blocks_with_prose_between_them() -> None:
    text = b"First:\n\na.txt\n```\n1\n```\n\nand then\n\n`My File`\n~~~~ text\n2\n```\n~~~~\n\nDone - enjoy.\n"
    assert tree(text, {}) == {"a.txt": b"1\n", "My File": b"2\n```\n"}


def test_a_longer_fence_holds_a_shorter_one() -> None:
    text = b"README.md\n````markdown\n# T\n```python\nx\n```\n````\n"
    assert tree(text, {}) == {"README.md": b"# T\n```python\nx\n```\n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"README.md\n```markdown\n# T\n```python\nx\n```\nend\n```\n", "FENCE_AMBIGUOUS"),
        (b"README.md\n```\nintro\n```\nx\n```\nend\n```\n", "FENCE_WITHOUT_PATH"),
        (b"README.md\n```\nintro\n```\nsrc/x.py\n```\nend\n```\n", "FENCE_AMBIGUOUS"),
        (b"a.txt\n```\n1\n```\n\nRun:\n\n```\nmake\n```\n", "FENCE_WITHOUT_PATH"),
        (b"a.txt\n```\n1\n```\n\na.txt\n```\n2\n```\n", "PATH_TWICE"),
        (b"a.txt\n```\n1\n```\n\nSo `b.txt` becomes:\n```\n2\n```\n", "FENCE_WITHOUT_PATH"),
        (b"a.txt\n```\n1\n", "FENCE_OPEN"),
        (b"a.txt\n````\n1\n```\n", "FENCE_OPEN"),
        (b"a.txt\n```\n1\n```\n\nb.txt\n```diff\n-1\n```\n", "FENCE_IS_DIFF"),
        (b"`../a`\n```\n1\n```\n", "PATH_TRAVERSAL"),
        (b"`a\xff`\n```\n1\n```\n", "PATH_ENCODING"),
    ],
)
def test_an_uncertain_block_is_refused(text: bytes, expected: str) -> None:
    assert code(text) == expected


def test_b35_a_language_word_never_becomes_a_file() -> None:
    assert code(b"```markdown\nREADME.md\n```\n") == "FORMAT_UNKNOWN"
    assert code(b"markdown\n```\nx\n```\n", format="whole-file") == "FENCE_WITHOUT_PATH"
    assert code(b"no fence at all\n", format="whole-file") == "NO_FILES"


@pytest.mark.parametrize(
    "opener", [b"```python src/f.py", b"```src/f.py", b"src/f.py\n```py src/f.py", b"Look:\n``` src/f.py\r"]
)
def test_a_path_may_stand_behind_the_fence(opener: bytes) -> None:
    assert tree(b"Here:\n\n" + opener + b"\nx = 1\n```\nDone.\n", {}) == {"src/f.py": b"x = 1\n"}


def test_dotfiles_and_emphasised_words_are_paths() -> None:
    assert tree(b".gitignore\n```\nx\n```\n\n**Makefile**\n```\ny\n```\n", {}) == {
        ".gitignore": b"x\n",
        "Makefile": b"y\n",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a.txt\n```text b.txt\n1\n```\n", "PATH_UNCLEAR"),
        (b"a.txt\n```vb.net\n1\n```\n\n```vb.net\n1\n```\n", "FENCE_WITHOUT_PATH"),
        (b"**New file: a.txt**\n```\n1\n```\n", "FENCE_WITHOUT_PATH"),
        (b"a.txt\n```\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n```\n", "FENCE_IS_BLOCK"),
        (b"README.md\n```\n# T\n```python a.py\nx\n```\nend\n```\n", "FENCE_AMBIGUOUS"),
    ],
)
def test_what_is_no_clear_file_is_refused(text: bytes, expected: str) -> None:
    assert code(text, format="whole-file") == expected


@pytest.mark.parametrize("content", [b"<<<<<<< SEARCH\n", b"a.py\n<<<<<<< SEARCH\n", b"------- SEARCH\n"])
def test_a_search_block_is_not_taken_for_a_file(content: bytes) -> None:
    assert not recognises(b"a.py\n```\n" + content + b"1\n=======\n2\n>>>>>>> REPLACE\n```\n")


def test_a_block_may_hold_a_diff_file() -> None:
    assert tree(b"fix.patch\n```diff\n-1\n+2\n```\n", {}) == {"fix.patch": b"-1\n+2\n"}


def test_the_reading_names_its_paths() -> None:
    assert read(b"b.txt\n```\n```\n\na.txt\n```\n```\n").paths == ("a.txt", "b.txt")
