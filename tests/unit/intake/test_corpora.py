"""Real diffs with their verified outcome; they lie beside the checkout, not in it."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from redline.core.content import Content, Mode
from redline.errors import PathRefused, RedlineError
from redline.intake.detect import read
from redline.intake.resolve import resolve

if TYPE_CHECKING:
    from redline.core.paths import RepoPath

CORPORA = Path(__file__).resolve().parents[4] / "shared" / "corpora"
SETS = (
    *("commits-aider", "commits-bat", "commits-black", "commits-chinese-poetry", "commits-csnotes"),
    *("commits-eslint", "commits-git", "commits-libgit2", "commits-notepadpp", "commits-vim"),
    *("git-t", "gnu-patch-t", "go-gitdiff", "diffy-compat", "python-patch", "whatthepatch", "jsdiff"),
    *("gitdiff-parser", "unidiff-samples", "fuzz-gitdiff", "swebench-gold", "llm-preds", "llm-diffs"),
)
# Rules of ours that are stricter than git's; any other refusal of a diff that git applies is a fault.
STRICTER = {
    "HEADER_NAME",  # a name that is quoted in part
    "HUNK_COUNT",  # lines left over behind a hunk
    "HUNK_HEADER",  # `@@ +1 0,0 @@`
    "MODE_REFUSED",
    "NAMES_DIFFER",
    "NO_CHANGE",
    "NO_MATCH",  # context that lacks the file's last newline; an insertion behind the end
    "PATH_BACKSLASH",
    "PATH_CONTROL",
    "PATH_ENCODING",
    "PATH_SUBMODULE",
    "PATH_SYMLINK",
}
Tree = dict[bytes, tuple[str, bytes]]

pytestmark = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not beside this checkout")


def raw(entry: dict[str, Any], key: str = "text", coded: str = "b64") -> bytes:
    return entry[key].encode() if key in entry else base64.b64decode(entry[coded])


def tree_of(entries: list[dict[str, Any]]) -> Tree:
    files = (entry for entry in entries if entry["mode"] not in {"160000", "040000"})
    return {raw(entry, "path", "path_b64"): (entry["mode"], raw(entry)) for entry in files}


def after(before: Tree, text: bytes, args: list[str]) -> tuple[Tree, tuple[str, ...]]:
    strips = [int(arg[2:]) for arg in args if arg.startswith("-p") and arg[2:].isdigit()]
    reading = read(text, format="diff", strip=strips[0] if strips else None)
    contents = {path: _present(before, path) for path in reading.paths}
    result = resolve(reading, contents)
    tree = dict(before)
    for change in result.changes:
        tree.pop(change.path.encode(), None)
        if change.after is not None:
            tree[change.path.encode()] = (change.after.mode.value, change.after.data)
    return tree, tuple(note.code for note in result.leniencies)


def _present(before: Tree, path: RepoPath) -> Content | None:
    """Read as the worktree's reader does: a link, at the path or above it, is refused."""
    for name in (*path.parents, str(path)):
        if before.get(name.encode(), ("", b""))[0] == "120000":
            raise PathRefused(f"{name} is a symbolic link", code="PATH_SYMLINK")
    found = before.get(path.encode())
    return Content(found[1], Mode(found[0])) if found is not None else None


def verdict(before: Tree, text: bytes, args: list[str], expected: Tree | None) -> str:
    try:
        tree, leniencies = after(before, text, args)
    except RedlineError as error:
        return "right" if expected is None else f"refused {error.code}"
    if expected is None:
        return f"accepted {' '.join(leniencies)}"
    return "right" if tree == expected else "WRONG"


def outcomes(name: str) -> Counter[str]:
    found: Counter[str] = Counter()
    with gzip.open(CORPORA / name / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            kind = case["expected"]["kind"]
            if case["class"] != "solid" or kind not in {"tree", "error"} or case["format"] != "unified":
                continue
            before = tree_of(case["before"])
            whole = tree_of(case["expected"]["after"]) if kind == "tree" else None
            found[verdict(before, raw(case["input"]), case.get("args", []), whole)] += 1
            for variant in case.get("variants", []):
                expected = whole if variant["expect"] == "tree" else None
                found[verdict(before, raw(variant), variant["args"], expected)] += 1
    return found


@pytest.mark.parametrize("name", SETS)
def test_no_real_diff_gives_a_wrong_tree(name: str) -> None:
    found = outcomes(name)
    print(name, dict(found))
    strange = {
        reason: count
        for reason, count in found.items()
        if reason != "right" and not (reason.startswith("refused ") and reason[8:] in STRICTER)
    }
    assert strange == ACCEPTED.get(name, {})
    assert found["right"] >= 3


# Refused by git or by the peer, taken by us and shown as a leniency.
ACCEPTED = {
    "git-t": {"accepted NO_TRAILING_CONTEXT": 1},
    "go-gitdiff": {"accepted BINARY_UNVERIFIED": 1},
    "jsdiff": {"accepted TEXT_UNTERMINATED": 1},
    "whatthepatch": {"accepted TEXT_UNTERMINATED": 1},
}
