"""A disk that keeps no more than it was asked to keep.

- What is written to a file, and its mode, is durable once that file is synced; before, each write may be lost, alone
  or with others.
- A change of directory entries is durable once every folder that it touches is synced; before, it may be lost, alone or
  with others, but never in part: a rename or an exchange has happened or has not.
- What is kept carries along what it builds upon: the changes before it of the same entries.

An orderly disk, as journalling file systems are, keeps changes of entries in their order: of several, the first ones.
Every sync there makes durable all the changes before it.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from tests.crash.recording import Call

_EXCHANGE = 2  # the flag of renameat2(2)
_CREATED, _CUT = 1, 2  # the recorder's notes on an open

Number: TypeAlias = int  # the model's own inode number: the system's may be used again


class Content(NamedTuple):
    mode: int
    data: bytes


class Write(NamedTuple):
    offset: int
    data: bytes

    def on(self, content: Content) -> Content:
        start = content.data[: self.offset].ljust(self.offset, b"\0")
        return content._replace(data=start + self.data + content.data[self.offset + len(self.data) :])


class Cut(NamedTuple):
    length: int

    def on(self, content: Content) -> Content:
        return content._replace(data=content.data[: self.length].ljust(self.length, b"\0"))


class SetMode(NamedTuple):
    mode: int

    def on(self, content: Content) -> Content:
        return content._replace(mode=self.mode)


Change: TypeAlias = Write | Cut | SetMode


@dataclass
class File:
    """What is durable, and the changes since."""

    durable: Content
    changes: list[Change] = field(default_factory=list)

    def with_changes(self, changes: Iterable[Change]) -> Content:
        content = self.durable
        for change in changes:
            content = change.on(content)
        return content

    @property
    def now(self) -> Content:
        return self.with_changes(self.changes)


@dataclass
class Folder:
    """Its entries now, and those that are durable."""

    mode: int
    now: dict[str, Number] = field(default_factory=dict)
    durable: dict[str, Number] = field(default_factory=dict)


class Entry(NamedTuple):
    """A name in a folder gets a file, or none."""

    folder: Number
    name: str
    file: Number | None


@dataclass(eq=False)
class Move:
    """Entries that change together, and the folders not synced since; `position` counts all moves."""

    position: int
    entries: tuple[Entry, ...]
    unsynced: set[Number]

    @cached_property
    def slots(self) -> set[tuple[Number, str]]:
        return {(entry.folder, entry.name) for entry in self.entries}


class Layout(NamedTuple):
    """What is where on one possible disk: path → mode of a folder, and path → file; a file can have two paths."""

    folders: dict[str, int]
    files: dict[str, Number]


class Disk:
    """Some folders of a real disk, taken as durable at first, and what recorded calls do to them."""

    def __init__(self, roots: Mapping[str, Path]) -> None:
        self.files: dict[Number, File] = {}
        self.folders: dict[Number, Folder] = {}
        self.moves: list[Move] = []
        self.kept_in_order = 0
        self._moved = 0
        self._numbers: dict[str, Number] = {}
        self._roots = {name: self._load(os.fspath(path)) for name, path in roots.items()}

    def _load(self, path: str) -> Number:
        status = os.lstat(path)
        number = self._number_new(f"{status.st_dev:x}:{status.st_ino:x}")
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                self.files[number] = File(Content(stat.S_IMODE(status.st_mode), file.read()))
            return number
        folder = self.folders[number] = Folder(stat.S_IMODE(status.st_mode))
        if os.path.basename(path) != ".git":  # what git has in there is none of the model's
            folder.now = {entry.name: self._load(entry.path) for entry in os.scandir(path)}
            folder.durable = dict(folder.now)
        return number

    def _number_new(self, recorded: str) -> Number:
        self._numbers[recorded] = number = len(self.files) + len(self.folders)
        return number

    def replay(self, call: Call) -> None:
        """Do what a recorded call did. Raises KeyError for a call that the model does not know."""
        if call.succeeded:
            _REPLAYS[call.function](self, call)

    def _change(self, call: Call, change: Change) -> None:
        """Change a file; what is none of the disk's, a pipe for one, is left alone."""
        file = self.files.get(self._numbers.get(call.one, -1))
        if file is not None:
            file.changes.append(change)

    def _write(self, call: Call) -> None:
        self._change(call, Write(call.number, call.data))

    def _truncate(self, call: Call) -> None:
        self._change(call, Cut(call.number))

    def _chmod(self, call: Call) -> None:
        self._change(call, SetMode(call.mode))

    def _no_matter(self, call: Call) -> None:
        """Owners, attributes and times are not modelled."""

    def _open(self, call: Call) -> None:
        if call.number == _CREATED:
            self.files[self._number_new(call.other)] = File(Content(call.mode, b""))
            self._move((call.one, call.name, self._numbers[call.other]))
        elif call.number == _CUT:
            self.files[self._numbers[call.other]].changes.append(Cut(0))

    def _mkdir(self, call: Call) -> None:
        self.folders[self._number_new(call.other)] = Folder(call.mode)
        self._move((call.one, call.name, self._numbers[call.other]))

    def _remove(self, call: Call) -> None:
        self._move((call.one, call.name, None))

    def _link(self, call: Call) -> None:
        self._move((call.other, call.other_name, self._at(call.one, call.name)))

    def _rename(self, call: Call) -> None:
        source, target = self._at(call.one, call.name), self._at(call.other, call.other_name)
        left = target if call.number == _EXCHANGE else None
        if source != target:  # rename(2): two names of one file stay as they are
            self._move((call.one, call.name, left), (call.other, call.other_name, source))

    def _at(self, folder: str, name: str) -> Number | None:
        return self.folders[self._numbers[folder]].now.get(name)

    def _move(self, *changes: tuple[str, str, Number | None]) -> None:
        entries = tuple(Entry(self._numbers[folder], name, file) for folder, name, file in changes)
        for folder, name, file in entries:
            _set(self.folders[folder].now, name, file)
        self.moves.append(Move(self._moved, entries, {entry.folder for entry in entries}))
        self._moved += 1

    def _sync(self, call: Call) -> None:
        number = self._numbers.get(call.one, -1)
        if number in self.files:
            self._sync_file(self.files[number])
        for move in self.moves:
            move.unsynced.discard(number)
        self._settle()

    def _sync_all(self, call: Call) -> None:
        for file in self.files.values():
            self._sync_file(file)
        for move in self.moves:
            move.unsynced.clear()
        self._settle()

    def _sync_file(self, file: File) -> None:
        file.durable = file.now
        file.changes.clear()

    def _settle(self) -> None:
        """Make durable the moves that wait for no folder, and those that they build upon."""
        self.kept_in_order = self._moved
        for move in with_foundations({move for move in self.moves if not move.unsynced}, self.moves):
            for folder, name, file in move.entries:
                _set(self.folders[folder].durable, name, file)
            self.moves.remove(move)

    def layout(self, kept: frozenset[Move]) -> Layout:
        """The disk on which, of the moves that are not durable, these were kept."""
        layout = Layout({}, {})
        entries: dict[Number, dict[str, Number]] = {}
        for move in self.moves:
            if move in kept:
                for folder, name, file in move.entries:
                    _set(entries.setdefault(folder, dict(self.folders[folder].durable)), name, file)
        for path, root in self._roots.items():
            self._draw(layout, path, root, entries)
        return layout

    def _draw(self, layout: Layout, path: str, number: Number, entries: dict[Number, dict[str, Number]]) -> None:
        if number in self.files:
            layout.files[path] = number
            return
        folder = self.folders[number]
        layout.folders[path] = folder.mode
        for name, inner in sorted(entries.get(number, folder.durable).items()):
            self._draw(layout, f"{path}/{name}", inner, entries)


def with_foundations(chosen: set[Move], moves: list[Move]) -> list[Move]:
    """The chosen ones of the moves, and those before them that changed the same entries."""
    found: list[Move] = []
    needed: set[tuple[Number, str]] = set()
    for move in reversed(moves):
        if move in chosen or move.slots & needed:
            needed |= move.slots
            found.insert(0, move)
    return found


def _set(entries: dict[str, Number], name: str, file: Number | None) -> None:
    if file is None:
        entries.pop(name, None)
    else:
        entries[name] = file


_REPLAYS: dict[str, Callable[[Disk, Call], None]] = {
    "write": Disk._write,
    "pwrite64": Disk._write,
    "ftruncate": Disk._truncate,
    "fchmod": Disk._chmod,
    "fchown": Disk._no_matter,
    "fsetxattr": Disk._no_matter,
    "utimensat": Disk._no_matter,
    "fsync": Disk._sync,
    "fdatasync": Disk._sync,
    "syncfs": Disk._sync_all,
    "openat": Disk._open,
    "mkdir": Disk._mkdir,
    "mkdirat": Disk._mkdir,
    "unlink": Disk._remove,
    "unlinkat": Disk._remove,
    "rmdir": Disk._remove,
    "link": Disk._link,
    "linkat": Disk._link,
    "rename": Disk._rename,
    "renameat": Disk._rename,
    "renameat2": Disk._rename,
}
