"""When somebody asks to stop: before anything is filed the proposal stays pending; later the end is told with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.desks import in_memory

from redline.core.content import Content, Mode
from redline.core.decision import Level
from redline.core.kept import Kept
from redline.core.lifecycle import Outcome
from redline.core.paths import RepoPath
from redline.errors import GitFailed, LockHeld, RecoveryIncomplete

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.desks import Desks
    from tests.support.memory_tree import MemoryGuard, MemoryTree

    from redline.core.proposal import Proposal
    from redline.review.case import Ended
    from redline.review.decide import UserDesk

    Act = Callable[[UserDesk, Proposal], Ended | None]
    Parts = tuple[Desks, MemoryTree, MemoryGuard, Proposal]

A = RepoPath("a.txt")
EDIT = json.dumps(
    {"schema": "redline.edit/1", "edits": [{"op": "replace", "path": "a.txt", "before": "two", "after": "zwei"}]}
).encode()
DELETION = json.dumps({"schema": "redline.edit/1", "edits": [{"op": "delete", "path": "a.txt"}]}).encode()


def confirm(desk: UserDesk, proposal: Proposal) -> Ended:
    return desk.confirm(proposal.id, proposal.digest, Level.NONE)


def lapse(desk: UserDesk, proposal: Proposal) -> Ended | None:
    return desk.lapse(proposal.id)


def decline(desk: UserDesk, proposal: Proposal) -> Ended:
    return desk.decline(proposal.id, "no")


def parts(tmp_path: Path, text: bytes = EDIT) -> Parts:
    desks, tree, guard = in_memory(str(tmp_path / ".proposals"), a_txt=b"one\ntwo\n")
    return desks, tree, guard, desks.propose(text)


@pytest.mark.parametrize("text", [EDIT, DELETION], ids=["edit", "deletion"])
@pytest.mark.parametrize("drifted", [False, True])
@pytest.mark.parametrize("act", [confirm, lapse, decline])
def test_an_interrupt_while_nothing_is_filed_leaves_the_proposal_pending(
    tmp_path: Path, act: Act, drifted: bool, text: bytes
) -> None:
    desks, tree, guard, proposal = parts(tmp_path, text)
    if drifted:
        tree.put(A, Content(b"by hand\n", Mode.REGULAR))
    files, guard.is_interrupted = dict(tree.files), True
    with pytest.raises(KeyboardInterrupt):
        act(desks.user(), proposal)
    assert (tree.files, desks.receipts(), desks.unfinished()) == (files, {}, ())


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_git_that_the_same_ctrl_c_ended_is_no_refusal_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_interrupted: bool
) -> None:
    desks, _, guard, proposal = parts(tmp_path)
    desk = desks.user()

    def fail(*_: object) -> None:
        guard.is_interrupted = is_interrupted
        raise GitFailed("git diff ended with code -2: ")

    monkeypatch.setattr(desk, "_differ", type("Dead", (), {"compare": fail})())
    with pytest.raises(KeyboardInterrupt if is_interrupted else GitFailed):
        desk.confirm(proposal.id, {}, Level.NONE)
    assert desks.receipts() == {}


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_an_interrupt_while_another_program_holds_a_file_is_no_refusal_of_its_own(
    tmp_path: Path, is_interrupted: bool
) -> None:
    desks, _, guard, proposal = parts(tmp_path)

    def held() -> LockHeld:
        guard.is_interrupted = is_interrupted
        return LockHeld("a.txt is open")

    guard.fails_before, guard.fault = 0, held
    with pytest.raises(KeyboardInterrupt if is_interrupted else LockHeld):
        confirm(desks.user(), proposal)
    assert (desks.receipts(), desks.unfinished()) == ({}, ())


def test_an_interrupt_after_the_receipt_is_told_with_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desks, tree, guard, proposal = parts(tmp_path)
    tidy = guard.tidy

    def stop_now(*arguments: object) -> object:
        guard.is_interrupted = True
        return tidy(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(guard, "tidy", stop_now)
    ended = confirm(desks.user(), proposal)
    assert (ended.filed.receipt.outcome, ended.interrupted) == (Outcome.APPLIED, True)
    assert tree.files[A].data == b"one\nzwei\n"


@pytest.mark.parametrize(
    ("in_rollback", "state"),
    [
        ((), "another program wrote meanwhile: another version of a.txt is kept as kept/0"),
        (
            (Kept(A, None),),
            f"not everything is as before: {Kept(A, None).text}; another version of a.txt is kept as kept/0",
        ),
    ],
    ids=["tidied", "rolled back"],
)
def test_a_write_that_was_abandoned_says_what_was_found_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_rollback: tuple[Kept, ...], state: str
) -> None:
    desks, _, guard, proposal = parts(tmp_path)
    guard.fails_before, guard.fault = 0, KeyboardInterrupt
    monkeypatch.setattr(guard, "roll_back", lambda *_: in_rollback)
    monkeypatch.setattr(guard, "tidy", lambda *_: (Kept(A, "kept/0"),))
    with pytest.raises(RecoveryIncomplete) as caught:
        confirm(desks.user(), proposal)
    assert caught.value.message == f"interrupted by the person; the write was taken back, but {state}"
    assert desks.receipts() == {}


def test_without_an_interrupt_none_is_told(tmp_path: Path) -> None:
    desks, _, _, proposal = parts(tmp_path)
    assert not confirm(desks.user(), proposal).interrupted
