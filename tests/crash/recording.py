"""Read what the recorder wrote: the calls of one or more processes that changed the disk, in order."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Call(NamedTuple):
    """One call. `one` and `other` are files by device and inode; where they are folders, the names are entries of them.

    `number` is an offset, a length or flags, as the call has them; `mode` the permission bits of what it made.
    """

    function: str
    succeeded: bool
    one: str
    other: str
    number: int
    mode: int
    name: str
    other_name: str
    data: bytes


def read(path: Path) -> list[Call]:
    calls = []
    log = io.BytesIO(path.read_bytes())
    while line := log.readline():
        function, succeeded, one, other, number, mode, *lengths = line.decode().split()
        name, other_name, data = (log.read(int(length)) for length in lengths)
        calls.append(
            Call(
                function,
                succeeded == "1",
                one,
                other,
                int(number),
                int(mode, 8),
                name.decode(),
                other_name.decode(),
                data,
            )
        )
    return calls
