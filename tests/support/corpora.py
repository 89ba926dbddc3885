"""Real edits with their verified outcome, read one by one; they lie beside the checkout, not in it."""

from __future__ import annotations

import base64
import gzip
import inspect
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from redline.core.content import Content, Mode
from redline.errors import PathRefused, RedlineError
from redline.intake.detect import FORMATS, read
from redline.intake.edits import FilePatch, Replace, Write
from redline.intake.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.notes import Leniency
    from redline.core.paths import RepoPath
    from redline.intake.edits import Reading

CORPORA: Final = Path(__file__).resolve().parents[3] / "shared" / "corpora"

Tree = dict[bytes, tuple[str, bytes]]
Sums = Counter[tuple[str, str, str]]  # (added, removed, path), as `git apply --numstat` prints them

_OURS: Final = {
    "unified": "diff",
    "other-diff": "diff",
    "codex": "apply-patch",
    "search-replace": "search-replace",
    "udiff": "udiff",
    "claude-edit": "tool-call",
    "claude-multiedit": "tool-call",
    "claude-write": "tool-call",
}
_NO_FILE: Final = {"160000", "040000"}
_LINK: Final = "120000"
_TOTALS: Final = re.compile(r"(?m)^ ([0-9]+) files? changed(?:, ([0-9]+) insertion[^,\n]*)?(?:, ([0-9]+) deletion.*)?$")

# What no proposal may hold, whoever else would take it. One that changes nothing is refused as well, for NO_CHANGE.
RULES: Final = {
    "MODE_REFUSED": "a mode that no regular file has",
    "PATH_BACKSLASH": "a backslash in a path",
    "PATH_CONTROL": "a control character in a path",
    "PATH_ENCODING": "a path that is not UTF-8 in normal form C",
    "PATH_SUBMODULE": "a submodule",
    "PATH_SYMLINK": "a symbolic link, at the path or above it",
}
# Cases that others take and redline refuses, with the code. Any further one is a fault.
STRICTER: Final = {
    # A file is not moved over another one.
    ("codex-inline", "tool__test_apply_patch_cli_move_overwrites_existing_destination"): "FILE_EXISTS",
    ("codex-scenarios", "010_move_overwrites_existing_destination"): "FILE_EXISTS",
    ("git-t", "t4120-185"): "HEADER_NAME",  # a name that is quoted in part
    ("git-t", "t4124-205"): "NAMES_DIFFER",
    ("git-t", "t4124-206"): "NAMES_DIFFER",
    ("git-t", "t4135-400"): "HUNK_HEADER",  # `@@ +1 0,0 @@`
    ("go-gitdiff", "textDelete__file_text_delete"): "NAMES_DIFFER",
    ("jsdiff", "parse30__synth"): "HUNK_COUNT",  # lines left over behind a hunk
    ("unidiff-samples", "git_no_prefix.diff__synth"): "NO_MATCH",  # an insertion behind the end
    ("whatthepatch", "embedded-diff.comment__synth"): "HUNK_COUNT",  # lines left over behind a hunk
    ("whatthepatch", "git.patch__synth"): "NO_MATCH",  # context that lacks the file's last newline
}
# Cases that others refuse and redline takes, with the leniencies shown.
_INDENTED: Final = (
    "8Dwj5xGKRj 8HgcJKrbRx DLwZAq498Z J4oytq8NUa S5GBu4vZto VeWaa2wZ6g ii2KnpYrAE rn3LeB3QpD wJFTfSYVTj wNfDiHoES5"
    " zisDKWnjSn"
)
TAKEN: Final = {
    ("git-t", "t4113-139"): ("NO_TRAILING_CONTEXT",),
    ("go-gitdiff", "errorLiteralExceedsLimit__bin_fragment_literal_error_limit"): ("BINARY_UNVERIFIED",),
    ("jsdiff", "parse41__parse"): ("TEXT_UNTERMINATED",),
    ("whatthepatch", "git-oneline-add.diff__parse"): ("TEXT_UNTERMINATED",),
    # The peer found no such text; it stands in the file once, but for a uniform indentation.
    **{("claude-entire", f"notfound-{name}"): ("INDENTATION",) for name in _INDENTED.split()},
}
# Sets of which a person judges each case that is taken: models' diffs that git cannot read.
JUDGED: Final = {"llm-diffs"}


class Verdict(Enum):
    """How a case ended, against what was verified."""

    EXACT = "exact"
    REFUSED_RIGHTLY = "refused rightly"
    REFUSED_BY_RULE = "refused by a rule"
    REFUSED_WRONGLY = "refused wrongly"
    TAKEN = "taken with a note"
    WRONG = "wrong"
    CRASHED = "crashed"
    PARSED_ALIKE = "parsed alike"
    PARSED_OTHERWISE = "parsed otherwise"
    NOT_PARSED = "not parsed"
    NO_FORMAT = "no such format"


@dataclass(frozen=True)
class Case:
    """One text with the tree it is for. `after` None: it must be refused; `report`: only its parts are known."""

    set: str
    name: str
    style: str
    grade: str
    format: str
    text: bytes
    before: Tree
    after: Tree | None
    report: dict[str, Any] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    run_args: tuple[str, ...] = ()
    order: str = ""

    @property
    def ours(self) -> str:
        """Our name of its format."""
        return _OURS[self.format]

    @property
    def strip(self) -> int | None:
        strips = [int(arg[2:]) for arg in (*self.args, *self.run_args) if re.fullmatch(r"-p[0-9]+", arg)]
        return strips[0] if strips and self.ours == "diff" else None

    @property
    def title(self) -> str:
        return f"{self.set}/{self.name}" + (f" ({self.style})" if self.style else "")


@dataclass(frozen=True)
class Result:
    verdict: Verdict
    code: str = ""
    message: str = ""
    notes: tuple[Leniency, ...] = ()
    tree: Tree | None = None

    @property
    def leniencies(self) -> tuple[str, ...]:
        return tuple(note.code for note in self.notes)


def sets(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/cases.jsonl.gz"))


def cases(folder: Path, name: str) -> Iterator[Case]:
    """Give every case of a set, and behind it the other styles of the same change."""
    with gzip.open(folder / name / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            yield from _cases_of(record)


def _cases_of(record: dict[str, Any]) -> Iterator[Case]:
    expected = record["expected"]
    case = Case(
        set=record["set"],
        name=record["case"],
        style="",
        grade=record["class"],
        format=record["format"],
        text=raw(record["input"]),
        before=tree_of(record["before"]),
        after=tree_of(expected["after"]) if expected["kind"] == "tree" else None,
        report=expected if expected["kind"] == "report" else {},
        args=tuple(record.get("args", [])),
        run_args=tuple(record.get("run_args", [])),
        order=record["sha256"],
    )
    yield case
    for variant in record.get("variants", []):
        yield replace(
            case,
            style=variant["style"],
            text=raw(variant),
            after=case.after if variant["expect"] == "tree" else None,
            args=tuple(variant["args"]),
            run_args=tuple(variant["args"]),
        )


def raw(entry: dict[str, Any], key: str = "text", coded: str = "b64") -> bytes:
    return entry[key].encode() if key in entry else base64.b64decode(entry[coded])


def tree_of(entries: list[dict[str, Any]]) -> Tree:
    files = (entry for entry in entries if entry["mode"] not in _NO_FILE)
    return {raw(entry, "path", "path_b64"): (entry["mode"], raw(entry)) for entry in files}


def judge(case: Case, *, detect: bool = False) -> Result:
    """Read and resolve the case's text; `detect` leaves the format to be found."""
    if case.ours not in FORMATS:
        return Result(Verdict.NO_FORMAT)
    try:
        reading = read(case.text, format=None if detect else case.ours, strip=case.strip, **_root(case))
        if case.report:
            return _compare(case, reading)
        result = resolve(reading, {path: _present(case.before, path) for path in reading.paths})
    except RedlineError as error:
        return Result(_of_refusal(case, error.code), error.code, error.message)
    tree = dict(case.before)
    for change in result.changes:
        tree.pop(change.path.encode(), None)
        if change.after is not None:
            tree[change.path.encode()] = (change.after.mode.value, change.after.data)
    return Result(_of_tree(case, tree, result.leniencies), notes=result.leniencies, tree=tree)


def _of_refusal(case: Case, code: str) -> Verdict:
    if case.report:
        return Verdict.NOT_PARSED
    if case.after is None:
        return Verdict.REFUSED_RIGHTLY
    if code == "NO_CHANGE" and case.after == case.before:
        return Verdict.REFUSED_BY_RULE
    if code in RULES or STRICTER.get((case.set, case.name)) == code:
        return Verdict.REFUSED_BY_RULE
    return Verdict.REFUSED_WRONGLY


def _of_tree(case: Case, tree: Tree, notes: tuple[Leniency, ...]) -> Verdict:
    if case.after is not None:
        return Verdict.EXACT if tree == case.after else Verdict.WRONG
    codes = tuple(note.code for note in notes)
    if case.set in JUDGED or (codes and TAKEN.get((case.set, case.name)) == codes):
        return Verdict.TAKEN
    return Verdict.WRONG


def _root(case: Case) -> dict[str, Any]:
    """Tool calls name files absolutely, below /repo."""
    takes_root = "root" in inspect.signature(read).parameters
    return {"root": "/repo"} if takes_root and case.ours == "tool-call" else {}


def _present(before: Tree, path: RepoPath) -> Content | None:
    """Read as the worktree's reader does: a link, at the path or above it, is refused."""
    for name in (*path.parents, str(path)):
        if before.get(name.encode(), ("", b""))[0] == _LINK:
            raise PathRefused(f"{name} is a symbolic link", code="PATH_SYMLINK")
    found = before.get(path.encode())
    return Content(found[1], Mode(found[0])) if found is not None else None


def _compare(case: Case, reading: Reading) -> Result:
    found, expected = _parts(case, reading)
    if found == expected:
        return Result(Verdict.PARSED_ALIKE)
    return Result(Verdict.PARSED_OTHERWISE, message=f"{found!r}, not {expected!r}")


def _parts(case: Case, reading: Reading) -> tuple[object, object]:
    """Give what the reading says and what the report says, as far as the report goes."""
    stdout = case.report.get("stdout", "")
    if stdout.startswith("["):
        blocks = json.loads(stdout)
        return _blocks(reading, sides=isinstance(blocks[0][1], str)), {_block(*block) for block in blocks}
    totals = _TOTALS.search(stdout)
    if totals is None:
        return sums_of(reading), numstat(stdout.encode() or base64.b64decode(case.report["numstat_z"]))
    return totals_of(sums_of(reading)), tuple(int(number or 0) for number in totals.groups())


def _block(path: str, *sides: str | list[str]) -> tuple[str | bytes, ...]:
    return (path, *(side.encode() for side in sides if isinstance(side, str)))


def _blocks(reading: Reading, *, sides: bool) -> set[tuple[str | bytes, ...]]:
    found: set[tuple[str | bytes, ...]] = set()
    for edit in reading.edits:
        if isinstance(edit, Replace | Write):
            before, after = (edit.before, edit.after) if isinstance(edit, Replace) else (b"", edit.data)
            found.add((str(edit.path), before, after) if sides else (str(edit.path),))
    return found


def sums_of(reading: Reading) -> Sums:
    found: Sums = Counter()
    for edit in reading.edits:
        if isinstance(edit, FilePatch):
            tags = Counter(line[:1] for hunk in edit.hunks for line in hunk.lines)
            counts = ("-", "-") if edit.binary else (str(tags[b"+"]), str(tags[b"-"]))
            found[(*counts, str(edit.path))] += 1
    return found


def totals_of(sums: Sums) -> tuple[int, int, int]:
    """Give files, added and removed lines, as `git apply --stat` sums them up."""
    counted = [(int(added), int(removed)) for added, removed, _ in sums.elements() if added != "-"]
    return sums.total(), sum(added for added, _ in counted), sum(removed for _, removed in counted)


def numstat(output: bytes) -> Sums:
    """Read what `git apply --numstat` prints, with -z or without."""
    rows = output.decode("utf-8", "surrogateescape").replace("\0", "\n").split("\n")
    return Counter((added, removed, path) for added, removed, path in (row.split("\t", 2) for row in rows if row))


def sample(folder: Path, name: str, count: int) -> list[Case]:
    """Give `count` cases of a set with all their styles, always the same ones: those with the least hashes."""
    every = list(cases(folder, name))
    chosen = set(sorted({case.order for case in every})[:count])
    return [case for case in every if case.order in chosen]
