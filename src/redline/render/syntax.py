"""Syntax roles of a file's lines, by Pygments; the lexer is chosen by the file's name alone.

A hostile text can make a lexer slow, so what is long is left plain. A token that does not continue the text exactly
ends the colours: text is never altered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.lexers import find_lexer_class_for_filename
from pygments.token import Comment, Keyword, Literal, Name, Operator, String, Token

from redline.core.safetext import decode
from redline.render.lines import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.token import _TokenType

MAX_BYTES = 64 * 1024
MAX_LINE_CHARACTERS = 2000
_ROLES = {
    Comment: Role.COMMENT,
    Keyword: Role.KEYWORD,
    Operator.Word: Role.KEYWORD,
    String: Role.STRING,
    Literal: Role.LITERAL,
    Name.Class: Role.NAME,
    Name.Decorator: Role.NAME,
    Name.Function: Role.NAME,
    Name.Namespace: Role.NAME,
    Name.Tag: Role.NAME,
    Token: Role.PLAIN,
}


class Syntax:
    """One side of a file, lexed from its start only as far as lines are asked for."""

    def __init__(self, path: str, data: bytes) -> None:
        self._lines: list[list[Span]] = [[]]
        self._tokens = _tokens(path, data)

    def line(self, number: int) -> list[Span]:
        """The tokens of a line, counted from 1; nothing where there are no colours for it."""
        while len(self._lines) <= number:
            token = next(self._tokens, None)
            if token is None:
                return []
            self._add(*token)
        return self._lines[number - 1]

    def _add(self, role: Role, text: str) -> None:
        first, *others = text.split("\n")
        line = self._lines[-1]
        if line and line[-1].role is role:
            line[-1] = Span(line[-1].text + first, role)
        elif first:
            line.append(Span(first, role))
        self._lines += [[Span(other, role)] if other else [] for other in others]


def _tokens(path: str, data: bytes) -> Iterator[tuple[Role, str]]:
    lexer = find_lexer_class_for_filename(path.rsplit("/", 1)[-1]) if len(data) <= MAX_BYTES else None
    text = decode(data) + "\n"
    if lexer is None or max(map(len, text.split("\n"))) > MAX_LINE_CHARACTERS:
        return
    position = 0
    for start, kind, value in lexer().get_tokens_unprocessed(text):
        if start != position or not text.startswith(value, start):
            return
        position += len(value)
        yield _role(kind), value


def _role(kind: _TokenType) -> Role:
    """The role of the nearest kind above; the split of a kind lists it and all that are above it."""
    return next(_ROLES[above] for above in reversed(kind.split()) if above in _ROLES)
