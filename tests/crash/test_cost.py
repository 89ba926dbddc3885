"""What durability costs is counted, and grows with the files and their folders only (ADR 0008)."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.crash.cases import KILLED, case_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.killer import Killer

_TRANSACTION, _INDEX_LOCK, _ANCHORS, _FIRST_TIME = 3, 1, 2, 1
_BY_SQLITE = 10  # intent and receipt: the rollback journal twice, the database, its folder twice


@pytest.mark.parametrize("name", ["R15", "R24"])
def test_each_file_and_each_folder_is_synced_once(name: str, swift_path: Path, killer: Killer) -> None:
    case = case_of(KILLED[name], swift_path)
    before = case.everything()
    calls = Counter(killer.run("confirm", case)["calls"])
    after = case.everything()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    new_folders = {path for path in changed if (case.root / path).is_dir()}
    written = {path for path in changed - new_folders if path in after}
    touched = {os.path.dirname(path) for path in changed}
    assert calls["fsync"] == len(written) + len(touched) + _TRANSACTION + _INDEX_LOCK + _ANCHORS + _FIRST_TIME
    assert calls["fdatasync"] == _BY_SQLITE
