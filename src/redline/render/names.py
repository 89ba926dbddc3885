"""Paths among words of ours: never to be taken for them."""

from __future__ import annotations

from redline.render.columns import columns, cut

_BRIEF_COLUMNS = 100
_ENDS = 40


def path_words(path: str) -> str:
    """A path in quotes if it holds a blank, as one with none never looks like words; a very long one by its two ends.

    A path holds no backslash, so that an escaped quote is unmistakable.
    """
    if columns(path) > _BRIEF_COLUMNS:
        ends = cut(path, _ENDS) + cut(path[::-1], _ENDS)[-2::-1]
        return f"{_in_quotes(ends)} ({len(path)} characters)"
    return quoted(path)


def quoted(path: str) -> str:
    """A path whole, in quotes if it holds a blank or a quote."""
    return _in_quotes(path) if " " in path or '"' in path else path


def _in_quotes(path: str) -> str:
    return '"' + path.replace('"', '\\"') + '"'
