"""Whatever bytes a change brings, its findings are about lines that are new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.findings import examine
from redline.core.paths import RepoPath

_TELLING = "ab scope_1I\u0430\u0441\u043e\u0435\u200b\u202e\u05d0\ufb01\u0301\u00a0\ufeff\t\r\x1b\u03b1\u1100\u1161"
_LINES = st.lists(st.text(st.sampled_from(_TELLING)) | st.text(max_size=8), max_size=8)
_TEXTS = _LINES.map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass")) | st.binary(max_size=40)


@given(_TEXTS, _TEXTS, st.sampled_from(["a.py", "a.md", "data", ".gitattributes"]))
def test_a_finding_with_a_line_names_a_new_one(before: bytes, after: bytes, path: str) -> None:
    change = ContentChange(RepoPath(path), Content(before, Mode.REGULAR), Content(after, Mode.REGULAR))
    old, now = before.removeprefix(b"\xef\xbb\xbf").split(b"\n"), after.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for finding in examine((change,)):
        if finding.line is not None:
            assert now[finding.line - 1] not in old
