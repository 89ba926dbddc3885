"""`redline status`, on the fast path."""

from __future__ import annotations

from redline import app


def print_status(folder: str, *, as_json: bool) -> int:
    """Print the counts; always 0: a status is no failure."""
    seen = app.summarise(folder)
    if as_json:
        print(
            f'{{"pending": {seen.pending}, "drifted": {seen.drifted}, "unfinished": {seen.unfinished},'
            f' "journal": {{"seq": {seen.seq}, "chain": "{seen.chain}"}}}}'
        )
        return 0
    drifted = f" ({seen.drifted} drifted)" if seen.drifted else ""
    print(f"{seen.pending} pending{drifted} \u00b7 journal {seen.seq}")
    if seen.unfinished:
        print("a write is unfinished; if no redline is at work, `redline recover` settles it")
    return 0
