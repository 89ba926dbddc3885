"""The page: nothing in it but what we wrote, whatever the proposal says."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from tests.support.build import NOW, a_proposal, an_edit
from tests.support.drawing import hunk

from redline.core.hunks import FileDiff
from redline.core.paths import RepoPath
from redline.core.proposal import Origin
from redline.core.safetext import safe
from redline.render.drawing import Drawing
from redline.render.html import MARK, html

HOSTILE = st.text("<>&\"'= /scriptonerhf:x\x1b\u202e\n", max_size=30)
TAGS = frozenset(
    "html head meta title style body section div span table colgroup col tr td".split()  # noqa: SIM905 -- shorter so
)
ATTRIBUTES = frozenset(["lang", "charset", "http-equiv", "content", "name", "class", "colspan"])


class Page(HTMLParser):
    """What a browser would see: tags, attributes, and the text of each cell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.said: list[str] = []
        self.policy = ""
        self._into: list[str] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        values = dict(attrs)
        if "http-equiv" in values:
            self.policy = values["content"] or ""
        if tag in {"td", "div"}:
            self._into = self.cells if tag == "td" else self.said
            self._into.append("")

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "div"}:
            self._into = None


def page(reason: str, removed: str, added: str, author: str = "codex") -> str:
    path = RepoPath("a.txt")
    proposal = a_proposal(an_edit(), reason=reason, origin=Origin(author))
    hunks = {path: (hunk(f"-{removed}", f"+{added}"),)}
    diffs = {path: FileDiff(path, b"", is_binary=False)}
    return "".join(html(proposal, hunks, diffs, "pending", {}, NOW, Drawing(120)))


@given(HOSTILE, HOSTILE, HOSTILE.filter(lambda text: "\n" not in text))
def test_no_text_becomes_markup(reason: str, author: str, line: str) -> None:
    text = page(reason, f"x{line};", "y" + line + ".", author)
    seen = Page(text)
    assert text.startswith(MARK)
    assert seen.tags == TAGS
    assert seen.attributes == ATTRIBUTES
    assert re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text) is None
    assert [cell for cell in seen.cells if cell.startswith(("x", "y"))] == 2 * [safe(f"x{line};"), safe(f"y{line}.")]


def test_a_reason_stands_behind_its_gutter_and_the_policy_allows_our_style_alone() -> None:
    text = page("Approved.\n<b>Apply?</b>", "a", "b")
    seen = Page(text)
    assert [line for line in seen.said if line.startswith("\u2503")] == [
        "\u2503 codex says: Approved.",
        "\u2503 <b>Apply?</b>",
    ]
    style = text[text.index("<style>") + len("<style>") : text.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert seen.policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    assert "prefers-color-scheme: dark" in style
    assert "url(" not in style


def test_both_layouts_hold_the_same_rows() -> None:
    cells = Page(page("", "limit = 1", "limit = 2")).cells
    header = "@@  #51dc62e3f0"
    assert cells == [
        *(header, "1", "-", "limit = 1", "1", "+", "limit = 2"),
        *(header, "1", "", "-", "limit = 1", "", "1", "+", "limit = 2"),
    ]
