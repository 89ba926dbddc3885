from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from tests.support.build import NOW, a_creation, a_deletion, a_proposal, a_receipt, a_state, an_edit, proposals

from redline.core.canonical import encode
from redline.core.change import Change, ChangeKind, ContentChange
from redline.core.content import Content, FileState, Mode, ObjectFormat, blob_id, is_binary
from redline.core.notes import Finding, Leniency, Severity
from redline.core.paths import RepoPath
from redline.core.plan import WritePlan, plan_from, steps_of
from redline.core.proposal import Base, Derivation, Origin, Proposal
from redline.core.receipt import receipt_from
from redline.core.records import proposal_from
from redline.errors import UnsafePath

# Journals name proposals by this: if it changes, every stored digest is void.
GOLDEN_DIGEST = "d2ed617f859762e3c369f553104bf661aa30dbdf2e709ac2768df91024d8951c"


def a_full_proposal() -> Proposal:
    return a_proposal(
        an_edit("a.txt"),
        Change(RepoPath("b.sh"), a_state(b"x", Mode.REGULAR), a_state(b"x", Mode.EXECUTABLE)),
        a_deletion("old.txt"),
        Change(RepoPath("s/n\u00e9w.txt"), None, a_state(b"old\n"), RepoPath("old.txt")),
        findings=(Finding("BIDI", Severity.CRITICAL, "1 line", RepoPath("a.txt"), 1), Finding("X", Severity.INFO, "y")),
        leniencies=(Leniency("COUNTS", RepoPath("a.txt"), "counts ignored"),),
        derived=Derivation("0" * 16, "undo"),
        depends_on=("1" * 16,),
    )


def test_the_digest_of_a_known_proposal_never_changes() -> None:
    assert a_full_proposal().digest == GOLDEN_DIGEST
    assert a_full_proposal().id == GOLDEN_DIGEST[:16]


@given(proposals())
def test_a_proposal_survives_its_canonical_record(proposal: Proposal) -> None:
    read_back = proposal_from(json.loads(encode(proposal.record)))
    assert read_back == proposal
    assert read_back.digest == proposal.digest


def test_every_field_is_part_of_the_digest() -> None:
    base = a_full_proposal()
    others = [
        replace(base, repo_id="f" * 32),
        replace(base, owner_uid=1001),
        replace(base, origin=replace(base.origin, author="x")),
        replace(base, origin=replace(base.origin, session=None)),
        replace(base, origin=replace(base.origin, task="")),
        replace(base, origin=replace(base.origin, tool_call="x")),
        replace(base, reason=""),
        replace(base, base=Base(None, "main")),
        replace(base, base=Base("1" * 40, None)),
        replace(base, created_at=NOW + timedelta(microseconds=1)),
        replace(base, expires_at=NOW),
        replace(base, changes=base.changes[:1]),
        replace(base, findings=()),
        replace(base, leniencies=()),
        replace(base, derived=None),
        replace(base, derived=Derivation("0" * 16, "refresh")),
    ]
    assert len({base.digest, *(other.digest for other in others)}) == len(others) + 1


def test_the_same_edit_by_another_author_has_the_same_changes_digest() -> None:
    assert a_proposal(reason="x").changes_digest == a_proposal(origin=Origin("other")).changes_digest
    assert a_proposal().changes_digest != a_proposal(an_edit(after=b"else\n")).changes_digest


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"changes": ()}, "a proposal has at least one change"),
        ({"changes": (an_edit("b"), an_edit("a"))}, "changes are sorted by path, one per path"),
        ({"changes": (an_edit("a"), an_edit("a"))}, "changes are sorted by path, one per path"),
        ({"reason": "x" * 2001}, "a reason has at most 2000 characters"),
        ({"created_at": NOW.astimezone(timezone(timedelta(hours=1)))}, "times are UTC"),
        ({"expires_at": NOW.replace(tzinfo=None)}, "times are UTC"),
    ],
)
def test_an_impossible_proposal_cannot_be_made(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(a_proposal(), **fields)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # S21
        ("A.txt", "a.txt"),
        ("d/x", "D/X"),
        ("STRASSE", "stra\u00dfe"),
        ("\u00c9", "\u00e9"),
        ("\u03aa\u0301", "\u0390"),
        ("a", "a/b"),
        ("A", "a/b/c"),
        ("a/B", "a/b/c"),
    ],
)
def test_two_paths_that_cannot_live_side_by_side_are_refused(first: str, second: str) -> None:
    with pytest.raises(UnsafePath) as refusal:
        a_proposal(*sorted((an_edit(first), an_edit(second)), key=lambda change: change.path))
    assert refusal.value.code == "PATH_COLLISION"


def test_paths_that_only_begin_alike_live_side_by_side() -> None:
    assert len(a_proposal(an_edit("a"), an_edit("a.b"), an_edit("ab/c")).changes) == 3


def test_the_boundary_belongs_to_expiry() -> None:
    proposal = a_proposal(expires_at=NOW)
    assert [proposal.is_expired(NOW + timedelta(microseconds=step)) for step in (-1, 0, 1)] == [False, True, True]


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: record.pop("origin"),
        lambda record: record.update(approved=True),
        lambda record: record.update(schema="redline.proposal/1"),
        lambda record: record.update(created_at="yesterday"),
        lambda record: record.update(changes=[]),
        lambda record: record["changes"][0].update(kind="delete"),
        lambda record: record["changes"][0]["after"].update(mode="120000"),
        lambda record: record["changes"][0]["after"].update(oid="xyz"),
        lambda record: record["findings"][0].update(severity="none"),
        lambda record: record["base"].update(extra=1),
    ],
)
def test_a_record_that_is_none_of_ours_is_not_read(damage: Any) -> None:
    record: Any = json.loads(encode(a_full_proposal().record))
    damage(record)
    with pytest.raises((KeyError, TypeError, ValueError)):
        proposal_from(record)


def test_a_stored_path_that_would_escape_is_refused() -> None:
    record: Any = json.loads(encode(a_full_proposal().record))
    record["changes"][0]["path"] = "../a.txt"
    with pytest.raises(UnsafePath):
        proposal_from(record)


def test_the_kind_of_a_change_follows_from_its_sides() -> None:
    mode_only = Change(RepoPath("x"), a_state(b"x"), a_state(b"x", Mode.EXECUTABLE))
    kinds = [change.kind for change in (an_edit(), a_creation(), a_deletion(), mode_only)]
    assert kinds == [ChangeKind.EDIT, ChangeKind.CREATE, ChangeKind.DELETE, ChangeKind.MODE]


def test_an_impossible_change_cannot_be_made() -> None:
    for before, after, renamed in (
        (a_state(), a_state(), None),
        (None, None, None),
        (a_state(b"1"), a_state(b"2"), RepoPath("y")),
        (a_state(b"1"), None, RepoPath("y")),
    ):
        with pytest.raises(ValueError, match="x: "):
            Change(RepoPath("x"), before, after, renamed)


@pytest.mark.parametrize(
    ("oid", "sha256", "size"),
    [("a" * 39, "b" * 64, 1), ("A" * 40, "b" * 64, 1), ("a" * 40, "b" * 63, 1), ("a" * 40, "b" * 64 + "\n", 1),
     ("a" * 40 + "\n", "b" * 64, 1), ("a" * 40, "b" * 64, -1)],
)  # fmt: skip
def test_an_impossible_state_cannot_be_made(oid: str, sha256: str, size: int) -> None:
    with pytest.raises(ValueError, match=r"^no "):
        FileState(oid, sha256, Mode.REGULAR, size)


def test_blobs_are_named_as_git_names_them() -> None:
    # git hash-object, in a repository of each format
    assert blob_id(b"hello\n", ObjectFormat.SHA1) == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert blob_id(b"", ObjectFormat.SHA1) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"", ObjectFormat.SHA256) == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"


def test_binary_is_a_nul_among_the_first_8000_bytes() -> None:
    assert [is_binary(b"x" * count + b"\0") for count in (0, 7999, 8000)] == [True, True, False]


def test_a_content_change_is_identified_by_both_sides() -> None:
    change = ContentChange(RepoPath("x"), None, Content(b"1", Mode.EXECUTABLE), RepoPath("y"))
    expected = Change(RepoPath("x"), None, a_state(b"1", Mode.EXECUTABLE), RepoPath("y"))
    assert change.identify(ObjectFormat.SHA1) == expected


@given(proposals())
def test_a_plan_survives_its_record(proposal: Proposal) -> None:
    plan = WritePlan(proposal.id, proposal.id, steps_of(proposal.changes), (RepoPath("d"), RepoPath("d/e")))
    assert plan_from(json.loads(encode(plan.record))) == plan


@given(proposals())
def test_a_receipt_survives_its_record(proposal: Proposal) -> None:
    receipt = a_receipt(proposal)
    assert receipt_from(json.loads(encode(receipt.record))) == receipt
    undecided = replace(receipt, decided_by=None, decided_at=None)
    assert receipt_from(json.loads(encode(undecided.record))) == undecided
