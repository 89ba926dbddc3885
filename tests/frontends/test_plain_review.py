"""`redline review --plain` as a person types it on a real terminal."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pseudo_terminal import Dialogue, converse
from tests.support.sandbox import BIN, edit, write

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox

ASKED = "]? "
WHOLE = "q to stop: "
LINES = [str(number) for number in range(1, 41)]


def text(**words: str) -> str:
    """Forty numbered lines; `_2="zwei"` replaces the second."""
    lines = list(LINES)
    for key, word in words.items():
        lines[int(key[1:]) - 1] = word
    return "".join(f"{line}\n" for line in lines)


GERMAN = {"_2": "zwei", "_5": "fuenf", "_15": "fuenfzehn", "_38": "achtunddreissig"}


@pytest.fixture
def proposal(sandbox: Sandbox) -> str:
    """Three hunks in n.txt, of which the first has two pieces, and a new file."""
    sandbox.write("n.txt", text().encode())
    return sandbox.propose(
        edit(write("n.txt", text(**GERMAN)), write("z.txt", "neu\n"), reason="German"), "--session", "s1"
    )


def review(sandbox: Sandbox, proposal: str, *answers: str, editor: str = "false") -> Dialogue:
    """Answer the question about a part, or, as `QUESTION|ANSWER`, the one that ends so."""
    dialogue = [
        (answer.split("|")[0], answer.split("|")[1]) if "|" in answer else (ASKED, answer) for answer in answers
    ]
    return converse(
        [os.path.join(BIN, "redline"), "review", proposal, "--plain"], sandbox.root, dialogue, EDITOR=editor
    )


def receipts(sandbox: Sandbox) -> dict[str, Any]:
    events = sandbox.redline("log", "--json").json["events"]
    return {event["outcome"]: event for event in events}


def test_a_part_is_left_a_part_is_split_and_the_rest_is_applied(sandbox: Sandbox, proposal: str) -> None:
    done = review(
        sandbox, proposal, "s", "n", "y", "y", "y", "y", f"{WHOLE}|{proposal[:4]}", "no reason): |two is fine"
    )
    assert done.code == 0, done.text
    assert sandbox.read("n.txt") == text(**{**GERMAN, "_2": "2"}).encode()
    assert sandbox.read("z.txt") == b"neu\n"
    ended = receipts(sandbox)
    assert set(ended) == {"applied", "superseded"}
    assert ended["superseded"]["receipt"]["successor"] == ended["applied"]["proposal"]
    assert ended["applied"]["receipt"]["reason"] == "two is fine"
    review_record = ended["applied"]["receipt"]["review"]
    assert review_record["shown"] == {"parts": 5, "unseen": []}
    assert [name.rpartition(".")[2] for name in review_record["shares"]["declined"]] == ["1"]


def test_stopping_keeps_what_was_decided_and_writes_nothing(sandbox: Sandbox, proposal: str) -> None:
    before = sandbox.tree()
    stopped = review(sandbox, proposal, "n", "c", "Enter for 15)? |16", "Enter for issue)? |q", "Comment: |why?", "q")
    assert (stopped.code, sandbox.tree()) == (9, before)
    again = review(sandbox, proposal, "y", "y", "y", f"{WHOLE}|{proposal[:4]}", "no reason): |")
    assert "This review goes on where you left it." in again.text
    assert again.code == 0
    assert sandbox.read("n.txt") == text(_15="fuenfzehn", _38="achtunddreissig").encode()
    (event,) = sandbox.agent("feedback", "--session", "s1", "--json").json["events"]
    assert event["comments"] == [{"path": "n.txt", "line": 16, "side": "after", "kind": "question", "text": "why?"}]
    assert (len(event["applied"]), len(event["declined"])) == (3, 1)


def test_what_the_person_writes_is_applied_and_told_as_theirs(sandbox: Sandbox, proposal: str) -> None:
    done = review(
        sandbox,
        proposal,
        *("y", "e", "y", "y", "y"),
        f"{WHOLE}|{proposal[:4]}",
        editor="sed -i s/fuenfzehn/FIFTEEN/",
    )
    assert done.code == 0, done.text
    assert sandbox.read("n.txt") == text(**{**GERMAN, "_15": "FIFTEEN"}).encode()
    shares = receipts(sandbox)["applied"]["receipt"]["review"]["shares"]
    assert {key: len(names) for key, names in shares.items()} == {"model": 3, "person": 1, "replaced": 1, "declined": 0}
    (event,) = sandbox.agent("feedback", "--session", "s1", "--json").json["events"]
    assert (event["replaced"], event["declined"]) == (shares["replaced"], [])


def test_an_edit_keeps_the_answers_to_the_other_pieces(sandbox: Sandbox, proposal: str) -> None:
    done = review(
        sandbox,
        proposal,
        *("s", "n", "y", "e", "y", "y", "y"),
        f"{WHOLE}|{proposal[:4]}",
        "no reason): |",
        editor="sed -i s/fuenfzehn/FIFTEEN/",
    )
    assert done.code == 0, done.text
    assert sandbox.read("n.txt") == text(**{**GERMAN, "_2": "2", "_15": "FIFTEEN"}).encode()


def test_everything_left_is_a_decline_and_needs_a_yes(sandbox: Sandbox, proposal: str) -> None:
    before = sandbox.tree()
    done = review(sandbox, proposal, "d", "n", "look again) |y", "no reason): |not now")
    assert (done.code, sandbox.tree()) == (3, before)
    assert receipts(sandbox)["declined"]["receipt"]["reason"] == "not now"


def test_the_answers_that_move(sandbox: Sandbox, proposal: str) -> None:
    done = review(sandbox, proposal, "j", "k", "/achtund", "g4", "g9", "/nowhere", "/(", "?", "s", "x", "no reason): |")
    assert done.code == 3
    order = [line.split(")")[0].strip("( ") for line in done.text.splitlines() if "Take this" in line]
    assert order == ["1/4", "2/4", "1/4", "3/4", "4/4", "4/4", "4/4", "4/4", "4/4", "4/4"]
    for said in (
        "There is no part '9': they are numbered 1 to 4.",
        "No other part has 'nowhere'.",
        "'(' is no regular expression",
        "y - take this part",
        "It cannot be split",
    ):
        assert said in done.text


@pytest.mark.parametrize("typed", ["", "y", "yes", "q"])
def test_only_the_code_confirms(sandbox: Sandbox, proposal: str, typed: str) -> None:
    before = sandbox.tree()
    done = review(sandbox, proposal, "a", "a", f"{WHOLE}|{typed}")
    assert (done.code, sandbox.tree()) == (9, before)
    assert json.loads(sandbox.redline("show", proposal, "--json").text)["status"] == "pending"


def test_bytes_that_were_not_shown_need_a_word_of_their_own(sandbox: Sandbox) -> None:
    sandbox.write("b.bin", b"\0\1")
    sandbox.git("add", "b.bin")
    sandbox.git("commit", "-qm", "binary")
    sandbox.write("b.bin", b"\0\2")
    patch = sandbox.git("diff", "--binary")
    sandbox.git("checkout", "-q", "b.bin")
    proposal = sandbox.propose(patch)
    short = review(sandbox, proposal, "y", f"{WHOLE}|{proposal[:4]}")
    assert (short.code, sandbox.read("b.bin")) == (9, b"\0\1")
    full = review(sandbox, proposal, f"{WHOLE}|{proposal[:4]} unseen")
    assert (full.code, sandbox.read("b.bin")) == (0, b"\0\2")
    assert receipts(sandbox)["applied"]["receipt"]["review"]["shown"] == {"parts": 1, "unseen": ["b.bin"]}
