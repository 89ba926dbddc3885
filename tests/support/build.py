"""Values of the core for tests: small defaults, every part replaceable; and strategies that draw any of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from redline.core.change import Change
from redline.core.content import Content, FileState, Mode, ObjectFormat, Sighting
from redline.core.decision import Decision, Level, Person
from redline.core.lifecycle import Outcome
from redline.core.notes import Finding, Leniency, Severity
from redline.core.paths import RepoPath
from redline.core.plan import steps_of
from redline.core.proposal import Base, Derivation, Origin, Proposal
from redline.core.receipt import Receipt

NOW = datetime(2026, 11, 30, 14, 27, 0, 123456, tzinfo=UTC)
ADA = Person(1000, "Ada Example", "ada@example.org")


def a_state(data: bytes = b"before\n", mode: Mode = Mode.REGULAR, kind: ObjectFormat = ObjectFormat.SHA1) -> FileState:
    return Content(data, mode).state(kind)


def sighting(content: Content) -> Sighting:
    """What a tree that holds the content sees."""
    return Sighting(content.sha256, content.mode, len(content.data))


def an_edit(path: str = "a.txt", before: bytes = b"before\n", after: bytes = b"after\n") -> Change:
    return Change(RepoPath(path), a_state(before), a_state(after))


def a_creation(path: str = "new.txt", data: bytes = b"new\n") -> Change:
    return Change(RepoPath(path), None, a_state(data))


def a_deletion(path: str = "old.txt", data: bytes = b"old\n") -> Change:
    return Change(RepoPath(path), a_state(data), None)


def a_proposal(*changes: Change, **other: Any) -> Proposal:
    fields: dict[str, Any] = {
        "repo_id": "0123456789abcdef0123456789abcdef",
        "owner_uid": 1000,
        "origin": Origin("claude-code", "session-1", "task-1", "call-1"),
        "reason": "Window clashes with the GUI's Window",
        "base": Base("1" * 40, "main"),
        "created_at": NOW,
        "expires_at": NOW + timedelta(hours=24),
    }
    return Proposal(changes=changes or (an_edit(),), **{**fields, **other})


def a_receipt(proposal: Proposal, outcome: Outcome = Outcome.APPLIED) -> Receipt:
    return Receipt(
        proposal.id,
        proposal.digest,
        outcome,
        Decision(ADA, Level.TTY, NOW, proposal.digest).decided_by,
        NOW,
        NOW,
        "because",
        steps_of(proposal.changes),
        "",
    )


_components = st.text(st.sampled_from("abcdefgh0123-_ é日"), min_size=1, max_size=6).filter(
    lambda text: bool(text.strip()) and text != "con"
)
paths = st.lists(_components, min_size=1, max_size=4).map("/".join).map(RepoPath)
modes = st.sampled_from(Mode)
instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
states = st.builds(a_state, st.binary(max_size=20), modes, st.sampled_from(ObjectFormat))
_names = st.none() | st.text(max_size=8)


@st.composite
def changes(draw: st.DrawFn, path: RepoPath) -> Change:
    before = draw(st.none() | states)
    after = draw(st.none() | states)
    if before == after:
        after = a_state(b"certainly another\n")
    renamed = draw(st.none() | paths) if before is None else None
    return Change(path, before, after, renamed)


@st.composite
def proposals(draw: st.DrawFn) -> Proposal:
    folder_of = draw(st.lists(st.integers(0, 999), min_size=1, max_size=4, unique=True))
    names = sorted(f"d{number}/{draw(_components)}" for number in folder_of)
    created = draw(instants)
    return Proposal(
        repo_id=draw(st.text("0123456789abcdef", min_size=32, max_size=32)),
        owner_uid=draw(st.integers(0, 1 << 31)),
        origin=Origin(draw(st.text(max_size=8)), draw(_names), draw(_names), draw(_names)),
        reason=draw(st.text(max_size=40)),
        base=Base(draw(_names), draw(_names)),
        created_at=created,
        expires_at=created + draw(st.timedeltas(timedelta(0), timedelta(days=30))),
        changes=tuple(draw(changes(RepoPath(name))) for name in names),
        findings=tuple(
            draw(
                st.lists(
                    st.builds(
                        Finding,
                        st.sampled_from(["BIDI", "DELETES"]),
                        st.sampled_from(Severity),
                        st.text(max_size=10),
                        st.none() | paths,
                        st.none() | st.integers(1, 9),
                    ),
                    max_size=2,
                )
            )
        ),
        leniencies=tuple(
            draw(st.lists(st.builds(Leniency, st.text(max_size=5), paths, st.text(max_size=9)), max_size=2))
        ),
        derived=draw(st.none() | st.builds(Derivation, st.text(max_size=16), st.sampled_from(["undo", "refresh"]))),
        depends_on=tuple(sorted(draw(st.sets(st.text("0123456789abcdef", min_size=16, max_size=16), max_size=2)))),
    )
