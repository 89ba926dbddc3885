"""What git apply, GNU patch and unidiff make of a diff, each in a folder of its own."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from typing import TYPE_CHECKING

from tests.support.corpora import numstat, totals_of
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

if TYPE_CHECKING:
    from tests.support.corpora import Case, Tree

_ASKED = {"solid", "lenient", "disputed"}
_LINK = "120000"
_MODES = {"100755": 0o755, "100644": 0o644}
_ENOUGH_S = 60


def ask(case: Case, room: str) -> dict[str, str]:
    """Give how each peer that reads the format ends; none is asked about submodules or switches of its own."""
    if case.ours != "diff" or case.grade not in _ASKED or _is_of_submodules(case.text):
        return {}
    text = os.path.join(room, "change.patch")
    with open(text, "wb") as file:
        file.write(case.text)
    ended = {"unidiff": _unidiff(case, text, room)}
    if not case.report:
        strip = 1 if case.strip is None else case.strip
        ended["git apply"] = _apply(case, room, ["git", "apply", *case.run_args, text])
        patch = ["patch", "-s", "-f", "--no-backup-if-mismatch", f"-p{strip}", "-i", text]
        ended["GNU patch"] = _apply(case, room, patch)
    return {peer: how for peer, how in ended.items() if how}


def _is_of_submodules(text: bytes) -> bool:
    return any(mark in text for mark in (b"Subproject commit ", b" 160000", b".gitmodules"))


def _apply(case: Case, room: str, command: list[str]) -> str:
    folder = os.path.join(room, "tree")
    os.mkdir(folder)
    try:
        _lay(case.before, folder)
        is_done = _run(command, folder).returncode == 0
        found = _without_rejects(_snapshot(os.fsencode(folder)), case)
    finally:
        shutil.rmtree(folder)
    if case.after is None:
        return "accepted" if is_done else "refused rightly" if found == case.before else "half applied"
    if is_done:
        return "exact" if found == case.after else "wrong"
    return "refused" if found == case.before else "half applied"


def _unidiff(case: Case, text: str, room: str) -> str:
    """Compare its counts with git's; an error counts as such where git cannot read the text either."""
    counted = _run(["git", "apply", "--numstat", "-z", *case.run_args, text], room)
    try:
        files = PatchSet(_decoded(case.text))
    except UnidiffParseError:
        return "refused rightly" if counted.returncode else "refused"
    if counted.returncode:
        return "accepted" if case.after is None and not case.report else ""
    if case.after is None and not case.report:
        return ""
    ours = len(files), sum(file.added for file in files), sum(file.removed for file in files)
    right = "parsed alike" if case.report else "exact"
    return right if ours == totals_of(numstat(counted.stdout)) else "wrong"


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _run(command: list[str], folder: str) -> subprocess.CompletedProcess[bytes]:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": "/"}
    environment = {**os.environ, **settings, "LC_ALL": "C"}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_ENOUGH_S,
    )


def _lay(tree: Tree, folder: str) -> None:
    for path, (mode, data) in tree.items():
        target = os.path.join(os.fsencode(folder), path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if mode == _LINK:
            os.symlink(data, target)
            continue
        with open(target, "wb") as file:
            file.write(data)
        os.chmod(target, _MODES[mode])


def _without_rejects(found: Tree, case: Case) -> Tree:
    """Leave out the files in which GNU patch explains a refusal."""
    known = case.before.keys() | (case.after or {}).keys()
    return {path: file for path, file in found.items() if path in known or not path.endswith((b".rej", b".orig"))}


def _snapshot(folder: bytes) -> Tree:
    found: Tree = {}
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for path in (os.path.join(parent, name) for name in [*names, *links]):
            state = os.lstat(path)
            if stat.S_ISLNK(state.st_mode):
                found[os.path.relpath(path, folder)] = (_LINK, os.readlink(path))
                continue
            with open(path, "rb") as file:
                mode = "100755" if state.st_mode & stat.S_IXUSR else "100644"
                found[os.path.relpath(path, folder)] = (mode, file.read())
    return found
