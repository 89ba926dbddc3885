"""While files move, git and programs that write are held off; and what they hold stops the write."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.sandbox import edit, replace, write
from tests.support.workplace import TX

from redline import app
from redline.adapters.worktree import staging
from redline.adapters.worktree.index_lock import IndexLock
from redline.core.decision import Level
from redline.core.lifecycle import PENDING, Outcome
from redline.core.paths import RepoPath
from redline.core.proposal import Origin
from redline.errors import LockHeld, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.sandbox import Sandbox

    from redline.app import PersonApp

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="read leases are Linux's own (fcntl(2))")


@contextmanager
def wired(sandbox: Sandbox) -> Iterator[tuple[PersonApp, str]]:
    """The person's side, and the id of a proposal that edits one file and creates another."""
    app.initialise(str(sandbox.root), app.World(), adopt=False)
    with app.person(str(sandbox.root), app.World()) as redline:
        proposal = sandbox.propose(edit(replace("a.txt", "two", "zwei"), write("new/c.txt", "c\n")))
        yield redline, proposal


def confirm(redline: PersonApp, proposal: str) -> Outcome:
    shown = redline.viewer.preview(proposal).displayed
    return redline.desk.confirm(proposal, shown, Level.TTY).filed.receipt.outcome


def held_file(path: str, how: str) -> subprocess.Popen[bytes]:
    """A process that keeps the file open until its standard input closes; returned once it is open."""
    script = f"import sys; file = open({path!r}, {how!r}); print('open', flush=True); sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    return process


@linux_only
@pytest.mark.parametrize("how", ["r+", "a"])
def test_a_file_that_another_program_has_open_for_writing_is_left_alone(sandbox: Sandbox, how: str) -> None:
    with wired(sandbox) as (redline, proposal):
        before = sandbox.tree()
        with (
            held_file(str(sandbox.root / "a.txt"), how),
            pytest.raises(LockHeld, match=r"a\.txt is open for") as caught,
        ):
            confirm(redline, proposal)
        assert caught.value.code == "FILE_IN_USE"
        assert (sandbox.tree(), redline.viewer.preview(proposal).status) == (before, PENDING)
        assert not (sandbox.root / ".git" / "index.lock").exists()
        assert confirm(redline, proposal) is Outcome.APPLIED
        assert redline.verify() == ()


@linux_only
def test_a_reader_does_not_stand_in_the_way(sandbox: Sandbox) -> None:
    with wired(sandbox) as (redline, proposal), held_file(str(sandbox.root / "a.txt"), "r"):
        assert confirm(redline, proposal) is Outcome.APPLIED


@linux_only
def test_a_writer_that_comes_while_files_move_waits_and_its_bytes_count(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The appender opens the file after it was leased and before it is exchanged: its line must not be lost."""
    with wired(sandbox) as (redline, proposal):
        target = sandbox.root / "a.txt"
        script = f"open({str(target)!r}, 'a').write('mine\\n')"
        writers: list[subprocess.Popen[bytes]] = []

        def come_now(exchange_step: Callable[..., None]) -> Callable[..., None]:
            def step(*arguments: object) -> None:
                writers.append(subprocess.Popen([sys.executable, "-c", script]))
                time.sleep(0.3)
                exchange_step(*arguments)

            return step

        from redline.adapters.worktree.exchange import AtomicExchange

        monkeypatch.setattr(AtomicExchange, "swap", come_now(AtomicExchange.swap))
        outcome = confirm(redline, proposal)
        monkeypatch.undo()
        assert [writer.wait() for writer in writers] == [0] * len(writers)
        assert outcome is Outcome.STALE
        assert target.read_bytes() == b"one\ntwo\nthree\n" + b"mine\n" * len(writers)
        assert not (sandbox.root / "new").exists()


def test_other_names_of_a_file_are_told_of_and_keep_the_old_content(sandbox: Sandbox) -> None:
    os.link(sandbox.root / "a.txt", sandbox.root / "other.txt")
    with wired(sandbox) as (redline, proposal):
        (finding,) = redline.viewer.preview(proposal).proposal.findings
        assert (finding.code, finding.path, "one of 2 names" in finding.text) == ("HARD_LINK", "a.txt", True)
        assert confirm(redline, proposal) is Outcome.APPLIED
        assert (sandbox.read("a.txt"), sandbox.read("other.txt")) == (b"one\nzwei\nthree\n", b"one\ntwo\nthree\n")


def test_a_read_only_file_is_refused_when_proposed_and_when_confirmed(sandbox: Sandbox) -> None:
    with wired(sandbox) as (redline, proposal):
        os.chmod(sandbox.root / "a.txt", 0o444)
        before = sandbox.tree()
        refused = sandbox.redline("propose", "--json", stdin=json.dumps(edit(replace("a.txt", "one", "eins"))).encode())
        assert (refused.code, refused.json["error"]["code"]) == (5, "PATH_READ_ONLY")
        with pytest.raises(WriteFailed) as caught:
            confirm(redline, proposal)
        assert_not_begun(caught.value, "a.txt is read-only, or its folder is", proposal)
        assert (sandbox.tree(), (sandbox.root / ".proposals" / "tx").exists()) == (before, False)
        assert redline.viewer.preview(proposal).status == PENDING
        os.chmod(sandbox.root / "a.txt", 0o644)
        assert confirm(redline, proposal) is Outcome.APPLIED


def test_a_disk_that_is_full_before_anything_moves_ends_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wired(sandbox) as (redline, proposal):
        before = sandbox.tree()

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(staging, "_write_all", full)
            with pytest.raises(WriteFailed) as caught:
                confirm(redline, proposal)
        assert_not_begun(caught.value, "the new content could not be staged: No space left on device", proposal)
        assert (sandbox.tree(), os.listdir(sandbox.root / ".proposals" / "tx")) == (before, [])
        assert [entry.kind for entry in redline.viewer.history(proposal)] == ["proposed"]
        assert confirm(redline, proposal) is Outcome.APPLIED


def assert_not_begun(failure: WriteFailed, why: str, proposal: str) -> None:
    assert failure.message == f"nothing was written: {why}"
    assert failure.hint == f"Put that right, then `redline confirm {proposal[:7]}` again: it is still pending."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write in any folder")
def test_a_read_only_folder_is_refused(sandbox: Sandbox) -> None:
    os.chmod(sandbox.root / "src", 0o555)
    refused = sandbox.redline("propose", "--json", stdin=json.dumps(edit(write("src/new.py", "x\n"))).encode())
    os.chmod(sandbox.root / "src", 0o755)
    assert (refused.code, refused.json["error"]["code"]) == (5, "PATH_READ_ONLY")


def test_gits_lock_stops_the_write_and_is_never_removed(sandbox: Sandbox) -> None:
    with wired(sandbox) as (redline, proposal):
        lock = sandbox.root / ".git" / "index.lock"
        lock.write_bytes(b"git's own")
        before = sandbox.tree()
        with pytest.raises(LockHeld) as caught:
            confirm(redline, proposal)
        assert (caught.value.code, str(lock) in caught.value.message) == ("INDEX_LOCKED", True)
        assert (sandbox.tree(), lock.read_bytes()) == (before, b"git's own")
        assert redline.viewer.preview(proposal).status == PENDING
        lock.unlink()
        assert confirm(redline, proposal) is Outcome.APPLIED


def test_a_git_that_is_done_in_time_is_waited_for(sandbox: Sandbox) -> None:
    with wired(sandbox) as (redline, proposal):
        lock = sandbox.root / ".git" / "index.lock"
        lock.write_bytes(b"")
        timer = threading.Timer(0.5, lock.unlink)
        timer.start()
        assert confirm(redline, proposal) is Outcome.APPLIED
        timer.join()


def test_git_cannot_commit_while_files_move(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with wired(sandbox) as (redline, proposal):
        from redline.adapters.worktree.exchange import AtomicExchange

        swap, codes = AtomicExchange.swap, list[int]()

        def commit_too(*arguments: object) -> None:
            swap(*arguments)  # type: ignore[arg-type]
            add = subprocess.run(["git", "add", "-A"], cwd=sandbox.root, capture_output=True, check=False)
            codes.append(add.returncode)

        monkeypatch.setattr(AtomicExchange, "swap", commit_too)
        assert confirm(redline, proposal) is Outcome.APPLIED
        monkeypatch.undo()
        assert codes[-1] == 128
        assert not (sandbox.root / ".git" / "index.lock").exists()
        assert sandbox.git("add", "-A") == b""


def test_a_lock_that_a_dead_redline_left_is_removed_by_recovery(sandbox: Sandbox) -> None:
    with wired(sandbox) as (redline, proposal):
        lock = sandbox.root / ".git" / "index.lock"
        child = os.fork()
        if child == 0:
            from redline.adapters.worktree.exchange import AtomicExchange

            AtomicExchange.rename_new = lambda *_: os._exit(9)  # type: ignore[method-assign]
            with app.person(str(sandbox.root), app.World()) as dying:
                confirm(dying, proposal)
        os.waitpid(child, 0)
        assert lock.read_bytes().startswith(b"redline ")
        assert redline.recover().rolled_back == (proposal,)
        assert not lock.exists()
        assert sandbox.git("status", "--porcelain") == b""


def test_a_linked_worktree_has_a_lock_of_its_own(sandbox: Sandbox) -> None:
    linked = sandbox.root.parent / "linked"
    sandbox.git("worktree", "add", "-q", str(linked))
    (sandbox.root / ".git" / "index.lock").write_bytes(b"the main work tree's")
    app.initialise(str(linked), app.World(), adopt=False)
    with app.person(str(linked), app.World()) as redline:
        request = app.request(
            text=b"hello\n",
            origin=Origin("test"),
            format=None,
            path=RepoPath("c.txt"),
            strip=None,
            reason="",
            lifetime=None,
        )
        proposal = redline.model.prepare(request).proposal.id
        own = sandbox.root / ".git" / "worktrees" / "linked" / "index.lock"
        own.write_bytes(b"")
        with pytest.raises(LockHeld, match="worktrees/linked"):
            confirm(redline, proposal)
        own.unlink()
        assert confirm(redline, proposal) is Outcome.APPLIED
    assert (linked / "c.txt").read_bytes() == b"hello\n"


def test_a_lock_that_could_not_be_filled_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another file system than the journal's it is made in place: empty, nobody would know whose it is."""
    tx_fd = os.open(tmp_path, os.O_RDONLY)
    (tmp_path / "git").mkdir()
    real = os.write

    def full(fd: int, data: bytes) -> int:
        if os.path.exists(tmp_path / "git" / "index.lock"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(fd, data)

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", no_link)
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            IndexLock(str(tmp_path / "git")).acquire(TX, tx_fd)
    os.close(tx_fd)
    assert os.listdir(tmp_path / "git") == []


def test_a_strangers_folder_among_the_transactions_stops_nothing(sandbox: Sandbox) -> None:
    with wired(sandbox) as (redline, proposal):
        stray = sandbox.root / ".proposals" / "tx" / "0123456789abcdef"
        stray.mkdir(parents=True)
        (stray / "0").write_bytes(b"mine")
        assert confirm(redline, proposal) is Outcome.APPLIED
        kept = sandbox.root / ".proposals" / "kept"
        assert [path.read_bytes() for path in kept.iterdir()] == [b"mine"]
        assert not stray.exists()
