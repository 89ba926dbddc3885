from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import RepoPath
from redline.errors import EditMismatch
from redline.intake.edits import Cell, CellAct
from redline.intake.notebook import apply_cell

PATH = RepoPath("n.ipynb")
CODE = {
    "cell_type": "code",
    "execution_count": 3,
    "id": "c",
    "metadata": {"k": 1},
    "outputs": [{"x": 1}],
    "source": ["1"],
}
TEXT = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# T\n"}
Cells = list[dict[str, Any]]


def notebook(*cells: object, minor: int = 5) -> dict[str, Any]:
    return {
        "cells": list(cells),
        "metadata": {"deep": [{"a": [1.50, "\u00e9"]}]},
        "nbformat": 4,
        "nbformat_minor": minor,
    }


def written(value: object) -> bytes:
    """Write as Jupyter does."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def after(data: bytes, act: CellAct, cell_id: str | None, kind: str | None = None, source: str = "") -> bytes:
    return apply_cell(data, Cell(PATH, act, cell_id, kind, source))


def cells_after(data: bytes, act: CellAct, cell_id: str | None, kind: str | None = None, source: str = "") -> Cells:
    result = after(data, act, cell_id, kind, source)
    document = json.loads(result)
    assert result == written(document)
    assert document == {**json.loads(data), "cells": document["cells"]}
    cells: Cells = document["cells"]
    return cells


def refusal(data: bytes, act: CellAct = CellAct.REPLACE, cell_id: str | None = "c") -> EditMismatch:
    with pytest.raises(EditMismatch) as caught:
        after(data, act, cell_id, "code")
    assert caught.value.hint
    assert caught.value.details == {"path": "n.ipynb"}
    return caught.value


@pytest.mark.parametrize(
    ("source", "lines"),
    [("", []), ("a", ["a"]), ("a\n", ["a\n"]), ("a\n\nb\u2028c\r\n", ["a\n", "\n", "b\u2028c\r\n"]), ("\n", ["\n"])],
)
def test_a_replaced_code_cell_loses_what_its_old_source_gave(source: str, lines: list[str]) -> None:
    expected = {**CODE, "source": lines, "execution_count": None, "outputs": []}
    assert cells_after(written(notebook(TEXT, CODE)), CellAct.REPLACE, "c", None, source) == [TEXT, expected]


def test_a_source_that_is_one_string_stays_one() -> None:
    data = written(notebook(TEXT, CODE))
    assert cells_after(data, CellAct.REPLACE, "m", None, "a\nb") == [{**TEXT, "source": "a\nb"}, CODE]


def test_a_cell_of_another_type_has_the_keys_of_that_type() -> None:
    data = written(notebook(CODE, {**TEXT, "attachments": {}}))
    as_text = {"cell_type": "markdown", "id": "c", "metadata": {"k": 1}, "source": ["x"]}
    assert cells_after(data, CellAct.REPLACE, "c", "markdown", "x")[0] == as_text
    as_code = {**TEXT, "cell_type": "code", "execution_count": None, "outputs": [], "source": "x"}
    assert cells_after(data, CellAct.REPLACE, "m", "code", "x")[1] == as_code


def test_a_cell_is_inserted_behind_another_or_at_the_top() -> None:
    data = written(notebook(CODE, TEXT))
    new = {"cell_type": "markdown", "metadata": {}, "source": ["x"]}
    for cell_id, at in ((None, 0), ("c", 1), ("m", 2)):
        cells = cells_after(data, CellAct.INSERT, cell_id, "markdown", "x")
        found = cells.pop(at)
        assert (cells, {**found, "id": ""}) == ([CODE, TEXT], {**new, "id": ""})
        assert len(found["id"]) == 8


def test_an_inserted_code_cell_has_all_its_keys() -> None:
    (cell,) = cells_after(written(notebook(minor=4)), CellAct.INSERT, None, "code", "x")
    assert cell == {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": ["x"]}


def test_the_same_insertion_gives_the_same_id_and_another_one_another() -> None:
    data = written(notebook(CODE))
    once = after(data, CellAct.INSERT, "c", "code", "x")
    assert once == after(data, CellAct.INSERT, "c", "code", "x")
    twice = json.loads(after(once, CellAct.INSERT, "c", "code", "x"))
    assert len({cell["id"] for cell in twice["cells"]}) == 3


def test_an_id_that_is_taken_is_not_given_again() -> None:
    first = json.loads(after(written(notebook(CODE)), CellAct.INSERT, None, "code", "x"))["cells"][0]["id"]
    data = written(notebook({**CODE, "id": first}))
    cells = json.loads(after(data, CellAct.INSERT, None, "code", "x"))["cells"]
    assert cells[0]["id"] != cells[1]["id"] == first


@pytest.mark.parametrize(("cell_id", "left"), [("c", [TEXT]), ("m", [CODE])])
def test_a_cell_is_deleted_with_its_comma(cell_id: str, left: Cells) -> None:
    assert cells_after(written(notebook(CODE, TEXT)), CellAct.DELETE, cell_id) == left


def test_the_only_cell_can_be_deleted_and_one_inserted_again() -> None:
    empty = after(written(notebook(CODE)), CellAct.DELETE, "c")
    assert empty == written(notebook())
    assert cells_after(empty, CellAct.INSERT, None, "markdown", "x")[0]["source"] == ["x"]


def test_a_cell_without_an_id_is_named_by_its_number() -> None:
    bare = {key: value for key, value in TEXT.items() if key != "id"}
    data = written(notebook(CODE, bare, minor=4))
    assert cells_after(data, CellAct.REPLACE, "cell-1", None, "x") == [CODE, {**bare, "source": "x"}]
    for cell_id in ("cell-0", "cell-2", "cell-01", "x"):
        assert refusal(data, CellAct.REPLACE, cell_id).code == "NO_MATCH"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (
            '{"nbformat":4,"nbformat_minor":4,"cells":[{"source":"a"},{%s}],"z":1.50}',
            '"source":"b","id":"c"\t,"cell_type":"raw"',
            '"source":"x","id":"c","cell_type":"raw"',
        ),
        (
            '\ufeff{\r\n\t"cells": [\r\n\t\t{\r\n%s\r\n\t\t}\r\n\t],\r\n\t"nbformat": 4,\r\n\t"nbformat_minor": 5\r\n}',
            '\t\t\t"id": "c",\r\n\t\t\t"source": ["b"],\r\n\t\t\t"cell_type": "raw"',
            '\t\t\t"id": "c",\r\n\t\t\t"source": [\r\n\t\t\t\t"x"\r\n\t\t\t],\r\n\t\t\t"cell_type": "raw"',
        ),
    ],
)
def test_the_file_is_written_in_its_own_style(text: str, old: str, new: str) -> None:
    assert after((text % old).encode(), CellAct.REPLACE, "c", None, "x") == (text % new).encode()


@pytest.mark.parametrize("escaped", [True, False])
def test_a_file_that_escapes_its_characters_goes_on_doing_so(escaped: bool) -> None:
    before, expected = (
        json.dumps(notebook({**TEXT, "source": source}), ensure_ascii=escaped) for source in ("\u00e9", "\u4e2d")
    )
    assert after(before.encode(), CellAct.REPLACE, "m", None, "\u4e2d") == expected.encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (written(notebook(CODE, CODE)), "AMBIGUOUS"),
        (written(notebook(TEXT)), "NO_MATCH"),
        (written(notebook({"id": "c", "cell_type": "code"})), "NOTEBOOK_BROKEN"),
        (written(notebook({"id": "c", "source": ""})), "NOTEBOOK_BROKEN"),
        (written(notebook(1)), "NOTEBOOK_BROKEN"),
        (written({"nbformat": 4, "nbformat_minor": 5}), "NOTEBOOK_BROKEN"),
        (written({**notebook(CODE), "nbformat": 3}), "NOTEBOOK_BROKEN"),
        (written(notebook(CODE)).replace(b'"id"', b'"source": "", "id"'), "NOTEBOOK_BROKEN"),
        (b'{"cells":[],"cells":[],"nbformat":4,"nbformat_minor":5}', "NOTEBOOK_BROKEN"),
        (b"[]", "NOTEBOOK_BROKEN"),
        (b"", "NOTEBOOK_BROKEN"),
        (b"\xff", "NOTEBOOK_BROKEN"),
        (b'{"cells":', "NOTEBOOK_BROKEN"),
        (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", "NOTEBOOK_BROKEN"),
    ],
)
def test_a_notebook_that_leaves_a_doubt_is_refused(data: bytes, expected: str) -> None:
    assert refusal(data).code == expected


def test_a_cell_must_be_named_unless_it_is_inserted() -> None:
    for act in (CellAct.REPLACE, CellAct.DELETE):
        assert refusal(written(notebook(CODE)), act, None).code == "NO_MATCH"


SOURCES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
JSON = st.recursive(
    st.none() | st.integers(0, 9) | st.text('[]{}",:\\ \n\u00e9', max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2),
    max_leaves=5,
)
KINDS = st.sampled_from(["code", "markdown"])


@st.composite
def cells(draw: st.DrawFn, name: str) -> dict[str, Any]:
    kind = draw(KINDS)
    of_code = {"execution_count": 1, "outputs": draw(JSON)} if kind == "code" else {}
    return {"cell_type": kind, "id": name, "metadata": draw(JSON), "source": draw(SOURCES), **of_code}


@given(st.data(), st.sampled_from(CellAct), st.sampled_from(["", " ", "\n  "]), KINDS, SOURCES)
def test_only_the_cell_changes(data: st.DataObject, act: CellAct, blanks: str, kind: str, source: str) -> None:
    book = [data.draw(cells(f"c{index}")) for index in range(data.draw(st.integers(1, 4)))]
    parts = [json.dumps(cell, indent=data.draw(st.sampled_from([None, 1]))) for cell in book]
    head, tail = '{"z": {"cells": [1.50]}, "cells": [' + blanks, '], "nbformat": 4, "nbformat_minor": 5 }\n'
    comma = "," + (blanks or " ")
    at = data.draw(st.integers(0, len(book) - 1))
    result = after((head + comma.join(parts) + tail).encode(), act, f"c{at}", kind, source).decode()
    if act is CellAct.DELETE:
        left = parts[:at] + parts[at + 1 :]
        assert result == (head if left else head.rstrip()) + comma.join(left) + tail
        return
    above, below = parts[: at + (act is CellAct.INSERT)], parts[at + 1 :]
    before = head + "".join(part + comma for part in above)
    behind = "".join(comma + part for part in below) + tail
    assert result.startswith(before)
    assert result.endswith(behind)
    new = json.loads(result[len(before) : len(result) - len(behind)])
    kept = {"metadata": book[at]["metadata"], "id": f"c{at}"} if act is CellAct.REPLACE else {}
    of_code: dict[str, object] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    assert new == {"metadata": {}, "id": new["id"], **kept, **of_code, "cell_type": kind, "source": source}


@given(st.binary(max_size=30), JSON, st.sampled_from(CellAct))
def test_arbitrary_content_is_taken_or_refused(data: bytes, value: object, act: CellAct) -> None:
    for text in (data, json.dumps(value).encode(), written(notebook(value)), written({**notebook(), "cells": value})):
        with suppress(EditMismatch):
            after(text, act, "cell-0", "code", "x")
