"""Runs redline's person side again and again, each time in a child of its own that the preloaded shim may kill.

A process of the tests, not a test: one JSON request on each line of standard input, one JSON reply for each.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
import traceback
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from tests.crash.variants import VARIANTS

from redline import app
from redline.core.decision import Level
from redline.core.parts import Selection, parts_of
from redline.errors import ConfirmationMismatch, RedlineError

if TYPE_CHECKING:
    from redline.app import PersonApp

Request = dict[str, Any]

SHIM = ctypes.CDLL(None)
SHIM.arm.argtypes = [ctypes.c_long, ctypes.c_long]
SHIM.disarm.restype = ctypes.c_long
SHIM.name_of.argtypes = [ctypes.c_long]
SHIM.name_of.restype = ctypes.c_char_p
ALONE = ("recover", "inspect", "settle", "ends", "pending", "faults")  # the acts that need no desk, and so no git


def main() -> None:
    app.start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):  # whatever the tests were started with
        signal.signal(number, signal.SIG_DFL)
    warm = False
    for line in sys.stdin:
        request = json.loads(line)
        if not warm:  # what is imported here, no child has to import
            with app.person(request["root"], app.World()) as redline:
                _ = redline.desk, redline.verify()
            warm = True
            gc.freeze()
        print(json.dumps(_in_a_child(request)), flush=True)


def _in_a_child(request: Request) -> Request:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as answer:
            answer.write(json.dumps(_act(request)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return {"killed_by": os.WTERMSIG(status)}
    reply: Request = json.loads(text)
    return reply


def _act(request: Request) -> Request:
    now = datetime.fromisoformat(request["now"])
    reply: Request = {}
    VARIANTS[request["variant"]]()
    with app.person(request["root"], app.World(clock=lambda: now)) as redline:
        if request["act"] not in ALONE:
            _ = redline.desk  # asks git now: only redline's own calls count
        if request["record"]:
            SHIM.start_recording(request["record"].encode())
        SHIM.arm(request["at"], request["error"])
        try:
            reply |= _ACTS[request["act"]](redline, request)
        except RedlineError as error:
            reply |= {"error": error.code, "message": error.message}
        except KeyboardInterrupt:
            reply |= {"interrupted": True}
        except Exception as error:  # noqa: BLE001 -- the tests judge it
            reply |= {"bug": "".join(traceback.format_exception(error))}
        calls = SHIM.disarm()
        if request["record"]:
            SHIM.stop_recording()
    reply["calls"] = [SHIM.name_of(number).decode() for number in range(1, calls + 1)]
    return reply


def _confirm(redline: PersonApp, request: Request) -> Request:
    ended = redline.desk.confirm(request["proposal"], request["digest"], Level.NONE)
    return {"outcome": ended.filed.receipt.outcome.value, "replayed": ended.replayed, "receipt": ended.filed.record}


def _confirm_in_part(redline: PersonApp, request: Request) -> Request:
    """Take every other part."""
    view = redline.viewer.preview(request["proposal"])
    names = [part.name for part in parts_of(view.proposal.changes, view.hunks)]
    selection = Selection(frozenset(names[::2]))
    ended = redline.desk.confirm(request["proposal"], request["digest"], Level.NONE, selection)
    return {"outcome": ended.filed.receipt.outcome.value}


def _ends(redline: PersonApp, request: Request) -> Request:
    """Whose receipt says what: of the proposal itself, and of what was made from it."""
    receipts = redline.viewer.receipts(since="", prefix=None)
    ends = {filed.receipt.proposal: filed.receipt.outcome.value for filed in receipts}
    return {"whole": ends.pop(request["proposal"], None), "parts": sorted(ends.values())}


def _mistake(redline: PersonApp, request: Request) -> NoReturn:
    redline.desk.confirm(request["proposal"], "0" * 64, Level.NONE)
    raise AssertionError("a wrong digest was taken")


def _recover(redline: PersonApp, request: Request) -> Request:
    recovered = redline.recover()
    return {"rolled_back": list(recovered.rolled_back), "kept": [kept.text for kept in recovered.kept]}


def _inspect(redline: PersonApp, request: Request) -> Request:
    filed = redline.viewer.receipt(request["proposal"])
    return {
        "receipt": filed.record if filed is not None else None,
        "faults": list(redline.verify()),
        "unfinished": app.summarise(request["root"]).unfinished,
    }


def _settle(redline: PersonApp, request: Request) -> Request:
    return _recover(redline, request) | _inspect(redline, request)


def _settle_after_a_mistake(redline: PersonApp, request: Request) -> Request:
    """A confirmation by mistake recovers first, as every command of a person does."""
    try:
        _mistake(redline, request)
    except ConfirmationMismatch:
        return _inspect(redline, request)


def _capture(redline: PersonApp, request: Request) -> Request:
    captured = redline.captures.capture((), app.origin("Ada Example"), "by hand", keep=False)
    return {"proposal": captured.prepared.proposal.id if captured is not None else None}


def _pending(redline: PersonApp, request: Request) -> Request:
    """What is pending, and whether the journal says that its files were put back."""
    found = []
    for row in redline.viewer.rows(pending_only=True, wanted=lambda _: True):
        proposal = row.listed.proposal
        last = redline.viewer.history(proposal.id)[-1].kind
        found.append({"proposal": proposal.id, "digest": proposal.digest, "put_back": last == "put_back"})
    return {"pending": found}


def _faults(redline: PersonApp, request: Request) -> Request:
    return {"faults": list(redline.verify())}


_ACTS = {
    "capture": _capture,
    "pending": _pending,
    "faults": _faults,
    "confirm": _confirm,
    "confirm in part": _confirm_in_part,
    "ends": _ends,
    "mistake": _mistake,
    "recover": _recover,
    "inspect": _inspect,
    "settle": _settle,
    "settle after a mistake": _settle_after_a_mistake,
}

if __name__ == "__main__":
    main()
