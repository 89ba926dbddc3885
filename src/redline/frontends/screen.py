"""The one place where text reaches a terminal or a pipe: untrusted strings are made safe here, once.

Colours are SGR codes of our own (ECMA-48 §8.3.117), never part of a string that is shown.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from redline.frontends.wrapping import wrapped
from redline.render.columns import USUAL_WIDTH
from redline.render.drawn import drawn
from redline.render.lines import Role, Tone, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TextIO

    from redline.render.lines import Line, Span

# Only colours of the sixteen that stand out from a dark ground and from a light one; what a change does to a line is
# in its sign too, and its syntax is told by weight there, so that green and red are never anything else.
_SGR = {
    Role.STRONG: "1",
    Role.FAINT: "2",
    Role.ADDED: "32",
    Role.REMOVED: "31",
    Role.HUNK: "36",
    Role.WARNING: "33",
    Role.ALARM: "1;31",
    Role.GOOD: "1;32",
    Role.NUMBER: "2",
    Role.KEYWORD: "35",
    Role.NAME: "1",
    Role.STRING: "36",
    Role.LITERAL: "36",
    Role.COMMENT: "2",
    Role.BLANK: "2",
    Role.LOOKALIKE: "33",
    Role.NO_NEWLINE: "2",
}
_WEIGHTS = {Role.KEYWORD: ";1", Role.NAME: ";1", Role.BLANK: ";2", Role.NO_NEWLINE: ";2"}
_TONES = {Tone.ADDED: "32", Tone.REMOVED: "31", Tone.ADDED_PART: "32;7", Tone.REMOVED_PART: "31;7"}


class Screen:
    """Shows lines on one stream."""

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        self._stream = stream
        self.color = color

    @property
    def width(self) -> int:
        """Columns of the terminal, or the usual number where there is none or it does not say."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or USUAL_WIDTH
        except (OSError, ValueError):
            return USUAL_WIDTH

    def show(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._stream.write("".join(self._spell(span) for span in line) + "\n")
        self._stream.flush()

    def tell(self, lines: Iterable[Line], whole: Collection[str] = ()) -> None:
        """Show lines that are words for a person: on a terminal, and only there, they are broken to its width."""
        self.show(wrapped(lines, self.width, whole) if self._stream.isatty() else lines)

    def say(self, text: str, whole: Collection[str] = ()) -> None:
        """Show plain words, line by line."""
        self.tell((plain(line) for line in text.split("\n")), whole)

    def put(self, document: str) -> None:
        """Show one document as it is."""
        self.show([plain(document)])

    def ask(self, line: Line) -> None:
        """Show a question, the cursor staying behind it."""
        self._stream.write("".join(self._spell(span) for span in line))
        self._stream.flush()

    def _spell(self, span: Span) -> str:
        shown = drawn(span)
        code = _code(span) if self.color else None
        return f"\033[{code}m{shown}\033[0m" if code is not None and shown else shown


def _code(span: Span) -> str | None:
    tone = _TONES.get(span.tone)
    return _SGR.get(span.role) if tone is None else tone + _WEIGHTS.get(span.role, "")


def wants_color(stream: TextIO, choice: str) -> bool:
    """Decide by `--color`, then NO_COLOR (no-color.org), then whether the stream is a capable terminal."""
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()
