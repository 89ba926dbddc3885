"""The scenarios' words through `redline` and `redline-agent`, as processes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.scenarios.story import Answer
from tests.support.pseudo_terminal import converse
from tests.support.sandbox import BIN, Result, Sandbox
from tests.support.scenarios import File, edit_text

from redline.app import World
from redline.frontends.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.scenarios import Scenario, Table

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = [sys.executable, "-m", "tests.support.program"]
ANOTHER_PERSON = str(os.getuid() + 1)


class CommandLineDriver:
    """A repository on disk. Where a scenario moves the clock, `redline` runs with the clock of the test."""

    level = "none"

    def __init__(self, folder: Path, scenario: Scenario, shim: str | None) -> None:
        self._sandbox = empty_sandbox(folder / "repo", scenario)
        self._folder = folder
        self._shim = shim
        self._denied: list[str] = []
        self._fails_next = False
        self._now: datetime | None = datetime.now(UTC) if scenario.moves_the_clock else None
        self._configure()
        assert self._here("init").code == 0
        self._git_state = self._sandbox.git_state()

    def files(self) -> dict[str, File]:
        return files_of(self._sandbox)

    def stamps(self) -> dict[str, object]:
        """Inode and time of change of every file, and the whole of `.git`."""
        found: dict[str, object] = {"git": self._sandbox.git_state()}
        for path in self._sandbox.tree():
            status = os.lstat(self._sandbox.root / path)
            found[path] = (status.st_ino, status.st_mtime_ns, status.st_mode)
        return found

    def edit_outside(self, path: str, file: File | None) -> None:
        if file is None:
            (self._sandbox.root / path).unlink()
        else:
            self._sandbox.write(path, file.data, executable=file.executable)

    def deny_path(self, pattern: str) -> None:
        self._denied.append(pattern)
        self._configure()

    def advance_clock(self, to: str | None, by: timedelta) -> None:
        assert self._now is not None
        self._now = (datetime.fromisoformat(to) if to is not None else self._now) + by

    def fail_the_write(self) -> None:
        assert self._shim is not None
        self._fails_next = True

    def restart(self) -> None:
        """Nothing to do: no process outlives its act."""

    def prepare(self, step: Table) -> Answer:
        options = [f"--{name}={step[name]}" for name in ("session", "ttl") if name in step]
        self._edit_file.write_bytes(edit_text(step))
        if self._now is None:
            result = self._sandbox.agent("propose", "--json", *options, str(self._edit_file))
        else:  # the model's program takes no clock: the person hands the text over
            self._now += timedelta(seconds=1)
            result = self._person("propose", "--json", *options, str(self._edit_file))
        if result.code:
            return _refused(result)
        patch = self._person("show", result.json["proposal"], "--patch")
        self._sandbox.git("apply", "--check", "--whitespace=nowarn", "-", stdin=patch.out)
        return Answer(result.code, result.json["status"], document=result.json)

    def tamper_after_prepare(self, proposal: str) -> None:
        """The proposal is all that there is: the file that it came from is no longer asked."""
        self._edit_file.write_bytes(b'{"schema":"redline.edit/1","edits":[{"op":"delete","path":"a.txt"}]}')

    def show(self, proposal: str, *, other: bool) -> Answer:
        result = self._person("show", proposal, "--json", other=other)
        if result.code:
            return _refused(result)
        patch = self._person("show", proposal, "--patch", other=other)
        return Answer(patch.code, result.json["status"], text=patch.text)

    def confirm(self, proposal: str, shown: str | Table | None, *, other: bool) -> Answer:
        return _answer(self._person("confirm", proposal, "--json", *self._displayed(shown), other=other))

    def decline(self, proposal: str, reason: str, *, other: bool) -> Answer:
        return _answer(self._person("decline", proposal, "-m", reason, "--json", other=other))

    def confirm_twice_at_once(self, proposal: str, digest: str) -> tuple[Answer, Answer]:
        command = [os.path.join(BIN, "redline"), "confirm", proposal, "--digest", digest, "--json"]
        running = [
            subprocess.Popen(
                command, cwd=self._sandbox.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
            for _ in range(2)
        ]
        ended = [(process, *process.communicate()) for process in running]
        first, second = (_answer(Result(process.returncode, out, err.decode())) for process, out, err in ended)
        return first, second

    def feedback(self, session: str) -> list[str]:
        result = self._sandbox.agent("feedback", "--session", session, "--json")
        assert result.code == 0, result.err
        return [event["reason"] for event in result.json["events"]]

    def model_calls(self, name: str, proposal: str) -> Answer:
        result = self._sandbox.agent(name, proposal)
        missing = f"No such command '{name}'" in result.err
        return Answer(result.code, error="no such operation" if missing else None)

    def stored(self) -> dict[str, str]:
        result = self._here("list", "--status", "all", "--json")
        assert result.code == 0, result.err
        return {listed["proposal"]: listed["status"] for listed in result.json["proposals"]}

    def receipts(self) -> list[str]:
        return [event["proposal"] for event in self._here("log", "--json").json["events"]]

    def faults(self) -> list[str]:
        """What `verify` finds, what a write left behind, and any change of `.git`."""
        verified = self._here("verify", "--json")
        found = [] if verified.code == 0 else [verified.text]
        left = self._sandbox.root / ".proposals" / "tx"
        found += os.listdir(left) if left.exists() else []
        return found + ([] if self._sandbox.git_state() == self._git_state else [".git has changed"])

    @property
    def _edit_file(self) -> Path:
        return self._folder / "edit"

    def _displayed(self, shown: str | Table | None) -> list[str]:
        if shown is None:
            return []
        if isinstance(shown, str):
            return ["--digest", shown]
        intent = self._folder / "intent.json"
        intent.write_text(json.dumps(shown))
        return ["--intent", str(intent)]

    def _person(self, *arguments: str, other: bool = False) -> Result:
        env = self._environment(other=other)
        if not env:
            return self._sandbox.redline(*arguments)
        done = subprocess.run(
            [*PROGRAM, "-C", str(self._sandbox.root), *arguments],
            cwd=TESTS,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr.decode())

    def _here(self, *arguments: str) -> Result:
        """Run `redline` in this process: for what is no step of a scenario."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main.run(["-C", str(self._sandbox.root), *arguments], World())
        return Result(code, out.getvalue().encode(), "")

    def _environment(self, *, other: bool = False) -> dict[str, str]:
        env: dict[str, str] = {}
        if self._fails_next and self._shim is not None:
            self._fails_next = False
            env |= {"LD_PRELOAD": self._shim, "REDLINE_FAULT": "renameat2:4:5"}
        if self._now is not None:
            env["REDLINE_TEST_NOW"] = self._now.isoformat()
        if other:
            env["REDLINE_TEST_UID"] = ANOTHER_PERSON
        return env

    def _configure(self) -> None:
        folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "redline")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(f'[confirm]\nlevel = "{self.level}"\n[paths]\ndeny = {json.dumps(self._denied)}\n')


class TerminalDriver(CommandLineDriver):
    """Decides on a pseudo-terminal, at the level that holds by default: the short code to apply, n to decline."""

    level = "tty"

    def confirm(self, proposal: str, shown: str | Table | None, *, other: bool) -> Answer:
        return self._ask(proposal, [("to leave it pending: ", proposal[:4])])

    def decline(self, proposal: str, reason: str, *, other: bool) -> Answer:
        answer = self._ask(proposal, [("to leave it pending: ", "n"), ("Why?", reason)])
        return Answer(0, "declined", receipt=answer.receipt) if answer.exit == 3 else answer

    def _ask(self, proposal: str, dialogue: list[tuple[str, str]]) -> Answer:
        command = [*PROGRAM, "-C", str(self._sandbox.root), "confirm", proposal, "--json"]
        transcript = converse(command, self._folder, dialogue, PYTHONPATH=TESTS, **self._environment())
        last = transcript.text.rstrip("\n").rpartition("\n")[2]
        assert transcript.code is not None
        answer = _answer(Result(transcript.code, last.encode(), transcript.text))
        if not answer.replayed and answer.receipt is not None and answer.outcome == "applied":
            assert answer.receipt["decided_by"]["level"] == "tty"
        return answer


def empty_sandbox(root: Path, scenario: Scenario) -> Sandbox:
    """A repository that holds the scenario's files and nothing else, all of them committed."""
    root.mkdir(parents=True)
    sandbox = Sandbox(root)
    sandbox.git("init", "-q", "--template=")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("".join(f"{pattern}\n" for pattern in scenario.ignored))
    for path, file in scenario.files.items():
        sandbox.write(path, file.data, executable=file.executable)
    sandbox.git("add", ".")
    sandbox.git("commit", "-q", "-m", "start")
    return sandbox


def files_of(sandbox: Sandbox) -> dict[str, File]:
    """The tree; a mode that redline could not have made stands out as no `File` of any scenario."""
    found = {}
    for path, (mode, data) in sandbox.tree().items():
        assert mode in {0o644, 0o755}, (path, oct(mode))
        found[path] = File(data, mode == 0o755)
    return found


def _answer(result: Result) -> Answer:
    if not result.out.startswith(b'{"proposal"'):
        return _refused(result)
    document = result.json
    return Answer(result.code, document["outcome"], document["replayed"], receipt=document["receipt"])


def _refused(result: Result) -> Answer:
    assert result.out.startswith(b'{"error"'), (result.code, result.out, result.err)
    error = result.json["error"]
    return Answer(result.code, error=error["code"], details=error["details"], text=error["message"])
