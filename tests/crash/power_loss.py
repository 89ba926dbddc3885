"""The disks that a power cut can leave, at every point of what was recorded, and whether the promise holds there."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tests.crash import recording
from tests.crash.cases import TAKES_ALL
from tests.crash.disk import Change, Content, Disk, File, Layout, Move, Number, Write, with_foundations
from tests.crash.variants import MOVE_ASIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tests.crash.killer import Case, Killer
    from tests.crash.recording import Call

_RANDOM_CHOICES = 3
_MOST_DIRTY_FILES = 6
_EVERY_MISTAKE = 8

Contents: TypeAlias = dict[Number, Content]
FindKept: TypeAlias = Callable[[], frozenset[Move]]


class State(NamedTuple):
    """A disk after a power cut: when that was, what was lost, and whether an orderly disk could lose just that."""

    layout: Layout
    contents: Contents
    when: str
    lost: str
    is_orderly: bool
    is_reported: bool

    @property
    def appearance(self) -> object:
        """The same for two states that look the same: of a file's number, only what else has it counts."""
        first: dict[Number, str] = {}
        files = [(path, first.setdefault(file, path), self.contents[file]) for path, file in self.layout.files.items()]
        return tuple(self.layout.folders.items()), tuple(files), self.is_reported

    def __str__(self) -> str:
        return f"{self.when}; {self.lost}"


class Violation(NamedTuple):
    state: State
    what: str
    found: object

    def __str__(self) -> str:
        return f"{self.state}: {self.what}: {self.found}"


class PowerCuts:
    """Acts on one case are recorded, then the power is cut at every point of the record."""

    def __init__(self, killer: Killer, case: Case, variant: str) -> None:
        self.killer = killer
        self.case = case
        self.variant = variant
        self._exchange = variant if variant == MOVE_ASIDE else ""  # the file system's, whoever writes
        case.restore()
        unharmed = killer.run("confirm", case, variant=self._exchange)
        assert unharmed["outcome"] == "applied"
        self.unharmed: list[str] = unharmed["calls"]
        self.after = case.everything()
        case.restore()
        self.ends: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self._reported: dict[str, Any] | None = None
        self._log = case.copy / "record"
        self._disk = Disk({"root": case.root, "state": case.state})

    def record(self, act: str, *, at: int = 0) -> list[Call]:
        """Do an act, recorded, after those recorded before; killed before the call numbered `at`."""
        known = len(recording.read(self._log)) if self._log.exists() else 0
        answer = self.killer.run(act, self.case, at=at, variant=self.variant, record=str(self._log))
        calls = recording.read(self._log)[known:]
        if not at:
            assert [call.function for call in calls] == answer["calls"]  # the recorder misses nothing
            self._reported = self.killer.run("inspect", self.case).get("receipt")
        return calls

    def pass_over(self, calls: list[Call]) -> None:
        """Let calls happen without a power cut among them."""
        for call in calls:
            self._disk.replay(call)

    def states(self, calls: list[Call], most_at_once: int) -> list[State]:
        """The different disks that a cut can leave, among the calls or after them; at most so many for each point."""
        found: dict[object, State] = {}
        for number in range(len(calls) + 1):
            if number:
                self._disk.replay(calls[number - 1])
            when = f"power cut after call {number}, {calls[number - 1].function}" if number else "power cut at once"
            for state in _states_now(self._disk, when, most_at_once, is_reported=number == len(calls)):
                found.setdefault(state.appearance, state)
        return list(found.values())

    def check_some(self, states: list[State], most: int) -> None:
        """Check this many of the states, all of them if the tests take all."""
        for state in states if TAKES_ALL else _some(states, most):
            self.check(state)

    def check_until_caught(self, states: list[State]) -> None:
        """Check states in no order until one breaks the promise, all of them if the tests take all."""
        for state in _some(states, len(states)):
            self.check(state)
            if self.violations and not TAKES_ALL:
                return

    def check(self, state: State) -> None:
        """Let the next command come, then hold the disk to the promise."""
        self._materialise(state)
        act = "settle after a mistake" if self.ends.total() % _EVERY_MISTAKE == 0 else "settle"
        seen = self.killer.run(act, self.case, variant=self._exchange)
        receipt = seen.get("receipt")
        end = receipt["outcome"] if receipt is not None else "pending" if "faults" in seen else "stopped"
        self.ends[end] += 1
        self._expect(state, "problems", [], _problems(seen))
        self._expect(state, "leftovers", [], self.case.leftovers())
        expected = self.after if end == "applied" else self.case.before
        self._expect(state, f"tree of {end}", {}, self._differing(expected))
        self._expect(state, "bytes lost", set(), _bytes_of(expected) - self._bytes_there())
        if state.is_reported:
            self._expect(state, "receipt that was reported", self._reported, receipt)

    def summary(self, states: list[State]) -> str:
        broken = {id(violation.state): violation.state.is_orderly for violation in self.violations}
        checked = f"{len(states)} states, {self.ends.total()} checked: {dict(self.ends)}"
        return f"{checked}; {len(broken)} break the promise, {sum(broken.values())} of them on an orderly disk"

    def _differing(self, expected: Mapping[str, tuple[int, bytes]]) -> dict[str, str]:
        """The paths that are not as expected, and what they are like."""
        found = self.case.everything()
        sides = ((self.case.before, "before"), (self.after, "after"))
        return {
            path: " and ".join(name for side, name in sides if side.get(path) == found.get(path)) or "neither"
            for path in sorted({**expected, **found})
            if expected.get(path) != found.get(path)
        }

    def _bytes_there(self) -> set[bytes]:
        """What the files of the tree hold, and those that a person is told of."""
        kept = self.case.root / ".proposals" / "kept"
        there = {path.read_bytes() for path in kept.iterdir()} if kept.exists() else set()
        return there | _bytes_of(self.case.everything())

    def _expect(self, state: State, what: str, expected: object, found: object) -> None:
        if found != expected:
            self.violations.append(Violation(state, what, found))

    def _materialise(self, state: State) -> None:
        """Write the disk where it was, but leave alone what git has in `.git`."""
        tops = {"root": self.case.root, "state": self.case.state}
        for top in tops.values():
            _empty(top)
        (self.case.root / ".git" / "index.lock").unlink(missing_ok=True)
        for path, mode in state.layout.folders.items():
            place = _place_of(path, tops)
            os.makedirs(place, exist_ok=True)
            os.chmod(place, mode)
        places: dict[Number, str] = {}
        for path, file in state.layout.files.items():
            place = _place_of(path, tops)
            if places.setdefault(file, place) != place:
                os.link(places[file], place)
                continue
            with open(place, "wb") as opened:
                opened.write(state.contents[file].data)
                os.fchmod(opened.fileno(), state.contents[file].mode)


def _some(states: list[State], most: int) -> Iterable[State]:
    """This many states, by a chance that is the same at every run."""
    return random.Random(0).sample(states, min(most, len(states)))  # noqa: S311


def _bytes_of(tree: Mapping[str, tuple[int, bytes]]) -> set[bytes]:
    return {data for _, data in tree.values()}


def _place_of(path: str, tops: dict[str, Path]) -> str:
    top, _, rest = path.partition("/")
    return os.path.join(tops[top], rest)


def _empty(folder: Path) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != ".git":
                shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def _problems(seen: dict[str, Any]) -> list[object]:
    """What the next command met that is not as after a power cut that harmed nothing."""
    problems = [seen[name] for name in ("bug", "message", "killed_by") if name in seen]
    return [*problems, *seen.get("kept", ()), *seen.get("faults", ()), *["unfinished"] * seen.get("unfinished", 0)]


def _states_now(disk: Disk, when: str, most: int, *, is_reported: bool) -> Iterator[State]:
    """The states that a cut can leave now: of all pairs of what is kept of entries and of data, at most so many."""
    chance = random.Random(when)  # noqa: S311 -- the same choice at every run
    pairs = list(product(_choices_of_moves(disk.moves, chance), _choices_of_contents(disk, chance)))
    for (moves_lost, find_kept), (data_lost, contents) in pairs if len(pairs) <= most else chance.sample(pairs, most):
        kept = find_kept()
        lost = f"{moves_lost}, {data_lost}"
        yield State(disk.layout(kept), contents, when, lost, _is_prefix(disk, kept), is_reported)


def _is_prefix(disk: Disk, kept: frozenset[Move]) -> bool:
    """Tell whether an orderly disk keeps just these: the first ones, and all that stood at the last sync."""
    first_lost = min((move.position for move in disk.moves if move not in kept), default=None)
    if first_lost is None:
        return True
    return first_lost >= disk.kept_in_order and all(move.position < first_lost for move in kept)


def _choices_of_moves(moves: list[Move], chance: random.Random) -> Iterator[tuple[str, FindKept]]:
    """Which changes of entries were kept: all, none, the first ones, one only, all but one, some by chance."""
    count = len(moves)
    yield "no entries lost", partial(frozenset, moves)
    for number in range(count):
        yield f"entries: the first {number} of {count} kept", partial(frozenset, moves[:number])
    for move in moves:
        yield f"entries: only this kept, {_words(move)}", partial(_with_foundations, {move}, moves)
        yield f"entries: only this lost, {_words(move)}", partial(_without, move, moves)
    for _ in range(_RANDOM_CHOICES if count > 3 else 0):
        chosen = {move for move in moves if chance.random() < 0.5}
        yield (
            f"entries: kept {[_words(move) for move in moves if move in chosen]}",
            partial(_with_foundations, chosen, moves),
        )


def _with_foundations(chosen: set[Move], moves: list[Move]) -> frozenset[Move]:
    return frozenset(with_foundations(chosen, moves))


def _without(lost: Move, moves: list[Move]) -> frozenset[Move]:
    """All but this one and what builds upon it."""
    spoilt: set[tuple[Number, str]] = set()
    kept = []
    for move in moves:
        if move is lost or move.slots & spoilt:
            spoilt |= move.slots
        else:
            kept.append(move)
    return frozenset(kept)


def _words(move: Move) -> str:
    return " and ".join(f"{name} {'gone' if file is None else 'new'}" for _, name, file in move.entries)


def _choices_of_contents(disk: Disk, chance: random.Random) -> Iterator[tuple[str, Contents]]:
    """What was kept of the files that are not synced: all, nothing, and for each of them alone: nothing, a part."""
    files = disk.files
    kept = {number: file.now for number, file in files.items()}
    yield "no data lost", kept
    dirty = [number for number, file in files.items() if file.changes]
    if dirty:
        yield "all unsynced data lost", {number: file.durable for number, file in files.items()}
    for number in dirty[-_MOST_DIRTY_FILES:]:
        for how, content in _damages(files[number], chance):
            yield f"file {number}: {how}", {**kept, number: content}


def _damages(file: File, chance: random.Random) -> Iterator[tuple[str, Content]]:
    yield "unsynced data lost", file.durable
    some = [change for change in file.changes if chance.random() < 0.5]
    yield f"{len(some)} of {len(file.changes)} unsynced changes kept", file.with_changes(some)
    yield "the last write torn", file.with_changes([*file.changes[:-1], *_half(file.changes[-1])])
    length, grown = len(file.durable.data), len(file.now.data)
    if grown > length:
        yield "grown, but with zeros", file.now._replace(data=file.durable.data.ljust(grown, b"\0"))


def _half(change: Change) -> list[Change]:
    return [Write(change.offset, change.data[: len(change.data) // 2])] if isinstance(change, Write) else []
