"""The walk, the reader and the guarded write on a real file system (guarded-write A2, A4, B; checklist S13 to S22)."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.build import sighting
from tests.support.workplace import HELD, NEVER, TX, Workplace

from redline.adapters.worktree import leases, walk
from redline.adapters.worktree.exchange import PROBE_NAMES, AtomicExchange, MoveAside, probe
from redline.adapters.worktree.tree import Tree
from redline.core.content import Content, Mode, Sighting
from redline.core.drift import Irregular
from redline.core.kept import Kept
from redline.core.paths import RepoPath
from redline.errors import DriftFound, EnvironmentFault, LimitExceeded, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from redline.adapters.worktree.exchange import Exchange
    from redline.adapters.worktree.guard import Guard
    from redline.core.plan import WritePlan


class Faulty:
    """An exchange that fails, or lets a racer act, around its call number `at`."""

    weakness = ""

    def __init__(
        self, inner: Exchange, at: int, number: int = errno.EIO, racer: Callable[[], None] | None = None
    ) -> None:
        self.inner = inner
        self.left = at
        self.number = number
        self.racer = racer
        self.fired = False

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.fired = True
            if self.racer is None:
                raise OSError(self.number, os.strerror(self.number))
            self.racer()

    def swap(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        self._count()
        self.inner.swap(slot_fd, slot, folder_fd, name)

    def rename_new(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        self._count()
        self.inner.rename_new(slot_fd, slot, folder_fd, name)

    def take(self, folder_fd: int, name: str, slot_fd: int, slot: str) -> None:
        self._count()
        self.inner.take(folder_fd, name, slot_fd, slot)


def faulty_calls(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], at: int, number: int) -> Callable[[], bool]:
    """Let the call number `at` to any of these functions of `os` fail; tells whether it came to that."""
    left = at

    def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise OSError(number, os.strerror(number))
            return real(*arguments, **options)

        return call

    for name in names:
        monkeypatch.setattr(os, name, wrap(getattr(os, name)))
    return lambda: left <= 0


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


# --- the walk and the reader ------------------------------------------------------------------------------------------


@pytest.fixture
def tree(place: Workplace) -> Iterator[Tree]:
    made = Tree(str(place.root))
    yield made
    made.close()


def test_files_are_read_raw_with_their_executable_bit(place: Workplace, tree: Tree) -> None:
    place.put("d/a.txt", b"\xff\r\n\0", 0o640)
    place.put("run", b"", 0o755)
    assert tree.read(RepoPath("d/a.txt")) == Content(b"\xff\r\n\0", Mode.REGULAR)
    assert tree.read(RepoPath("run")) == Content(b"", Mode.EXECUTABLE)
    assert tree.look(RepoPath("d/a.txt")) == sighting(Content(b"\xff\r\n\0", Mode.REGULAR))
    assert tree.look(RepoPath("run")) == Sighting(Content(b"", Mode.REGULAR).sha256, Mode.EXECUTABLE, 0)


def test_nothing_is_none(place: Workplace, tree: Tree) -> None:
    assert [tree.read(RepoPath(path)) for path in ("a", "d/a", "d/e/f")] == [None, None, None]
    assert [tree.look(RepoPath(path)) for path in ("a", "d/a", "d/e/f")] == [None, None, None]


@pytest.fixture
def odd_tree(place: Workplace, tmp_path: Path) -> Workplace:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    place.put("src/a", b"a")
    (place.root / "leaf").symlink_to(outside / "secret")
    (place.root / "dangling").symlink_to("nowhere")
    (place.root / "out").symlink_to(outside)
    (place.root / "in").symlink_to("src")
    (place.root / "loop").symlink_to("loop")
    os.mkfifo(place.root / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(place.root)
        server.bind("sock")
        os.chdir(here)
    place.put("nested/.git/HEAD", b"ref: refs/heads/main\n")
    place.put("nested/d/x", b"x")
    place.put("module/.git", b"gitdir: ../.git/modules/module\n")
    place.put("module/x", b"x")
    return place


@pytest.mark.parametrize(
    ("path", "irregular"),
    [
        ("leaf", Irregular.SYMLINK),  # S13
        ("dangling", Irregular.SYMLINK),
        ("loop", Irregular.SYMLINK),
        ("out/secret", Irregular.BELOW_SYMLINK),  # S14
        ("in/a", Irregular.BELOW_SYMLINK),
        ("loop/a", Irregular.BELOW_SYMLINK),
        ("dangling/a", Irregular.BELOW_SYMLINK),
        ("fifo", Irregular.SPECIAL),  # S19
        ("sock", Irregular.SPECIAL),
        ("src", Irregular.FOLDER),
        ("src/a/b", Irregular.BELOW_FILE),
        ("fifo/b", Irregular.BELOW_FILE),
        ("nested/d/x", Irregular.NESTED_REPOSITORY),  # S11
        ("module/x", Irregular.NESTED_REPOSITORY),
    ],
)
def test_what_is_no_regular_file_is_named_at_once(
    odd_tree: Workplace, tree: Tree, path: str, irregular: Irregular
) -> None:
    began = time.monotonic()
    assert tree.read(RepoPath(path)) is irregular
    assert tree.look(RepoPath(path)) is irregular
    assert time.monotonic() - began < 1


def test_a_read_stops_behind_its_limit(place: Workplace, tree: Tree) -> None:
    place.put("a", b"x" * 100)
    assert tree.read(RepoPath("a"), max_bytes=100) == Content(b"x" * 100, Mode.REGULAR)
    with pytest.raises(LimitExceeded) as refusal:
        tree.read(RepoPath("a"), max_bytes=99)
    assert refusal.value.details == {"path": "a", "limit_bytes": 99}


def test_a_limit_holds_the_memory_as_well(place: Workplace, tree: Tree) -> None:
    with open(place.root / "huge", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(LimitExceeded):
        tree.read(RepoPath("huge"), max_bytes=1 << 20)


def test_a_path_at_the_limits_is_read(place: Workplace, tree: Tree) -> None:
    deep = "/".join(["d"] * 63 + ["f"])
    place.put(deep, b"deep")
    place.put("n" * 255, b"long")
    assert tree.read(RepoPath(deep)) == Content(b"deep", Mode.REGULAR)
    assert tree.read(RepoPath("n" * 255)) == Content(b"long", Mode.REGULAR)


def _as_nobody(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script that gives up its privileges: root passes every permission check."""
    code = f"import os, sys\n{script}"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def _reachable(path: Path) -> None:
    for folder in [path, *path.parents]:
        if str(folder).startswith("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o755)


@pytest.mark.skipif(os.getuid() != 0, reason="makes files of another account")
@pytest.mark.parametrize("locked", ["d/a", "d", "d/e"])
def test_what_may_not_be_read_is_told_and_leaks_nothing(place: Workplace, locked: str) -> None:
    place.put("d/a", b"a")
    place.put("d/e/f", b"f")
    _reachable(place.root)
    os.chmod(place.root / locked, 0o000)
    script = """
from redline.adapters.worktree.tree import Tree
from redline.core.paths import RepoPath
from redline.errors import EnvironmentFault
tree = Tree(sys.argv[1])
os.setgid(12345)
os.setuid(12345)
before = len(os.listdir("/proc/self/fd"))
for path in sys.argv[2:]:
    for ask in (tree.read, tree.look):
        try:
            print(ask(RepoPath(path)))
        except EnvironmentFault as fault:
            print(fault.code, fault.details["path"])
print(len(os.listdir("/proc/self/fd")) - before)
"""
    path = "d/e/f" if locked == "d/e" else "d/a"
    done = _as_nobody(script, str(place.root), path)
    os.chmod(place.root / locked, 0o755)
    assert done.stdout == f"FILE_UNREADABLE {path}\n" * 2 + "0\n", done.stderr


def test_a_folder_that_may_be_opened_but_not_searched_leaks_no_descriptor(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put("d/a", b"a")
    root_fd = walk.open_folder(str(place.root))
    before = open_descriptors()
    real = os.stat

    def refuse(name: Any, **options: Any) -> os.stat_result:
        if name == ".git":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(name, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", refuse)
        with pytest.raises(PermissionError):
            walk.look(root_fd, "d/a")
    assert open_descriptors() == before
    os.close(root_fd)


def test_an_obstacle_that_vanishes_under_the_walk_is_an_absence(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.root / "d").symlink_to("elsewhere")
    root_fd = walk.open_folder(str(place.root))
    real = os.open

    def vanish(name: Any, *arguments: Any, **options: Any) -> int:
        try:
            return real(name, *arguments, **options)
        except OSError:
            os.unlink(place.root / "d")
            raise

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", vanish)
        assert walk.look(root_fd, "d/a").kind == walk.ABSENT
    os.close(root_fd)


def test_a_folder_that_flips_to_an_outside_link_never_leads_out(place: Workplace, tmp_path: Path) -> None:
    # S15
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_bytes(b"outside")
    place.put("real/x", b"inside")
    os.symlink(outside, place.root / "link")
    plan = place.plan(("real/new", None, b"new"))
    tree, seen = Tree(str(place.root)), set()
    with _flipping(place.root):
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            found = tree.read(RepoPath("real/x"))
            seen.add(found.data if isinstance(found, Content) else found)
            guard = place.guard()
            place.stage(guard, plan)
            with suppress(DriftFound, WriteFailed):
                guard.write(HELD, plan, NEVER)
            guard.roll_back(HELD, plan)
            guard.tidy(HELD, plan)
            place.guards.pop().close()
    tree.close()
    assert seen == {b"inside", Irregular.BELOW_SYMLINK}
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"x": b"outside"}


@contextmanager
def _flipping(root: Path) -> Iterator[None]:
    """For the block, let a thread swap the folder `real` and the link `link` as fast as it can."""
    stop = threading.Event()

    def flip() -> None:
        swapper = AtomicExchange()
        fd = walk.open_folder(str(root))
        while not stop.is_set():
            swapper.swap(fd, "real", fd, "link")
        os.close(fd)

    flipper = threading.Thread(target=flip)
    flipper.start()
    try:
        yield
    finally:
        stop.set()
        flipper.join()


# --- the guarded write: what goes well --------------------------------------------------------------------------------


def apply(place: Workplace, plan: WritePlan, exchange: Exchange | None = None) -> Guard:
    guard = place.guard(exchange)
    place.stage(guard, plan)
    guard.write(HELD, plan, NEVER)
    return guard


def test_every_kind_of_change_is_written_and_tidied(place: Workplace, exchange: Exchange) -> None:
    place.put("edit", b"1\n")
    place.put("gone/d/x", b"old\n")
    place.put("run", b"#!\n")
    plan = place.plan(
        ("edit", b"1\n", b"2\n"), ("gone/d/x", b"old\n", None), ("new/d/y", None, b"old\n"), ("z", None, b"")
    )
    guard = apply(place, plan, exchange)
    assert guard.tidy(HELD, plan) == ()
    assert place.files() == {
        "edit": (0o644, b"2\n"),
        "gone": (0o755, b""),
        "gone/d": (0o755, b""),
        "new": (0o755, b""),
        "new/d": (0o755, b""),
        "new/d/y": (0o644, b"old\n"),
        "run": (0o644, b"#!\n"),
        "z": (0o644, b""),
    }
    assert (place.leftovers(), place.kept()) == ([], [])


def test_a_written_change_can_be_rolled_back_completely(place: Workplace, exchange: Exchange) -> None:
    place.put("edit", b"1\n", 0o640)
    place.put("gone/x", b"old\n")
    before = place.files()
    plan = place.plan(("edit", b"1\n", b"2\n"), ("gone/x", b"old\n", None), ("new/d/y", None, b"old\n"))
    guard = apply(place, plan, exchange)
    for _ in range(3):
        assert guard.roll_back(HELD, plan) == ()
        assert place.files() == before
    assert guard.tidy(HELD, plan) == ()
    assert (place.leftovers(), place.kept()) == ([], [])
    assert guard.roll_back(HELD, plan) == ()


@pytest.mark.parametrize("permissions", [0o644, 0o640, 0o600, 0o755, 0o750, 0o4755, 0o464])
def test_an_edited_file_keeps_its_permission_bits(place: Workplace, permissions: int) -> None:
    # S20
    place.put("a", b"1", permissions)
    apply(place, place.plan(("a", b"1", b"2")))
    assert place.files() == {"a": (permissions, b"2")}


@pytest.mark.parametrize(
    ("permissions", "mode", "expected"),
    [
        (0o644, Mode.EXECUTABLE, 0o755),
        (0o640, Mode.EXECUTABLE, 0o750),
        (0o600, Mode.EXECUTABLE, 0o700),
        (0o755, Mode.REGULAR, 0o644),
        (0o750, Mode.REGULAR, 0o640),
    ],
)
def test_a_change_of_mode_touches_only_the_executable_bits(
    place: Workplace, permissions: int, mode: Mode, expected: int
) -> None:
    place.put("a", b"1", permissions)
    apply(place, place.plan(("a", b"1", b"1"), mode=mode))
    assert place.files() == {"a": (expected, b"1")}


@pytest.mark.parametrize(
    ("umask", "file", "executable", "folder"), [(0o022, 0o644, 0o755, 0o755), (0o077, 0o600, 0o700, 0o700)]
)
def test_a_new_file_and_its_folder_respect_the_umask(
    place: Workplace, umask: int, file: int, executable: int, folder: int
) -> None:
    os.umask(umask)
    apply(place, place.plan(("d/a", None, b"1")))
    assert place.files() == {"d": (folder, b""), "d/a": (file, b"1")}
    shutil.rmtree(place.proposals / "tx")
    apply(place, place.plan(("b", None, b"1"), mode=Mode.EXECUTABLE))
    assert place.files()["b"] == (executable, b"1")
    assert os.umask(0o022) == umask


@pytest.mark.skipif(os.getuid() != 0, reason="gives a file to another account")
def test_an_edited_file_keeps_its_owner(place: Workplace) -> None:
    place.put("a", b"1", 0o640)
    os.chown(place.root / "a", 12345, 54321)
    apply(place, place.plan(("a", b"1", b"2")))
    status = os.stat(place.root / "a")
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 54321, 0o640)


def test_an_edited_file_keeps_its_extended_attributes(place: Workplace) -> None:
    place.put("a", b"1")
    try:
        os.setxattr(place.root / "a", "user.note", b"kept")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    apply(place, place.plan(("a", b"1", b"2")))
    assert os.getxattr(place.root / "a", "user.note") == b"kept"


def test_a_file_system_without_extended_attributes_is_no_obstacle(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> list[str]:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(os, "listxattr", none)
    place.put("a", b"1")
    apply(place, place.plan(("a", b"1", b"2")))
    assert place.files() == {"a": (0o644, b"2")}


def test_a_hard_link_elsewhere_keeps_its_bytes(place: Workplace, tmp_path: Path) -> None:
    # S18
    place.put("a", b"1")
    os.link(place.root / "a", tmp_path / "other")
    apply(place, place.plan(("a", b"1", b"2")))
    assert (place.files()["a"][1], (tmp_path / "other").read_bytes()) == (b"2", b"1")


def test_the_present_time_is_the_files_time(place: Workplace) -> None:
    place.put("a", b"1")
    os.utime(place.root / "a", (1, 1))
    began = time.time() - 1
    apply(place, place.plan(("a", b"1", b"2")))
    assert os.stat(place.root / "a").st_mtime >= began


def test_many_files_in_many_folders_fit_a_small_limit_of_open_files(place: Workplace) -> None:
    script = """
import resource
from pathlib import Path
from tests.adapters.test_worktree import HELD, NEVER, Workplace
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096))
place = Workplace(Path(sys.argv[1]))
plan = place.plan(*((f"d{n}/f", None, b"x%d" % n) for n in range(200)), *((f"e{n}", None, b"y") for n in range(100)))
guard = place.guard()
place.stage(guard, plan)
guard.write(HELD, plan, NEVER)
print(len(place.files()))
guard.roll_back(HELD, plan)
print(len(place.files()), guard.tidy(HELD, plan), place.leftovers())
"""
    folder = place.root.parent / "many"
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, "-c", f"import os, sys\n{script}", str(folder)],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert done.stdout == "500\n0 () []\n", done.stderr


# --- the guarded write: drift at the last moment ----------------------------------------------------------------------


def _append(path: Path) -> None:
    """Append as another program would: it waits where a lease holds it off, and is done afterwards."""

    def act() -> None:
        with open(path, "ab") as file:
            file.write(b"racer\n")

    writer = threading.Thread(target=act)
    WRITERS.append(writer)
    writer.start()
    writer.join(0.2)


def _replace(path: Path) -> None:
    path.with_name("tmp").write_bytes(b"racer\n")
    os.replace(path.with_name("tmp"), path)


def _become_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


def _become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


WRITERS: list[threading.Thread] = []
RACERS: dict[str, Callable[[Path], None]] = {
    "append": _append,
    "replace": _replace,
    "chmod": lambda path: path.chmod(0o755),
    "delete": lambda path: path.unlink(),
    "link": _become_a_link,
    "folder": _become_a_folder,
}


@pytest.mark.parametrize("racer", RACERS)
@pytest.mark.parametrize("after", [b"2\n", None])
@pytest.mark.parametrize("moment", ["after-staging", "before-exchange"])
def test_a_racer_is_met_and_keeps_its_bytes(
    place: Workplace, exchange: Exchange, racer: str, after: bytes | None, moment: str
) -> None:
    # S17, R10
    place.put("a", b"0\n")
    place.put("m", b"1\n")
    plan = place.plan(("a", b"0\n", b"00\n"), ("m", b"1\n", after), ("n/z", None, b"z\n"))

    def race() -> None:
        RACERS[racer](place.root / "m")

    chosen = Faulty(exchange, 2, racer=race) if moment == "before-exchange" else exchange
    guard = place.guard(chosen)
    place.stage(guard, plan)
    if moment == "after-staging":
        race()
    raced = place.files() if moment == "after-staging" else None
    with pytest.raises(DriftFound) as drift:
        guard.write(HELD, plan, NEVER)
    assert drift.value.details["path"] == "m"
    kept = guard.roll_back(HELD, plan) + guard.tidy(HELD, plan)
    while WRITERS:
        WRITERS.pop().join()
    expected = {"a": (0o644, b"0\n")}
    there = {
        "append": (0o644, b"1\nracer\n"),
        "replace": (0o644, b"racer\n"),
        "chmod": (0o755, b"1\n"),
        "link": (0o777, b"elsewhere"),
        "folder": (0o755, b""),
    }
    if racer in there:
        expected["m"] = there[racer]
    assert place.files() == expected
    assert raced is None or place.files() == {**raced, "a": (0o644, b"0\n")}
    assert (kept, place.leftovers(), place.kept()) == ((), [], [])


def test_a_file_that_appears_is_not_replaced(place: Workplace, exchange: Exchange) -> None:
    plan = place.plan(("d/new", None, b"ours\n"), ("new", None, b"ours\n"))
    guard = place.guard(Faulty(exchange, 2, racer=lambda: place.put("new", b"racer\n", 0o600)))
    place.stage(guard, plan)
    with pytest.raises(DriftFound) as drift:
        guard.write(HELD, plan, NEVER)
    assert drift.value.details == {"path": "new", "drift": "APPEARED"}
    assert guard.roll_back(HELD, plan) + guard.tidy(HELD, plan) == ()
    assert place.files() == {"new": (0o600, b"racer\n")}
    assert place.leftovers() == []


def test_a_folder_that_appears_or_goes_is_a_drift(place: Workplace) -> None:
    plan = place.plan(("d/new", None, b"ours\n"))
    guard = place.guard()
    place.stage(guard, plan)
    place.put("d/theirs", b"theirs\n")
    with pytest.raises(DriftFound) as drift:
        guard.write(HELD, plan, NEVER)
    assert drift.value.details == {"path": "d", "drift": "APPEARED"}
    guard.roll_back(HELD, plan)
    guard.tidy(HELD, plan)
    assert place.files() == {"d": (0o755, b""), "d/theirs": (0o644, b"theirs\n")}

    plan = place.plan(("d/new", None, b"ours\n"))
    place.stage(guard, plan)
    shutil.rmtree(place.root / "d")
    with pytest.raises(DriftFound) as drift:
        guard.write(HELD, plan, NEVER)
    assert drift.value.details == {"path": "d/new", "drift": "VANISHED"}
    guard.roll_back(HELD, plan)
    guard.tidy(HELD, plan)
    assert (place.files(), place.leftovers()) == ({}, [])


def test_a_folder_that_becomes_a_link_is_not_followed(place: Workplace, tmp_path: Path) -> None:
    place.put("d/a", b"1")
    plan = place.plan(("d/a", b"1", b"2"))
    guard = place.guard()
    place.stage(guard, plan)
    os.rename(place.root / "d", tmp_path / "d")
    os.symlink(tmp_path / "d", place.root / "d")
    with pytest.raises(DriftFound) as drift:
        guard.write(HELD, plan, NEVER)
    assert drift.value.details == {"path": "d/a", "drift": "NOT_REGULAR"}
    assert guard.roll_back(HELD, plan) + guard.tidy(HELD, plan) == ()
    assert (tmp_path / "d" / "a").read_bytes() == b"1"


def test_a_third_writer_during_the_way_back_ends_with_its_own_version_in_place(place: Workplace) -> None:
    """A2: the name ends with the newest foreign version; the older one is kept or was superseded by its own author."""
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    calls: list[int] = []

    class TwoRacers(AtomicExchange):
        def swap(self, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
            calls.append(1)
            if len(calls) <= 2:
                (place.root / "tmp").write_bytes(b"racer %d\n" % len(calls))
                os.replace(place.root / "tmp", place.root / "a")
            super().swap(slot_fd, slot, folder_fd, name)

    guard = place.guard(TwoRacers())
    place.stage(guard, plan)
    with pytest.raises(DriftFound):
        guard.write(HELD, plan, NEVER)
    kept = guard.roll_back(HELD, plan) + guard.tidy(HELD, plan)
    assert kept == (Kept(RepoPath("a"), None), Kept(RepoPath("a"), f".proposals/kept/{TX}-0-0"))
    assert len(calls) == 3
    assert (place.files(), place.kept()) == ({"a": (0o644, b"racer 2\n")}, [b"racer 1\n"])
    assert place.leftovers() == []


def test_a_name_that_is_removed_during_the_way_back_leaves_its_bytes_in_kept(place: Workplace) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    guard = apply(place, plan, Faulty(AtomicExchange(), 2, racer=lambda: os.unlink(place.root / "a")))
    kept = guard.roll_back(HELD, plan)
    assert kept == (Kept(RepoPath("a"), None), Kept(RepoPath("a"), f".proposals/kept/{TX}-0-0"))
    assert (place.files(), place.kept()) == ({}, [b"1\n"])
    assert guard.tidy(HELD, plan) == ()
    assert place.leftovers() == []


def test_a_creation_that_is_removed_during_the_way_back_is_undone(place: Workplace, exchange: Exchange) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"), ("b", None, b"new\n"))
    guard = apply(place, plan, Faulty(exchange, 3, racer=lambda: os.unlink(place.root / "b")))
    assert guard.roll_back(HELD, plan) == ()
    assert place.files() == {"a": (0o644, b"1\n")}


# --- the guarded write: failures --------------------------------------------------------------------------------------

FAILING_CALLS = (
    "open",
    "write",
    "fsync",
    "rename",
    "mkdir",
    "rmdir",
    "fchmod",
    "link",
    "unlink",
    "read",
    "stat",
    "fstat",
)


def _everything(place: Workplace) -> WritePlan:
    place.put("edit", b"1\n", 0o640)
    place.put("gone", b"old\n")
    place.put("d/edit", b"3\n")
    return place.plan(
        ("edit", b"1\n", b"2\n"), ("gone", b"old\n", None), ("new/d/y", None, b"old\n"), ("d/edit", b"3\n", b"4\n")
    )


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_failure_at_any_exchange_is_rolled_back(place: Workplace, exchange: Exchange, number: int) -> None:
    plan = _everything(place)
    before = place.files()
    descriptors = open_descriptors()
    for at in range(1, 100):
        faulty = Faulty(exchange, at, number)
        guard = place.guard(faulty)
        place.stage(guard, plan)
        with suppress(WriteFailed):
            guard.write(HELD, plan, NEVER)
        with suppress(WriteFailed):
            guard.roll_back(HELD, plan)
        assert guard.roll_back(HELD, plan) == ()
        assert guard.tidy(HELD, plan) == ()
        assert (place.files(), place.leftovers(), place.kept()) == (before, [], []), at
        place.guards.pop().close()
        if not faulty.fired:
            break
    assert at == 9  # four steps there, four back
    assert open_descriptors() == descriptors


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_failure_at_any_system_call_is_rolled_back_by_a_later_recovery(
    place: Workplace, exchange: Exchange, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = _everything(place)
    before = place.files()
    for at in range(1, 1000):
        guard = place.guard(exchange)
        descriptors = open_descriptors()
        with monkeypatch.context() as patch:
            fired = faulty_calls(patch, FAILING_CALLS, at, number)
            with suppress(WriteFailed, EnvironmentFault):
                place.stage(guard, plan)
                guard.write(HELD, plan, NEVER)
                guard.roll_back(HELD, plan)
                guard.tidy(HELD, plan)
        assert guard.roll_back(HELD, plan) == (), at
        assert guard.tidy(HELD, plan) == (), at
        assert open_descriptors() == descriptors, at
        if not fired():
            break
        assert (place.files(), place.leftovers(), place.kept()) == (before, [], []), at
        place.guards.pop().close()
    assert (at > 60, place.files()) == (True, before)


@pytest.mark.parametrize("at", range(1, 5))
def test_a_rollback_that_is_itself_interrupted_goes_on_from_there(
    place: Workplace, exchange: Exchange, at: int
) -> None:
    plan = _everything(place)
    before = place.files()
    guard = apply(place, plan, exchange)
    interrupted = place.guard(Faulty(exchange, at))
    with pytest.raises(WriteFailed, match="the write could not be rolled back"):
        interrupted.roll_back(HELD, plan)
    assert guard.roll_back(HELD, plan) == ()
    assert guard.tidy(HELD, plan) == ()
    assert (place.files(), place.leftovers(), place.kept()) == (before, [], [])


def test_a_full_disk_while_staging_leaves_nothing_behind(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    # S125: half-written bytes are redline's own and no version of anybody's file
    plan = _everything(place)
    before = place.files()
    guard = place.guard()
    real = os.write

    def half(fd: int, data: Any) -> int:
        if len(data) > 1:
            return real(fd, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(WriteFailed) as failure:
            place.stage(guard, plan)
    assert failure.value.message == "the new content could not be staged: No space left on device"
    assert (place.files(), place.leftovers(), place.kept()) == (before, [], [])


def test_what_a_crash_left_while_staging_is_removed_without_a_word(place: Workplace) -> None:
    plan = _everything(place)
    staging, folder = place.proposals / "tx" / f"{TX}.part", place.proposals / "tx" / TX
    for path in (staging, folder):
        path.mkdir(parents=True)
        (path / "1").write_bytes(b"2\n")
    (staging / "0").write_bytes(b"half")
    for name in PROBE_NAMES:
        (folder / name).write_bytes(b"")
    guard = place.guard()
    assert guard.unsettled(HELD) == (TX,)
    assert guard.tidy(HELD, plan) == ()
    assert (place.leftovers(), place.kept(), guard.unsettled(HELD)) == ([], [], ())


def test_an_interrupt_stops_between_two_files(place: Workplace) -> None:
    plan = _everything(place)
    before = place.files()
    answers = iter([False, False, True])
    guard = place.guard()
    place.stage(guard, plan)
    with pytest.raises(KeyboardInterrupt):
        guard.write(HELD, plan, lambda: next(answers))
    assert place.files() != before
    assert guard.roll_back(HELD, plan) == ()
    assert place.files() == before


def test_a_transaction_is_not_staged_over_another(place: Workplace) -> None:
    plan = _everything(place)
    guard = place.guard()
    place.stage(guard, plan)
    with pytest.raises(WriteFailed, match="File exists"):
        place.stage(guard, plan)


def test_contents_that_cannot_be_had_are_no_failed_write(place: Workplace) -> None:
    plan = _everything(place)
    guard = place.guard()
    place.contents.clear()
    with pytest.raises(KeyError):
        place.stage(guard, plan)
    assert guard.tidy(HELD, plan) == ()
    assert place.leftovers() == []


# --- recovery after a crash, with a person at work in between ---------------------------------------------------------


def _crashed(place: Workplace, exchange: Exchange) -> tuple[Guard, WritePlan]:
    """All steps done, no receipt: what a process killed before the commit point leaves."""
    place.put("edit", b"1\n")
    place.put("gone", b"old\n")
    plan = place.plan(("edit", b"1\n", b"2\n"), ("gone", b"old\n", None), ("new/y", None, b"y\n"))
    apply(place, plan, exchange)
    return place.guard(exchange), plan


def test_files_that_the_person_edited_after_the_crash_stay_and_the_originals_are_kept(
    place: Workplace, exchange: Exchange
) -> None:
    guard, plan = _crashed(place, exchange)
    place.put("edit", b"2\nmine\n")
    place.put("gone", b"mine again\n")
    place.put("new/y", b"y\nmine\n")
    kept = guard.roll_back(HELD, plan)
    assert kept == (
        Kept(RepoPath("new/y"), None),
        Kept(RepoPath("gone"), None),
        Kept(RepoPath("gone"), f".proposals/kept/{TX}-1-0"),
        Kept(RepoPath("edit"), None),
        Kept(RepoPath("edit"), f".proposals/kept/{TX}-0-0"),
    )
    assert place.files() == {
        "edit": (0o644, b"2\nmine\n"),
        "gone": (0o644, b"mine again\n"),
        "new": (0o755, b""),
        "new/y": (0o644, b"y\nmine\n"),
    }
    assert guard.tidy(HELD, plan) == ()
    assert (place.kept(), place.leftovers()) == ([b"1\n", b"old\n"], [])


def test_files_that_the_person_deleted_after_the_crash_stay_deleted_and_the_originals_are_kept(
    place: Workplace, exchange: Exchange
) -> None:
    guard, plan = _crashed(place, exchange)
    os.unlink(place.root / "edit")
    shutil.rmtree(place.root / "new")
    kept = guard.roll_back(HELD, plan)
    if isinstance(exchange, AtomicExchange):
        assert kept == (Kept(RepoPath("edit"), None), Kept(RepoPath("edit"), f".proposals/kept/{TX}-0-0"))
        assert (place.files(), place.kept()) == ({"gone": (0o644, b"old\n")}, [b"1\n"])
    guard.tidy(HELD, plan)
    assert place.leftovers() == []


def test_files_that_the_person_restored_himself_need_no_word(place: Workplace, exchange: Exchange) -> None:
    guard, plan = _crashed(place, exchange)
    place.put("edit", b"1\n")
    place.put("gone", b"old\n")
    shutil.rmtree(place.root / "new")
    assert guard.roll_back(HELD, plan) + guard.tidy(HELD, plan) == ()
    assert place.files() == {"edit": (0o644, b"1\n"), "gone": (0o644, b"old\n")}
    assert (place.kept(), place.leftovers()) == ([], [])


@pytest.mark.parametrize("how", ["removed", "moved", "link", "file"])
def test_originals_of_a_folder_that_is_gone_are_kept(place: Workplace, exchange: Exchange, how: str) -> None:
    place.put("d/edit", b"1\n")
    place.put("d/gone", b"old\n")
    place.put("d/same", b"same\n")
    plan = place.plan(("d/edit", b"1\n", b"2\n"), ("d/gone", b"old\n", None), ("d/y", None, b"y\n"))
    apply(place, plan, exchange)
    os.rename(place.root / "d", place.root / "e")
    if how == "removed":
        shutil.rmtree(place.root / "e")
    elif how == "link":
        (place.root / "d").symlink_to("e")
    elif how == "file":
        place.put("d", b"file\n")
    there = place.files()
    guard = place.guard(exchange)
    kept = guard.roll_back(HELD, plan)
    assert [(str(item.path), item.place) for item in kept] == [
        ("d/gone", None),
        ("d/gone", f".proposals/kept/{TX}-1-0"),
        ("d/edit", None),
        ("d/edit", f".proposals/kept/{TX}-0-0"),
    ]
    assert (place.files(), place.kept()) == (there, [b"1\n", b"old\n"])
    assert guard.roll_back(HELD, plan) + guard.tidy(HELD, plan) == ()
    assert place.leftovers() == []


def test_a_file_written_into_a_folder_that_redline_made_keeps_the_folder(place: Workplace) -> None:
    guard, plan = _crashed(place, AtomicExchange())
    place.put("new/mine", b"mine\n")
    assert guard.roll_back(HELD, plan) == ()
    assert place.files()["new/mine"] == (0o644, b"mine\n")
    assert "new/y" not in place.files()


def test_without_leases_late_bytes_are_found_by_the_next_command(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that held the displaced file open writes on after the exchange, and after the command has ended."""
    monkeypatch.setattr(leases, "_lease", lambda _fd: None)
    place.put("a", b"1\n")
    with open(place.root / "a", "ab") as writer:
        plan = place.plan(("a", b"1\n", b"2\n"))
        guard = apply(place, plan)
        assert "could not be held off" in guard.weakness
        assert (guard.tidy(HELD, plan), place.leftovers()) == ((), [TX])
        writer.write(b"late\n")
    assert place.guard().tidy(HELD, plan) == (Kept(RepoPath("a"), f".proposals/kept/{TX}-0-0"),)
    assert (place.files(), place.kept(), place.leftovers()) == ({"a": (0o644, b"2\n")}, [b"1\nlate\n"], [])


def test_without_leases_the_next_command_tidies(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "_lease", lambda _fd: None)
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    assert (apply(place, plan).tidy(HELD, plan), place.leftovers()) == ((), [TX])
    assert (place.guard().tidy(HELD, plan), place.leftovers(), place.kept()) == ((), [], [])


def test_a_strangers_file_among_the_slots_is_kept_too(place: Workplace) -> None:
    plan = _everything(place)
    guard = apply(place, plan)
    folder = place.proposals / "tx" / TX
    for name in ("notes.txt", "99", "0.part.bak", "x.part"):
        (folder / name).write_bytes(name.encode())
    assert guard.tidy(HELD, plan) == ()
    assert (place.kept(), place.leftovers()) == ([b"0.part.bak", b"99", b"notes.txt", b"x.part"], [])


def test_a_strangers_file_among_what_was_staged_by_halves_is_kept(place: Workplace) -> None:
    folder = place.proposals / "tx" / f"{TX}.part"
    folder.mkdir(parents=True)
    (folder / "0").write_bytes(b"half")
    (folder / "notes.txt").write_bytes(b"mine")
    assert place.guard().tidy(HELD, _everything(place)) == ()
    assert (place.kept(), place.leftovers()) == ([b"mine"], [])


def test_a_second_kept_version_does_not_replace_the_first(place: Workplace) -> None:
    for number in range(2):
        place.put("a", b"1\n")
        plan = place.plan(("a", b"1\n", b"2\n"))
        guard = apply(place, plan)
        place.put_slot("0", b"version %d" % number)
        assert guard.tidy(HELD, plan) == (Kept(RepoPath("a"), f".proposals/kept/{TX}-0-{number}"),)
    assert place.kept() == [b"version 0", b"version 1"]


def test_what_lies_beside_the_transactions_is_none_of_them(place: Workplace) -> None:
    (place.proposals / "tx" / TX).mkdir(parents=True)
    (place.proposals / "tx" / "abc").mkdir()
    (place.proposals / "tx" / ".DS_Store").write_bytes(b"")
    (place.proposals / "tx" / "My Notes").mkdir()
    assert place.guard().unsettled(HELD) == (TX,)


def test_tidying_reports_what_it_kept_even_if_the_rest_fails(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _everything(place)
    guard = apply(place, plan)
    place.put_slot("0", b"foreign")
    with monkeypatch.context() as patch:
        faulty_calls(patch, ("unlink",), 1, errno.EIO)
        kept = guard.tidy(HELD, plan)
    assert kept == (Kept(RepoPath("d/edit"), f".proposals/kept/{TX}-0-0"),)
    assert guard.tidy(HELD, plan) == ()
    assert place.leftovers() == []


# --- the move-aside fallback, cut off inside --------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("at", range(1, 8))
def test_a_crash_inside_the_fallback_is_recovered(
    place: Workplace, monkeypatch: pytest.MonkeyPatch, way: str, at: int
) -> None:
    """Dies before the system call number `at` of the fallback's renames, links and unlinks."""
    place.put("a", b"1\n")
    place.put("b", b"old\n")
    before = place.files()
    plan = place.plan(("a", b"1\n", b"2\n"), ("b", b"old\n", None), ("c", None, b"new\n"))
    guard = place.guard(MoveAside())
    place.stage(guard, plan)
    if way == "back":
        guard.write(HELD, plan, NEVER)
    with monkeypatch.context() as patch:
        faulty_calls(patch, ("rename", "link", "unlink"), at, errno.EIO)
        try:
            if way == "there":
                guard.write(HELD, plan, NEVER)
            else:
                guard.roll_back(HELD, plan)
        except WriteFailed:
            pass
    assert guard.roll_back(HELD, plan) + guard.tidy(HELD, plan) == ()
    assert (place.files(), place.leftovers(), place.kept()) == (before, [], [])


def test_a_racer_in_the_moment_of_absence_stays_and_the_original_is_kept(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", b"2\n"))
    guard = place.guard(MoveAside())
    place.stage(guard, plan)
    real = os.link

    def race(*arguments: Any, **options: Any) -> None:
        if arguments[0] == "0":  # the slot; git's lock is linked in as well
            place.put("a", b"racer\n")
        real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", race)
        with pytest.raises(DriftFound):
            guard.write(HELD, plan, NEVER)
    kept = guard.roll_back(HELD, plan) + guard.tidy(HELD, plan)
    assert kept == (Kept(RepoPath("a"), None), Kept(RepoPath("a"), f".proposals/kept/{TX}-0.aside-0"))
    assert (place.files(), place.kept(), place.leftovers()) == ({"a": (0o644, b"racer\n")}, [b"1\n"], [])


def test_a_deletion_never_takes_a_version_it_did_not_look_at(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    place.put("a", b"1\n")
    plan = place.plan(("a", b"1\n", None))
    guard = place.guard(MoveAside())
    place.stage(guard, plan)
    real = os.rename

    def race(*arguments: Any, **options: Any) -> None:
        real(*arguments, **options)
        place.put("a", b"racer\n")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", race)
        with pytest.raises(DriftFound, match="a exists now since this was proposed"):
            guard.write(HELD, plan, NEVER)
    kept = guard.roll_back(HELD, plan)
    assert kept == (Kept(RepoPath("a"), None), Kept(RepoPath("a"), f".proposals/kept/{TX}-0-0"))
    assert (place.files(), place.kept()) == ({"a": (0o644, b"racer\n")}, [b"1\n"])


# --- choosing the exchange --------------------------------------------------------------------------------------------


def test_the_strongest_exchange_that_works_is_chosen(place: Workplace) -> None:
    with place.opened_proposals() as fd:
        assert isinstance(probe(fd), AtomicExchange)
    assert os.listdir(place.proposals) == []


@pytest.mark.skipif(sys.platform != "linux", reason="system calls have numbers that can be relied on only on Linux")
def test_a_c_library_without_renameat2_is_no_obstacle(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    class OlderLibrary:
        """Has `syscall` and nothing else that matters."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            self.syscall = real(*arguments, **options).syscall

    real = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", OlderLibrary)
    with place.opened_proposals() as fd:
        found = probe(fd)
        assert isinstance(found, AtomicExchange)
        place.put("a", b"1")
        with pytest.raises(FileExistsError):
            found.rename_new(fd, "../a", fd, "../a")
        with pytest.raises(FileNotFoundError):
            found.swap(fd, "nothing", fd, "../a")


@pytest.mark.parametrize("behaviour", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, "plain rename"])
def test_a_file_system_that_cannot_exchange_gets_the_fallback(
    place: Workplace, monkeypatch: pytest.MonkeyPatch, behaviour: int | str
) -> None:
    def swap(_self: object, slot_fd: int, slot: str, folder_fd: int, name: str) -> None:
        if isinstance(behaviour, int):
            raise OSError(behaviour, os.strerror(behaviour))
        os.rename(slot, name, src_dir_fd=slot_fd, dst_dir_fd=folder_fd)

    monkeypatch.setattr(AtomicExchange, "swap", swap)
    with place.opened_proposals() as fd:
        assert isinstance(probe(fd), MoveAside)
    assert os.listdir(place.proposals) == []


def test_a_probe_that_fails_leaves_no_scratch_file(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    fd = walk.open_folder(str(place.proposals))
    with monkeypatch.context() as patch:
        faulty_calls(patch, ("open",), 2, errno.ENOSPC)
        with pytest.raises(OSError, match="No space left"):
            probe(fd)
    assert os.listdir(place.proposals) == []
    os.close(fd)


def test_neither_exchange_replaces_or_invents_anything(place: Workplace, exchange: Exchange) -> None:
    place.put("a", b"a")
    place.put("b", b"b")
    fd = walk.open_folder(str(place.root))
    for act in (exchange.rename_new, exchange.take):
        with pytest.raises(FileExistsError):
            act(fd, "a", fd, "b")
        with pytest.raises(FileNotFoundError):
            act(fd, "none", fd, "c")
    with pytest.raises(FileNotFoundError):
        exchange.swap(fd, "a", fd, "none")
    exchange.swap(fd, "a", fd, "b")
    assert place.files() == {"a": (0o644, b"b"), "b": (0o644, b"a")}
    os.close(fd)


def test_a_file_that_may_not_be_read_is_somebody_elses(
    place: Workplace, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account's right to read is taken away in the walk: this one may be root's."""
    guard, plan = _crashed(place, exchange)
    (place.root / "edit").unlink()
    place.put("edit", b"theirs\n")
    theirs = os.stat(place.root / "edit").st_ino
    real = walk.look_at

    def look_at(folder_fd: int, name: str) -> walk.Entry:
        found = real(folder_fd, name)
        if found.inode == theirs:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(walk, "look_at", look_at)
        assert guard.roll_back(HELD, plan) == (
            Kept(RepoPath("edit"), None),
            Kept(RepoPath("edit"), f".proposals/kept/{TX}-0-0"),
        )
    assert guard.tidy(HELD, plan) == ()
    assert place.files() == {"edit": (0o644, b"theirs\n"), "gone": (0o644, b"old\n")}
    assert (place.kept(), place.leftovers()) == ([b"1\n"], [])
