"""Run a command on a throw-away copy of the present tree; what it changed becomes a proposal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from redline.review.admission import refuse_long

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from redline.core.net import NetChange
    from redline.core.proposal import Origin
    from redline.review.capture import CaptureDesk, Taken
    from redline.review.ports import Uncommitted


class Room(Protocol):
    """A folder that is gone afterwards."""

    @property
    def tree(self) -> str: ...

    @property
    def base(self) -> str: ...

    def note_link(self, git_dir: str) -> None: ...

    def run(self, command: Sequence[str], inner: str, *, quietly: bool) -> int: ...


class Linked(Protocol):
    @property
    def git_dir(self) -> str: ...

    def present(self) -> tuple[str, ...]: ...


class Worktrees(Protocol):
    def link(self, folder: str) -> Linked: ...

    def present(self) -> tuple[str, ...]: ...

    def committed(self, paths: Sequence[str]) -> dict[str, bytes]: ...


class TreeCopy(Protocol):
    def fill(self, paths: Iterable[str], unsafe: Collection[str]) -> tuple[str, ...]: ...

    def net(
        self, paths: Iterable[str], committed: Callable[[Sequence[str]], dict[str, bytes]]
    ) -> Iterator[NetChange]: ...


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended (negative: by that signal), what became of its net change, and what its copy lacked."""

    code: int
    taken: Taken
    missing: tuple[str, ...]


class RunDesk:
    """The person's port for commands that change files; `copies` opens a copy of the tree, from and to a folder."""

    def __init__(
        self,
        *,
        rooms: Callable[[], AbstractContextManager[Room]],
        worktrees: Worktrees,
        copies: Callable[[str, str], AbstractContextManager[TreeCopy]],
        uncommitted: Callable[[], Uncommitted],
        captures: CaptureDesk,
    ) -> None:
        self._rooms = rooms
        self._worktrees = worktrees
        self._copies = copies
        self._uncommitted = uncommitted
        self._captures = captures

    def run(self, command: Sequence[str], inner: str, origin: Origin, reason: str, *, quietly: bool) -> Ran:
        """Run the command in the folder `inner` of the copy, and propose what it changed, compared by content.

        The tree is not touched, and the copy is removed whatever happens. Raises KeyboardInterrupt if the command was
        interrupted, UsageFault if it cannot be run, LimitExceeded if its change is too much for one proposal.
        """
        refuse_long(reason)
        with self._rooms() as room:
            linked = self._worktrees.link(room.tree)
            room.note_link(linked.git_dir)
            with self._copies(room.tree, room.base) as copy:
                unsafe = {candidate.path for candidate in self._uncommitted().candidates()}
                missing = copy.fill(self._worktrees.present(), unsafe)
                code = room.run(command, inner, quietly=quietly)
                net = tuple(copy.net(linked.present(), self._worktrees.committed))
        return Ran(code, self._captures.propose(net, origin, reason), missing)
