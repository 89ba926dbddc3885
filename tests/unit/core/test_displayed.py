"""R12: what was displayed differs in one field, or in one type."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.build import a_creation, a_proposal, an_edit

from redline.core.displayed import displayed, mismatches
from redline.core.hunks import FileDiff
from redline.core.notes import Finding, Leniency, Severity
from redline.core.paths import RepoPath
from redline.core.proposal import Derivation

if TYPE_CHECKING:
    from collections.abc import Iterator

PROPOSAL = a_proposal(
    an_edit("a.txt"),
    a_creation("new.txt"),
    findings=(Finding("BIDI", Severity.CRITICAL, "1 line", RepoPath("a.txt"), 1),),
    leniencies=(Leniency("COUNTS", RepoPath("a.txt"), "ignored"),),
    derived=Derivation("0" * 16, "undo"),
)
HUNKS = {
    RepoPath("a.txt"): FileDiff(RepoPath("a.txt"), b"@@ -1 +1 @@\n-before\n+after\n", is_binary=False).hunks(),
    RepoPath("new.txt"): (),
}


def _leaves(value: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list):
        yield where
    for key, inner in items:
        yield from _leaves(inner, (*where, key))


def _spelt(where: tuple[Any, ...]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in where).removeprefix(".")


def _at(document: Any, where: tuple[Any, ...]) -> Any:
    for key in where:
        document = document[key]
    return document


DOCUMENT: Any = displayed(PROPOSAL, HUNKS)
LEAVES = list(_leaves(DOCUMENT))


def _other_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return "something" if value is None else value + "x"


def _other_type(value: Any) -> Any:
    if isinstance(value, int):
        return float(value)
    return False if value is None else [value]


def test_the_document_itself_matches() -> None:
    assert mismatches(copy.deepcopy(DOCUMENT), DOCUMENT) == ()
    assert len(LEAVES) > 40


@pytest.mark.parametrize("where", LEAVES, ids=_spelt)
@pytest.mark.parametrize("alter", [_other_value, _other_type])
def test_one_altered_field_is_named(where: tuple[Any, ...], alter: Any) -> None:
    given = copy.deepcopy(DOCUMENT)
    _at(given, where[:-1])[where[-1]] = alter(_at(given, where))
    assert mismatches(given, DOCUMENT) == (_spelt(where),)


@pytest.mark.parametrize("where", [leaf for leaf in LEAVES if isinstance(leaf[-1], str)], ids=_spelt)
def test_one_missing_field_is_named(where: tuple[Any, ...]) -> None:
    given = copy.deepcopy(DOCUMENT)
    del _at(given, where[:-1])[where[-1]]
    assert mismatches(given, DOCUMENT) == (_spelt(where),)


def test_one_extra_field_is_named_wherever_it_is() -> None:
    given = copy.deepcopy(DOCUMENT)
    given["approved"] = True
    given["origin"]["role"] = "person"
    given["changes"][0]["before"]["extra"] = 1
    assert mismatches(given, DOCUMENT) == ("approved", "changes[0].before.extra", "origin.role")


def test_true_is_not_one() -> None:
    given = copy.deepcopy(DOCUMENT)
    assert given["changes"][0]["insertions"] == 1
    given["changes"][0]["insertions"] = True
    assert mismatches(given, DOCUMENT) == ("changes[0].insertions",)


def test_a_list_of_another_length_or_order_is_a_mismatch() -> None:
    shorter, swapped = copy.deepcopy(DOCUMENT), copy.deepcopy(DOCUMENT)
    shorter["changes"].pop()
    swapped["changes"].reverse()
    assert mismatches(shorter, DOCUMENT) == ("changes",)
    assert {"changes[0].path", "changes[1].path"} <= set(mismatches(swapped, DOCUMENT))
    assert mismatches({"changes": "none"}, {"changes": []}) == ("changes",)


def test_facts_of_the_moment_are_left_to_the_guard() -> None:
    given = copy.deepcopy(DOCUMENT)
    given["status"] = "applied"
    given["changes"][0]["drifted"] = True
    given["changes"][1]["drifted"] = False
    assert mismatches(given, DOCUMENT) == ()


def test_a_fact_of_the_moment_in_another_type_or_place_is_a_mismatch() -> None:
    given = copy.deepcopy(DOCUMENT)
    given["status"] = 1
    given["drifted"] = True
    given["changes"][0]["drifted"] = "no"
    given["changes"][1]["status"] = "pending"
    assert mismatches(given, DOCUMENT) == ("changes[0].drifted", "changes[1].status", "drifted", "status")


def test_nothing_at_all_is_a_mismatch_of_every_field() -> None:
    assert mismatches({}, DOCUMENT) == tuple(sorted(DOCUMENT))


def test_a_document_counts_the_lines_of_its_hunks() -> None:
    counts = [
        (change["path"], change["insertions"], change["deletions"], len(change["hunks"]))
        for change in DOCUMENT["changes"]
    ]
    assert counts == [("a.txt", 1, 1, 1), ("new.txt", 0, 0, 0)]
