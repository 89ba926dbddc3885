"""What recovery says of bytes that are not its own: whether they were met on the way back, or while it cleared up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.desks import in_memory

from redline.core.decision import Level
from redline.core.kept import Kept
from redline.core.paths import RepoPath
from redline.errors import RecoveryIncomplete

if TYPE_CHECKING:
    from pathlib import Path

A = RepoPath("a.txt")
EDIT = json.dumps(
    {"schema": "redline.edit/1", "edits": [{"op": "write", "path": "a.txt", "content": "new\n"}]}
).encode()
STAYS, COPY = Kept(A, None), Kept(A, "kept/0")
ENDED = "an earlier write has ended, but somebody else wrote to its files meanwhile"
BACK = "an interrupted write was taken back, but "


class Died(BaseException):
    """The process ends in the middle of a write."""


@pytest.mark.parametrize(
    ("on_the_way_back", "in_the_end", "said"),
    [
        (None, (COPY,), f"{ENDED}: {COPY.text}"),
        ((), (COPY,), f"{BACK}somebody else wrote to its files meanwhile: {COPY.text}"),
        ((STAYS,), (COPY,), f"{BACK}not everything is as before: {STAYS.text}; {COPY.text}"),
    ],
)
def test_what_was_met_is_said_truly(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    on_the_way_back: tuple[Kept, ...] | None,
    in_the_end: tuple[Kept, ...],
    said: str,
) -> None:
    desks, _, guard = in_memory(str(tmp_path / ".proposals"), a_txt=b"old\n")
    proposal = desks.propose(EDIT)
    if on_the_way_back is not None:
        guard.fails_before, guard.fault = 0, Died
        with pytest.raises(Died):
            desks.user().confirm(proposal.id, proposal.digest, Level.NONE)
    monkeypatch.setattr(guard, "unsettled", lambda _: ("0" * 16,) if on_the_way_back is None else ())
    monkeypatch.setattr(guard, "roll_back", lambda *_: on_the_way_back)
    monkeypatch.setattr(guard, "tidy", lambda *_: in_the_end)
    with pytest.raises(RecoveryIncomplete) as stopped:
        desks.user().confirm(proposal.id, proposal.digest, Level.NONE)
    assert stopped.value.message == said
