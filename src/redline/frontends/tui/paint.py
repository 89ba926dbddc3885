"""Lines as Textual draws them: safe text in segments of our own, never markup.

The colours are the sixteen of the terminal, chosen as in `frontends.screen`; without colour, weight and reversal stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from redline.render.drawn import drawn
from redline.render.layout import fold
from redline.render.lines import Role, Tone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.render.lines import Line, Span

_TAB_COLUMNS = 8
_COLOURS = {
    Role.ADDED: "green",
    Role.REMOVED: "red",
    Role.HUNK: "cyan",
    Role.WARNING: "yellow",
    Role.ALARM: "red",
    Role.GOOD: "green",
    Role.KEYWORD: "magenta",
    Role.STRING: "cyan",
    Role.LITERAL: "cyan",
    Role.LOOKALIKE: "yellow",
}
_BOLD = frozenset((Role.STRONG, Role.ALARM, Role.GOOD, Role.NAME))
_DIM = frozenset((Role.FAINT, Role.NUMBER, Role.COMMENT, Role.BLANK, Role.NO_NEWLINE))
_BOLD_IN_CHANGES = frozenset((Role.KEYWORD, Role.NAME))
_TONES = {
    Tone.ADDED: "green",
    Tone.ADDED_PART: "green",
    Tone.REMOVED: "red",
    Tone.REMOVED_PART: "red",
}
_PARTS = frozenset((Tone.ADDED_PART, Tone.REMOVED_PART))


def _divided(strip: Strip, width: int) -> Iterator[Strip]:
    """Break a strip before the character that would not fit."""
    row: list[Segment] = []
    used = 0
    for segment in strip:
        for character in segment.text:
            size = cell_len(character)
            if used + size > width:
                yield Strip(row).simplify()
                row, used = [], 0
            row.append(Segment(character, segment.style))
            used += size
    yield Strip(row).simplify()


class Paint:
    """Draws lines, with colours or without."""

    def __init__(self, *, color: bool) -> None:
        self._color = color
        self._styles: dict[tuple[Role, Tone], Style] = {}

    def strips(self, line: Line, width: int) -> Iterator[Strip]:
        """A line on as many rows of at most `width` columns as it takes, by Textual's own measure of its characters."""
        for piece in fold(line, width):
            strip = Strip([self.segment(span) for span in piece])
            if strip.cell_length <= width:
                yield strip
            else:
                yield from _divided(strip, width)

    def segment(self, span: Span) -> Segment:
        return Segment(drawn(span).replace("\t", " " * _TAB_COLUMNS), self.style(span.role, span.tone))

    def style(self, role: Role, tone: Tone = Tone.NONE) -> Style:
        style = self._styles.get((role, tone))
        if style is None:
            style = self._styles[role, tone] = self._style(role, tone)
        return style

    def _style(self, role: Role, tone: Tone) -> Style:
        color = _TONES.get(tone, _COLOURS.get(role)) if self._color else None
        is_plain = tone is Tone.NONE
        return Style(
            color=color,
            bold=(role in _BOLD if is_plain else role in _BOLD_IN_CHANGES) or None,
            dim=(role in _DIM and (is_plain or role in (Role.BLANK, Role.NO_NEWLINE))) or None,
            reverse=tone in _PARTS or None,
        )
