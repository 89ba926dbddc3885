"""Where a run of lines stands among a file's lines, in a time that grows with both and not with their product."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

K = TypeVar("K", bound="Hashable")
_GAP: Final = 2**32


class LineIndex(Generic[K]):
    """Lines as keys, each with the places at which it stands; equal keys are equal lines.

    A line is known by a label that grows from line to line, so that others can be put between two without a new one
    for every line below them.
    """

    def __init__(self, keys: list[K]) -> None:
        self.keys = keys
        self._label()

    def places(self, key: K) -> Sequence[int]:
        """The indexes at which one line stands, in order."""
        return [bisect_left(self._labels, label) for label in self._places.get(key, ())]

    def occurrences(self, wanted: list[K], start: int, most: int) -> list[int]:
        """The first `most` indexes, from `start` on, at which all wanted lines begin; they may overlap."""
        offset = min(range(len(wanted)), key=lambda at: len(self._places.get(wanted[at], ())))
        places = self._places.get(wanted[offset], [])
        if not places or start + offset >= len(self.keys):
            return []
        first = bisect_left(places, self._labels[start + offset])
        if (len(places) - first) * len(wanted) <= len(self.keys):
            candidates = (bisect_left(self._labels, label) - offset for label in islice(places, first, None))
            return list(islice((at for at in candidates if self.keys[at : at + len(wanted)] == wanted), most))
        return list(islice(self._scanned(wanted, start), most))

    def splice(self, start: int, end: int, keys: list[K]) -> None:
        """Put other lines in place of those from `start` to before `end`."""
        above = self._labels[start - 1] if start else -_GAP
        below = self._labels[end] if end < len(self.keys) else max([above, *self._labels[-1:]]) + _GAP * (len(keys) + 1)
        step = (below - above) // (len(keys) + 1)
        if not step:
            self.keys[start:end] = keys
            self._label()
            return
        for key in set(self.keys[start:end]):
            places = self._places[key]
            del places[bisect_right(places, above) : bisect_left(places, below)]
        labels = [above + step * at for at in range(1, len(keys) + 1)]
        added: dict[K, list[int]] = {}
        for key, label in zip(keys, labels, strict=True):
            added.setdefault(key, []).append(label)
        for key, new in added.items():
            places = self._places.setdefault(key, [])
            at = bisect_left(places, below)
            places[at:at] = new
        self.keys[start:end], self._labels[start:end] = keys, labels

    def _label(self) -> None:
        self._labels = list(range(0, _GAP * len(self.keys), _GAP))
        self._places: dict[K, list[int]] = {}
        for key, label in zip(self.keys, self._labels, strict=True):
            self._places.setdefault(key, []).append(label)

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
