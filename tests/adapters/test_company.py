"""Others at work while the guard writes: who waits for a file, who moves a folder, how few files may be open."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.workplace import HELD, NEVER, Workplace

from redline.adapters.worktree import leases
from redline.adapters.worktree.descriptors import make_room
from redline.adapters.worktree.exchange import AtomicExchange
from redline.core.drift import DriftKind
from redline.core.kept import Kept
from redline.core.paths import RepoPath
from redline.errors import DriftFound, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from redline.core.plan import WritePlan

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="read leases are Linux's own (fcntl(2))")


@linux_only
def test_a_file_that_somebody_waits_to_write_into_is_kept_for_them(place: Workplace) -> None:
    """They found the file before it was displaced, and come just before the commit: later than the last look."""
    place.put("a", b"before")
    guard = place.guard()
    plan = place.plan(("a", b"before", b"after"))
    place.stage(guard, plan)
    found = os.open(place.root / "a", os.O_RDONLY)
    script = f"open('/proc/{os.getpid()}/fd/{found}', 'ab').write(b', and mine')"
    with guard.held_back() as interrupted:
        guard.write(HELD, plan, interrupted)
        with subprocess.Popen([sys.executable, "-c", script]) as writer:
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(timeout=0.5)
            kept = guard.tidy(HELD, plan)
            assert writer.wait() == 0
    os.close(found)
    assert kept == (Kept(RepoPath("a"), f".proposals/kept/{plan.tx}-0-0"),)
    assert (place.kept(), place.leftovers()) == ([b"before, and mine"], [])
    assert place.files()["a"][1] == b"after"


def _one_writes_and_one_has_drifted(place: Workplace) -> WritePlan:
    place.put("a", b"1\n")
    place.put("b", b"another\n")
    return place.plan(("a", b"1\n", b"2\n"), ("b", b"1\n", b"2\n"))


def act_before(step: int, act: Callable[[], object]) -> Callable[[], bool]:
    """The question between two files, at which somebody else acts."""
    asked: list[bool] = []

    def question() -> bool:
        asked.append(True)
        if len(asked) == step:
            act()
        return False

    return question


@linux_only
def test_a_writer_of_the_new_file_keeps_its_bytes_though_the_write_is_taken_back(place: Workplace) -> None:
    plan = _one_writes_and_one_has_drifted(place)
    guard = place.guard()
    place.stage(guard, plan)
    opened: list[int] = []
    with pytest.raises(DriftFound):
        guard.write(
            HELD, plan, act_before(2, lambda: opened.append(os.open(place.root / "a", os.O_WRONLY | os.O_APPEND)))
        )
    assert guard.roll_back(HELD, plan) == ()
    assert guard.tidy(HELD, plan) == (Kept(RepoPath("a"), f".proposals/kept/{plan.tx}-0-0"),)
    os.write(opened[0], b"mine\n")
    os.close(opened[0])
    assert (place.files()["a"][1], place.kept()) == (b"1\n", [b"2\nmine\n"])


def test_a_mode_that_is_given_before_the_exchange_is_a_drift(place: Workplace) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    guard = place.guard()
    place.stage(guard, plan)
    os.chmod(place.root / "a", 0o600)
    with pytest.raises(DriftFound, match="a has another mode"):
        guard.write(HELD, plan, NEVER)
    assert (guard.roll_back(HELD, plan), guard.tidy(HELD, plan)) == ((), ())
    assert place.files() == {"a": (0o600, b"1\n")}


def test_a_mode_that_is_given_to_the_new_file_outlives_its_being_taken_back(place: Workplace) -> None:
    plan = _one_writes_and_one_has_drifted(place)
    guard = place.guard()
    place.stage(guard, plan)
    with pytest.raises(DriftFound):
        guard.write(HELD, plan, act_before(2, lambda: os.chmod(place.root / "a", 0o600)))
    assert (guard.roll_back(HELD, plan), guard.tidy(HELD, plan)) == ((), ())
    assert place.files()["a"] == (0o600, b"1\n")


@linux_only
def test_a_mode_that_is_given_to_a_displaced_file_is_a_drift(place: Workplace) -> None:
    """A chmod that found the file before the exchange, and waited for it: no lease tells of that."""
    place.put("a", b"1\n")
    place.put("b", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"), ("b", b"1\n", b"2\n"))
    guard = place.guard()
    place.stage(guard, plan)
    slot = place.proposals / "tx" / plan.tx / "0"
    with pytest.raises(DriftFound, match="a has another mode"):
        guard.write(HELD, plan, act_before(2, lambda: os.chmod(slot, 0o600)))
    assert (guard.roll_back(HELD, plan), guard.tidy(HELD, plan)) == ((), ())
    assert place.files() == {"a": (0o600, b"1\n"), "b": (0o644, b"1\n")}


@linux_only
def test_a_mode_that_is_given_after_the_last_look_is_kept(place: Workplace) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    guard = place.guard()
    place.stage(guard, plan)
    guard.write(HELD, plan, NEVER)
    os.chmod(place.proposals / "tx" / plan.tx / "0", 0o600)
    assert guard.tidy(HELD, plan) == (Kept(RepoPath("a"), f".proposals/kept/{plan.tx}-0-0"),)
    assert (place.files()["a"][1], place.kept()) == (b"2\n", [b"1\n"])


def _renamed_over(place: Workplace, data: bytes) -> None:
    place.put("new", data)
    os.rename(place.root / "new", place.root / "a")


class Racing(AtomicExchange):
    """Somebody renames a version over the name just before the first swap, and another just after it."""

    def __init__(self, place: Workplace) -> None:
        super().__init__()
        self._versions = iter((b"v1\n", b"v2\n"))
        self._place = place

    def swap(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        before, after = next(self._versions, None), next(self._versions, None)
        if before is not None:
            _renamed_over(self._place, before)
        super().swap(slot_fd, slot, folder_fd, name)
        if after is not None:
            _renamed_over(self._place, after)


def test_the_newest_of_two_foreign_versions_stays_under_the_name(place: Workplace) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    guard = place.guard(Racing(place))
    place.stage(guard, plan)
    with pytest.raises(DriftFound):
        guard.write(HELD, plan, NEVER)
    guard.roll_back(HELD, plan)
    assert (place.files(), place.kept()) == ({"a": (0o644, b"v2\n")}, [b"v1\n"])


def test_a_version_that_comes_just_before_the_commit_is_a_drift(place: Workplace) -> None:
    """An `applied` receipt says that the change is in place."""
    place.put("a", b"1\n")
    place.put("b", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"), ("b", b"1\n", b"2\n"))
    guard = place.guard()
    place.stage(guard, plan)
    with pytest.raises(DriftFound, match="a changed"):
        guard.write(HELD, plan, act_before(2, lambda: _renamed_over(place, b"v1\n")))
    kept = guard.roll_back(HELD, plan)
    assert kept == (Kept(RepoPath("a"), None), Kept(RepoPath("a"), f".proposals/kept/{plan.tx}-0-0"))
    assert (place.files()["a"][1], place.files()["b"][1], place.kept()) == (b"v1\n", b"1\n", [b"1\n"])


@pytest.mark.parametrize("again", [None, "folder", "file"], ids=["gone", "another folder", "a file"])
def test_a_folder_that_is_moved_away_while_files_move_is_a_drift(
    place: Workplace, tmp_path: Path, again: str | None
) -> None:
    """All its files are in place already, in a folder that is not there any more."""
    place.put("in/a", b"1")
    place.put("out", b"1")
    plan = place.plan(("in/a", b"1", b"2"), ("out", b"1", b"2"))
    guard = place.guard()
    place.stage(guard, plan)

    def move_it() -> None:
        os.rename(place.root / "in", tmp_path / "elsewhere")
        if again == "folder":
            place.put("in/a", b"another")
        elif again == "file":
            place.put("in", b"another")

    with pytest.raises(DriftFound) as drift:
        guard.write(HELD, plan, act_before(2, move_it))
    assert drift.value.details == {"path": "in", "drift": DriftKind.VANISHED.name}
    kept = guard.roll_back(HELD, plan)
    assert (place.files()["out"][1], (tmp_path / "elsewhere" / "a").read_bytes()) == (b"1", b"2")
    assert kept == (Kept(RepoPath("in/a"), None), Kept(RepoPath("in/a"), f".proposals/kept/{plan.tx}-0-0"))
    assert place.kept() == [b"1"]


def _in_a_child(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 -- the parent judges the code
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_more_files_than_may_be_open_are_written_all_the_same(place: Workplace) -> None:
    """Leases stop short of the limit; what is not leased is compared again before it is removed."""
    changes = [(f"{number:03}", b"1", b"2") for number in range(300)]
    for path, before, _ in changes:
        place.put(path, before)
    plan = place.plan(*changes)

    def act() -> None:
        limit = len(os.listdir("/dev/fd")) + 128
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        guard = place.guard()
        place.stage(guard, plan)
        with guard.held_back() as interrupted:
            guard.write(HELD, plan, interrupted)
            assert guard.tidy(HELD, plan) == ()

    assert _in_a_child(act) == 0
    assert {data for _, data in place.files().values()} == {b"2"}
    assert place.leftovers() == []


def test_room_is_what_the_hard_limit_leaves_beside_what_is_open() -> None:
    def act() -> None:
        held = [os.open(os.devnull, os.O_RDONLY) for _ in range(20)]
        taken = len(os.listdir("/dev/fd")) + 64
        resource.setrlimit(resource.RLIMIT_NOFILE, (taken, taken + 100))
        assert make_room(10) == 10
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (taken + 10, taken + 100)
        assert make_room(1000) == 100
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (taken + 100, taken + 100)
        assert make_room(1) == 1
        assert len(held) == 20

    assert _in_a_child(act) == 0


def test_nothing_is_staged_where_nothing_may_be_written(place: Workplace) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write in any folder")
    (place.root / "closed").mkdir(mode=0o555)
    guard = place.guard()
    plan = place.plan(("closed/new/a", None, b"1"))
    with pytest.raises(WriteFailed, match="closed/new/a is read-only, or its folder is"):
        place.stage(guard, plan)
    assert (place.files(), place.leftovers()) == ({"closed": (0o555, b"")}, [])


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can mount a file system")
def test_a_file_on_another_mount_is_refused_by_name_and_the_rest_taken_back(place: Workplace) -> None:
    place.put("a", b"1")
    (place.root / "mounted").mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "none", str(place.root / "mounted")], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {mounted.stderr.strip()}")
    try:
        place.put("mounted/b", b"1")
        before = place.files()
        guard = place.guard()
        plan = place.plan(("a", b"1", b"2"), ("mounted/b", b"1", b"2"))
        place.stage(guard, plan)
        with pytest.raises(WriteFailed) as failure:
            guard.write(HELD, plan, NEVER)
        assert failure.value.message == "mounted/b could not be put in place: it lies on another mount than .proposals"
        assert (guard.roll_back(HELD, plan), guard.tidy(HELD, plan)) == ((), ())
        assert (place.files(), place.leftovers()) == (before, [])
    finally:
        subprocess.run(["umount", str(place.root / "mounted")], check=True)


@pytest.mark.parametrize("is_new", [False, True])
def test_more_folders_than_may_be_open_are_refused_before_anything_moves(place: Workplace, is_new: bool) -> None:
    changes = [(f"d{number:03}/f", None if is_new else b"1", b"2") for number in range(300)]
    for path, data, _ in changes:
        if data is not None:
            place.put(path, data)
    plan = place.plan(*changes)
    before = place.files()

    def act() -> None:
        limit = len(os.listdir("/dev/fd")) + 64 + 100
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        with pytest.raises(WriteFailed, match=r"touches 30[01] folders, and only \d+ may be open"):
            place.stage(place.guard(), plan)

    assert _in_a_child(act) == 0
    assert (place.files(), place.leftovers()) == (before, [])


def test_without_leases_a_recovery_leaves_what_it_displaced_to_the_next_command(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor has opened the new file since the crash, and writes after the recovery."""
    monkeypatch.setattr(leases, "_lease", lambda _fd: None)
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    crashed = place.guard()
    place.stage(crashed, plan)
    crashed.write(HELD, plan, NEVER)
    with open(place.root / "a", "ab") as editor:
        recovering = place.guard()
        assert (recovering.roll_back(HELD, plan), recovering.tidy(HELD, plan)) == ((), ())
        editor.write(b"mine\n")
    assert place.guard().tidy(HELD, plan) == (Kept(RepoPath("a"), f".proposals/kept/{plan.tx}-0-0"),)
    assert (place.files()["a"][1], place.kept()) == (b"1\n", [b"2\nmine\n"])
