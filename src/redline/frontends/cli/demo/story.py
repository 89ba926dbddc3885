"""What happens in the demo, step by step. Every line that begins with `$` is a real process."""

from __future__ import annotations

import json
import os
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import redline
from redline.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.frontends.cli.demo.stage import Stage
    from redline.frontends.screen import Screen

_FILES = 20
_NAMES = ("Window", "Span", "Range", "Extent", "Stretch", "Reach", "Sweep")
_LONGEST = 30
_HTTP = "def get(url):\n    return send(url)\n"


class Story:
    """Tells the story on a screen."""

    def __init__(self, stage: Stage, screen: Screen) -> None:
        self._stage = stage
        self._screen = screen
        self._step = 0

    def tell(self) -> None:
        self._set_the_stage()
        first = self._propose()
        self._drift(first)
        second = self._confirm()
        self._replay(second)
        self._decline()
        self._crash()
        self._close()

    def _set_the_stage(self) -> None:
        stage = self._stage
        stage.write("README.md", "# Sample\n\nRuns on Python 3.10 and newer.\n")
        stage.write("src/http.py", _HTTP)
        for number in range(_FILES):
            stage.write(f"src/part_{number:02}.py", f"def part_{number:02}():\n    return Window({number})\n")
        stage.commit_all("Ada Example", "ada@example.org")
        self._say(
            "A throw-away repository with a small project, and a journal beside it that git does not see.",
        )
        self._run("init")

    def _propose(self) -> str:
        self._say(
            "A model has written an edit. It becomes a proposal, stored with the hash of each file as it is.",
            "No file is changed. `show` renders the stored proposal, never the model's latest words.",
        )
        proposal = self._hand_over(_edit("retry.json"))
        self._run("show", proposal[:7])
        return proposal

    def _drift(self, proposal: str) -> None:
        self._say("Meanwhile you edit the same file yourself. Your bytes win: the confirmation is refused.")
        self._stage.write("src/http.py", "import time\n\n\n" + _HTTP)
        self._at_terminal("confirm", proposal[:7], answers=())
        self._check(self._stage.read("src/http.py").startswith("import time"), "your edit is untouched")

    def _confirm(self) -> str:
        self._say(
            "The model proposes it again, on the present file. You see everything and are asked for a code.",
            "A program without your terminal cannot answer; Enter alone leaves it pending.",
        )
        proposal = self._hand_over(_edit("retry.json"))
        self._at_terminal("confirm", proposal[:7], answers=(proposal[:4],))
        self._check("429" in self._stage.read("src/http.py"), "the file holds exactly what was shown")
        return proposal

    def _replay(self, proposal: str) -> None:
        self._say(
            "Confirming again, because an answer was lost or a day later, returns the same receipt and",
            "writes nothing: also when you have edited the file since.",
        )
        self._stage.write("src/http.py", self._stage.read("src/http.py") + "\n# a later thought\n")
        self._run("confirm", proposal[:7])
        self._check("# a later thought" in self._stage.read("src/http.py"), "your later edit is untouched")

    def _decline(self) -> None:
        self._say("You say no to another proposal, with a reason. The model hears it, so it need not guess.")
        proposal = self._hand_over(_edit("drop.patch"))
        self._run("decline", proposal[:7], "-m", "keep 3.10 until March")
        self._run("feedback", "--session", "s1", program="redline-agent")

    def _crash(self) -> None:
        self._say(
            f"Now {_FILES} files in one proposal. The process is killed (kill -9) once the first file has changed.",
        )
        for old, new in pairwise(_NAMES):
            before = self._parts()
            proposal = self._propose_rename(old, new)
            first = os.path.join(self._stage.root, "src/part_00.py")
            inode = os.stat(first).st_ino
            self._at_terminal("confirm", proposal[:7], answers=(proposal[:4],), watch=partial(_is_other, first, inode))
            changed = sum(part != old_part for part, old_part in zip(self._parts(), before, strict=True))
            _, status = self._stage.redline("status", "--json")
            if json.loads(status)["unfinished"]:
                self._screen.say(f"  killed: {changed} of {_FILES} files hold the new content, and there is no receipt")
                break
            self._screen.say("  the write was over before the kill arrived; once more")
        else:
            raise UsageFault(
                "every write was over before it could be killed",
                hint="Run the demo again on a machine that is less busy.",
            )
        self._say("There is no receipt, so the next command that writes puts everything back. Or ask for it:")
        self._run("status")
        self._run("recover")
        self._check(self._parts() == before, f"all {_FILES} files are as before, and the receipt says so")
        self._run("log")

    def _close(self) -> None:
        self._say("The journal is a hash chain: nothing in it can be changed unnoticed.")
        self._run("verify")

    def _propose_rename(self, old: str, new: str) -> str:
        edits = [
            {"op": "replace", "path": f"src/part_{number:02}.py", "before": old, "after": new, "count": 1}
            for number in range(_FILES)
        ]
        document = {
            "schema": "redline.edit/1",
            "reason": f"{old} clashes with the GUI; {new} is free.",
            "edits": edits,
        }
        path = os.path.join(os.path.dirname(self._stage.root), "rename.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return self._hand_over(path)

    def _parts(self) -> list[str]:
        return [self._stage.read(f"src/part_{number:02}.py") for number in range(_FILES)]

    def _hand_over(self, path: str) -> str:
        """Propose a file and return the proposal's id, as the first line of the answer names it."""
        text = self._run("propose", path, "--author", "claude-code", "--session", "s1")
        return text.split()[1]

    def _run(self, *arguments: str, program: str = "redline") -> str:
        code, text = self._stage.redline(*arguments, program=program)
        self._print(program, arguments, code, text)
        return text

    def _at_terminal(self, *arguments: str, answers: tuple[str, ...], watch: Callable[[], bool] | None = None) -> None:
        code, text = self._stage.at_terminal(*arguments, answers=answers, watch=watch)
        self._print("redline", arguments, code, text)

    def _print(self, program: str, arguments: tuple[str, ...], code: int, text: str) -> None:
        shown = " ".join(_quoted(argument) for argument in arguments)
        self._screen.say(f"\n  $ {program} {shown}")
        for line in _abridged(text.rstrip("\n").split("\n")):
            self._screen.say(f"  {line}")
        if code:
            self._screen.say(f"  [{'killed' if code < 0 else f'exit {code}'}]")

    def _say(self, *lines: str) -> None:
        self._step += 1
        self._screen.say("")
        for number, line in enumerate(lines):
            self._screen.say(f"{self._step}. {line}" if number == 0 else f"   {line}")

    def _check(self, holds: bool, claim: str) -> None:  # noqa: FBT001 -- a claim and whether it holds
        if not holds:
            raise AssertionError(f"the demo's claim does not hold: {claim}")
        self._screen.say(f"  \u2713 {claim}")


def _edit(name: str) -> str:
    """A file of the demo, in the installed package or in a checkout."""
    package = os.path.dirname(redline.__file__)
    for folder in (os.path.join(package, "fixtures"), os.path.join(package, "..", "..", "fixtures")):
        path = os.path.normpath(os.path.join(folder, "demo", name))
        if os.path.isfile(path):
            return path
    raise UsageFault(f"the demo's file {name} is not installed", hint="Install redline again.")


def _abridged(lines: list[str]) -> list[str]:
    """The demo tells a story: of a long diff it shows the beginning and the question."""
    if len(lines) <= _LONGEST:
        return lines
    left = len(lines) - _LONGEST + 2
    return [*lines[: _LONGEST - 3], f"\u22ee  ({left} more lines, all shown at a real terminal)", *lines[-2:]]


def _quoted(argument: str) -> str:
    text = os.path.basename(argument) if os.path.isabs(argument) else argument
    return f"'{text}'" if " " in text else text


def _is_other(path: str, inode: int) -> bool:
    return os.stat(path).st_ino != inode
