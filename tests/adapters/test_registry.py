"""Which journals this person made, and the newest event seen in each (checklist S82, S87)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from redline.adapters.identity.registry import Anchor, OwnershipOnly, Registry, state_home
from redline.errors import JournalFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REPO_ID = "0123456789abcdef0123456789abcdef"
HEAD = (7, "f" * 64)


def known(*events: tuple[int, str]) -> Callable[[int], str | None]:
    return dict(events).get


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "repo" / ".proposals"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def registry(tmp_path: Path, folder: Path) -> Registry:
    made = Registry(str(tmp_path / "state"), str(folder))
    made.remember(REPO_ID, HEAD)
    return made


def _code(registry: Registry, repo_id: str = REPO_ID, *events: tuple[int, str]) -> str:
    with pytest.raises(JournalFault) as refusal:
        registry.check(repo_id, known(*events))
    assert refusal.value.hint
    return refusal.value.code


def test_what_was_remembered_is_trusted(registry: Registry, folder: Path) -> None:
    status = os.stat(folder)
    assert registry.anchor(REPO_ID) == Anchor(*HEAD, status.st_dev, status.st_ino, str(folder))
    registry.check(REPO_ID, known(HEAD, (8, "e" * 64)))


def test_the_state_is_private_and_leaves_no_scratch_file(registry: Registry, tmp_path: Path) -> None:
    anchors = tmp_path / "state" / "redline" / "journals"
    registry.remember(REPO_ID, (8, "e" * 64))
    assert (os.listdir(anchors), os.stat(anchors).st_mode & 0o777) == ([REPO_ID], 0o700)


def test_a_journal_that_was_never_made_here_is_untrusted(registry: Registry) -> None:
    assert _code(registry, "f" * 32, HEAD) == "JOURNAL_UNTRUSTED"


def test_a_copy_elsewhere_is_untrusted(registry: Registry, tmp_path: Path) -> None:
    # S65, S82: the same journal in a clone, beside the original
    copy = tmp_path / "clone" / ".proposals"
    copy.mkdir(parents=True)
    assert _code(Registry(str(tmp_path / "state"), str(copy)), REPO_ID, HEAD) == "JOURNAL_UNTRUSTED"


def test_a_journal_without_any_state_is_untrusted(folder: Path, tmp_path: Path) -> None:
    assert _code(Registry(str(tmp_path / "empty"), str(folder)), REPO_ID, HEAD) == "JOURNAL_UNTRUSTED"


def test_a_repository_may_be_moved(registry: Registry, tmp_path: Path) -> None:
    os.rename(tmp_path / "repo", tmp_path / "moved")
    Registry(str(tmp_path / "state"), str(tmp_path / "moved" / ".proposals")).check(REPO_ID, known(HEAD))


def test_a_repository_may_be_restored_where_it_was(registry: Registry, folder: Path, tmp_path: Path) -> None:
    os.rename(folder, tmp_path / "old")
    folder.mkdir()
    registry.check(REPO_ID, known(HEAD))


@pytest.mark.parametrize("events", [(), ((6, "f" * 64),), ((7, "e" * 64),)])
def test_a_journal_that_lost_or_changed_the_newest_event_is_a_rollback(
    registry: Registry, events: tuple[tuple[int, str], ...]
) -> None:
    assert _code(registry, REPO_ID, *events) == "JOURNAL_ROLLBACK"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../journals", "/etc/passwd", "a/b", "a\0b", "a" * 65, "a" * 5000, "é" * 8, "\n", REPO_ID + "\n"],
)
def test_a_name_that_is_none_leads_to_no_file(registry: Registry, name: str) -> None:
    assert registry.anchor(name) is None
    assert _code(registry, name, HEAD) == "JOURNAL_UNTRUSTED"


@pytest.mark.parametrize("text", ["", "7", "x y z 1\n/p", "7 f 1 2 3\n/p", "7 f 1\n/p", "\0\0\0\0"])
def test_a_damaged_anchor_is_said_to_be_damaged(registry: Registry, tmp_path: Path, text: str) -> None:
    path = tmp_path / "state" / "redline" / "journals" / REPO_ID
    path.write_text(text)
    assert _code(registry, REPO_ID, HEAD) == "REGISTRY_CORRUPT"
    registry.remember(REPO_ID, HEAD)
    registry.check(REPO_ID, known(HEAD))


def test_a_folder_in_the_anchors_place_is_unreadable(registry: Registry, tmp_path: Path) -> None:
    path = tmp_path / "state" / "redline" / "journals" / REPO_ID
    path.unlink()
    path.mkdir()
    assert _code(registry, REPO_ID, HEAD) == "REGISTRY_UNREADABLE"
    with pytest.raises(JournalFault) as refusal:
        registry.remember(REPO_ID, HEAD)
    assert refusal.value.code == "REGISTRY_UNWRITABLE"


@pytest.mark.skipif(os.getuid() != 0, reason="root passes every permission check: gives its privileges up")
def test_a_state_of_another_account_is_unreadable(registry: Registry, tmp_path: Path, folder: Path) -> None:
    script = """
import os, sys
from redline.adapters.identity.registry import Registry
from redline.errors import JournalFault
os.chmod(sys.argv[3], 0o755)
os.setuid(12345)
for ask in (lambda r: r.check(sys.argv[4], {}.get), lambda r: r.remember(sys.argv[4], (1, "a"))):
    try:
        ask(Registry(sys.argv[1], sys.argv[2]))
    except JournalFault as fault:
        print(fault.code)
"""
    for parent in [folder, *folder.parents]:
        if str(parent) != "/":
            parent.chmod(parent.stat().st_mode | 0o055)
    arguments = [str(tmp_path / "state"), str(folder), str(tmp_path), REPO_ID]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    assert done.stdout == "REGISTRY_UNREADABLE\nREGISTRY_UNWRITABLE\n", done.stderr


def test_a_folder_whose_name_is_no_utf_8_is_remembered(tmp_path: Path) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(folder)
    registry = Registry(str(tmp_path / "state"), os.fsdecode(folder))
    registry.remember(REPO_ID, HEAD)
    anchor = registry.anchor(REPO_ID)
    assert anchor is not None
    assert os.fsencode(anchor.folder) == folder
    registry.check(REPO_ID, known(HEAD))


def test_the_models_side_takes_any_and_notes_none(tmp_path: Path) -> None:
    OwnershipOnly().check("anything", known())
    OwnershipOnly().remember("anything", HEAD)
    assert not (tmp_path / "state").exists()


def test_the_state_home_is_the_persons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert state_home() == "/somewhere"
    monkeypatch.setenv("XDG_STATE_HOME", "")
    monkeypatch.setenv("HOME", "/home/ada")
    assert state_home() == "/home/ada/.local/state"
