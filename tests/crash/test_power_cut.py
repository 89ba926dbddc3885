"""Real power cuts: a file system on a loop device is shut down without writing its log, and mounted again.

Needs root, and is asked for by REDLINE_POWER_CUT=1. It is blind to what a real file system happens to keep in order;
`test_power_loss` is not. It shows that the model's promises hold on the real ones.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import KILLED, case_of
from tests.crash.killer import Killer
from tests.crash.trials import Trials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = [
    pytest.mark.kill,
    pytest.mark.skipif(os.environ.get("REDLINE_POWER_CUT") != "1", reason="asked for by REDLINE_POWER_CUT=1"),
    pytest.mark.skipif(os.getuid() != 0, reason="mounting needs root"),
    pytest.mark.skipif(shutil.which("losetup") is None, reason="losetup is not installed"),
]

SHUT_DOWN, WITHOUT_LOG = 0x8004587D, 2  # FS_IOC_SHUTDOWN, its flag for a log that is not written
CUTS_AFTER_SUCCESS = 10
SIZES_MIB = {"ext4": 64, "xfs": 320}  # an XFS cannot be smaller than 300


class Disk:
    """A file system of its own; `cut` loses what it was not asked to keep."""

    def __init__(self, kind: str, image: Path, place: Path) -> None:
        self._image = image
        self.place = place
        place.mkdir()
        with image.open("wb") as file:
            file.truncate(SIZES_MIB[kind] << 20)
        subprocess.run([f"mkfs.{kind}", "-q", str(image)], check=True)

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", str(self._image), str(self.place)], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", str(self.place)], check=True)

    def cut(self) -> None:
        fd = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, SHUT_DOWN, struct.pack("I", WITHOUT_LOG))
        finally:
            os.close(fd)
        self.unmount()
        self.mount()


@contextmanager
def mounted(kind: str, folder: Path) -> Iterator[Disk]:
    if shutil.which(f"mkfs.{kind}") is None:
        pytest.skip(f"mkfs.{kind} is not installed")
    disk = Disk(kind, folder / "image", folder / "disk")
    disk.mount()
    try:
        yield disk
    finally:
        disk.unmount()


def test_a_real_power_cut_catches_files_that_were_not_synced(
    swift_path: Path, shim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(swift_path / "disk" / "state"))
    with mounted("ext4", swift_path) as disk, Killer(shim) as killer:
        case = case_of(KILLED["R15"], disk.place)
        trials = Trials(killer, case)
        for _ in range(CUTS_AFTER_SUCCESS):
            case.restore()
            os.sync()
            killer.run("confirm", case, variant="staged files not synced")
            disk.cut()
            trials.settle("power cut after the answer")
    print(f"ext4, not synced: {trials.ends.total()} power cuts: {len(trials.violations)} violations")
    assert trials.violations


@pytest.mark.parametrize("kind", SIZES_MIB)
def test_a_real_power_cut_leaves_all_before_or_all_after(
    kind: str, swift_path: Path, shim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(swift_path / "disk" / "state"))
    with mounted(kind, swift_path) as disk, Killer(shim) as killer:
        case = case_of(KILLED["R15"], disk.place)
        trials = Trials(killer, case)
        for at in [*trials.points(3), *[0] * CUTS_AFTER_SUCCESS]:
            case.restore()
            os.sync()
            answer = trials.run("confirm", at=at)
            disk.cut()
            where = f"{kind}, power cut before call {at}" if at else f"{kind}, power cut after the answer"
            if not at:
                trials.expect(where, answer["receipt"], trials.run("inspect").get("receipt"))
            trials.settle(where)
    print(f"{kind}: {trials.ends.total()} power cuts: {dict(trials.ends)}")
    assert trials.violations == []
    assert {"failed_before_commit", "applied"} <= set(trials.ends)
