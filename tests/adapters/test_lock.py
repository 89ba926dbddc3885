"""One writer at a time, and no interrupt in the middle (guarded-write E; flock(2))."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from redline.adapters.worktree.lock import ProposalsLock
from redline.adapters.worktree.signals import held_back
from redline.core.held import Held
from redline.errors import EnvironmentFault, JournalFault, LockHeld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".proposals"
    made.mkdir(mode=0o700)
    return made


@contextmanager
def _another_process_holds(folder: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    script = """
import sys, time
from redline.adapters.worktree.lock import ProposalsLock
with ProposalsLock(sys.argv[1]).hold():
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""
    command = [sys.executable, "-c", script, str(folder), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_lock_is_a_private_file_that_stays(folder: Path) -> None:
    lock = ProposalsLock(str(folder))
    for _ in range(2):
        with lock.hold() as held:
            assert held == Held(str(folder / "lock"))
        assert [path.name for path in folder.iterdir()] == ["lock"]
    assert (folder / "lock").stat().st_mode & 0o777 == 0o600


def test_a_second_process_waits_its_turn(folder: Path) -> None:
    with _another_process_holds(folder, 0.4):
        began = time.monotonic()
        with ProposalsLock(str(folder)).hold():
            assert 0.2 < time.monotonic() - began < 5


@pytest.mark.kill
def test_a_process_that_dies_frees_it_at_once(folder: Path) -> None:
    with _another_process_holds(folder, 60) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        began = time.monotonic()
        with ProposalsLock(str(folder)).hold():
            assert time.monotonic() - began < 1


def test_a_process_that_keeps_it_too_long_is_told_of(folder: Path) -> None:
    with _another_process_holds(folder, 60):
        with pytest.raises(LockHeld) as refusal, ProposalsLock(str(folder), timeout_s=0.2).hold():
            pass
        assert refusal.value.message == f"another redline has held {folder / 'lock'} for 0 s"


def test_a_child_does_not_inherit_it(folder: Path) -> None:
    with ProposalsLock(str(folder)).hold():
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        with ProposalsLock(str(folder), timeout_s=0.5).hold():
            pass
    finally:
        child.kill()
        child.wait()


def test_it_is_freed_after_an_error_and_leaks_no_descriptor(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(KeyError), ProposalsLock(str(folder), timeout_s=0.2).hold():
            raise KeyError
    assert len(os.listdir("/proc/self/fd")) == before


def test_eight_threads_never_hold_it_together(folder: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(20):
            with ProposalsLock(str(folder)).hold():
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), set(most)) == (160, {1})


def test_a_lock_that_is_a_link_is_never_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "lock").symlink_to(tmp_path / "outside")
    with pytest.raises(EnvironmentFault) as refusal, ProposalsLock(str(folder)).hold():
        pass
    assert refusal.value.code == "LOCK_UNUSABLE"
    assert not (tmp_path / "outside").exists()


def test_a_folder_that_is_missing_or_a_link_is_a_journal_fault(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    for path, code in ((tmp_path / "none", "JOURNAL_MISSING"), (tmp_path / "link", "JOURNAL_UNTRUSTED")):
        with pytest.raises(JournalFault) as refusal, ProposalsLock(str(path)).hold():
            pass
        assert refusal.value.code == code
    assert list(folder.iterdir()) == []


def test_a_file_system_without_flock_is_said_to_lack_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(EnvironmentFault) as refusal, ProposalsLock(str(folder)).hold():
        pass
    assert (refusal.value.code, refusal.value.message) == (
        "LOCK_UNUSABLE",
        f"{folder / 'lock'} cannot be locked: No locks available",
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_is_held_back_and_told(number: signal.Signals) -> None:
    inherited = signal.signal(number, signal.SIG_DFL)  # who runs the tests may ignore it, as nohup does
    try:
        with held_back() as interrupted:
            assert not interrupted()
            os.kill(os.getpid(), number)
            time.sleep(0.01)
            assert interrupted()
    finally:
        signal.signal(number, inherited)


def test_handlers_are_as_before_afterwards_also_after_an_error() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]

    def fail() -> None:
        with held_back():
            assert signal.getsignal(signal.SIGTERM) is not before[1]
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    # nohup, and background jobs of a script
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with held_back() as interrupted:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.01)
            assert not interrupted()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, previous)


def test_outside_the_main_thread_nothing_is_held_back() -> None:
    answers: list[bool] = []

    def work() -> None:
        with held_back() as interrupted:
            answers.append(interrupted())

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (answers, signal.getsignal(signal.SIGTERM)) == ([False], before)
