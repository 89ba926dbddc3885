"""What only the whole message tells: which of its files an edit may have meant."""

from __future__ import annotations

from tests.unit.intake.support import applied, refusal


def block(path: bytes, old: bytes, new: bytes) -> bytes:
    return path + b"\n<<<<<<< SEARCH\n" + old + b"\n=======\n" + new + b"\n>>>>>>> REPLACE\n"


def test_the_file_in_which_the_text_does_stand_is_named() -> None:
    text = block(b"src/a.py", b"y = 1", b"y = 2") + block(b"src/b.py", b"z", b"w")
    error = refusal(text, {"src/a.py": b"x = 1\n", "src/b.py": b"y = 1\nz\n"})
    assert (error.code, error.details["other"]) == ("NO_MATCH", "src/b.py")
    assert error.hint == "The text stands in src/b.py: name that file, if it is meant."


def test_a_move_onto_itself_is_refused_and_deletes_nothing() -> None:
    text = (
        b'{"documentChanges": [{"kind": "rename", "oldUri": "a.py", "newUri": "a.py", "options": {"overwrite": true}}]}'
    )
    assert refusal(text, {"a.py": b"x\n"}).code == "FILE_EXISTS"


def test_a_new_file_whose_counts_are_wrong_is_taken() -> None:
    text = b"```diff\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+1\n+2\n+3\n```\n"
    outcome = applied(text, {})
    assert (outcome.tree["n"].data, outcome.leniencies) == (b"1\n2\n3\n", ("HUNK_RECOUNTED",))
