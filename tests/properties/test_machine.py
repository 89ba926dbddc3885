"""Proposals, decisions, outside edits, races, deaths and recoveries in any order, on a real tree and a real journal.

The model is a dictionary: an outside edit changes it, and so does a receipt that says `applied`; nothing else may
change the tree. So no outside byte is lost, and every change has its receipt.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule
from tests.support.desks import CommittedFiles, Desks

from redline.adapters.worktree.exchange import AtomicExchange
from redline.adapters.worktree.guard import Guard
from redline.adapters.worktree.tree import Tree
from redline.core.content import Content
from redline.core.decision import Level
from redline.core.held import Held
from redline.core.lifecycle import Outcome
from redline.core.parts import Selection, parts_of
from redline.core.paths import RepoPath
from redline.core.proposal import Origin
from redline.errors import RecoveryIncomplete, UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from redline.core.merge import Conflict
    from redline.core.proposal import Proposal
    from redline.review.case import Ended
    from redline.review.derive import Derived

PATHS = ("a.txt", "b.txt", "dir/c.txt", "new/er/d.txt")
paths = st.sampled_from(PATHS)
wanted = st.dictionaries(paths, st.sampled_from(["write", "delete", "run"]), min_size=1)
moments = st.integers(1, 5)


class Death(BaseException):
    """The process ends here: nothing in redline may catch it."""


class Disturbed(AtomicExchange):
    """The real exchange; around its call number `moment` something happens to the tree or to the process."""

    def __init__(self, moment: int = 0, *, before: Callable[[], None] | None = None, dies: str = "") -> None:
        super().__init__()
        self._left = moment
        self._before = before
        self._dies = dies

    def _call(self, from_fd: int, old: str, to_fd: int, new: str, flag: int) -> None:
        self._left -= 1
        if self._left == 0 and self._before is not None:
            self._before()
        if self._left == 0 and self._dies == "before":
            raise Death
        super()._call(from_fd, old, to_fd, new, flag)
        if self._left == 0 and self._dies == "after":
            raise Death


class Machine(RuleBasedStateMachine):
    proposals = Bundle("proposals")

    def __init__(self) -> None:
        super().__init__()
        in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.root = tempfile.mkdtemp(prefix="redline-machine-", dir=in_memory)
        self.model: dict[str, bytes] = {}
        self.known: dict[str, Proposal] = {}
        self.counted: set[str] = set()
        self.unsettled = False
        self.number = 0
        for path in PATHS[:3]:
            self._write(path, self._token("start"))

    def teardown(self) -> None:
        if self.unsettled:
            self._recover()
        with self._desks() as desks:
            assert (desks.journal.faults(), desks.unfinished(), desks.writer.unsettled(Held("lock"))) == ((), (), ())
            ended = {proposal for proposal in self.known if proposal in desks.receipts()}
        assert ended == self.counted
        shutil.rmtree(self.root)

    @rule(target=proposals, ways=wanted)
    def propose(self, ways: dict[str, str]) -> str:
        edits = [self._edit(path, way) for path, way in ways.items()]
        text = json.dumps({"schema": "redline.edit/1", "edits": edits}).encode()
        with self._desks() as desks:
            try:
                proposal = desks.propose(text)
            except RecoveryIncomplete:
                assert self.unsettled
                return ""
        self.known[proposal.id] = proposal
        return proposal.id

    @rule(name=proposals)
    def confirm(self, name: str) -> None:
        self._decide(name, Disturbed(), lambda desks, proposal: desks.confirm(proposal))

    @rule(name=proposals)
    def decline(self, name: str) -> None:
        self._decide(name, Disturbed(), lambda desks, proposal: desks.user().decline(proposal.id, "no"))

    @rule(
        name=proposals, picks=st.sets(paths, min_size=1), moment=st.integers(0, 5), dies=st.sampled_from(["", "after"])
    )
    def confirm_a_part(self, name: str, picks: set[str], moment: int, dies: str) -> None:
        """Take the parts at some paths; in one of six moments the process dies, if it is to."""

        def act(desks: Desks, proposal: Proposal) -> Ended:
            view = desks.viewer().preview(proposal.id)
            names = {part.name for part in parts_of(proposal.changes, view.hunks) if part.path in picks}
            whole = {part.name for part in parts_of(proposal.changes, view.hunks)}
            selection = Selection(frozenset(names or whole))
            return desks.user().confirm(proposal.id, proposal.digest, Level.NONE, selection)

        self._decide(name, Disturbed(moment, dies=dies), act)

    @rule(target=proposals, name=proposals)
    def undo(self, name: str) -> str:
        return self._derive(name, lambda desks: desks.derivations().undo(name))

    @rule(target=proposals, name=proposals)
    def refresh(self, name: str) -> str:
        return self._derive(name, lambda desks: desks.derivations().refresh(name))

    @rule(name=proposals, moment=st.integers(1, 4), shift=st.sampled_from([0, 0, 1, -1]))
    def confirm_in_a_race(self, name: str, moment: int, shift: int) -> None:
        """Somebody renames a new file over a path of the proposal just before one of the exchanges.

        Without a shift it is the very path that is exchanged next; else one before it or after it.
        """
        touched = [str(change.path) for change in self.known[name].changes] if name in self.known else [PATHS[0]]
        moment = min(moment, len(touched))
        path, token = touched[(moment - 1 + shift) % len(touched)], self._token("raced")
        raced: list[str] = []

        def race() -> None:
            self._write(path, token, into_model=False)
            raced.append(path)

        self._decide(name, Disturbed(moment, before=race), lambda desks, proposal: desks.confirm(proposal), raced)
        if raced:
            self.model[path] = token

    @rule(name=consumes(proposals), moment=moments, dies=st.sampled_from(["before", "after"]))
    def confirm_and_die(self, name: str, moment: int, dies: str) -> None:
        self._decide(name, Disturbed(moment, dies=dies), lambda desks, proposal: desks.confirm(proposal))

    @rule(ways=wanted, moment=st.integers(1, 4), shift=st.sampled_from([0, 0, 1, -1]))
    def propose_and_race(self, ways: dict[str, str], moment: int, shift: int) -> None:
        self.confirm_in_a_race(self.propose(ways), moment, shift)

    @rule(ways=wanted, moment=moments, dies=st.sampled_from(["before", "after"]))
    def propose_and_die(self, ways: dict[str, str], moment: int, dies: str) -> None:
        self.confirm_and_die(self.propose(ways), moment, dies)

    @precondition(lambda self: not self.unsettled)
    @rule(target=proposals, ways=wanted, moment=st.integers(0, 5), dies=st.sampled_from(["", "before", "after"]))
    def capture(self, ways: dict[str, str], moment: int, dies: str) -> str:
        """Somebody works on files, and captures that against what they were; at some moments the process dies."""
        committed = dict(self.model)
        with self._desks() as desks:
            contents = {path: desks.tree.read(RepoPath(path), max_bytes=1 << 20) for path in committed}
        for path, way in ways.items():
            if way == "delete":
                self._remove(path)
            else:
                self._write(path, self._token("worked"))
        files = {path: found for path, found in contents.items() if isinstance(found, Content)}
        with self._desks(Disturbed(moment, dies=dies)) as desks:
            try:
                desk = desks.captures(CommittedFiles(files, tuple(ways)))
                captured = desk.capture((), Origin("Ada Example"), "", keep=False)
            except Death:
                self.unsettled = True
                return ""
            self._count_receipts(desks)
        if captured is None:
            return ""
        self.model = committed
        self.known[captured.prepared.proposal.id] = captured.prepared.proposal
        return captured.prepared.proposal.id

    @rule(path=paths)
    def edit_outside(self, path: str) -> None:
        self._write(path, self._token("outside"))

    @rule(path=paths)
    def delete_outside(self, path: str) -> None:
        self._remove(path)

    def _remove(self, path: str) -> None:
        if os.path.exists(os.path.join(self.root, path)):
            os.unlink(os.path.join(self.root, path))
            self.model.pop(path, None)

    @precondition(lambda self: self.unsettled)
    @rule(moment=moments, dies=st.sampled_from(["before", "after"]))
    def die_in_recovery(self, moment: int, dies: str) -> None:
        self._recover(Disturbed(moment, dies=dies))

    @precondition(lambda self: self.unsettled)
    @rule()
    def recover(self) -> None:
        self._recover()

    @invariant()
    def the_tree_is_the_model(self) -> None:
        if not self.unsettled:
            assert self._files() == self.model

    @invariant()
    def no_outside_byte_is_lost(self) -> None:
        """Also half-way: what the model has is under its name, in a slot or among the kept files."""
        everywhere = set(self._files(skip=()).values())
        assert {data for data in self.model.values() if data not in everywhere} == set()

    def _derive(self, name: str, act: Callable[[Desks], Derived | tuple[Conflict, ...]]) -> str:
        """The new proposal's id; empty where there is none: a conflict, or an act that has no use."""
        if name not in self.known:
            return ""
        with self._desks() as desks:
            try:
                result = act(desks)
            except RecoveryIncomplete:
                assert self.unsettled
                return ""
            except UsageFault:
                result = ()
            self.unsettled = False
            self._count_receipts(desks)
        if isinstance(result, tuple):
            return ""
        self.known[result.prepared.proposal.id] = result.prepared.proposal
        return result.prepared.proposal.id

    def _decide(
        self,
        name: str,
        exchange: Disturbed,
        act: Callable[[Desks, Proposal], Ended],
        raced: list[str] | None = None,
    ) -> None:
        proposal = self.known.get(name)
        if proposal is None:
            return
        with self._desks(exchange) as desks:
            try:
                act(desks, proposal)
            except Death:
                self.unsettled = True
                return
            except RecoveryIncomplete:
                assert self.unsettled or raced
            self.unsettled = False
            self._count_receipts(desks)

    def _recover(self, exchange: Disturbed | None = None) -> None:
        with self._desks(exchange or Disturbed()) as desks:
            try:
                with desks.lock.hold() as held:
                    desks.recovery.run(held)
            except Death:
                return
            self.unsettled = False
            self._count_receipts(desks)

    def _count_receipts(self, desks: Desks) -> None:
        """Each receipt that is new since the last look changes the model, if it says `applied`."""
        for name, filed in desks.receipts().items():
            if name in self.counted:
                continue
            self.counted.add(name)
            with desks.journal.reading() as reader:
                self.known.setdefault(name, reader.proposal(name))
            if filed.receipt.outcome is Outcome.APPLIED:
                for path, data in self._afters(desks, self.known[name]):
                    self.model.pop(path, None)
                    self.model |= {path: data} if data is not None else {}

    def _afters(self, desks: Desks, proposal: Proposal) -> Iterator[tuple[str, bytes | None]]:
        with desks.journal.reading() as reader:
            for change in proposal.changes:
                yield str(change.path), reader.content(change.after.sha256) if change.after is not None else None

    def _desks(self, exchange: Disturbed | None = None) -> AbstractContextManager[Desks]:
        return _Opened(self.root, exchange or Disturbed())

    def _edit(self, path: str, way: str) -> dict[str, object]:
        if way == "delete" and os.path.exists(os.path.join(self.root, path)):
            return {"op": "delete", "path": path}
        content = self._token("proposed").decode()
        return {"op": "write", "path": path, "content": content, "executable": way == "run"}

    def _token(self, kind: str) -> bytes:
        self.number += 1
        return f"{kind} {self.number}\n".encode()

    def _write(self, path: str, data: bytes, *, into_model: bool = True) -> None:
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(f"{self.root}.new", "wb") as file:
            file.write(data)
        os.replace(f"{self.root}.new", target)
        if into_model:
            self.model[path] = data

    def _files(self, skip: tuple[str, ...] = (".proposals",)) -> dict[str, bytes]:
        found = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in skip]
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), self.root)] = file.read()
        return found


class _Opened:
    """Desks as a program started anew wires them, closed at the end of the block."""

    def __init__(self, root: str, exchange: Disturbed) -> None:
        folder = os.path.join(root, ".proposals")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._tree = Tree(root)
        self._guard = Guard(root, folder, folder, exchange)
        self._desks = Desks(folder, self._tree, self._guard)

    def __enter__(self) -> Desks:
        return self._desks

    def __exit__(self, *_: object) -> None:
        self._guard.close()
        self._tree.close()


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=100, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
