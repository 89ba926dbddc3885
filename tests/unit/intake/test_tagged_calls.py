"""Calls in tags: Anthropic's `<invoke>`, Hermes' `<tool_call>`, and the tools of Roo and Kilo."""

from __future__ import annotations

import json
import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.intake.support import applied, code, refusal, tree

from redline.errors import RedlineError
from redline.intake.detect import read

FILE = {"f": b"a\nb\na\n"}
EDIT = {"file_path": "f", "old_string": "b", "new_string": "&lt; $1 </tool_call>"}
PREFIX = b"antml:"
EDITED = {"f": b"a\n&lt; $1 </tool_call>\na\n"}


def invoke(name: str, **values: str) -> bytes:
    parameters = "\n".join(f'<parameter name="{key}">{value}</parameter>' for key, value in values.items())
    return f'<invoke name="{name}">\n{parameters}\n</invoke>'.encode()


def tagged(*calls: object) -> bytes:
    return b"\n".join(b"<tool_call>\n%b\n</tool_call>" % json.dumps(call).encode() for call in calls)


INVOKED = invoke("Edit", **EDIT)
CALL = {"name": "Edit", "arguments": EDIT}


@pytest.mark.parametrize(
    "text",
    [
        INVOKED,
        b"I change b.\n\n<function_calls>\n" + INVOKED + b"\n</function_calls>\n\nDone.\n",
        re.sub(rb"(</?)(invoke|parameter)", rb"\1" + PREFIX + rb"\2", INVOKED),
        b"\xef\xbb\xbf" + INVOKED.replace(b">\n<", b"><"),
        INVOKED + b"\n" + invoke("Read", file_path="f"),
        tagged(CALL),
        b"I change b.\n" + tagged(CALL) + b"\nDone.\n",
        b"\xef\xbb\xbf" + tagged(CALL).replace(b"\n", b""),
        tagged(CALL, {"name": "read_file", "arguments": {"path": "f"}}),
        b"<tool_call>" + json.dumps({"name": "Edit", "arguments": json.dumps(EDIT)}).encode() + b"</tool_call>",
        json.dumps({"role": "assistant", "content": INVOKED.decode()}).encode(),
    ],
)
def test_a_call_in_tags_is_read_byte_for_byte(text: bytes) -> None:
    outcome = applied(text, FILE)
    assert read(text).format == "tool-call"
    assert {name: after.data for name, after in outcome.tree.items()} == EDITED
    assert set(outcome.leniencies) <= {"PASSED_OVER"}


def test_several_calls_in_tags_are_taken_in_order() -> None:
    second = {"name": "Edit", "arguments": {**EDIT, "old_string": EDIT["new_string"], "new_string": "c"}}
    after = {"f": b"a\nc\na\n"}
    assert tree(tagged(CALL, second), FILE) == after
    both = b"<tool_call>\n%b\n%b\n</tool_call>" % (json.dumps(CALL).encode(), json.dumps(second).encode())
    assert tree(both, FILE) == after
    assert (
        tree(
            INVOKED + b"\n" + invoke("Edit", **{**EDIT, "old_string": "&lt; $1 </tool_call>", "new_string": "c"}), FILE
        )
        == after
    )


def test_a_parameter_that_is_no_text_is_of_the_type_its_json_says() -> None:
    edits = json.dumps([{"old_string": "b", "new_string": "c"}])
    assert tree(invoke("Edit", file_path="f", old_string="a", new_string="x", replace_all="true"), FILE) == {
        "f": b"x\nb\nx\n"
    }
    assert tree(invoke("MultiEdit", file_path="f", edits=edits), FILE) == {"f": b"a\nc\na\n"}
    inserted = invoke("str_replace_based_edit_tool", command="insert", path="f", insert_line="1", insert_text="n")
    assert tree(inserted, FILE) == {"f": b"a\nn\nb\na\n"}


def test_blanks_at_the_ends_of_a_parameter_are_part_of_it() -> None:
    assert tree(invoke("Write", file_path="f", content="\n  x\n\n"), {}) == {"f": b"\n  x\n\n"}


@pytest.mark.parametrize(
    ("text", "expected", "line"),
    [
        (INVOKED.removesuffix(b"</invoke>"), "TAG_OPEN", 1),
        (b"So:\n" + INVOKED.replace(b"</parameter>\n</invoke>", b"\n</invoke>"), "TAG_OPEN", 5),
        (INVOKED + b"\n</invoke>", "TAG_AMBIGUOUS", 6),
        (invoke("Write", file_path="f", content='x\n<invoke name="Edit">'), "TAG_AMBIGUOUS", 4),
        (invoke("Write", file_path="f", content="x</invoke>"), "TAG_OPEN", 3),
        (invoke("Write", file_path="f", content="x</parameter>\ny"), "LEFT_OVER", 3),
        (invoke("Write", file_path="f", content='x</parameter><parameter name="file_path">g'), "TAG_AMBIGUOUS", 3),
        (invoke("Edit", **EDIT, replace_all="True"), "INPUT_JSON", 5),
        (INVOKED.replace(b"$1", b"\xff"), "ENCODING", 4),
        (tagged(CALL)[:-30], "TAG_OPEN", 1),
        (tagged(CALL).removesuffix(b"</tool_call>"), "TAG_OPEN", 1),
        (b"So:\n" + tagged(CALL).replace(b"\n</", b" x\n</"), "TAG_OPEN", 2),
        (b"So:\n" + tagged(CALL).replace(b"$1", b"\xff"), "ENCODING", 3),
        (tagged(CALL) + b"\n<tool_call>\nEdit\n</tool_call>", "TAG_AMBIGUOUS", None),
        (tagged(CALL) + b"\n</tool_call>", "TAG_AMBIGUOUS", None),
        (INVOKED + b"\n<invoke name='Edit'>", "TAG_AMBIGUOUS", None),
        (INVOKED + b"\n" + tagged(CALL), "FORMATS_MIXED", None),
        (tagged(CALL) + b"\n" + INVOKED, "FORMATS_MIXED", None),
        (INVOKED + b"\n```json\n" + json.dumps(CALL).encode() + b"\n```\n", "FORMATS_MIXED", None),
        (INVOKED + b"\n\n```bash\nrm g\n```\n", "SHELL_EDIT", None),
        (INVOKED + b"\n" + invoke("Bash", command="rm g"), "NOT_AN_EDIT", None),
        (tagged(CALL, {"name": "deploy", "arguments": {}}), "NOT_AN_EDIT", None),
        (tagged({**CALL, "approved": True}), "INPUT_SCHEMA", None),
        (b"<tool_call>{'name': 'Edit'}</tool_call>", "INPUT_JSON", None),
        (invoke("Edit", **EDIT, approved="true"), "INPUT_SCHEMA", None),
    ],
)
def test_tags_that_are_broken_or_mixed_are_refused(text: bytes, expected: str, line: int | None) -> None:
    error = refusal(text, FILE)
    assert (error.code, error.details.get("line")) == (expected, line), error.message


def test_a_fault_in_a_call_names_its_line_and_key() -> None:
    error = refusal(b"So:\n\n" + tagged({"name": "Edit", "arguments": {**EDIT, "old_string": 1}}), FILE)
    assert error.message == "line 3: <tool_call>.arguments.old_string must be a string"
    error = refusal(b"So:\n\n" + invoke("Edit", path="f", old_string="b"), FILE)
    assert error.message == "line 3: <invoke>.input.new_string is missing"


def block(old: str, new: str, line: int | None = None, end: int | None = None) -> str:
    stated = f":start_line:{line}\n" if line is not None else ""
    stated += f":end_line:{end}\n" if end is not None else ""
    stated += "-------\n" if stated else ""
    return f"<<<<<<< SEARCH\n{stated}{old}=======\n{new}>>>>>>> REPLACE\n"


def apply_diff(*blocks: str, path: str = "f") -> bytes:
    diff = "\n".join(blocks)
    return f"<apply_diff>\n<path>{path}</path>\n<diff>\n{diff}</diff>\n</apply_diff>\n".encode()


def several(*files: tuple[str, str, int | None], verbatim: bool = False) -> bytes:
    inner = ""
    for path, blocks, line in files:
        stated = f"      <start_line>{line}</start_line>\n" if line is not None else ""
        content = f"<![CDATA[\n{blocks}]]>" if verbatim else f"\n{blocks}    "
        inner += (
            f"<file>\n  <path>{path}</path>\n  <diff>\n    <content>{content}</content>\n{stated}  </diff>\n</file>\n"
        )
    return f"<apply_diff>\n<args>\n{inner}</args>\n</apply_diff>".encode()


@pytest.mark.parametrize(
    "text",
    [
        apply_diff(block("b\n", "c\n", 2)),
        apply_diff(block("b\n", "c\n", 2, 2)),
        apply_diff(block("b\n", "c\n")),
        several(("f", block("b\n", "c\n"), 2)),
        several(("f", block("b\n", "c\n", 2), None)),
        several(("f", block("b\n", "c\n"), 2), verbatim=True),
        json.dumps({"name": "apply_diff", "arguments": {"path": "f", "diff": block("b\n", "c\n", 2)}}).encode(),
        f"f\n```\n{block('b' + chr(10), 'c' + chr(10), 2)}```\n".encode(),
    ],
)
def test_apply_diff_is_read_in_each_of_its_forms(text: bytes) -> None:
    assert tree(text, FILE) == {"f": b"a\nc\na\n"}


def test_apply_diff_takes_several_files_and_several_diffs_of_one() -> None:
    text = several(("f", block("b\n", "c\n"), 2), ("d/g", block("x\n", "y\n"), 1))
    assert tree(text, {**FILE, "d/g": b"x\n"}) == {"f": b"a\nc\na\n", "d/g": b"y\n"}
    inner = several(("f", block("b\n", "c\n") + block("a\n", "d\n", 3), None))
    assert applied(inner, {"f": b"b\na\n"}).tree["f"].data == b"c\nd\n"


@pytest.mark.parametrize(
    ("blocks", "after", "leniencies"),
    [
        ([block("a\n", "x\n", 3)], b"a\nb\nx\n", ("ONE_OF_SEVERAL",)),
        ([block("a\n", "x\n", 1)], b"x\nb\na\n", ("ONE_OF_SEVERAL",)),
        ([block("b\n", "x\n", 9)], b"a\nx\na\n", ("LINE_DIFFERS",)),
        ([block("  b\n", "  x\n", 9)], b"a\nx\na\n", ("INDENTATION", "LINE_DIFFERS")),
        ([block("a\nb\n", "a\nb\n1\n2\n", 1), block("a\n", "x\n", 3)], b"a\nb\n1\n2\nx\n", ("ONE_OF_SEVERAL",)),
    ],
)
def test_the_stated_line_chooses_among_exact_places_and_is_of_the_file_before(
    blocks: list[str], after: bytes, leniencies: tuple[str, ...]
) -> None:
    outcome = applied(apply_diff(*blocks), FILE)
    assert (outcome.tree["f"].data, outcome.leniencies) == (after, leniencies)


@pytest.mark.parametrize(
    "blocks",
    [
        [block("a\n", "x\n", 2)],
        [block("a\n", "x\n")],
        [block("b\n", "c\n", 2), block("a\n", "x\n", 1)],
        [block("b\n", "c\n"), block("a\n", "x\n", 3)],
        [block(" a\n", " x\n", 3)],
    ],
)
def test_among_several_places_nothing_but_a_certain_line_chooses(blocks: list[str]) -> None:
    assert code(apply_diff(*blocks), FILE) == "AMBIGUOUS"


def test_escaped_markers_are_text_in_a_block_that_states_its_line() -> None:
    file = {"f": b"<<<<<<< ours\n=======\n:start_line:3\n>>>>>>> theirs\n"}
    old = "\\<<<<<<< ours\n\\=======\n\\:start_line:3\n\\>>>>>>> theirs\n"
    assert tree(apply_diff(block(old, "\\-------\n\\x\n", 1)), file) == {"f": b"-------\n\\x\n"}


@pytest.mark.parametrize(
    ("line", "content", "after"),
    [
        ("1", "n", b"n\na\nb\na\n"),
        ("3", "n\nm\n", b"a\nb\nn\nm\na\n"),
        ("0", "n", b"a\nb\na\nn\n"),
        ("4", "n", b"a\nb\na\nn\n"),
    ],
)
def test_insert_content_puts_lines_above_its_line(line: str, content: str, after: bytes) -> None:
    text = f"<insert_content>\n<path>f</path>\n<line>{line}</line>\n<content>\n{content}</content>\n</insert_content>"
    assert tree(text.encode(), FILE) == {"f": after}
    call = {"name": "insert_content", "input": {"path": "f", "line": int(line), "content": content}}
    assert tree(json.dumps(call).encode(), FILE) == {"f": after}


def test_search_and_replace_replaces_every_occurrence() -> None:
    text = b"<search_and_replace>\n<path>f</path>\n<search>a</search>\n<replace>&amp;</replace>\n"
    assert tree(text + b"</search_and_replace>", FILE) == {"f": b"&amp;\nb\n&amp;\n"}
    assert tree(text + b"<use_regex>false</use_regex>\n</search_and_replace>", FILE) == {"f": b"&amp;\nb\n&amp;\n"}


ROO = b"<search_and_replace>\n<path>f</path>\n<search>a</search>\n<replace>c</replace>\n%b</search_and_replace>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROO % b"<use_regex>true</use_regex>\n", "INPUT_SCHEMA"),
        (ROO % b"<ignore_case>true</ignore_case>\n", "INPUT_SCHEMA"),
        (ROO % b"<start_line>2</start_line>\n", "INPUT_SCHEMA"),
        (ROO.replace(b">a<", b">\na\n<") % b"", "INPUT_SCHEMA"),
        (ROO.replace(b">a<", b">zz<") % b"", "NO_MATCH"),
        (b"<insert_content>\n<path>f</path>\n<line>-1</line>\n<content>x</content>\n</insert_content>", "INPUT_SCHEMA"),
        (b"<insert_content>\n<path>f</path>\n<line>x</line>\n<content>x</content>\n</insert_content>", "INPUT_JSON"),
        (b"<insert_content>\n<path>f</path>\n<line>9</line>\n<content>x</content>\n</insert_content>", "NO_MATCH"),
        (several(("f", block("b\n", "c\n"), 2)).replace(b"<start_line>2", b"<start_line>x"), "INPUT_SCHEMA"),
        (several(("f", block("b\n", "c\n"), 2)).replace(b"</file>", b"</file>\nand"), "INPUT_SCHEMA"),
        (several(("f", block("b\n", "c\n"), 2)).replace(b"</content>", b""), "INPUT_SCHEMA"),
        (several(("f", block("b\n", "</content>\n"), 2)), "INPUT_SCHEMA"),
        (several(("f", "<content>\n" + block("b\n", "c\n"), 2)), "INPUT_SCHEMA"),
        (b"<apply_diff>\n<args>\n</args>\n</apply_diff>", "INPUT_SCHEMA"),
        (several(("../f", block("b\n", "c\n"), 2)), "PATH_TRAVERSAL"),
        (several(("f", "no block\n", 2)), "NO_BLOCKS"),
    ],
)
def test_a_faulty_call_of_roo_is_refused(text: bytes, expected: str) -> None:
    assert code(text, FILE) == expected


@given(st.lists(st.sampled_from([*tagged(CALL).split(b" "), *INVOKED.split(b"\n"), *apply_diff("x").split(b"\n")])))
def test_pieces_of_tags_are_read_or_refused(pieces: list[bytes]) -> None:
    for text in (b"\n".join(pieces), b" ".join(pieces)):
        with suppress(RedlineError):
            read(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_in_tags_is_the_text_that_is_written(content: str) -> None:
    texts = [tagged({"name": "Write", "arguments": {"file_path": "g", "content": content}})]
    if "</parameter>" not in content and "invoke" not in content:
        texts.append(invoke("Write", file_path="g", content=content))
    assert [applied(text, {}).tree["g"].data for text in texts] == [content.encode()] * len(texts)
