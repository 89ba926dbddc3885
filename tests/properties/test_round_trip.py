"""For any pair of contents: propose → confirm gives exactly *after*, and the stored *before* gives it back."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.sandbox import Sandbox

from redline import app
from redline.adapters.git.diff import DiffEngine
from redline.core.change import Change
from redline.core.content import Content, Mode, ObjectFormat
from redline.core.decision import Level
from redline.core.lifecycle import Outcome
from redline.core.paths import RepoPath
from redline.core.proposal import Origin
from redline.render.patch import patch

if TYPE_CHECKING:
    from redline.app import PersonApp

_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [b"", b"a", b"b", b"\r", b"x\r", b"--- a/x", b"+++ b/x", b"@@ -1 +1 @@", b"\\ No", b"\xff\xfe", b"\x0c"]
        ),
        st.binary(max_size=6),
    ),
    max_size=12,
)
_TEXT = st.builds(lambda lines, end: b"\n".join(lines) + (b"\n" if end and lines else b""), _LINES, st.booleans())
_SIDE = st.one_of(
    st.none(),
    st.builds(Content, st.one_of(_TEXT, st.binary(max_size=40)), st.sampled_from(list(Mode))),
)
_PATH = RepoPath("dir/a file.txt")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=_SIDE, after=_SIDE)
def test_confirm_gives_after_and_the_inverse_gives_before(before: Content | None, after: Content | None) -> None:
    if before == after:
        return
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox.make(Path(folder) / "repo")
        _put(sandbox, before)
        app.initialise(str(sandbox.root), app.World(), adopt=False)
        with app.person(str(sandbox.root), app.World()) as redline:
            first = _propose_and_confirm(redline, sandbox, before, after)
            assert _get(sandbox) == after
            _propose_and_confirm(redline, sandbox, after, before)
            assert _get(sandbox) == before
            assert redline.desk.confirm(first, redline.viewer.preview(first).displayed, Level.TTY).replayed
            assert redline.verify() == ()


def _propose_and_confirm(redline: PersonApp, sandbox: Sandbox, before: Content | None, after: Content | None) -> str:
    text = _patch(sandbox, before, after)
    request = app.request(
        text=text, origin=Origin("test"), format="diff", path=None, strip=None, reason="", lifetime=None
    )
    proposal = redline.model.prepare(request).proposal
    view = redline.viewer.preview(proposal.id)
    stored = patch(proposal.changes, view.diffs)
    sandbox.git("apply", "--check", "--whitespace=nowarn", "-", stdin=stored)
    ended = redline.desk.confirm(proposal.id, view.displayed, Level.TTY)
    assert ended.filed.receipt.outcome is Outcome.APPLIED
    return proposal.id


def _patch(sandbox: Sandbox, before: Content | None, after: Content | None) -> bytes:
    sides = [side for side in (before, after) if side is not None]
    contents = {side.sha256: side.data for side in sides}
    change = Change(
        _PATH,
        before.state(ObjectFormat.SHA1) if before is not None else None,
        after.state(ObjectFormat.SHA1) if after is not None else None,
    )
    return patch((change,), DiffEngine(str(sandbox.root)).compare([change], contents.__getitem__))


def _put(sandbox: Sandbox, content: Content | None) -> None:
    if content is not None:
        sandbox.write(_PATH, content.data, executable=content.mode is Mode.EXECUTABLE)


def _get(sandbox: Sandbox) -> Content | None:
    target = sandbox.root / _PATH
    if not target.exists():
        return None
    mode = Mode.EXECUTABLE if os.access(target, os.X_OK) and target.stat().st_mode & 0o100 else Mode.REGULAR
    return Content(target.read_bytes(), mode)
