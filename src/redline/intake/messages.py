"""Whole answers of a model as its API gives them, opened into the calls of tools and the text beside these.

Anthropic's messages, OpenAI's chat completions and responses, Gemini's candidates. What an answer is made of is all
named here: an item of another kind is refused, so that nothing of it is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from redline.errors import MalformedEdit
from redline.intake.json_text import inside, outer_keys
from redline.intake.tool_shapes import JSON

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOLDS_ITEMS: Final = frozenset({"role", "choices", "output", "tool_calls", "candidates", "parts"})
_ITEM_TYPES: Final = frozenset({"message", "response"})
_TEXT_TYPES: Final = frozenset({"text", "output_text"})
_RESULTS: Final = ("_result", "_output")
_THOUGHT_TYPES: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})
_PARTS: Final = ("content", "tool_calls", "function_call", "output", "choices", "message", "candidates", "parts")
_ONE_OF_SEVERAL: Final = frozenset({"choices", "candidates"})
# Gemini's parts have no type: one that is text has nothing else but what is said of it.
_OF_A_TEXT_PART: Final = frozenset({"text", "thought", "thoughtSignature"})
# What the services say of an answer beside its parts.
_OF_THE_API: Final = frozenset(
    {
        *("id", "type", "role", "model", "object", "created", "created_at", "completed_at", "status", "error"),
        *("index", "finish_reason", "stop_reason", "stop_sequence", "stop_details", "logprobs", "usage", "refusal"),
        *("annotations", "audio", "reasoning", "reasoning_content", "system_fingerprint", "service_tier", "phase"),
        *("incomplete_details", "instructions", "max_output_tokens", "max_tool_calls", "parallel_tool_calls"),
        *("previous_response_id", "store", "temperature", "tool_choice", "tools", "top_p", "top_logprobs"),
        *("truncation", "user", "metadata", "background", "container", "context_management", "billing"),
        *("prompt_cache_key", "prompt_cache_retention", "safety_identifier", "conversation", "native_finish_reason"),
        *("finishReason", "finishMessage", "safetyRatings", "citationMetadata", "tokenCount", "avgLogprobs"),
        *("usageMetadata", "modelVersion", "responseId", "createTime", "promptFeedback", "logprobsResult"),
    }
)
_ENDED_WELL: Final = frozenset(
    {"completed", "stop", "STOP", "tool_calls", "function_call", "tool_use", "end_turn", "stop_sequence"}
)
_SAYS_HOW_IT_ENDED: Final = ("status", "finish_reason", "stop_reason", "finishReason")


@dataclass(slots=True)
class Opened:
    """The calls of an answer with the JSON path of each, and the text beside them."""

    calls: list[tuple[dict[str, object], str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)


def holds_items(keys: frozenset[str]) -> bool:
    return not keys.isdisjoint(_HOLDS_ITEMS)


def spoken(text: bytes) -> bytes | None:
    """Give the text of an answer that calls no tool; None is any other text, also a faulty answer."""
    if not holds_items(outer_keys(text)):
        return None
    opened = Opened()
    try:
        open_item(JSON.load(text), "", opened)
    except MalformedEdit:
        return None
    said = "\n".join(opened.prose).encode("utf-8", "surrogatepass")
    return said if said and not opened.calls else None


def open_item(value: object, where: str, opened: Opened) -> None:
    """Take apart an answer, or one item of it. Raises MalformedEdit with the JSON path of what has no place there."""
    item = JSON.typed(value, dict, where or "$")
    JSON.unrepeated(item, where)
    kind = item.get("type")
    kind = kind if isinstance(kind, str) else None
    if kind in _THOUGHT_TYPES:
        return
    if kind in _TEXT_TYPES and "text" in item:
        _only(item, where, {"type", "text", "annotations", "logprobs", "citations", "cache_control"})
        opened.prose.append(JSON.text(item["text"], inside(where, "text")))
    elif "text" in item and _OF_A_TEXT_PART.issuperset(item):
        if not JSON.typed(item.get("thought", False), bool, inside(where, "thought")):
            opened.prose.append(JSON.text(item["text"], inside(where, "text")))
    elif kind is not None and kind.endswith(_RESULTS):
        raise JSON.fault(inside(where, "type"), f"is {kind!a}, what a tool answered: send the calls alone")
    elif kind == "refusal":
        raise JSON.fault(where, "is a refusal of the model's, and no edit", code="NOT_AN_EDIT")
    elif holds_items(frozenset(item)) or kind in _ITEM_TYPES:
        _open_parts(item, where, opened)
    else:
        opened.calls.append((item, where))


def ended_well(item: dict[str, object], where: str) -> None:
    """Refuse what was cut off or failed. Raises MalformedEdit."""
    for key in _SAYS_HOW_IT_ENDED:
        said = item.get(key)
        if said is not None and JSON.text(said, inside(where, key)) not in _ENDED_WELL:
            what = f"is {said!a}: what the model was writing is not complete"
            raise JSON.fault(inside(where, key), what, code="CUT_OFF")
    if item.get("error") is not None:
        raise JSON.fault(inside(where, "error"), "says that the answer failed", code="CUT_OFF")


def _open_parts(item: dict[str, object], where: str, opened: Opened) -> None:
    # A response says in `text` how it was to be written; words there would be a part of the answer.
    said_of_it = {"text"} if isinstance(item.get("text"), dict) else set[str]()
    _only(item, where, {*_OF_THE_API, *_PARTS, *said_of_it})
    ended_well(item, where)
    if item.get("role", "assistant") not in ("assistant", "model"):
        what = f"is {item['role']!a}: send the model's answer alone, not a conversation"
        raise JSON.fault(inside(where, "role"), what, code="NOT_AN_ANSWER")
    for key in _PARTS:
        part, place = item.get(key), inside(where, key)
        if part is None:
            continue
        if key in _ONE_OF_SEVERAL:
            answers = JSON.typed(part, list, place)
            if len(answers) != 1:
                raise JSON.fault(place, f"holds {len(answers)} answers, of which only one can be meant")
            _open_parts(JSON.typed(answers[0], dict, f"{place}[0]"), f"{place}[0]", opened)
        elif isinstance(part, str):
            opened.prose.append(JSON.text(part, place))
        elif isinstance(part, list):
            for index, inner in enumerate(part):
                open_item(inner, f"{place}[{index}]", opened)
        else:
            open_item(part, place, opened)


def _only(item: dict[str, object], where: str, known: Iterable[str]) -> None:
    for key, value in item.items():
        if value and key not in known:
            raise JSON.fault(inside(where, key), "is not a field of a model's answer")
