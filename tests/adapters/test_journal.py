"""The journal as a real SQLite file, its tampering and its accidents (checklist 2.4)."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.build import ADA, NOW, a_creation, a_proposal, a_receipt, a_state, an_edit

from redline.adapters.identity.registry import OwnershipOnly, Registry
from redline.adapters.journal import files
from redline.adapters.journal.chain import GENESIS, link
from redline.adapters.journal.glance import Glance, PendingPath, glance
from redline.adapters.journal.schema import JOURNAL_NAME, TABLES
from redline.adapters.journal.store import Journal, create
from redline.core.canonical import digest, encode, format_instant
from redline.core.change import Change
from redline.core.content import Content, Mode
from redline.core.held import Held
from redline.core.hunks import Hunk
from redline.core.lifecycle import Outcome
from redline.core.listing import EventEntry, Listed
from redline.core.paths import RepoPath
from redline.core.plan import WritePlan, steps_of
from redline.core.proposal import Origin
from redline.errors import JournalFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt

HELD = Held("lock")
REPO_ID = "0123456789abcdef0123456789abcdef"
MODEL: dict[str, Any] = {"role": "model"}
BIG = b"line of a long text\n" * 50
CONTENTS = {Content(data, Mode.REGULAR).sha256: data for data in (b"before\n", b"after\n", b"new\n", BIG)}


def hunks_of(proposal: Proposal) -> dict[RepoPath, tuple[Hunk, ...]]:
    """Three lines inserted and two deleted at each path."""
    body = b"-a\n-b\n+c\n+d\n+e"
    return {change.path: (Hunk("0123456789", "@@ -1,2 +1,3 @@", 1, 1, 3, 2, body),) for change in proposal.changes}


class Shelf:
    """A `.proposals` folder with a journal that its person made and registered."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True)
        self.folder = str(root / ".proposals")
        self.path = os.path.join(self.folder, JOURNAL_NAME)
        self.registry = Registry(str(root.parent / "state"), self.folder)
        self.journal = Journal(self.folder, self.registry)
        files.make_folder(self.folder)

    def create(self) -> None:
        create(self.folder, REPO_ID, self.registry, ADA.record, NOW)

    def add(self, proposal: Proposal, contents: dict[str, bytes] | None = None) -> Proposal:
        with self.journal.writing(HELD) as writer:
            writer.add(proposal, CONTENTS if contents is None else contents, hunks_of(proposal), MODEL)
        return proposal

    def file(self, proposal: Proposal, outcome: Outcome = Outcome.APPLIED) -> FiledReceipt:
        with self.journal.writing(HELD) as writer:
            return writer.file(a_receipt(proposal, outcome), ADA.record)

    def sql(self, statement: str, *values: object) -> None:
        """What somebody else does to the file."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement, values)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(query).fetchall()

    def fault(self) -> JournalFault:
        """The one fault with which every way to open it is refused."""
        found: list[JournalFault] = []
        for attempt in (self._read, self._write, self._verify, self._glance):
            with pytest.raises(JournalFault) as refusal:
                attempt()
            found.append(refusal.value)
        assert len({fault.code for fault in found}) == 1, found
        assert all(fault.hint for fault in found)
        return found[0]

    def _read(self) -> None:
        with self.journal.reading() as reader:
            reader.head()

    def _write(self) -> None:
        with self.journal.writing(HELD) as writer:
            writer.mark_told("s", 1)

    def _verify(self) -> None:
        self.journal.faults()

    def _glance(self) -> None:
        glance(self.folder, self.registry.check)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path / "repo")
    made.create()
    return made


def first() -> Proposal:
    return a_proposal(an_edit("a.txt"), a_creation("new.txt"))


def second() -> Proposal:
    return a_proposal(Change(RepoPath("b.txt"), None, a_state(BIG)), reason="another")


# --- what it keeps ----------------------------------------------------------------------------------------------------


def test_a_new_journal_is_private_and_whole_and_trusted(shelf: Shelf) -> None:
    assert sorted(os.listdir(shelf.folder)) == [JOURNAL_NAME]
    assert (os.stat(shelf.folder).st_mode & 0o7777, os.stat(shelf.path).st_mode & 0o7777) == (0o700, 0o600)
    assert shelf.journal.faults() == ()
    with shelf.journal.reading() as reader:
        events = list(reader.events())
        assert reader.repo_id == REPO_ID
        assert reader.head() == (1, events[0].hash)
    expected = link((0, GENESIS), format_instant(NOW), "init", "", encode(ADA.record), "{}")
    assert events == [expected]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_no_umask_opens_it_to_others(tmp_path: Path, umask: int) -> None:
    # S96
    previous = os.umask(umask)
    try:
        shelf = Shelf(tmp_path / "repo")
        shelf.create()
    finally:
        os.umask(previous)
    assert (os.stat(shelf.folder).st_mode & 0o7777, os.stat(shelf.path).st_mode & 0o7777) == (0o700, 0o600)


def test_a_proposal_is_read_back_with_both_sides(shelf: Shelf) -> None:
    one, other = shelf.add(first()), shelf.add(second())
    with shelf.journal.reading() as reader:
        assert [reader.proposal(one.id), reader.proposal(other.id)] == [one, other]
        assert {name: reader.content(name) for name in CONTENTS} == CONTENTS
        assert reader.receipt(one.id) is None
        assert reader.find(one.id[:7]) == (one.id,)
        assert reader.find("") == tuple(sorted((one.id, other.id)))
        assert (reader.find("zzz"), reader.find(one.id + "0"), reader.find("%")) == ((), (), ())
        assert list(reader.listed(pending_only=True)) == [
            Listed(listed, {str(change.path): (3, 2) for change in listed.changes}, None) for listed in (other, one)
        ]
        assert list(reader.entries(one.id)) == [EventEntry(2, format_instant(NOW), "proposed")]
    assert shelf.journal.faults() == ()
    assert dict(shelf.rows("SELECT encoding, count(*) FROM contents GROUP BY encoding")) == {"raw": 3, "zlib": 1}


def test_storing_a_proposal_again_changes_nothing(shelf: Shelf) -> None:
    shelf.add(first())
    before = shelf.rows("SELECT * FROM events")
    shelf.add(first())
    assert shelf.rows("SELECT * FROM events") == before
    assert shelf.journal.faults() == ()


def test_a_receipt_ends_a_proposal_and_its_intent(shelf: Shelf) -> None:
    proposal, other = shelf.add(first()), shelf.add(second())
    plan = WritePlan(proposal.id, proposal.id, steps_of(proposal.changes), (RepoPath("d"),))
    with shelf.journal.writing(HELD) as writer:
        writer.open_intent(plan, {"digest": proposal.digest}, NOW)
        assert writer.unfinished() == ((plan, {"digest": proposal.digest}),)
    filed = shelf.file(proposal)
    with shelf.journal.reading() as reader:
        assert reader.receipt(proposal.id) == filed
        assert (filed.seq, filed.chain) == reader.head()
        assert reader.unfinished() == ()
        assert [listed.status for listed in reader.listed(pending_only=False)] == ["pending", "applied"]
        assert [listed.proposal for listed in reader.listed(pending_only=True)] == [other]
        assert [entry.kind for entry in reader.entries(proposal.id)] == ["proposed", "intent", "applied"]
    assert shelf.journal.faults() == ()


def test_a_proposal_ends_once_by_the_databases_own_rule(shelf: Shelf) -> None:
    proposal = shelf.add(first())
    filed = shelf.file(proposal)
    before = [shelf.rows(f"SELECT * FROM {table}") for table in ("events", "receipts", "pending", "intents")]
    for outcome in Outcome:
        with pytest.raises(JournalFault, match=r"UNIQUE constraint failed: receipts\.proposal"):
            shelf.file(proposal, outcome)
    assert [shelf.rows(f"SELECT * FROM {table}") for table in ("events", "receipts", "pending", "intents")] == before
    with shelf.journal.reading() as reader:
        assert reader.receipt(proposal.id) == filed
    assert shelf.journal.faults() == ()


def test_an_interrupted_write_leaves_its_proposal_pending(shelf: Shelf) -> None:
    proposal = shelf.add(first())
    plan = WritePlan(proposal.id, proposal.id, steps_of(proposal.changes), ())
    with shelf.journal.writing(HELD) as writer:
        writer.open_intent(plan, {}, NOW)
        with pytest.raises(JournalFault, match="UNIQUE constraint failed: intents"):
            writer.open_intent(plan, {}, NOW)
        writer.drop_intent(plan, "interrupted by the person", NOW, ADA.record)
        assert (writer.unfinished(), writer.receipt(proposal.id)) == ((), None)
        assert [entry.kind for entry in writer.entries(proposal.id)] == ["proposed", "intent", "interrupted"]
    assert shelf.journal.faults() == ()


def test_a_session_is_told_each_outcome_once(shelf: Shelf) -> None:
    mine, theirs = shelf.add(first()), shelf.add(a_proposal(reason="x", origin=Origin("codex", "session-2")))
    filed, other = shelf.file(mine, Outcome.DECLINED), shelf.file(theirs)
    with shelf.journal.writing(HELD) as writer:
        assert list(writer.told_after(writer.told("session-1"), "session-1")) == [filed]
        assert list(writer.told_after(0, None)) == [filed, other]
        writer.mark_told("session-1", filed.seq)
        writer.mark_told("session-1", 1)
        assert (writer.told("session-1"), writer.told("session-2")) == (filed.seq, 0)
        assert list(writer.told_after(writer.told("session-1"), "session-1")) == []


def test_a_session_whose_name_is_no_utf_8_is_told_as_well(shelf: Shelf) -> None:
    session = os.fsdecode(b"caf\xe9")
    filed = shelf.file(shelf.add(a_proposal(origin=Origin("codex", session))))
    with shelf.journal.writing(HELD) as writer:
        writer.mark_told(session, 1)
        assert (writer.told(session), list(writer.told_after(1, session))) == (1, [filed])
        assert writer.proposal(filed.receipt.proposal).origin.session == session
    assert shelf.journal.faults() == ()


def test_receipts_are_found_by_time_proposal_and_decline(shelf: Shelf) -> None:
    one, other = shelf.add(first()), shelf.add(second())
    declined, applied = shelf.file(one, Outcome.DECLINED), shelf.file(other)
    later = format_instant(NOW + timedelta(microseconds=1))
    with shelf.journal.reading() as reader:
        assert list(reader.receipts(since="", proposal_id=None)) == [applied, declined]
        assert list(reader.receipts(since="", proposal_id=one.id)) == [declined]
        assert list(reader.receipts(since=format_instant(NOW), proposal_id=None)) == [applied, declined]
        assert list(reader.receipts(since=later, proposal_id=None)) == []
        assert reader.declined_before(one.changes_digest) == declined
        assert reader.declined_before(other.changes_digest) is None


def test_a_glance_sees_what_is_pending_and_what_is_unfinished(shelf: Shelf) -> None:
    proposal = shelf.add(first())
    shelf.file(shelf.add(second()))
    plan = WritePlan(proposal.id, proposal.id, steps_of(proposal.changes), ())
    with shelf.journal.writing(HELD) as writer:
        writer.open_intent(plan, {}, NOW)
        seq, chain = writer.head()
    before = a_state()
    expected = Glance(
        1,
        1,
        seq,
        chain,
        [
            PendingPath(proposal.id, "a.txt", before.sha256, "100644", before.size_bytes),
            PendingPath(proposal.id, "new.txt", None, None, None),
        ],
    )
    assert glance(shelf.folder, shelf.registry.check) == expected


def test_what_was_appended_before_an_error_stays(shelf: Shelf) -> None:
    def append_and_fail() -> None:
        with shelf.journal.writing(HELD) as writer:
            writer.add(first(), CONTENTS, hunks_of(first()), MODEL)
            raise KeyError

    with pytest.raises(KeyError):
        append_and_fail()
    with shelf.journal.reading() as reader:
        assert reader.find("") == (first().id,)


def test_a_failed_transaction_stores_nothing(shelf: Shelf) -> None:
    with shelf.journal.writing(HELD) as writer:
        with pytest.raises(TypeError):
            writer.add(first(), CONTENTS, hunks_of(first()), {"role": {1}})  # type: ignore[dict-item]
        with pytest.raises(TypeError):
            writer.add(first(), {"0" * 64: None}, hunks_of(first()), MODEL)  # type: ignore[dict-item]
    assert [shelf.rows(f"SELECT count(*) FROM {table}") for table in ("proposals", "pending", "paths")] == [[(0,)]] * 3
    assert shelf.journal.faults() == ()


def test_a_repository_with_a_strange_name_has_its_journal_inside(tmp_path: Path) -> None:
    # S91
    for name in ("x?mode=rwc&y", "a#b", "c%2e", "d e", "é", 'q"uote', "file:x"):
        shelf = Shelf(tmp_path / name)
        shelf.create()
        shelf.add(first())
        assert os.listdir(shelf.folder) == [JOURNAL_NAME]
        assert shelf.journal.faults() == ()


# --- tampering --------------------------------------------------------------------------------------------------------


@pytest.fixture
def full(shelf: Shelf) -> Shelf:
    """Two proposals that ended alike, and one that is pending."""
    shelf.file(shelf.add(first()))
    shelf.file(shelf.add(second()))
    shelf.add(a_proposal(reason="third"))
    assert shelf.journal.faults() == ()
    return shelf


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("at", "2020-01-01T00:00:00.000000Z"),
        ("kind", "declined"),
        ("proposal", "0" * 16),
        ("actor", "{}"),
        ("body", "{}"),
        ("body", "no json"),
        ("prev_hash", "0" * 64),
        ("hash", "0" * 64),
    ],
)
def test_an_edited_event_is_named(full: Shelf, column: str, value: str) -> None:
    # S86
    for seq in (2, 3):
        full.sql(f"UPDATE events SET {column} = ? WHERE seq = {seq}", value)
        assert any(f"event {seq} was altered" in fault for fault in full.journal.faults())


def test_an_edited_receipt_is_not_handed_out(full: Shelf) -> None:
    body = json.loads(full.rows("SELECT body FROM events WHERE seq = 3")[0][0])
    full.sql("UPDATE events SET body = ? WHERE seq = 3", encode({**body, "reason": "forged"}))
    with full.journal.reading() as reader:
        for ask in (
            lambda: reader.receipt(first().id),
            lambda: list(reader.receipts(since="", proposal_id=None)),
            lambda: list(reader.told_after(0, None)),
        ):
            with pytest.raises(JournalFault) as refusal:
                ask()
            assert (refusal.value.code, refusal.value.message) == (
                "JOURNAL_TAMPERED",
                "the journal contradicts itself: event 3 was altered",
            )


def test_a_deleted_event_in_the_middle_is_named(full: Shelf) -> None:
    full.sql("DELETE FROM events WHERE seq = 4")
    assert "event 5 was altered, or one before it is missing" in full.journal.faults()


def test_deleted_last_events_are_a_rollback(full: Shelf) -> None:
    # S87
    full.sql("DELETE FROM events WHERE seq = 6")
    full.sql("DELETE FROM proposals WHERE seq = 6")
    full.sql("DELETE FROM pending WHERE seq = 6")
    assert Journal(full.folder, OwnershipOnly()).faults() == ()
    assert full.fault().code == "JOURNAL_ROLLBACK"


def test_an_older_copy_in_place_is_a_rollback(full: Shelf) -> None:
    with open(full.path, "rb") as file:
        older = file.read()
    full.file(a_proposal(reason="third"))
    with open(full.path, "wb") as file:
        file.write(older)
    assert full.fault().code == "JOURNAL_ROLLBACK"


def test_a_rewritten_chain_is_a_rollback(full: Shelf) -> None:
    # S88
    previous = (0, GENESIS)
    for row in full.rows("SELECT seq, at, kind, proposal, actor, body FROM events ORDER BY seq"):
        event = link(previous, "2020-01-01T00:00:00.000000Z", *row[2:])
        full.sql("UPDATE events SET at = ?, prev_hash = ?, hash = ? WHERE seq = ?", event.at, *event[6:], event.seq)
        previous = (event.seq, event.hash)
    assert Journal(full.folder, OwnershipOnly()).faults() == ()
    assert full.fault().code == "JOURNAL_ROLLBACK"


def test_an_empty_chain_is_refused(full: Shelf) -> None:
    full.sql("DELETE FROM events")
    assert full.fault().code == "JOURNAL_ROLLBACK"
    with pytest.raises(JournalFault) as refusal:
        glance(full.folder, OwnershipOnly().check)
    assert refusal.value.code == "JOURNAL_TAMPERED"


def test_a_journal_without_its_name_is_refused(full: Shelf) -> None:
    full.sql("DELETE FROM meta")
    assert full.fault().code == "JOURNAL_TAMPERED"


def test_a_journal_under_another_name_is_untrusted(full: Shelf) -> None:
    for name in ("f" * 32, "../../../../etc/passwd", "é" * 32, "a" * 5000, ""):
        full.sql("UPDATE meta SET repo_id = ?", name)
        assert full.fault().code == "JOURNAL_UNTRUSTED"


def _forged(change: Callable[[dict[str, Any]], object]) -> tuple[str, str]:
    record: Any = first().record
    change(record)
    return encode(record), digest(record)


def test_an_edited_proposal_is_named_and_not_handed_out(full: Shelf) -> None:
    record, _ = _forged(lambda fields: fields.update(reason="forged"))
    full.sql("UPDATE proposals SET record = ? WHERE id = ?", record, first().id)
    expected = f"the journal contradicts itself: proposal {first().id} is not what its digest says"
    assert full.journal.faults() == (expected,)
    with full.journal.reading() as reader, pytest.raises(JournalFault) as refusal:
        reader.proposal(first().id)
    assert (refusal.value.code, refusal.value.message) == ("JOURNAL_TAMPERED", expected)


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields["changes"][0].update(path="../outside"),
        lambda fields: fields["changes"][0].update(path=".git/hooks/pre-commit"),
        lambda fields: fields.pop("reason"),
        lambda fields: fields.update(approved=True),
        lambda fields: fields.update(changes="all"),
    ],
)
def test_a_forged_proposal_with_a_digest_of_its_own_is_none(
    full: Shelf, change: Callable[[dict[str, Any]], object]
) -> None:
    record, name = _forged(change)
    full.sql("UPDATE proposals SET record = ?, digest = ?, id = ? WHERE id = ?", record, name, name[:16], first().id)
    with full.journal.reading() as reader, pytest.raises(JournalFault) as refusal:
        reader.proposal(name[:16])
    assert refusal.value.code == "JOURNAL_TAMPERED"
    assert f"proposal {name[:16]} is not the one that its event records" in full.journal.faults()


@pytest.mark.parametrize("data", [b"", b"other", b"x\x9c\x00garbage", BIG])
def test_an_edited_content_is_named_and_not_handed_out(full: Shelf, data: bytes) -> None:
    for name in (Content(BIG, Mode.REGULAR).sha256, Content(b"after\n", Mode.REGULAR).sha256):
        full.sql("UPDATE contents SET bytes = ?, encoding = 'zlib' WHERE sha256 = ?", data, name)
        expected = f"the journal contradicts itself: content {name[:12]} is missing or not what its digest says"
        assert expected in full.journal.faults()
        with full.journal.reading() as reader, pytest.raises(JournalFault) as refusal:
            reader.content(name)
        assert (refusal.value.code, refusal.value.message) == ("JOURNAL_TAMPERED", expected)


def test_a_content_that_would_swell_is_not_unpacked(full: Shelf) -> None:
    # S124
    import resource
    import zlib

    name = Content(BIG, Mode.REGULAR).sha256
    packer = zlib.compressobj(9)
    swelling = b"".join(packer.compress(bytes(1 << 20)) for _ in range(512)) + packer.flush()
    full.sql("UPDATE contents SET bytes = ? WHERE sha256 = ?", swelling, name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with full.journal.reading() as reader, pytest.raises(JournalFault):
        reader.content(name)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_a_missing_content_of_a_pending_proposal_is_named(full: Shelf) -> None:
    full.sql("DELETE FROM contents WHERE sha256 = ?", Content(b"after\n", Mode.REGULAR).sha256)
    pending = a_proposal(reason="third").id
    assert full.journal.faults() == (f"proposal {pending} is pending and a content that it names is missing",)


def test_swapped_receipts_are_named_and_not_handed_out(full: Shelf) -> None:
    one, other = first().id, second().id
    for old, new in ((one, "x"), (other, one), ("x", other)):
        full.sql("UPDATE receipts SET proposal = ? WHERE proposal = ?", new, old)
    assert full.journal.faults() == (
        "event 3 (applied) and the receipts disagree",
        "event 5 (applied) and the receipts disagree",
    )
    with full.journal.reading() as reader, pytest.raises(JournalFault) as refusal:
        reader.receipt(one)
    assert refusal.value.message.endswith(f"the receipt in event 5 is not that of proposal {one}")


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM receipts WHERE seq = 3", "event 3 (applied) and the receipts disagree"),
        ("INSERT INTO receipts VALUES ('x', 99, 'applied')", "a receipt names event 99, which does not exist"),
        ("UPDATE receipts SET outcome = 'declined' WHERE seq = 3", "event 3 (applied) and the receipts disagree"),
        ("DELETE FROM pending", "is both pending and ended, or neither"),
        ("UPDATE pending SET seq = 77", "is both pending and ended, or neither"),
        ("DELETE FROM proposals WHERE seq = 2", "was recorded and is gone"),
        ("UPDATE proposals SET seq = 70 WHERE seq = 2", "is not the one that its event records"),
        ("UPDATE proposals SET session = 'other' WHERE seq = 2", "is listed as something that its record is not"),
        ("UPDATE proposals SET changes_digest = 'x' WHERE seq = 2", "is listed as something that its record is not"),
        ("DELETE FROM paths WHERE path = 'a.txt'", "the path index of proposal"),
        ("UPDATE paths SET path = 'z.txt' WHERE path = 'a.txt'", "the path index of proposal"),
        ("UPDATE paths SET before_sha256 = 'x' WHERE path = 'a.txt'", "the path index of proposal"),
        ("UPDATE paths SET before_size = 0 WHERE path = 'a.txt'", "the path index of proposal"),
    ],
)
def test_an_index_that_contradicts_the_chain_is_named(full: Shelf, statement: str, named: str) -> None:
    full.sql(statement)
    assert [fault for fault in full.journal.faults() if named in fault] != []


@pytest.mark.parametrize("plan", ["no json", "{}", '{"tx":1,"proposal":2,"steps":3,"new_folders":4}', "[" * 9999])
def test_a_forged_plan_is_not_followed(full: Shelf, plan: str) -> None:
    full.sql("INSERT INTO intents VALUES ('t', 'p', '', ?, '{}')", plan)
    with full.journal.reading() as reader, pytest.raises(JournalFault) as refusal:
        reader.unfinished()
    assert refusal.value.code == "JOURNAL_TAMPERED"


def test_a_plan_that_leads_outside_is_not_followed(full: Shelf) -> None:
    plan = WritePlan("t", "p", steps_of((an_edit("a.txt"),)), ()).record
    plan["new_folders"] = ["../outside"]
    full.sql("INSERT INTO intents VALUES ('t', 'p', '', ?, '{}')", encode(plan))
    with full.journal.reading() as reader, pytest.raises(JournalFault) as refusal:
        reader.unfinished()
    assert refusal.value.code == "JOURNAL_TAMPERED"


@pytest.mark.parametrize(
    "statement",
    [
        # S83, S84
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM pending; END",
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "CREATE INDEX extra ON events (kind)",
        "CREATE TABLE extra (x)",
        "DROP INDEX proposals_by_seq",
        "ALTER TABLE pending RENAME TO waiting",
        "ALTER TABLE receipts ADD COLUMN note TEXT",
        "ANALYZE",
    ],
)
def test_a_schema_that_is_not_exactly_ours_is_refused(full: Shelf, statement: str) -> None:
    full.sql(statement)
    assert full.fault().code == "JOURNAL_SCHEMA"


def test_a_table_replaced_by_an_endless_view_is_refused_at_once(full: Shelf) -> None:
    full.sql("ALTER TABLE pending RENAME TO real")
    full.sql("CREATE VIEW pending AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c")
    began = time.monotonic()
    assert full.fault().code == "JOURNAL_SCHEMA"
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("pragma", "code"),
    [
        ("user_version=1", "JOURNAL_VERSION"),
        ("user_version=0", "JOURNAL_VERSION"),
        ("application_id=1", "JOURNAL_CORRUPT"),
    ],
)
def test_a_journal_of_another_release_or_program_is_refused(full: Shelf, pragma: str, code: str) -> None:
    # S90
    full.sql(f"PRAGMA {pragma}")
    with open(full.path, "rb") as file:
        before = file.read()
    assert full.fault().code == code
    with open(full.path, "rb") as file:
        assert file.read() == before


@pytest.mark.parametrize("data", [b"", b"not a database\n" * 100, b"SQLite format 3\0", b"\0" * 8192])
def test_what_is_no_database_is_refused_and_left_alone(full: Shelf, data: bytes) -> None:
    with open(full.path, "wb") as file:
        file.write(data)
    assert full.fault().code == "JOURNAL_CORRUPT"
    with open(full.path, "rb") as file:
        assert file.read() == data


def test_a_corrupted_page_is_found(full: Shelf) -> None:
    for number in range(40):
        full.add(a_proposal(reason=f"number {number}"))
    size = os.stat(full.path).st_size
    outcomes = set()
    with open(full.path, "rb") as file:
        whole = file.read()
    for page in range(1, size // 4096):
        with open(full.path, "r+b") as file:
            file.write(whole)
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)
        try:
            outcomes.add("fault" if full.journal.faults() else "nothing")
        except JournalFault as fault:
            outcomes.add(fault.code)
    assert outcomes <= {"fault", "JOURNAL_CORRUPT", "JOURNAL_TAMPERED"}
    assert "JOURNAL_CORRUPT" in outcomes


def test_a_truncated_file_is_found(full: Shelf) -> None:
    os.truncate(full.path, 4096 * 3)
    assert full.fault().code == "JOURNAL_CORRUPT"


# --- whose files they are ---------------------------------------------------------------------------------------------


def test_a_missing_journal_is_said_to_be_missing(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "repo")
    assert shelf.fault().code == "JOURNAL_MISSING"
    os.rmdir(shelf.folder)
    assert shelf.fault().code == "JOURNAL_MISSING"


def test_a_linked_folder_is_untrusted(full: Shelf, tmp_path: Path) -> None:
    # S85
    os.rename(full.folder, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", full.folder)
    assert full.fault().code == "JOURNAL_UNTRUSTED"


@pytest.mark.parametrize("name", [JOURNAL_NAME, *(JOURNAL_NAME + suffix for suffix in ("-journal", "-wal", "-shm"))])
@pytest.mark.parametrize("how", ["symbolic", "hard", "pipe", "folder"])
def test_a_journal_file_that_is_a_link_or_none_is_untrusted(full: Shelf, tmp_path: Path, name: str, how: str) -> None:
    path, other = os.path.join(full.folder, name), tmp_path / "other"
    if name == JOURNAL_NAME:
        os.rename(path, other)
    else:
        other.write_bytes(b"")
    other.chmod(0o600)
    before = other.read_bytes()
    make: dict[str, Callable[[], None]] = {
        "symbolic": lambda: os.symlink(other, path),
        "hard": lambda: os.link(other, path),
        "pipe": lambda: os.mkfifo(path, 0o600),
        "folder": lambda: os.mkdir(path, 0o700),
    }
    make[how]()
    assert full.fault().code == "JOURNAL_UNTRUSTED"
    assert other.read_bytes() == before


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666, 0o777])
def test_a_journal_that_others_can_reach_is_refused(full: Shelf, mode: int) -> None:
    # S89
    os.chmod(full.path, mode)
    fault = full.fault()
    assert fault.code == "JOURNAL_PERMS"
    os.chmod(full.path, 0o600)
    os.chmod(full.folder, mode | 0o100)
    assert full.fault().code == "JOURNAL_PERMS"


@pytest.mark.skipif(os.getuid() != 0, reason="gives files to another account")
def test_a_journal_of_another_account_is_untrusted(full: Shelf) -> None:
    os.chown(full.path, 12345, 12345)
    assert full.fault().code == "JOURNAL_UNTRUSTED"
    os.chown(full.path, 0, 0)
    os.chown(full.folder, 12345, 12345)
    assert full.fault().code == "JOURNAL_UNTRUSTED"


def test_a_side_file_that_is_being_removed_is_no_fault(full: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look-up of a name and the reading of its state another process may unlink the file: no links left."""
    real = os.lstat

    def unlinked(path: str) -> os.stat_result:
        if path.endswith("-journal"):
            fields = list(real(full.path))
            fields[3] = 0
            return os.stat_result(fields)
        return real(path)

    monkeypatch.setattr(os, "lstat", unlinked)
    full.add(a_proposal(reason="fourth"))


# --- accidents --------------------------------------------------------------------------------------------------------


def _in_a_process(script: str, *arguments: str, **popen: Any) -> subprocess.Popen[str]:
    prelude = """
import os, signal, sys, time
from pathlib import Path
from redline.adapters.journal.store import Journal
from redline.adapters.identity.registry import OwnershipOnly
from redline.adapters.worktree.lock import ProposalsLock
from redline.core.held import Held
from redline.errors import JournalFault
from tests.adapters.test_journal import CONTENTS, MODEL, a_proposal, a_receipt, ADA
folder = sys.argv[1]
journal = Journal(folder, OwnershipOnly())
"""
    return subprocess.Popen(
        [sys.executable, "-c", prelude + script, *arguments],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **popen,
    )


def test_a_full_disk_stores_nothing_of_what_it_refused(shelf: Shelf) -> None:
    # S125: a limit on the file's size is a disk that is full
    shelf.file(shelf.add(first()))
    shelf.add(second())
    script = """
import resource
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = os.stat(os.path.join(folder, "journal.sqlite3")).st_size + 16384
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
big = {"%064x" % number: os.urandom(20000) for number in range(9)}
codes = []
for write in (
    lambda writer: writer.add(a_proposal(reason="too big"), big, {"a.txt": ()}, MODEL),
    lambda writer: writer.add(a_proposal(reason="small"), CONTENTS, {"a.txt": ()}, MODEL),
):
    try:
        with journal.writing(Held("")) as writer:
            write(writer)
        codes.append("stored")
    except JournalFault as fault:
        codes.append(fault.code)
print(codes)
"""
    out, err = _in_a_process(script, shelf.folder).communicate(timeout=60)
    assert out in {"['JOURNAL_FULL', 'stored']\n", "['JOURNAL_UNWRITABLE', 'stored']\n"}, err
    assert shelf.journal.faults() == ()
    with shelf.journal.reading() as reader:
        stored = {reader.proposal(name).reason for name in reader.find("")}
    assert stored == {first().reason, second().reason, "small"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no small file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def _fill(folder: Path) -> None:
    with open(folder / "filler", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


def test_a_really_full_disk_is_said_to_be_full_and_loses_nothing(small_disk: Path) -> None:
    shelf = Shelf(small_disk / "repo")
    shelf.create()
    kept = shelf.add(first())
    with pytest.raises(JournalFault) as refusal:
        shelf.add(second(), {f"{number:064x}": os.urandom(60000) for number in range(9)})
    assert refusal.value.code == "JOURNAL_FULL"
    assert shelf.journal.faults() == ()
    _fill(small_disk)
    with pytest.raises(JournalFault) as refusal:
        shelf.file(kept)
    assert refusal.value.code in {"JOURNAL_FULL", "JOURNAL_UNWRITABLE"}
    with shelf.journal.reading() as reader:
        assert (reader.find(""), reader.receipt(kept.id)) == ((kept.id,), None)
    os.unlink(small_disk / "filler")
    assert shelf.file(kept).receipt.outcome is Outcome.APPLIED
    assert shelf.journal.faults() == ()


def test_no_journal_is_half_made_on_a_full_disk(small_disk: Path) -> None:
    shelf = Shelf(small_disk / "repo")
    _fill(small_disk)
    with pytest.raises(JournalFault) as refusal:
        shelf.create()
    assert refusal.value.code in {"JOURNAL_FULL", "JOURNAL_UNWRITABLE", "REGISTRY_UNWRITABLE"}
    assert not files.exists(shelf.folder)
    os.unlink(small_disk / "filler")
    shelf.create()
    assert shelf.journal.faults() == ()
    assert os.listdir(shelf.folder) == [JOURNAL_NAME]


@pytest.mark.kill
@pytest.mark.parametrize("opened_by", ["reading", "writing", "verify", "glance"])
def test_a_writer_killed_in_the_middle_leaves_the_state_before(shelf: Shelf, opened_by: str) -> None:
    kept = shelf.add(first())
    script = """
with journal.writing(Held("")) as writer:
    connection = writer._connection
    connection.execute("PRAGMA cache_size=5")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM proposals")
    for number in range(300):
        connection.execute("INSERT INTO contents VALUES (?, 9, 'raw', ?)", ("%064x" % number, os.urandom(9000)))
    print("spilled", flush=True)
    time.sleep(60)
"""
    process = _in_a_process(script, shelf.folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "spilled\n", process.communicate()[1]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert os.stat(shelf.path + "-journal").st_size > 512
    assert os.stat(shelf.path).st_size > 1_000_000
    if opened_by == "verify":
        assert shelf.journal.faults() == ()
    elif opened_by == "glance":
        assert glance(shelf.folder, shelf.registry.check).pending == 1
    elif opened_by == "writing":
        shelf.file(kept)
    with shelf.journal.reading() as reader:
        assert reader.proposal(kept.id) == kept
    assert shelf.journal.faults() == ()
    assert os.listdir(shelf.folder) == [JOURNAL_NAME]


def test_eight_processes_adding_at_once_lose_nothing(shelf: Shelf) -> None:
    script = """
for number in range(12):
    with ProposalsLock(folder).hold() as held, journal.writing(held) as writer:
        writer.add(a_proposal(reason=f"{sys.argv[2]} {number}"), CONTENTS, {"a.txt": ()}, MODEL)
    with journal.reading() as reader:
        list(reader.listed(pending_only=True))
    journal.faults() and print(journal.faults())
"""
    processes = [_in_a_process(script, shelf.folder, str(number)) for number in range(8)]
    ends = [process.communicate(timeout=120) for process in processes]
    assert ends == [("", "")] * 8
    with shelf.journal.reading() as reader:
        reasons = {listed.proposal.reason for listed in reader.listed(pending_only=True)}
    assert reasons == {f"{process} {number}" for process in range(8) for number in range(12)}
    assert shelf.journal.faults() == ()


def test_a_file_that_another_program_holds_is_said_to_be_locked(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redline.adapters.journal.schema.BUSY_TIMEOUT_S", 0.1)
    with closing(sqlite3.connect(shelf.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFault) as refusal:
            shelf.add(first())
        assert refusal.value.code == "JOURNAL_LOCKED"
        other.execute("ROLLBACK")
    shelf.add(first())


def test_a_locked_file_is_a_journal_fault_of_the_method_itself(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit point answers with JournalFault whatever failed, so that its caller can look and roll back."""
    monkeypatch.setattr("redline.adapters.journal.schema.BUSY_TIMEOUT_S", 0.1)
    proposal = shelf.add(first())
    with closing(sqlite3.connect(shelf.path, isolation_level=None)) as other, shelf.journal.writing(HELD) as writer:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFault) as refusal:
            writer.file(a_receipt(proposal), ADA.record)
        other.execute("ROLLBACK")
        assert refusal.value.code == "JOURNAL_LOCKED"
        assert writer.file(a_receipt(proposal), ADA.record).receipt == a_receipt(proposal)


def test_a_registry_that_cannot_be_written_does_not_undo_what_was_appended(shelf: Shelf, tmp_path: Path) -> None:
    anchors = tmp_path / "state" / "redline" / "journals"
    with shelf.journal.writing(HELD) as writer:
        writer.add(first(), CONTENTS, hunks_of(first()), MODEL)
        os.rename(anchors, tmp_path / "moved")
        anchors.write_text("a file where the folder was")
    os.unlink(anchors)
    os.rename(tmp_path / "moved", anchors)
    with shelf.journal.reading() as reader:
        assert reader.find("") == (first().id,)


def test_an_older_attempt_to_make_the_journal_is_cleared_away(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "repo")
    for suffix in ("", "-journal", "-wal", "-shm"):
        with open(f"{shelf.path}.new{suffix}", "wb") as file:
            file.write(b"left by a crash")
    shelf.create()
    assert os.listdir(shelf.folder) == [JOURNAL_NAME]
    assert shelf.journal.faults() == ()


def test_a_folder_that_cannot_be_made_is_a_journal_fault(tmp_path: Path) -> None:
    for folder in (tmp_path / "none" / ".proposals", tmp_path / ("n" * 300)):
        with pytest.raises(JournalFault) as refusal:
            files.make_folder(str(folder))
        assert refusal.value.code == "JOURNAL_UNWRITABLE"


def test_the_schema_is_what_the_file_holds(shelf: Shelf) -> None:
    rows = shelf.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    assert sorted(row[0] for row in rows) == sorted(TABLES)
