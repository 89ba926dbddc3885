"""The shapes of what the tools take and give, as JSON Schema 2020-12 that a client and a model can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.core.lifecycle import PENDING, Outcome
from redline.core.notes import Severity
from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.frontends.options import FORMATS

if TYPE_CHECKING:
    from redline.core.canonical import Json, Record

MOST_WAIT_S: Final = 600
USUAL_WAIT_S: Final = 50


def _text(description: str = "") -> Record:
    return {"type": "string", "description": description} if description else {"type": "string"}


def _list_of(item: Record, description: str = "") -> Record:
    listed: Record = {"type": "array", "items": item}
    return {**listed, "description": description} if description else listed


def _one_of(*values: str) -> Record:
    return {"type": "string", "enum": [*values]}


def _object(required: dict[str, Record], optional: dict[str, Record] | None = None) -> Record:
    """Take exactly these members and no other."""
    names: list[Json] = [*required]
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": names,
        "additionalProperties": False,
    }


def _maybe(shape: Record) -> Record:
    return {"anyOf": [shape, {"type": "null"}]}


_PATH = _text("From the root of the repository, as `git ls-files` prints it.")
_REASON: Record = {
    "type": "string",
    "maxLength": MAX_REASON_CHARACTERS,
    "description": "Why, in a few sentences; the person reads it above the diff.",
}
_COUNT: Record = {"type": "integer", "minimum": 0}
_BOOLEAN: Record = {"type": "boolean"}
_OPERATIONS: list[Json] = [
    _object(
        {
            "op": _one_of("replace"),
            "path": _PATH,
            "before": _text("Text that is in the file exactly `count` times, blanks included."),
            "after": _text("What takes its place."),
        },
        {"count": {"type": "integer", "minimum": 1, "default": 1}},
    ),
    _object(
        {"op": _one_of("write"), "path": _PATH, "content": _text("The whole new content.")},
        {"executable": _BOOLEAN, "base": _text("SHA-256 of the content this is meant for, or `absent`.")},
    ),
    _object({"op": _one_of("delete"), "path": _PATH}),
    _object({"op": _one_of("move"), "path": _PATH, "to": _PATH}),
]
EDITS: Final = _object(
    {"edits": {"type": "array", "minItems": 1, "items": {"oneOf": _OPERATIONS}}}, {"reason": _REASON}
)
PATCH: Final = _object(
    {"patch": _text("A diff, a Codex patch, SEARCH/REPLACE blocks or a tool call, as written.")},
    {
        "reason": _REASON,
        "format": {**_one_of(*FORMATS), "description": "Only where the text could be read in two ways."},
        "path": _text("The text is the whole new content of this file."),
        "strip": {"type": "integer", "minimum": 0, "maximum": 32, "description": "As `git apply -p`."},
    },
)
ID: Final = _object({"proposal": _text("Its id, or at least four digits of it.")})
NOTHING: Final = _object({})
WAIT: Final = _object(
    {},
    {
        "timeout_s": {
            "type": "number",
            "minimum": 0,
            "maximum": MOST_WAIT_S,
            "default": USUAL_WAIT_S,
            "description": "How long to wait; stay below the time limit that your host sets to one call.",
        }
    },
)

_STATUS = _one_of(PENDING, *(outcome.value for outcome in Outcome))
_FINDING = _object(
    {
        "code": _text(),
        "severity": _one_of(*(severity.value for severity in Severity)),
        "path": _maybe(_text()),
        "line": _maybe(_COUNT),
        "text": _text(),
    }
)
PREPARED: Final = _object(
    {
        "proposal": _text("The id; it changes with every edit that joins."),
        "digest": _text(),
        "status": _STATUS,
        "how": _one_of("stored", "joined", "known already"),
        "paths": _list_of(_text(), "All files of the proposal, those of the joined edits included."),
        "insertions": _COUNT,
        "deletions": _COUNT,
        "depends_on": _list_of(_text(), "Proposals that the person must decide first."),
        "findings": _list_of(_FINDING, "What the person is warned of."),
        "leniencies": _list_of(
            _object({"code": _text(), "path": _text(), "text": _text()}), "What did not fit exactly."
        ),
    }
)
STANDING: Final = _object(
    {
        "proposal": _text(),
        "status": _STATUS,
        "reason": _maybe(_text("The person's.")),
        "successor": _maybe(_text("The proposal that took its place.")),
        "paths": _list_of(_text()),
    }
)
STANDINGS: Final = _object({"session": _text(), "proposals": _list_of(STANDING, "Newest first.")})
SEALED: Final = _object({"proposal": _maybe(_text("What was open; null if nothing was."))})
_COMMENT = _object(
    {
        "path": _text(),
        "line": _COUNT,
        "side": _one_of("before", "after"),
        "kind": _text(),
        "text": _text(),
    }
)
_NAMES = _list_of(_text("PATH, or PATH#HUNK."))
_EVENT = _object(
    {
        "proposal": _text(),
        "outcome": _STATUS,
        "reason": _text("The person's."),
        "detail": _text(),
        "comments": _list_of(_COMMENT),
        "applied": _NAMES,
        "replaced": _NAMES,
        "declined": _NAMES,
        "on_disk": _list_of(_object({"path": _text(), "sha256": _maybe(_text())})),
        "diffstat": _text(),
        "derived": _maybe(_object({"from": _text(), "how": _text()})),
        "successor": _maybe(_text()),
        "seq": _COUNT,
    }
)
DECISIONS: Final = _object(
    {
        "events": _list_of(_EVENT, "The outcomes that this session has not been told before."),
        "cursor": _COUNT,
        "pending": _list_of(_text(), "Proposals of this session that are still undecided."),
    }
)
ENDED: Final = _object(
    {"proposal": _text(), "outcome": _STATUS, "replayed": {**_BOOLEAN, "description": "It had ended before."}}
)
