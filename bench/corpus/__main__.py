"""Run intake over real edits whose right answer was verified, and count how each ends.

Usage, from the repository's root: python -m bench.corpus [--corpora DIR] [--set A,B] [--class A,B] [--peers] [--list]
[--json FILE] [--llm FILE] [--show CASE]. Every case runs twice: with its format named, and with the format to be found.
Prints Markdown tables; ends with 1 if a case of class `solid` gives another tree than it must, or none where it must.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from bench.corpus import tables
from bench.corpus.judged import page
from bench.corpus.peers import ask
from bench.corpus.record import Record, measure
from bench.corpus.show import shown
from tests.support import corpora


def main() -> int:
    options = _options()
    folder = Path(options.corpora)
    if not folder.is_dir():
        print(f"skipped: there are no corpora at {options.corpora}")
        return 0
    if options.show:
        print(shown(folder, options.show))
        return 0
    records = _records(folder, options)
    for table in tables.every(records, with_peers=options.peers):
        print(table, end="\n\n")
    if options.list:
        print(tables.listing(records), end="\n\n")
    _tell_of_data(folder)
    if options.json:
        _write(options.json, json.dumps([record.plain for record in records], indent=1))
    if options.llm:
        _write(options.llm, page([record for record in records if record.case.set in corpora.JUDGED]))
    return int(any(record.is_fault for record in records))


def _records(folder: Path, options: argparse.Namespace) -> list[Record]:
    found: list[Record] = []
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="redline-corpus-", dir=in_memory) as room:
        for name in _chosen(options.set, corpora.sets(folder)):
            for case in corpora.cases(folder, name):
                if options.grade and case.grade not in options.grade.split(","):
                    continue
                found.append(measure(case))
                if options.peers:
                    found[-1].peers.update(ask(case, room))
    return found


def _tell_of_data(folder: Path) -> None:
    for path in sorted((folder.parent / "data").glob("*/")):
        print(f"skipped: data/{path.name} describes what a program says and is told, and holds no edits")


def _chosen(wanted: str | None, known: list[str]) -> list[str]:
    names = wanted.split(",") if wanted else known
    if strange := sorted(set(names) - set(known)):
        sys.exit(f"there is no set {', '.join(strange)}; there are {', '.join(known)}")
    return names


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.corpus", description=__doc__)
    parser.add_argument("--corpora", metavar="DIR", default=str(corpora.CORPORA))
    parser.add_argument("--set", metavar="A,B", help="only these sets")
    parser.add_argument("--class", metavar="A,B", dest="grade", help="only these classes")
    parser.add_argument("--peers", action="store_true", help="ask git apply, GNU patch and unidiff as well; slow")
    parser.add_argument("--list", action="store_true", help="name every case that did not end as verified")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--llm", metavar="FILE", help="write what a person must judge of the models' broken diffs")
    parser.add_argument("--show", metavar="CASE", help="print the text and what it does, of SET/CASE")
    return parser.parse_args()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
