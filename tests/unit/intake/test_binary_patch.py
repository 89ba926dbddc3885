from __future__ import annotations

import base64
import subprocess
import zlib
from typing import TYPE_CHECKING

import pytest
from tests.unit.intake.support import applied, code, refusal, tree

from redline.core.content import Content, Mode, ObjectFormat, blob_id
from redline.errors import LimitExceeded, MalformedEdit
from redline.intake.binary_patch import apply_delta

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = bytes(range(256)) * 40
AFTER = BEFORE[:5000] + b"\0changed\xff" + BEFORE[5000:]


def half(kind: bytes, data: bytes, *, size: int | None = None) -> bytes:
    packed = zlib.compress(data)
    lines = [b"%b %d" % (kind, len(data) if size is None else size)]
    for at in range(0, len(packed), 52):
        piece = packed[at : at + 52]
        mark = len(piece) + (64 if len(piece) <= 26 else 70)
        lines.append(bytes([mark]) + base64.b85encode(piece, pad=True))
    return b"\n".join(lines) + b"\n\n"


def oid(data: bytes) -> bytes:
    return blob_id(data, ObjectFormat.SHA1).encode()


def patch(before: bytes, after: bytes, *halves: bytes) -> bytes:
    index = b"index %b..%b 100644\n" % (oid(before), oid(after))
    return b"diff --git a/x b/x\n" + index + b"GIT binary patch\n" + b"".join(halves)


def git_diff(folder: Path, before: bytes, after: bytes) -> bytes:
    for name, data in (("old", before), ("new", after)):
        (folder / name).mkdir()
        (folder / name / "x").write_bytes(data)
    command = ["git", "diff", "--no-index", "--binary", "--no-prefix", "old/x", "new/x"]
    found = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return found.stdout


@pytest.mark.parametrize(
    ("before", "after"), [(BEFORE, AFTER), (AFTER, BEFORE), (b"\0", b"\0" * 70_000), (b"\0a", b"\0b")]
)
def test_b38_gits_own_binary_patch_applies(tmp_path: Path, before: bytes, after: bytes) -> None:
    text = git_diff(tmp_path, before, after)
    assert b"GIT binary patch" in text
    assert tree(text, {"x": before}) == {"x": after}


def test_b38_a_binary_section_does_not_spoil_its_neighbours() -> None:
    section = patch(BEFORE, AFTER, half(b"literal", AFTER), half(b"literal", BEFORE))
    text = b"--- a/%b\n+++ b/%b\n@@ -1 +1 @@\n-a\n+b\n"
    files = {"f": b"a\n", "x": BEFORE, "g": b"a\n"}
    expected = {"f": b"b\n", "x": AFTER, "g": b"b\n"}
    assert tree(text % (b"f", b"f") + section + text % (b"g", b"g"), files) == expected


def test_b38_a_binary_patch_needs_its_stated_base() -> None:
    text = patch(BEFORE, AFTER, half(b"literal", AFTER))
    assert tree(text, {"x": BEFORE}) == {"x": AFTER}
    assert code(text, {"x": BEFORE + b"drift"}) == "NO_MATCH"
    assert code(text, {}) == "NO_SUCH_FILE"


def test_b38_a_binary_patch_must_give_its_stated_content() -> None:
    assert code(patch(BEFORE, AFTER, half(b"literal", AFTER + b"more")), {"x": BEFORE}) == "NO_MATCH"
    assert code(patch(BEFORE, AFTER, half(b"delta", b"\x01\x01\x00")), {"x": BEFORE}) == "NO_MATCH"


def test_a_binary_creation_and_deletion() -> None:
    zero = b"0" * 40
    head = b"diff --git a/x b/x\n"
    created = head + b"new file mode 100755\nindex %b..%b\nGIT binary patch\n" % (zero, oid(AFTER))
    deleted = head + b"deleted file mode 100644\nindex %b..%b\nGIT binary patch\n" % (oid(AFTER), zero)
    creation = created + half(b"literal", AFTER) + half(b"literal", b"")
    assert applied(creation, {}).tree == {"x": Content(AFTER, Mode.EXECUTABLE)}
    assert code(creation, {"x": b""}) == "FILE_EXISTS"
    deletion = deleted + half(b"literal", b"") + half(b"literal", AFTER)
    assert tree(deletion, {"x": AFTER}) == {}
    assert code(deletion, {"x": BEFORE}) == "NO_MATCH"


def test_a_binary_patch_without_its_full_base_is_noted() -> None:
    text = b"diff --git a/x b/x\nindex 1234567..%b\nGIT binary patch\n" % oid(AFTER)[:7]
    assert code(text + half(b"literal", AFTER), {"x": BEFORE}) == "NO_MATCH"
    bare = b"diff --git a/x b/x\nGIT binary patch\n" + half(b"literal", AFTER)
    outcome = applied(bare, {"x": BEFORE})
    assert (outcome.tree["x"].data, outcome.leniencies) == (AFTER, ("BINARY_UNVERIFIED",))


@pytest.mark.parametrize(
    "halves",
    [
        b"",
        b"literals 3\n",
        b"literal 3\n\n",
        half(b"literal", AFTER, size=3),
        half(b"literal", AFTER, size=len(AFTER) + 1),
        half(b"literal", AFTER).replace(b"\nz", b"\ny", 1),
        b"literal 1\nA!!!!!!\n\n",
        b"literal 1\nA~~~~~\n\n",
        b"literal 1\nA\x80\x80\x80\x80\x80\n\n",
        b"literal 1\n-00000\n\n",
        half(b"literal", AFTER) + b"delta 3\n+abc\n\n",
        half(b"literal", AFTER)[:-80] + b"\n\n",
    ],
)
def test_a_broken_payload_is_refused(halves: bytes) -> None:
    error = refusal(patch(BEFORE, AFTER, halves), {"x": BEFORE})
    assert (type(error), error.code) == (MalformedEdit, "BINARY_BROKEN")


def test_a_bomb_is_never_inflated() -> None:
    error = refusal(patch(BEFORE, AFTER, half(b"literal", b"\0" * 1000, size=10**11)))
    assert (type(error), error.code) == (LimitExceeded, "LIMIT_SIZE")
    assert code(patch(BEFORE, AFTER, half(b"literal", b"\0" * 10**7, size=10))) == "BINARY_BROKEN"


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        (b"\x03\x03\x90\x03", b"abc"),
        (b"\x03\x05\x90\x03\x02de", b"abcde"),
        (b"\x03\x02\x91\x01\x02", b"bc"),
        (b"\x03\x00", b""),
        (b"", None),
        (b"\x83", None),
        (b"\x04\x03\x90\x03", None),
        (b"\x03\x04\x90\x03", None),
        (b"\x03\x02\x90\x03", None),
        (b"\x03\x03\x90\x04", None),
        (b"\x03\x03\x91\x02\x03", None),
        (b"\x03\x03\x00", None),
        (b"\x03\x03\x90", None),
        (b"\x03\x03\x03ab", None),
        (b"\x03\xff\xff\xff\xff\x7f\x90\x03", None),
    ],
)
def test_a_delta_is_applied_or_refused_whole(delta: bytes, expected: bytes | None) -> None:
    assert apply_delta(b"abc", delta) == expected


def test_a_copy_without_a_size_means_64_kib() -> None:
    before = bytes(0x10000) + b"x"
    assert apply_delta(before, b"\x81\x80\x04\x80\x80\x04\x80") == bytes(0x10000)
