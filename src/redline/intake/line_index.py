"""Where a run of lines stands among a file's lines, in a time that grows with both and not with their product."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

K = TypeVar("K", bound="Hashable")


class LineIndex(Generic[K]):
    """Lines as keys, each with the places at which it stands; equal keys are equal lines."""

    def __init__(self, keys: list[K]) -> None:
        self.keys = keys
        self._places: dict[K, list[int]] = {}
        for number, key in enumerate(keys):
            self._places.setdefault(key, []).append(number)

    def places(self, key: K) -> Sequence[int]:
        """The indexes at which one line stands, in order."""
        return self._places.get(key, ())

    def occurrences(self, wanted: list[K], start: int, most: int) -> list[int]:
        """The first `most` indexes, from `start` on, at which all wanted lines begin; they may overlap."""
        offset = min(range(len(wanted)), key=lambda at: len(self.places(wanted[at])))
        places = self.places(wanted[offset])
        first = bisect_left(places, start + offset)
        if (len(places) - first) * len(wanted) <= len(self.keys):
            candidates = (places[at] - offset for at in range(first, len(places)))
            return list(islice((at for at in candidates if self.keys[at : at + len(wanted)] == wanted), most))
        return list(islice(self._scanned(wanted, start), most))

    def _scanned(self, wanted: Sequence[K], start: int) -> Iterator[int]:
        """Read on from line to line and never back (Knuth, Morris and Pratt 1977)."""
        borders = _borders(wanted)
        matched = 0
        for index in range(start, len(self.keys)):
            while matched and (matched == len(wanted) or wanted[matched] != self.keys[index]):
                matched = borders[matched - 1]
            matched += wanted[matched] == self.keys[index]
            if matched == len(wanted):
                yield index - matched + 1


def _borders(wanted: Sequence[K]) -> list[int]:
    """For each beginning of the lines, the length of its longest proper end that is a beginning as well."""
    borders = [0]
    for line in wanted[1:]:
        length = borders[-1]
        while length and wanted[length] != line:
            length = borders[length - 1]
        borders.append(length + (wanted[length] == line))
    return borders
