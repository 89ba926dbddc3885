"""The change that every tool applies: fifty files edited, created in new folders, deleted, made executable."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TypeAlias

Files: TypeAlias = dict[str, tuple[int, bytes]]  # path -> (permission bits, bytes)

_PLAIN, _EXECUTABLE = 0o644, 0o755
_EDITED, _CREATED, _DELETED, _MADE_EXECUTABLE = 24, 12, 8, 6


def before() -> Files:
    edited = {f"src/edited_{number:02}.txt": (_PLAIN, _text(number)) for number in range(_EDITED)}
    deleted = {f"old/deleted_{number:02}.txt": (_PLAIN, _text(number)) for number in range(_DELETED)}
    scripts = {f"bin/script_{number}.sh": (_PLAIN, _text(number)) for number in range(_MADE_EXECUTABLE)}
    return {**edited, **deleted, **scripts, "untouched.txt": (_PLAIN, _text(99))}


def after() -> Files:
    """Every other script is edited as well as made executable."""
    edited = {f"src/edited_{number:02}.txt": (_PLAIN, _edited(number)) for number in range(_EDITED)}
    created = {f"new/part_{number % 4}/created_{number:02}.txt": (_PLAIN, _text(number)) for number in range(_CREATED)}
    scripts = {
        f"bin/script_{number}.sh": (_EXECUTABLE, _edited(number) if number % 2 else _text(number))
        for number in range(_MADE_EXECUTABLE)
    }
    return {**edited, **created, **scripts, "untouched.txt": (_PLAIN, _text(99))}


def fill(root: str, files: Files) -> None:
    """Make the tree hold just these files, `.git` aside."""
    for entry in os.scandir(root):
        if entry.name != ".git":
            shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)
    for path, (mode, data) in files.items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
        os.chmod(target, mode)


def commit(root: str) -> bytes:
    """Make a repository whose one commit, index and tree hold the files before; the patch to those after."""
    os.mkdir(root)
    git(root, "init", "-q", "--template=")
    fill(root, before())
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "before")
    fill(root, after())
    git(root, "add", ".")
    patch = git(root, "diff", "--cached", "HEAD")
    git(root, "reset", "-q", "--hard")
    return patch


def git(root: str, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True).stdout


def _text(number: int) -> bytes:
    return b"".join(b"file %02d, line %02d, some text that is only there\n" % (number, line) for line in range(40))


def _edited(number: int) -> bytes:
    lines = _text(number).splitlines(keepends=True)
    return b"".join([*lines[:9], b"one line of file %02d is new\n" % number, *lines[10:]])
