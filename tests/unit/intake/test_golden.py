"""tests/golden/intake/CASE/{input,before/,expected/,leniencies}: the whole way from a text to a tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.intake.support import applied, resolved

from redline.intake.detect import read

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "intake"


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("case", sorted(GOLDEN.iterdir()), ids=lambda case: case.name)
def test_a_golden_text_gives_its_tree(case: Path) -> None:
    text, before = (case / "input").read_bytes(), files(case / "before")
    tree = {name: after.data for name, after in applied(text, before).tree.items()}
    notes = [f"{note.code} {note.path}\n" for note in resolved(text, before).leniencies]
    assert tree == files(case / "expected")
    assert "".join(notes) == (case / "leniencies").read_text()
    assert case.name.startswith(read(text).format)
