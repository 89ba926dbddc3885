"""The keys of the review: what each does, in one table for the program and for its help."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding


class Key(NamedTuple):
    """`keys` are Textual's names; `shown` is what stands in the help, which tells of a key only with `words`."""

    keys: str
    action: str
    shown: str
    words: str


READING = (
    Key("j,down", "move(1)", "j k \u2191\u2193", "a row down, a row up"),
    Key("k,up", "move(-1)", "", ""),
    Key("ctrl+d", "page(0.5)", "Ctrl-d Ctrl-u", "half a page down, up; the page keys go a whole one"),
    Key("ctrl+u", "page(-0.5)", "", ""),
    Key("pagedown", "page(1.0)", "", ""),
    Key("pageup", "page(-1.0)", "", ""),
    Key("g,home", "end(False)", "g G", "the beginning, the end"),
    Key("G,end", "end(True)", "", ""),
    Key("right_square_bracket", "part(1)", "] [", "the next part, the one before"),
    Key("left_square_bracket", "part(-1)", "", ""),
    Key("right_curly_bracket", "file(1)", "} {", "the next file, the one before"),
    Key("left_curly_bracket", "file(-1)", "", ""),
    Key("slash", "search", "/", "search for a regular expression"),
    Key("ctrl+n", "search_again(False)", "Ctrl-n Ctrl-p", "the next line with it, the one before"),
    Key("ctrl+p", "search_again(True)", "", ""),
    Key("t", "tree", "t", "show the list of files, or hide it"),
    Key("0", "layout(0)", "0 1 2", "layout by the width, side by side, one below the other"),
    Key("1", "layout(1)", "", ""),
    Key("2", "layout(2)", "", ""),
)
DECIDING = (
    Key("space", "review", "space", "reviewed: fold the part away, go to the next; again: unfold it"),
    Key("y", "decide('take')", "y n", "take this part, leave it; always these two, also in a search"),
    Key("n", "decide('leave')", "", ""),
    Key("a", "decide_file('take')", "a d", "take, leave all of this file"),
    Key("d", "decide_file('leave')", "", ""),
    Key("u", "decide('undecided')", "u", "take the word back: undecided is taken at the end"),
    Key("s", "split", "s", "split this part where unchanged lines allow it"),
    Key("c", "comment", "c C", "comment on this line; remove the comment under the cursor"),
    Key("C", "uncomment", "", ""),
    Key("e", "edit", "e", "edit the text after the change in your own editor"),
    Key("enter", "confirm", "Enter", "say what would be applied, and ask for the code"),
    Key("x", "decline", "x", "decline all of it, with a reason for the model"),
    Key("q,escape", "leave", "q", "leave it pending; what you decided is kept"),
    Key("question_mark", "help", "?", "this list"),
)


def bindings(keys: tuple[Key, ...]) -> list[Binding]:
    return [Binding(key.keys, key.action, show=False) for key in keys]
