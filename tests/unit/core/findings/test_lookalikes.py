"""S37: words that are not what they look like are told, never refused."""

from __future__ import annotations

import unicodedata

import pytest

from redline.core.change import ContentChange
from redline.core.confusables import LOOKALIKES, skeleton_of_word
from redline.core.content import Content, Mode
from redline.core.findings import examine
from redline.core.notes import Finding, Severity
from redline.core.paths import RepoPath

MIXED = "p\u0430ssword"
SCOPE = "\u0455\u0441\u043e\u0440\u0435"
EVAL = "\U0001d41e\U0001d42f\U0001d41a\U0001d425"


def of(text: str, before: str = "", path: str = "a.py") -> list[Finding]:
    old, new = Content(before.encode(), Mode.REGULAR), Content(text.encode(), Mode.REGULAR)
    return [finding for finding in examine((ContentChange(RepoPath(path), old, new),)) if finding.code == "CONFUSABLE"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"x = {MIXED}\n", f'"{MIXED}" mixes Cyrillic and Latin (U+0430 looks like a)'),
        ("admin\u0455\n", '"admin\u0455" mixes Cyrillic and Latin (U+0455 looks like s)'),
        ("\u03bfs_path\n", '"\u03bfs_path" mixes Greek and Latin (U+03BF looks like o)'),
        (f"scope = {SCOPE}\n", f'"scope" looks like "{SCOPE}" of the same file (U+0073 for U+0455)'),
        (f"{EVAL}('x')\n", f'"{EVAL}" is eval to Python (U+1D41E)'),
        ("\ufb01le = 1\n", '"\ufb01le" is file to Python (U+FB01)'),
    ],
)
def test_s37_a_deceptive_word_is_told(text: str, why: str) -> None:
    said = f"1 line with letters that look like others, first at line 1: {why}"
    assert of(text) == [Finding("CONFUSABLE", Severity.SENSITIVE, said, RepoPath("a.py"), 1)]


@pytest.mark.parametrize(
    "text",
    [
        "plain = 1\n",
        "\u0441\u043b\u043e\u0432\u043e = 1\n",
        "na\u00efve = caf\u00e9\n",
        "\u65e5\u672c\u8a9etext = 1\n",
        "\u0394t = \u03b1_1 + x_\u03bc\n",
        "x\u00b2 = 1\n",
        "l1 = ll = I1\n",
    ],
)
def test_s37_honest_words_are_not(text: str) -> None:
    assert of(text) == []


def test_s37_a_new_word_may_be_the_twin_of_an_old_one() -> None:
    old = f"{SCOPE} = 1\n"
    (found,) = of(old + "scope = 2\n", before=old)
    assert (found.line, found.text.partition(": ")[2]) == (
        2,
        f'"scope" looks like "{SCOPE}" of the same file (U+0073 for U+0455)',
    )
    assert of(old + "other = 2\n", before=old) == []
    assert of(f"{MIXED}\nx\n", before=f"{MIXED}\n") == []


def test_s37_in_prose_only_mixed_words_count() -> None:
    assert of(f"scope {SCOPE} \ufb01le {EVAL}\n", path="a.md") == []
    assert len(of(f"{MIXED}\n", path="a.md")) == 1


def test_the_table_maps_letters_that_normalisation_leaves_to_single_ascii_letters() -> None:
    assert all(len(letter) == 1 and letter.isascii() and letter.isalnum() for letter in LOOKALIKES.values())
    assert all(unicodedata.normalize("NFKC", odd) == odd and not odd.isascii() for odd in LOOKALIKES)
    assert skeleton_of_word(SCOPE) == skeleton_of_word("scope") == "scope"
    assert skeleton_of_word("\u0406O0") == skeleton_of_word("1OO") == skeleton_of_word("lOO")
