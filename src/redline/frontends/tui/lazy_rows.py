"""Rows that are made one after the other, as far as they are asked for."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")


class LazyRows(Generic[T]):
    """`made` are those that are there already; they are all once `is_whole`."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self.made: list[T] = []
        self.is_whole = False

    def __iter__(self) -> Iterator[T]:
        index = 0
        while self.reaches(index):
            yield self.made[index]
            index += 1

    def reaches(self, index: int) -> bool:
        """Make rows up to this one; False if there are not as many."""
        wanted = index + 1 - len(self.made)
        if wanted > 0 and not self.is_whole:
            new = list(islice(self._source, wanted))
            self.made += new
            self.is_whole = len(new) < wanted
        return index < len(self.made)

    def whole(self) -> list[T]:
        if not self.is_whole:
            self.made += self._source
            self.is_whole = True
        return self.made
