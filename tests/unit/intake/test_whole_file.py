from __future__ import annotations

import pytest
from tests.unit.intake.support import code, tree

from redline.intake.detect import read


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


def test_a_block_may_hold_a_diff_file() -> None:
    assert tree(b"fix.patch\n```diff\n-1\n+2\n```\n", {}) == {"fix.patch": b"-1\n+2\n"}


def test_the_reading_names_its_paths() -> None:
    assert read(b"b.txt\n```\n```\n\na.txt\n```\n```\n").paths == ("a.txt", "b.txt")
