"""What the dialects of calls in tags have in common: a call, the value of a parameter, and how they go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.intake.json_text import JsonFault, decode
from redline.intake.markup import fault_at

if TYPE_CHECKING:
    from redline.errors import MalformedEdit

WHOLE: Final = "Send each call whole, with every closing tag, as a block of its own."
OTHER_FORMAT: Final = "If a text holds such a tag of its own, send the change in another format."
# A tag holds characters only: these parameters are no texts, and JSON says of what type they are.
_NO_TEXTS: Final = frozenset(
    {
        *("replace_all", "replaceAll", "allow_multiple", "expected_replacements", "insert_line", "edits", "line"),
        *("use_regex", "ignore_case", "run_in_background", "timeout"),
    }
)


@dataclass(frozen=True, slots=True)
class Tagged:
    """One call as JSON would give it, and the words that name its place."""

    call: dict[str, object]
    where: str


def decoded(text: bytes, start: int, end: int, name: str) -> object:
    """Give a parameter's value: its text as it stands or, for those that are no texts, what its JSON says."""
    try:
        value = text[start:end].decode("utf-8")
    except UnicodeDecodeError as error:
        raise tag_fault(text, start, f"the parameter {name} is not UTF-8", "ENCODING", "Send UTF-8.") from error
    if name not in _NO_TEXTS:
        return value
    try:
        return decode(value)
    except JsonFault as error:
        what = f"the parameter {name} is not the JSON of its value: {error}"
        raise tag_fault(text, start, what, "INPUT_JSON", "Write true, false, a number, or a JSON list.") from error


def tag_fault(text: bytes, at: int, what: str, code: str, hint: str) -> MalformedEdit:
    """A refusal that names the line of an offset."""
    return fault_at(text.count(b"\n", 0, at), what, code, hint)
