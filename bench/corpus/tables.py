"""The counts as Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.support.corpora import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.corpus.record import Record

_WORST_FIRST = (Verdict.WRONG, Verdict.CRASHED)
_PEERS = ("git apply", "GNU patch", "unidiff")
_ROOM = 300


def every(records: list[Record], *, with_peers: bool) -> Iterator[str]:
    yield _counted("set | format | class", records, lambda r: (r.case.set, r.case.format, r.case.grade))
    solid = [record for record in records if record.case.grade == "solid"]
    yield _counted("format, solid cases", solid, lambda r: (r.case.format,))
    mined = [record for record in solid if record.case.set.startswith("commits-")]
    if mined:
        yield _counted("style of mined commits", mined, lambda r: (r.case.style or "as recorded",))
    if any(record.named.notes for record in records):
        yield _noted(records)
    if with_peers:
        yield _with_peers([record for record in records if record.peers])


def listing(records: list[Record]) -> str:
    """Name each case that did not end as verified, the worst first."""
    told = [record for record in records if record.is_told]
    told.sort(key=lambda r: (r.case.grade != "solid", r.named.verdict not in _WORST_FIRST, r.case.grade, r.case.set))
    return "\n".join(_line(record) for record in told)


def _line(record: Record) -> str:
    named, found = record.named, record.found
    what = f"{named.verdict.value} {named.code}: {named.message[:_ROOM]}" if named.code else named.verdict.value
    if named.notes:
        what += f" [{', '.join(named.leniencies)}]"
    if record.is_silent:
        what += ", and nothing is noted"
    if not record.is_found:
        what += f"; with the format to be found {found.verdict.value} {found.code}".rstrip()
    return f"- {record.case.title}, {record.case.format}, {record.case.grade}: {what}"


def _counted(heading: str, records: Iterable[Record], key: Callable[[Record], tuple[str, ...]]) -> str:
    rows: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        rows.setdefault(key(record), []).append(record)
    columns = [
        verdict for verdict in Verdict if any(r.named.verdict is verdict for group in rows.values() for r in group)
    ]
    width = heading.count("|") + 1
    titles = " | ".join(["cases", *(verdict.value for verdict in columns), "alike when found"])
    lines = [f"| {heading} | {titles} |", f"|{'---|' * width}{'--:|' * (len(columns) + 2)}"]
    lines += [_row(" | ".join(name), group, columns) for name, group in sorted(rows.items())]
    everything = [record for group in rows.values() for record in group]
    lines.append(_row("**all**" + " |" * (width - 1), everything, columns))
    return "\n".join(lines)


def _row(name: str, group: list[Record], columns: list[Verdict]) -> str:
    counts = Counter(record.named.verdict for record in group)
    cells = [str(len(group)), *(str(counts[verdict] or "") for verdict in columns)]
    known = [record for record in group if record.named.verdict is not Verdict.NO_FORMAT]
    return f"| {name} | {' | '.join(cells)} | {sum(record.is_found for record in known) if known else ''} |"


def _noted(records: list[Record]) -> str:
    counts = Counter((code, r.case.grade, r.named.verdict.value) for r in records for code in set(r.named.leniencies))
    lines = ["| leniency | class | ended | cases |", "|---|---|---|--:|"]
    return "\n".join([*lines, *(f"| {' | '.join(key)} | {count} |" for key, count in sorted(counts.items()))])


def _with_peers(records: list[Record]) -> str:
    rows: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        expected = record.plain["expected"]
        for name in (record.case.set, "**all**"):
            rows.setdefault((record.case.grade, name, expected), []).append(record)
    lines = [f"| class | set | expected | redline | {' | '.join(_PEERS)} |", "|---|---|---|---|---|---|---|"]
    for key, group in sorted(rows.items()):
        ours = Counter(record.named.verdict.value for record in group)
        theirs = [Counter(record.peers.get(peer, "") for record in group) for peer in _PEERS]
        lines.append(f"| {' | '.join(key)} | {' | '.join(_cell(counts) for counts in [ours, *theirs])} |")
    return "\n".join(lines)


def _cell(counts: Counter[str]) -> str:
    del counts[""]
    right = sum(counts.pop(word, 0) for word in ("exact", "refused rightly", "parsed alike"))
    others = "".join(f", {count} {word}" for word, count in sorted(counts.items()))
    return f"{right}/{right + counts.total()}{others}" if right or counts else "-"
