"""Reach a path below an open folder without ever following a symbolic link.

Every step opens one component relative to the descriptor before it (`O_NOFOLLOW`), so that a folder swapped for a link
while the walk is under way cannot lead outside. Plain tuples and integers only: `status` runs on this module.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import NamedTuple

ABSENT = "absent"
FILE = "file"
SYMLINK = "symlink"
FOLDER = "folder"
SPECIAL = "special"
BELOW_SYMLINK = "below-symlink"
BELOW_FILE = "below-file"
NESTED_REPOSITORY = "nested-repository"

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK_BYTES = 1 << 20
_ANY_WRITE = 0o222


class Entry(NamedTuple):
    """What stands at a path. Only `kind` has a meaning unless the kind is FILE.

    `attributes` are permission bits, user and group.
    """

    kind: str
    sha256: str = ""
    is_executable: bool = False
    size_bytes: int = 0
    device: int = 0
    inode: int = 0
    attributes: tuple[int, int, int] = (0, 0, 0)


class Survey(NamedTuple):
    """How a path stands: its kind, how many names the file has, and whether it is to be left alone.

    Read-only means that nobody may write the file, or that we may not write in its folder.
    """

    kind: str
    link_count: int = 0
    is_read_only: bool = False


def open_folder(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_parent(root_fd: int, path: str) -> tuple[int, str] | str:
    """Open the folder that holds the path: a new descriptor and the last component, or the kind of the obstacle."""
    above, _, name = path.rpartition("/")
    found = open_below(root_fd, above)
    return found if isinstance(found, str) else (found, spelt(name))


def open_below(root_fd: int, folder: str) -> int | str:
    """Open a folder by its path, which is empty for the root itself: a new descriptor, or the kind of the obstacle.

    ABSENT means that it, or a folder on the way, does not exist.
    """
    fd = os.dup(root_fd)
    for component in spelt(folder).split("/") if folder else ():
        try:
            inner = _step_into(fd, component)
        finally:
            os.close(fd)
        if isinstance(inner, str):
            return inner
        fd = inner
    return fd


def spelt(path: str) -> str:
    """Spell a path so that the system call gets its UTF-8 bytes, whatever the locale is."""
    return path if path.isascii() else os.fsdecode(path.encode("utf-8", "surrogateescape"))


def identity_at(folder_fd: int, name: str) -> tuple[int, int] | None:
    """Device and inode of an entry of an open folder; None where there is nothing."""
    try:
        status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def look(root_fd: int, path: str) -> Entry:
    """Identify what stands at the path now."""
    parent = open_parent(root_fd, path)
    if isinstance(parent, str):
        return Entry(parent)
    fd, name = parent
    try:
        return look_at(fd, name)
    finally:
        os.close(fd)


def survey(root_fd: int, path: str) -> Survey:
    """Tell how a path stands, without opening what is there."""
    parent = open_parent(root_fd, path)
    if isinstance(parent, str):
        return Survey(parent)
    fd, name = parent
    try:
        return survey_at(fd, name)
    finally:
        os.close(fd)


def survey_at(folder_fd: int, name: str) -> Survey:
    """Tell how an entry of an open folder stands."""
    is_closed = not os.access(".", os.W_OK | os.X_OK, dir_fd=folder_fd)
    try:
        status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return Survey(ABSENT, 0, is_closed)
    kinds = {stat.S_IFREG: FILE, stat.S_IFLNK: SYMLINK, stat.S_IFDIR: FOLDER}
    kind = kinds.get(stat.S_IFMT(status.st_mode), SPECIAL)
    return Survey(kind, status.st_nlink, is_closed or not status.st_mode & _ANY_WRITE)


def look_at(folder_fd: int, name: str) -> Entry:
    """Identify one entry of an open folder."""
    try:
        fd = os.open(name, _FILE_FLAGS, dir_fd=folder_fd)
    except OSError as error:
        return Entry(_leaf_obstacle(error))
    try:
        return look_into(fd)
    finally:
        os.close(fd)


def look_into(fd: int) -> Entry:
    """Identify what has just been opened, reading it to its end."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        return Entry(FOLDER if stat.S_ISDIR(status.st_mode) else SPECIAL)
    digest = hashlib.sha256()
    size_bytes = 0
    while chunk := os.read(fd, _CHUNK_BYTES):
        digest.update(chunk)
        size_bytes += len(chunk)
    return Entry(
        FILE,
        digest.hexdigest(),
        bool(status.st_mode & stat.S_IXUSR),
        size_bytes,
        status.st_dev,
        status.st_ino,
        attributes_of(status),
    )


def attributes_of(status: os.stat_result) -> tuple[int, int, int]:
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


def read(root_fd: int, path: str, max_bytes: int) -> tuple[bytes, bool] | str:
    """Read a regular file's bytes and executable bit, or name what stands there instead.

    At most `max_bytes` + 1 bytes are read: the caller refuses what is longer.
    """
    parent = open_parent(root_fd, path)
    if isinstance(parent, str):
        return parent
    folder_fd, name = parent
    try:
        fd = os.open(name, _FILE_FLAGS, dir_fd=folder_fd)
    except OSError as error:
        return _leaf_obstacle(error)
    finally:
        os.close(folder_fd)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return FOLDER if stat.S_ISDIR(status.st_mode) else SPECIAL
        chunks: list[bytes] = []
        left = max_bytes + 1
        while left > 0 and (chunk := os.read(fd, min(left, _CHUNK_BYTES))):
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks), bool(status.st_mode & stat.S_IXUSR)
    finally:
        os.close(fd)


def _step_into(folder_fd: int, name: str) -> int | str:
    try:
        fd = os.open(name, _FOLDER_FLAGS, dir_fd=folder_fd)
    except OSError as error:
        return _obstacle(error, folder_fd, name)
    try:
        is_nested = _exists(fd, ".git")
    except OSError:
        os.close(fd)
        raise
    if is_nested:
        os.close(fd)
        return NESTED_REPOSITORY
    return fd


def _exists(folder_fd: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _obstacle(error: OSError, folder_fd: int, name: str) -> str:
    if error.errno == errno.ENOENT:
        return ABSENT
    if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}:
        return _kind_of_obstacle(folder_fd, name)
    raise error


def _kind_of_obstacle(folder_fd: int, name: str) -> str:
    """Name what was no folder a moment ago; what has become one since was a link, swapped by somebody."""
    try:
        mode = os.stat(name, dir_fd=folder_fd, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return ABSENT
    return BELOW_SYMLINK if stat.S_ISLNK(mode) or stat.S_ISDIR(mode) else BELOW_FILE


def _leaf_obstacle(error: OSError) -> str:
    """Sockets answer ENXIO, links ELOOP (EMLINK on some systems, open(2))."""
    if error.errno == errno.ENOENT:
        return ABSENT
    if error.errno == errno.ENXIO:
        return SPECIAL
    if error.errno in {errno.ELOOP, errno.EMLINK}:
        return SYMLINK
    raise error


def is_at(entry: Entry, sha256: str | None, size_bytes: int | None, is_executable: bool) -> bool:  # noqa: FBT001 -- a state
    """Tell whether an entry is in a state: bytes and executable bit, or absent where `sha256` is None."""
    if sha256 is None or entry.kind != FILE:
        return sha256 is None and entry.kind == ABSENT
    return (entry.sha256, entry.size_bytes, entry.is_executable) == (sha256, size_bytes, is_executable)
