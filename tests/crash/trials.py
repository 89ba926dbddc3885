"""What must hold after any death, error or signal: all before, or all after with a receipt."""

from __future__ import annotations

import signal
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.crash.cases import NOW, TAKES_ALL

if TYPE_CHECKING:
    from datetime import datetime

    from tests.crash.killer import Case, Killer


class Trials:
    """Runs one case through its deaths and holds what is left to the protocol; `violations` collects what breaks it."""

    def __init__(self, killer: Killer, case: Case, *, delay: timedelta = timedelta(), variant: str = "") -> None:
        self.killer = killer
        self.case = case
        self.variant = variant
        self.later = NOW + delay
        unharmed = self.run("confirm")
        assert (unharmed["outcome"], unharmed["replayed"]) == ("applied", False)
        self.calls: list[str] = unharmed["calls"]
        self.after = case.everything()
        self.ends: Counter[str] = Counter()
        self.violations: list[str] = []

    def run(self, act: str, *, at: int = 0, error: int = 0, now: datetime = NOW) -> dict[str, Any]:
        return self.killer.run(act, self.case, at=at, error=error, now=now, variant=self.variant)

    def points(self, stride: int) -> range:
        return range(1, len(self.calls) + 1, 1 if TAKES_ALL else stride)

    def kill(self, at: int) -> str:
        """Put everything back, confirm, and die before the call numbered `at`; says where that was."""
        self.case.restore()
        died = self.run("confirm", at=at)
        where = f"killed before call {at}, {self.calls[at - 1]}"
        self.expect(where, {"killed_by": signal.SIGKILL}, died)
        return where

    def settle(self, where: str) -> None:
        """Let the next command come, then hold tree, journal and folder to: all before, or all after with a receipt.

        Every other time that command is `recover`, else a confirmation by mistake: it too recovers first.
        """
        if self.ends.total() % 2:
            recovered = self.run("recover")
            self.expect(where, [], recovered.get("kept", recovered))
        else:
            refused = self.run("mistake")
            self.expect(where, "CONFIRMATION_MISMATCH", refused.get("error", refused))
        self.check_settled(where)

    def check_answered(self, where: str, answer: dict[str, Any]) -> None:
        """An answer says what is there already: applied with its receipt, or interrupted and as before."""
        applied = answer.get("outcome") == "applied"
        self.expect(where, True, applied or answer.get("interrupted"))
        self.expect(where, self.after if applied else self.case.before, self.case.everything())
        self.run("recover")
        self.expect(where, answer.get("receipt"), self.run("inspect").get("receipt"))
        self.check_settled(where)

    def check_settled(self, where: str) -> None:
        seen = self.run("inspect")
        receipt = seen.get("receipt")
        end = receipt["outcome"] if receipt is not None else "pending"
        self.ends[end] += 1
        self.expect(where, ([], 0, []), (seen.get("faults"), seen.get("unfinished"), self.case.leftovers()))
        self.expect(where, self.after if end == "applied" else self.case.before, self.case.everything())
        self.check_repeated(end, receipt, where)

    def check_repeated(self, end: str, receipt: dict[str, Any] | None, where: str) -> None:
        """A confirmation later on gives the same receipt; a proposal that is still pending ends now."""
        again = self.run("confirm", now=self.later)
        given = again.get("outcome"), again.get("replayed")
        if end == "pending":
            expired = self.later >= NOW + timedelta(hours=24)
            self.expect(where, ("expired" if expired else "applied", False), given)
        else:
            self.expect(where, (end, True, receipt), (*given, again.get("receipt")))
        applied = again.get("outcome") == "applied"
        self.expect(where, self.after if applied else self.case.before, self.case.everything())

    def expect(self, where: str, expected: object, found: object) -> None:
        if found != expected:
            self.violations.append(f"{where}: expected {_shortly(expected, found)}, found {_shortly(found, expected)}")


def _shortly(one: object, other: object) -> object:
    """Of two trees, only what differs."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: value for key, value in one.items() if other.get(key) != value}
    return one
