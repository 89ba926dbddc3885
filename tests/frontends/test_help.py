"""Help, versions and exit codes of both programs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import redline
from redline import errors
from redline.core.lifecycle import Outcome
from redline.frontends import exit_codes
from redline.intake import FORMATS
from tests.frontends.support import assert_one_clear_sentence

if TYPE_CHECKING:
    from tests.support.sandbox import Result, Sandbox

SOURCE = Path(redline.__file__).parent
COMMANDS = [
    *("init", "propose", "list", "show", "confirm", "decline", "status", "log", "receipt", "recover", "verify"),
    *("doctor", "review", "refresh", "undo", "capture", "run"),
]
AGENT_COMMANDS = ["propose", "seal", "status", "feedback", "withdraw", "hook"]
CODES = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 70, 130}


def _assert_helpful(result: Result, example: str) -> None:
    assert (result.code, result.err) == (0, "")
    assert example in result.text
    assert max(map(len, result.text.splitlines())) <= 80
    options = re.findall(r"^  (-.*)$", result.text, re.MULTILINE)
    assert [line for line in options if not re.search(r"\S {2,}\S", line) and len(line) < 24] == []


@pytest.mark.parametrize("command", [*COMMANDS, "demo"])
def test_each_command_has_help_with_an_example(sandbox: Sandbox, command: str) -> None:
    _assert_helpful(sandbox.redline(command, "--help"), f"Example: redline {command}")


@pytest.mark.parametrize("command", AGENT_COMMANDS)
def test_each_command_of_the_agent_has_help_with_an_example(sandbox: Sandbox, command: str) -> None:
    _assert_helpful(sandbox.agent(command, "--help"), f"Example: redline-agent {command}")


def test_the_programs_help_lists_every_command_with_its_purpose(sandbox: Sandbox) -> None:
    for result, commands in (
        (sandbox.redline("--help"), [*COMMANDS, "demo"]),
        (sandbox.agent("--help"), AGENT_COMMANDS),
    ):
        assert result.code == 0
        assert "Example: " in result.text
        listed = dict(line.split(None, 1) for line in result.text.split("Commands:\n")[1].split("\n\n")[0].splitlines())
        assert set(commands) <= set(listed)
        assert all(purpose.strip() for purpose in listed.values())
        assert max(map(len, result.text.splitlines())) <= 80


def test_no_command_at_all_is_help_and_a_usage_error(sandbox: Sandbox) -> None:
    for result in (sandbox.redline(), sandbox.agent()):
        assert result.code == 2
        assert "Commands:" in result.text + result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["list", "--nonsense"],
        ["list", "extra"],
        ["list", "--status", "nonsense"],
        ["show"],
        ["confirm"],
        ["decline"],
        ["show", "a", "b"],
        ["--color", "sometimes", "list"],
        ["-C"],
        ["confirm", "abcd", "--yes"],
        ["confirm", "abcd", "--force"],
        ["propose", "--strip", "many"],
    ],
)
def test_a_command_line_without_meaning_is_a_usage_error(sandbox: Sandbox, arguments: list[str]) -> None:
    assert_one_clear_sentence(sandbox.redline(*arguments), 2)


def test_the_version(sandbox: Sandbox) -> None:
    assert sandbox.redline("--version").text == f"redline {redline.__version__}\n"
    assert sandbox.agent("--version").text == f"redline-agent {redline.__version__}\n"


def _subclasses(cls: type[errors.RedlineError]) -> set[type[errors.RedlineError]]:
    return {cls} | {inner for sub in cls.__subclasses__() for inner in _subclasses(sub)}


def test_every_error_has_an_exit_code_of_the_contract() -> None:
    classes = _subclasses(errors.RedlineError) - {errors.RedlineError}
    assert {cls.__name__ for cls in classes if exit_codes.code_of(cls("x")) not in CODES - {0, 70}} == set()
    names = [cls.default_code for cls in classes]
    assert sorted(names) == sorted(set(names))


def test_every_outcome_has_an_exit_code_of_the_contract() -> None:
    assert {
        Outcome.APPLIED.value: 0,
        Outcome.DECLINED.value: 3,
        Outcome.WITHDRAWN.value: 3,
        Outcome.SUPERSEDED.value: 3,
        Outcome.STALE.value: 4,
        Outcome.FAILED_BEFORE_COMMIT.value: 7,
        Outcome.PERMISSION_REVOKED.value: 9,
        Outcome.EXPIRED.value: 10,
    } == exit_codes.OUTCOMES
    assert set(exit_codes.OUTCOMES) == {outcome.value for outcome in Outcome}


def test_exactly_one_handler_catches_everything() -> None:
    """One outermost handler serves both programs; nothing else swallows an unexpected error."""
    found = [
        str(path.relative_to(SOURCE))
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises_again(node)
    ]
    assert found == ["frontends/outermost.py"]


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(map(_is_broad, caught.elts))
    return caught is None or (isinstance(caught, ast.Name) and caught.id in {"Exception", "BaseException"})


def test_the_shells_are_offered_the_commands(sandbox: Sandbox) -> None:
    offered = sandbox.redline(_REDLINE_COMPLETE="bash_complete", COMP_WORDS="redline re", COMP_CWORD="1")
    assert sorted(offered.text.split()) == ["plain,receipt", "plain,recover", "plain,refresh", "plain,review"]
    for shell in ("bash", "zsh", "fish"):
        assert "_REDLINE_COMPLETE" in sandbox.redline(_REDLINE_COMPLETE=f"{shell}_source").text


def test_the_formats_that_help_names_are_the_formats(sandbox: Sandbox) -> None:
    for result in (sandbox.redline("propose", "--help"), sandbox.agent("propose", "--help")):
        told = " ".join(result.text.split("--format F")[1].split("; else detected")[0].split())
        assert set(told.replace(" or ", ", ").split(", ")) == set(FORMATS)
