"""What a new file inherits from its folder, as if it had been created there (inode(7), acl(5))."""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.workplace import HELD, NEVER

from redline.core.content import Mode

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.workplace import Workplace

_USER_OBJ, _USER, _GROUP_OBJ, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
_NOBODY = 0xFFFFFFFF
_ACCESS, _DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


def acl(*entries: tuple[int, int, int]) -> bytes:
    """An ACL as the kernel stores it: (tag, permissions, id) after a version (acl(5); linux/posix_acl_xattr.h)."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def create(place: Workplace, path: str, mode: Mode = Mode.REGULAR) -> Path:
    """A file made by the guard."""
    guard = place.guard()
    plan = place.plan((path, None, b"new\n"), mode=mode)
    place.stage(guard, plan)
    guard.write(HELD, plan, NEVER)
    assert guard.tidy(HELD, plan) == ()
    return place.root / path


def created_by_hand(path: Path, mode: int = 0o666) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, mode))
    return path


def metadata(path: Path) -> tuple[int, int, bytes]:
    status = path.stat()
    held = os.getxattr(path, _ACCESS) if _ACCESS in os.listxattr(path) else b""
    return stat.S_IMODE(status.st_mode), status.st_gid, held


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is in every group")
@pytest.mark.parametrize("path", ["shared/a", "shared/new/inner/a"])
def test_a_new_file_has_the_group_of_a_folder_that_passes_it_on(place: Workplace, path: str) -> None:
    shared = place.root / "shared"
    shared.mkdir()
    os.chown(shared, -1, 4321)
    shared.chmod(0o2775)
    assert metadata(create(place, path)) == metadata(created_by_hand(place.root / f"{path}-too")) == (0o644, 4321, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="ACLs are extended attributes on Linux only")
@pytest.mark.parametrize("path", ["shared/a", "shared/new/inner/a"])
@pytest.mark.parametrize("mode", Mode)
def test_a_new_file_has_the_default_acl_of_its_folder(place: Workplace, path: str, mode: Mode) -> None:
    shared = place.root / "shared"
    shared.mkdir()
    default = acl(
        (_USER_OBJ, 7, _NOBODY), (_USER, 7, 1234), (_GROUP_OBJ, 5, _NOBODY), (_MASK, 7, _NOBODY), (_OTHER, 1, _NOBODY)
    )
    try:
        os.setxattr(shared, _DEFAULT, default)
    except OSError as error:
        pytest.skip(f"no ACLs here: {error.strerror}")
    bits = 0o777 if mode.is_executable else 0o666
    by_hand = created_by_hand(place.root / f"{path}-too", bits)
    made = create(place, path, mode)
    assert metadata(made) == metadata(by_hand)
    assert metadata(made)[2] != b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize(("is_given", "expected"), [(True, 0o6755), (False, 0o755)])
def test_an_edited_file_runs_as_its_owner_or_as_whoever_runs_it(
    place: Workplace, monkeypatch: pytest.MonkeyPatch, is_given: bool, expected: int
) -> None:
    """Where the new file cannot be given to the old one's owner, it must not run as the account that wrote it."""
    place.put("tool", b"1\n")
    os.chown(place.root / "tool", 1234, 1234)
    (place.root / "tool").chmod(0o6755)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    if not is_given:
        monkeypatch.setattr(os, "fchown", refuse)
    guard = place.guard()
    plan = place.plan(("tool", b"1\n", b"2\n"))
    place.stage(guard, plan)
    guard.write(HELD, plan, NEVER)
    assert guard.tidy(HELD, plan) == ()
    assert place.files() == {"tool": (expected, b"2\n")}
