"""The example conversation: a rename across forty files, taken in part with comments, proposed again, confirmed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from fixtures.refactor import agent, project

from redline import app
from redline.core.decision import Level
from redline.core.parts import Selection, parts_of
from redline.core.paths import RepoPath
from redline.core.reviewed import Comment, CommentKind, Reviewed
from tests.support.mcp_client import LEGACY, MODERN, connected, normal
from tests.support.sandbox import Sandbox

GOLDEN = Path(__file__).parent.parent / "golden" / "mcp" / "refactor.txt"
HISTORY, API = RepoPath("docs/history.md"), RepoPath("src/plugins/api.py")
PATIENCE_S = 45
COMMENTS = (
    Comment(HISTORY, 3, CommentKind.NOTE, "History stays as it was written."),
    Comment(API, 3, CommentKind.ISSUE, "Plugins import this name: keep it as an alias until 2.0."),
)


@pytest.fixture
def sample(tmp_path: Path) -> Sandbox:
    root = tmp_path / "sample"
    root.mkdir()
    project.write(str(root))
    sandbox = Sandbox(root)
    sandbox.redline("init")
    sandbox.allow_level_none()
    return sandbox


def take_in_part(sandbox: Sandbox) -> None:
    """The person takes all but two files, and says why."""
    with app.person(str(sandbox.root), app.World()) as redline:
        (row,) = redline.viewer.rows(pending_only=True, wanted=lambda _: True)
        view = redline.viewer.preview(row.listed.proposal.id)
        assert len(view.proposal.changes) == 40 + 1  # the moved file is one change at each of its two paths
        taken = [part.name for part in parts_of(view.proposal.changes, view.hunks) if part.path not in {HISTORY, API}]
        reviewed = Reviewed(comments=COMMENTS)
        reason = "Two files are not ready for it."
        redline.desk.confirm(
            view.proposal.id, view.proposal.digest, Level.NONE, Selection(frozenset(taken)), reviewed, reason
        )


def take_the_rest(sandbox: Sandbox) -> None:
    (row,) = sandbox.redline("list", "--json").json["proposals"]
    assert sandbox.confirm(row["proposal"]).code == 0


async def decide(sandbox: Sandbox, said: list[str]) -> None:
    """Act when the agent waits, and only then."""
    for number, act in enumerate((take_in_part, take_the_rest), start=1):
        while said.count("\u2192 await_decision") < number:
            await anyio.sleep(0.05)
        await anyio.to_thread.run_sync(act, sandbox)


def converse(sandbox: Sandbox, mode: str, said: list[str]) -> None:
    async def whole() -> None:
        with anyio.fail_after(PATIENCE_S):
            async with connected(sandbox.root, mode) as client, anyio.create_task_group() as tasks:
                tasks.start_soon(decide, sandbox, said)
                await agent.rename(client, str(sandbox.root), said.append)

    anyio.run(whole)


def expected() -> dict[str, str]:
    """Every file as the person wants it in the end."""

    def renamed(text: str) -> str:
        return text.replace("gui.window", "gui.span").replace("Window", "Span")

    files = {path: renamed(text) for path, text in project.files().items()}
    files["src/gui/span.py"] = files.pop("src/gui/window.py")
    files[HISTORY] = project.HISTORY
    files[API] = project.API.replace(
        "from gui.window import Window", f"from gui.span import Span{agent.ALIAS}"
    ).replace('["Window"]', '["Span", "Window"]')
    return files


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_a_rename_is_taken_in_part_and_then_the_rest(
    sample: Sandbox, mode: str, request: pytest.FixtureRequest
) -> None:
    said: list[str] = []
    converse(sample, mode, said)
    found = {path: data.decode() for path, (_, data) in sample.tree().items()}
    assert found == expected()
    text = normal("\n".join(said) + "\n")
    if request.config.getoption("--golden-write"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
    rows = sample.redline("list", "--status", "all", "--json").json["proposals"]
    origins = {(row["origin"]["author"], row["origin"]["session"]) for row in rows}
    assert len(origins) == 1
    assert sample.redline("verify").code == 0
    ran = [sys.executable, "-c", "import gui, gui.panels.panel_34, plugins.api; print(plugins.api.Window(1, 2))"]
    run = subprocess.run(
        ran,
        cwd=sample.root / "src",
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=True,
    )
    assert run.stdout == b"Span(1, 2)\n"
