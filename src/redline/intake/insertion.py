"""Put whole lines between the lines of a file, one text after the other, the file being taken apart only once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.core.notes import Leniency
from redline.intake.markup import BOM
from redline.intake.mismatch import mismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.intake.edits import Insert


def insert_lines(data: bytes, edits: Sequence[Insert]) -> tuple[bytes, list[Leniency]]:
    """Give the content of one file with every text put in, each line number being of the content after those before.

    The lines get the file's line ends, and a last line that has none gets one. Raises EditMismatch.
    """
    mark = BOM if data.startswith(BOM) else b""
    lines = data[len(mark) :].split(b"\n")
    is_ended = lines[-1] == b""
    if is_ended:
        lines.pop()
    file = _Lines(lines, is_ended, data.count(b"\n"), data.count(b"\r\n"))
    for edit in edits:
        file.insert(edit)
    return mark + b"\n".join(file.lines) + (b"\n" if file.is_ended and file.lines else b""), file.leniencies


@dataclass(slots=True)
class _Lines:
    """Lines without LF; `is_ended` tells that the last one has it. Of all the `lf`, `crlf` have a CR before them."""

    lines: list[bytes]
    is_ended: bool
    lf: int
    crlf: int
    leniencies: list[Leniency] = field(default_factory=list)

    def insert(self, edit: Insert) -> None:
        count = len(self.lines)
        at = count if edit.line is None else edit.line
        if at > count:
            raise mismatch(edit.path, f"the text goes behind line {at}, but the file has {count}", "NO_MATCH")
        new = edit.data.removesuffix(b"\n").split(b"\n")
        ends_last = at == count and not self.is_ended
        if self.lf == self.crlf > 0 and not any(line.endswith(b"\r") for line in new):
            new = [line + b"\r" for line in new]
            self.lines[-1] += b"\r" if ends_last else b""
            self._note("LINE_ENDS", edit, "the file's lines end CRLF: the new ones were given that end")
        if ends_last:
            self._note("LAST_LINE_END", edit, "the file's last line had no line end; it was given one")
        ended = [*new, *(self.lines[-1:] if ends_last else [])]
        self.lf += len(ended)
        self.crlf += sum(line.endswith(b"\r") for line in ended)
        self.is_ended = self.is_ended or ends_last
        self.lines[at:at] = new

    def _note(self, code: str, edit: Insert, text: str) -> None:
        self.leniencies.append(Leniency(code, edit.path, text))
