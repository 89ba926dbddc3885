"""Calls of the tools built into OpenAI's Responses: one operation on one file, or commands that apply a patch."""

from __future__ import annotations

import json

import pytest
from tests.unit.intake.support import applied, code, refusal, tree

from redline.core.content import Content, Mode
from redline.core.paths import RepoPath
from redline.intake.detect import read
from redline.intake.resolve import resolve

PATCH = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"
HERE = f"apply_patch <<'EOF'\n{PATCH}\nEOF"


def operation(**fields: object) -> dict[str, object]:
    return {"type": "apply_patch_call", "id": "apc", "call_id": "c", "status": "completed", "operation": fields}


def update(diff: str, path: str = "f") -> dict[str, object]:
    return operation(type="update_file", path=path, diff=diff)


def local(*command: object, **fields: object) -> dict[str, object]:
    action = {"type": "exec", "command": list(command), "env": {}, "user": None, **fields}
    return {"type": "local_shell_call", "id": "l", "call_id": "c", "status": "completed", "action": action}


def shell(*commands: object, **fields: object) -> dict[str, object]:
    action = {"commands": list(commands), "timeout_ms": None, "max_output_length": None}
    return {"type": "shell_call", "id": "s", "call_id": "c", "status": "completed", "action": action, **fields}


def sent(*calls: object) -> bytes:
    return json.dumps({"object": "response", "status": "completed", "output": calls}).encode()


@pytest.mark.parametrize(
    "call",
    [
        update("@@\n-a\n+b\n"),
        update("@@\n-a\n+b"),
        update("-a\n+b"),
        update("@@\r\n-a\r\n+b\r\n"),
        update("@@\n-a\n+b\n*** End of File\n"),
        update("@@\n-a\n+b", "/repo/f"),
        local("bash", "-lc", HERE, working_directory="/repo", timeout_ms=1000),
        local("apply_patch", PATCH),
        shell(HERE, environment=None, created_by="x"),
        shell(f"cd /repo && {HERE}", environment={"type": "local"}),
    ],
)
def test_a_builtin_call_is_read_alone_and_in_an_answer(call: object) -> None:
    alone = json.dumps(call).encode()
    for text in (sent(call), alone, b"[%b]" % alone, b"So:\n\n```json\n%b\n```\n" % alone):
        reading = read(text, root="/repo")
        result = resolve(reading, {RepoPath("f"): Content(b"a\n", Mode.REGULAR)})
        assert reading.format == "tool-call"
        assert [(change.path, change.after) for change in result.changes] == [("f", Content(b"b\n", Mode.REGULAR))]


def test_the_diff_of_an_update_is_a_patchs_section() -> None:
    diff = "@@ def g():\n-    x\n+    *** Add File: no header\n@@\n y\n+&amp; $1\n"
    before = {"f": b"    x\ndef g():\n    x\ny\nz\n"}
    after = {"f": b"    x\ndef g():\n    *** Add File: no header\ny\n&amp; $1\nz\n"}
    assert tree(sent(update(diff)), before) == after
    assert tree(f"*** Begin Patch\n*** Update File: f\n{diff}*** End Patch".encode(), before) == after


def test_files_are_created_and_deleted_by_their_operations() -> None:
    text = sent(
        operation(type="create_file", path="new", diff="+a\n+\n+b"),
        operation(type="create_file", path="ended", diff="+a\n+"),
        operation(type="create_file", path="empty", diff=""),
        operation(type="delete_file", path="gone"),
    )
    outcome = applied(text, {"gone": b"x\n"})
    assert {name: after.data for name, after in outcome.tree.items()} == {
        "new": b"a\n\nb\n",
        "ended": b"a\n",
        "empty": b"",
    }
    assert outcome.leniencies == ("LAST_LINE_END",)


def test_several_commands_are_taken_in_order() -> None:
    second = HERE.replace("-a\n+b", "-b\n+c")
    assert tree(sent(shell(HERE, second)), {"f": b"a\n"}) == {"f": b"c\n"}


@pytest.mark.parametrize(
    ("call", "expected", "key"),
    [
        (operation(type="update_file", path="f"), "INPUT_SCHEMA", "output[0].operation.diff"),
        (operation(type="delete_file", path="f", diff="-a"), "INPUT_SCHEMA", "output[0].operation.diff"),
        (operation(type="move_file", path="f", diff="-a"), "INPUT_SCHEMA", "output[0].operation.type"),
        (
            operation(type="update_file", path="f", diff="-a", move_to="g"),
            "INPUT_SCHEMA",
            "output[0].operation.move_to",
        ),
        ({"type": "apply_patch_call"}, "INPUT_SCHEMA", "output[0].operation"),
        ({"type": "apply_patch_call", "operation": []}, "INPUT_SCHEMA", "output[0].operation"),
        ({**update("-a"), "approved": True}, "INPUT_SCHEMA", "output[0].approved"),
        ({**update("-a"), "status": "in_progress"}, "CUT_OFF", "output[0].status"),
        ({"type": "apply_patch_call_output", "output": "Done"}, "INPUT_SCHEMA", "output[0].type"),
        (local("bash", "-lc", "rm f"), "NOT_AN_EDIT", "output[0].action.command"),
        (local("apply_patch", PATCH, env={"PATH": "/tmp"}), "NOT_AN_EDIT", "output[0].action.env"),
        (local("apply_patch", PATCH, user="root"), "NOT_AN_EDIT", "output[0].action.user"),
        (local("apply_patch", PATCH, type="spawn"), "INPUT_SCHEMA", "output[0].action.type"),
        (local("apply_patch", PATCH, working_directory="/other"), "INPUT_SCHEMA", "output[0].action.working_directory"),
        (shell(HERE, "pytest"), "NOT_AN_EDIT", "output[0].action.commands[1].command"),
        (shell(), "INPUT_SCHEMA", "output[0].action.commands"),
        (shell(HERE, environment={"type": "container_reference"}), "NOT_AN_EDIT", "output[0].environment"),
    ],
)
def test_a_faulty_builtin_call_is_refused_by_its_key(call: object, expected: str, key: str) -> None:
    error = refusal(sent(call), {"f": b"a\n"})
    assert (error.code, error.details.get("key")) == (expected, key), error.message


@pytest.mark.parametrize(
    ("diff", "creates", "expected", "line"),
    [
        ("@@\n-a\n+b\n*** Delete File: g", False, "PATCH_HEADER", 4),
        ("*** Update File: f\n@@\n-a\n+b", False, "PATCH_HEADER", 1),
        ("*** Move to: g\n@@\n-a\n+b", False, "PATCH_LINE", 1),
        ("@@\n-a\n+b\n*** End Patch\nmore", False, "PATCH_HEADER", 4),
        ("", False, "SECTION_EMPTY", 1),
        ("@@", False, "CHUNK_EMPTY", 1),
        ("a", False, "PATCH_LINE", 1),
        ("+a\nb", True, "PATCH_LINE", 2),
        ("+a\n*** Add File: g\n+b", True, "PATCH_HEADER", 2),
        ("@@\n+a", True, "PATCH_LINE", 1),
    ],
)
def test_a_diff_that_says_more_than_its_file_is_refused_by_its_line(
    diff: str, creates: bool, expected: str, line: int
) -> None:
    kind = "create_file" if creates else "update_file"
    error = refusal(sent(operation(type=kind, path="f", diff=diff)), {"f": b"a\n"})
    assert (error.code, error.details.get("line")) == (expected, line), error.message


@pytest.mark.parametrize(
    ("path", "expected"), [("/etc/passwd", "PATH_ABSOLUTE"), ("a\n+b", "PATH_CONTROL"), (".git/config", "PATH_GIT")]
)
def test_b22_the_path_of_an_operation_stays_inside(path: str, expected: str) -> None:
    for call in (update("-a\n+b", path), operation(type="delete_file", path=path)):
        assert code(sent(call)) == expected
