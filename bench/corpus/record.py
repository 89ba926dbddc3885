"""One case and how it ended: in its own format, with the format to be found, and with the peers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from bench.corpus.judged import old_sides
from tests.support.corpora import JUDGED, Case, Result, Verdict, judge

_FAULTS = {Verdict.WRONG, Verdict.CRASHED}
_GOOD = {
    *(Verdict.EXACT, Verdict.REFUSED_RIGHTLY, Verdict.REFUSED_BY_RULE, Verdict.TAKEN),
    *(Verdict.PARSED_ALIKE, Verdict.NO_FORMAT),
}


@dataclass
class Record:
    case: Case
    named: Result
    found: Result
    peers: dict[str, str] = field(default_factory=dict)
    old_sides: tuple[int, ...] | None = None

    @property
    def is_fault(self) -> bool:
        """Whether a solid case ended as none may: with a third result."""
        return self.case.grade == "solid" and bool(_FAULTS & {self.named.verdict, self.found.verdict})

    @property
    def is_found(self) -> bool:
        """Whether it ends alike when the format is not named."""
        return self.named.verdict is self.found.verdict

    @property
    def is_silent(self) -> bool:
        """Whether it was applied, without a note, where git itself refuses."""
        return self.case.grade == "lenient" and self.named.verdict is Verdict.EXACT and not self.named.notes

    @property
    def is_told(self) -> bool:
        """Whether the list names it."""
        return self.named.verdict not in _GOOD or not self.is_found or self.is_silent

    @property
    def plain(self) -> dict[str, Any]:
        case = self.case
        return {
            "set": case.set,
            "case": case.name,
            "style": case.style,
            "class": case.grade,
            "format": case.format,
            "expected": "report" if case.report else "error" if case.after is None else "tree",
            "named": _plain(self.named),
            "found": _plain(self.found),
            "peers": self.peers,
        }


def measure(case: Case) -> Record:
    """Run the case twice. Keeps neither its text nor its trees."""
    named, found = (_judged(case, detect=detect) for detect in (False, True))
    is_alike = named.verdict is not Verdict.TAKEN or named.tree == found.tree
    found = found if is_alike else replace(found, verdict=Verdict.WRONG)
    kept = replace(case, text=b"", before={}, after=None if case.after is None else {})
    record = Record(kept, replace(named, tree=None), replace(found, tree=None))
    record.old_sides = old_sides(case) if case.set in JUDGED else None
    return record


def _judged(case: Case, *, detect: bool) -> Result:
    try:
        return judge(case, detect=detect)
    except Exception as error:  # noqa: BLE001 -- that it crashed is what is to be counted
        return Result(Verdict.CRASHED, type(error).__name__, str(error))


def _plain(result: Result) -> dict[str, Any]:
    return {
        "verdict": result.verdict.value,
        "code": result.code,
        "message": result.message,
        "leniencies": list(result.leniencies),
    }
