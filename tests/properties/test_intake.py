from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from redline.core.content import Content, Mode
from redline.errors import RedlineError
from redline.intake.detect import FORMATS, read
from redline.intake.resolve import resolve

LINES = st.sampled_from(
    [
        b"a",
        b"b",
        b"",
        b" ",
        b"-- x",
        b"++ y",
        b"@@ -1 +1 @@",
        b"\\ No newline",
        b"\r",
        b"\0",
        b"\xff\xfe",
        b"```",
    ]
)
TEXT = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(LINES | st.binary(max_size=6), max_size=14),
    st.sampled_from([b"\n", b"\r\n", b""]),
)
ANY_BYTES = TEXT | st.binary(max_size=200)
OPTIONS = st.sampled_from(
    [("--binary", "-U3"), ("--binary", "-U0"), ("--text", "-U3"), ("--text", "-U0"), ("--text", "-U1")]
)

VALID = b"""\
diff --git a/f b/f
old mode 100644
new mode 100755
index 1234567..89abcde
--- a/f
+++ b/f
@@ -1,3 +1,3 @@ x
 a
-b
+c

@@ -9,0 +10 @@
+z
\\ No newline at end of file
diff --git a/f b/g
similarity index 90%
rename from f
rename to "g\\303\\251"
diff --git a/x b/x
new file mode 100644
index 0000000000000000000000000000000000000000..d95f3ad14dee633a758d2e331151e950dd13e4ed
GIT binary patch
literal 1
IcmZ=@00aO40RR91

literal 0
HcmV?d00001

"""
NATIVE = b'{"schema":"redline.edit/1","edits":[{"op":"replace","path":"f","before":"a","after":"b","count":1}]}'
BLOCKS = b"Text\n\nsrc/f.py\n```python\nx = 1\n```\n\n`f`:\n````\n```\n````\n"


BLOCK = "<<<<<<< SEARCH\n:start_line:1\n-------\na\n=======\nc\n>>>>>>> REPLACE\n"
FIELDS = {"path": "f", "old_string": "a", "new_string": "c"}
# One call in each of the ways in which models write it.
CALLS = (
    json.dumps({"type": "apply_patch_call", "operation": {"type": "update_file", "path": "f", "diff": "@@\n-a\n+c\n"}}),
    json.dumps(
        {"type": "shell_call", "action": {"commands": ["apply_patch <<'E'\n*** Begin Patch\n*** End Patch\nE"]}}
    ),
    json.dumps({"candidates": [{"content": {"parts": [{"functionCall": {"name": "edit", "args": FIELDS}}]}}]}),
    f"<tool_call>\n{json.dumps({'name': 'edit', 'arguments': FIELDS})}\n</tool_call>\n",
    '<invoke name="edit">\n'
    + "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in FIELDS.items())
    + "</invoke>\n",
    f"<apply_diff>\n<path>f</path>\n<diff>\n{BLOCK}</diff>\n</apply_diff>\n",
    "<apply_diff>\n<args>\n<file>\n<path>f</path>\n<diff>\n<content>\n"
    + BLOCK
    + "</content>\n<start_line>1</start_line>\n</diff>\n</file>\n</args>\n</apply_diff>\n",
    "<insert_content>\n<path>f</path>\n<line>0</line>\n<content>\nc\n</content>\n</insert_content>\n",
    "<search_and_replace>\n<path>f</path>\n<search>a</search>\n<replace>c</replace>\n</search_and_replace>\n",
)
PIECES = sorted({piece for call in CALLS for piece in re.findall(r"\w+|\W", call)})


def git_diff(before: bytes, after: bytes, options: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("a", before), ("b", after)):
            Path(folder, name).mkdir()
            Path(folder, name, "f").write_bytes(data)
        command = [
            "git",
            "diff",
            "--no-index",
            "--no-color",
            "--no-prefix",
            "--full-index",
            *options,
            "a/f",
            "b/f",
        ]
        return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout


def is_utf16(data: bytes) -> bool:
    return data.startswith((b"\xff\xfe", b"\xfe\xff"))


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=ANY_BYTES, after=ANY_BYTES, options=OPTIONS)
def test_every_diff_that_git_makes_gives_exactly_the_after_text(
    before: bytes, after: bytes, options: tuple[str, ...]
) -> None:
    assume(before != after and not is_utf16(before))
    reading = read(git_diff(before, after, options), format="diff")
    assert reading.paths == ("f",)
    result = resolve(reading, {path: Content(before, Mode.REGULAR) for path in reading.paths})
    assert [change.after for change in result.changes] == [Content(after, Mode.REGULAR)]
    assert result.leniencies == ()


def git_apply(before: bytes, text: bytes) -> bytes | None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "f").write_bytes(before)
        Path(folder, "diff").write_bytes(text)
        command = ["git", "apply", "-p1", "--whitespace=nowarn", "diff"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
        return Path(folder, "f").read_bytes() if done else None


@settings(max_examples=150, deadline=None)
@given(
    before=st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), min_size=4, max_size=16),
    change=st.tuples(st.integers(0, 15), st.integers(0, 2), st.sampled_from([b"", b"x\n", b"a\nx\n"])),
    drift=st.tuples(st.integers(0, 15), st.integers(0, 2), st.sampled_from([b"", b"y\n", b"a\nb\n"])),
)
def test_on_a_drifted_file_the_result_is_gits_or_a_leniency_or_refused(
    before: list[bytes], change: tuple[int, int, bytes], drift: tuple[int, int, bytes]
) -> None:
    after, now = (b"".join([*before[:at], added, *before[at + removed :]]) for at, removed, added in (change, drift))
    assume(after != b"".join(before) and now)
    text = git_diff(b"".join(before), after, ("-U2",))
    reading = read(text, format="diff")
    try:
        result = resolve(reading, {path: Content(now, Mode.REGULAR) for path in reading.paths})
    except RedlineError:
        return
    expected = git_apply(now, text)
    if expected is None:
        assert result.leniencies != ()
    else:
        assert [change.after for change in result.changes] == [Content(expected, Mode.REGULAR)]


def outcome(text: bytes, format: str | None) -> None:  # noqa: A002
    """Read and resolve; anything but a RedlineError is a fault."""
    try:
        reading = read(text, format=format)
        content = Content(b"a\nb\n\n", Mode.REGULAR)
        resolve(reading, {path: content if path == "f" else None for path in reading.paths})
    except RedlineError as error:
        json.dumps(error.details)


@settings(max_examples=400, deadline=None)
@given(text=ANY_BYTES, chosen=st.sampled_from([None, *FORMATS]))
def test_garbage_is_refused_in_words(text: bytes, chosen: str | None) -> None:
    outcome(text, chosen)


@settings(max_examples=1200, deadline=None)
@given(
    text=st.sampled_from([VALID, NATIVE, BLOCKS]),
    cuts=st.lists(st.tuples(st.integers(0, 800), st.integers(0, 30), st.binary(max_size=8)), max_size=4),
    chosen=st.sampled_from([None, *FORMATS]),
)
def test_a_mutated_edit_is_taken_or_refused_in_words(
    text: bytes, cuts: list[tuple[int, int, bytes]], chosen: str | None
) -> None:
    for at, removed, added in cuts:
        text = text[:at] + added + text[at + removed :]
    outcome(text, chosen)


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_mutated_lines_of_a_diff_are_taken_or_refused_in_words(data: st.DataObject) -> None:
    lines = VALID.split(b"\n")
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(st.sampled_from(lines), max_size=2))
    outcome(b"\n".join(lines), data.draw(st.sampled_from([None, "diff"])))


@settings(max_examples=600, deadline=None)
@given(
    calls=st.lists(st.sampled_from(CALLS), min_size=1, max_size=2),
    cuts=st.lists(
        st.tuples(st.integers(0, 250), st.integers(0, 20), st.lists(st.sampled_from([*CALLS, *PIECES]), max_size=3)),
        max_size=3,
    ),
    chosen=st.sampled_from([None, "tool-call"]),
)
def test_a_mutated_call_is_taken_or_refused_in_words(
    calls: list[str], cuts: list[tuple[int, int, list[str]]], chosen: str | None
) -> None:
    text = "\n".join(calls)
    for at, removed, added in cuts:
        text = text[:at] + "".join(added) + text[at + removed :]
    outcome(text.encode(), chosen)


@given(before=st.binary(max_size=60), piece=st.binary(min_size=1, max_size=3), after=st.binary(max_size=5))
def test_replace_agrees_with_bytes_replace(before: bytes, piece: bytes, after: bytes) -> None:
    text = {"op": "replace", "path": "f", "before": piece.hex(), "after": after.hex()}
    document = json.dumps({"schema": "redline.edit/1", "edits": [text]}).encode()
    data = before.hex().encode()
    expected = data.replace(piece.hex().encode(), after.hex().encode())
    reading = read(document)
    try:
        result = resolve(reading, {path: Content(data, Mode.REGULAR) for path in reading.paths})
    except RedlineError as error:
        refused = error.code
    else:
        refused = ""
        assert [change.after for change in result.changes] == [Content(expected, Mode.REGULAR)]
    assert refused in {"", "NO_MATCH", "AMBIGUOUS", "NO_CHANGE"}
