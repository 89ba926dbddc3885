"""One cell of a Jupyter notebook replaced, inserted or deleted; every byte outside that cell stays (nbformat 4).

A replaced code cell loses its outputs and its execution count: they were another source's.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from redline.errors import EditMismatch
from redline.intake.edits import CellAct
from redline.intake.json_text import JsonFault, JsonObject, decode, inner_spans

if TYPE_CHECKING:
    from redline.core.paths import RepoPath
    from redline.intake.edits import Cell

MAX_DEPTH: Final = 200

_BOM = "\ufeff"
_CELL_NUMBER = re.compile(r"cell-(0|[1-9][0-9]{0,8})\Z")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
_OF_CODE = {"execution_count": "null", "outputs": "[]"}
_HAS_IDS_FROM_MINOR: Final = 5


@dataclass(frozen=True, slots=True)
class _Style:
    """How the file is written: `indent` None is on one line."""

    indent: str | None
    line_end: str
    colon: str
    is_ascii: bool

    @property
    def comma(self) -> str:
        return ", " if self.indent is None and self.colon.endswith(" ") else ","

    def render(self, value: object, depth: int) -> str:
        if self.indent is None:
            return json.dumps(value, ensure_ascii=self.is_ascii, separators=(self.comma, self.colon))
        text = json.dumps(value, ensure_ascii=self.is_ascii, indent=self.indent, separators=(",", self.colon))
        return text.replace("\n", self.line_end + self.indent * depth)


@dataclass(frozen=True, slots=True)
class _Notebook:
    """The text of a notebook with its cells, and where they stand; `opens_at` is behind the bracket of the list."""

    path: RepoPath
    text: str
    style: _Style
    has_ids: bool
    cells: list[JsonObject]
    spans: list[tuple[int, int]]
    opens_at: int
    closes_at: int


def apply_cell(data: bytes, edit: Cell) -> bytes:
    """Give the notebook after the edit. Raises EditMismatch."""
    book = _open(data, edit.path)
    if edit.cell_id is None and edit.act is not CellAct.INSERT:
        raise _mismatch(edit.path, "the edit names no cell", "NO_MATCH")
    at = -1 if edit.cell_id is None else _find(book, edit.cell_id)
    match edit.act:
        case CellAct.REPLACE:
            return _replaced(book, at, edit).encode("utf-8")
        case CellAct.INSERT:
            return _inserted(book, at, edit).encode("utf-8")
        case CellAct.DELETE:
            return _deleted(book, at).encode("utf-8")


def _open(data: bytes, path: RepoPath) -> _Notebook:
    text, document = _read(data, path)
    if not isinstance(document, JsonObject) or document.repeated is not None:
        raise _broken(path, "it is not one JSON object without a repeated key")
    cells, minor = document.get("cells"), document.get("nbformat_minor")
    if document.get("nbformat") != 4 or not isinstance(minor, int):
        raise _broken(path, "its nbformat is not 4")
    if not isinstance(cells, list) or not all(isinstance(cell, JsonObject) for cell in cells):
        raise _broken(path, "its cells are not a list of objects")
    starts_at = text.index("{")
    members, _ = inner_spans(text, starts_at)
    opens_at = _value_of(text, members, "cells")[0]
    spans, closes_at = inner_spans(text, opens_at)
    style = _style(text, starts_at, members)
    return _Notebook(path, text, style, minor >= _HAS_IDS_FROM_MINOR, cells, spans, opens_at + 1, closes_at)


def _read(data: bytes, path: RepoPath) -> tuple[str, object]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _broken(path, f"byte {error.start} is not UTF-8") from error
    try:
        return text, decode(text.removeprefix(_BOM), max_depth=MAX_DEPTH)
    except JsonFault as error:
        raise _broken(path, f"it is not JSON: {error}") from error


def _style(text: str, starts_at: int, members: list[tuple[int, int]]) -> _Style:
    (key_start, key_end), (value_start, _) = members[:2]
    line_end, newline, indent = text[starts_at + 1 : key_start].rpartition("\n")
    return _Style(
        indent if newline else None,
        "\r\n" if line_end.endswith("\r") else "\n",
        text[key_end:value_start],
        text.isascii() and _ESCAPED.search(text) is not None,
    )


def _value_of(text: str, members: list[tuple[int, int]], key: str) -> tuple[int, int]:
    keys = [json.loads(text[start:end]) for start, end in members[::2]]
    return members[2 * keys.index(key) + 1]


def _find(book: _Notebook, cell_id: str) -> int:
    found = [index for index, cell in enumerate(book.cells) if cell.get("id") == cell_id]
    if len(found) > 1:
        raise _mismatch(book.path, f"{len(found)} cells have the id {cell_id!a}", "AMBIGUOUS")
    if found:
        return found[0]
    # Agents that show a notebook to a model name a cell without an id by its number.
    number = _CELL_NUMBER.match(cell_id)
    index = int(number[1]) if number else len(book.cells)
    if index >= len(book.cells) or "id" in book.cells[index]:
        raise _mismatch(book.path, f"there is no cell {cell_id!a}", "NO_MATCH")
    return index


def _replaced(book: _Notebook, index: int, edit: Cell) -> str:
    cell, (start, end) = book.cells[index], book.spans[index]
    before, source = cell.get("cell_type"), cell.get("source")
    if cell.repeated is not None or not isinstance(source, str | list) or not isinstance(before, str):
        raise _broken(book.path, f"its cell {index} has no source, no type or a repeated key")
    after = edit.cell_type or before
    values = {"source": book.style.render(_source(edit.source, as_list=isinstance(source, list)), 3)}
    dropped: set[str] = set()
    if after != before:
        values["cell_type"] = book.style.render(after, 3)
        dropped = {"attachments"} if after == "code" else set(_OF_CODE)
    if after == "code":
        values |= _OF_CODE
    return book.text[:start] + _object_with(book, start, values, dropped) + book.text[end:]


def _object_with(book: _Notebook, opens_at: int, values: dict[str, str], dropped: set[str]) -> str:
    """Give the object that opens there with other values; a new key goes before the first that sorts behind it."""
    spans, closes_at = inner_spans(book.text, opens_at)
    members: dict[str, str] = {}
    for (key_start, key_end), (value_start, value_end) in zip(spans[::2], spans[1::2], strict=True):
        key = json.loads(book.text[key_start:key_end])
        value = values.get(key, book.text[value_start:value_end])
        members[key] = book.text[key_start:value_start] + value
    order = list(members)
    for key in sorted(values.keys() - members.keys()):
        members[key] = json.dumps(key) + book.style.colon + values[key]
        order.insert(next((at for at, other in enumerate(order) if other > key), len(order)), key)
    blanks = book.text[opens_at + 1 : spans[0][0]]
    body = _between(book, blanks).join([members[key] for key in order if key not in dropped])
    return "{" + blanks + body + book.text[spans[-1][1] : closes_at] + "}"


def _inserted(book: _Notebook, behind: int, edit: Cell) -> str:
    cell = _new_cell(book, behind, edit)
    if not book.spans:
        newline = "" if book.style.indent is None else book.style.line_end + book.style.indent
        above = newline + (book.style.indent or "")
        return book.text[: book.opens_at] + above + cell + newline + book.text[book.closes_at :]
    first = book.spans[0][0]
    blanks = book.text[book.opens_at : first]
    if behind < 0:
        return book.text[:first] + cell + _between(book, blanks) + book.text[first:]
    end = book.spans[behind][1]
    return book.text[:end] + _between(book, blanks) + cell + book.text[end:]


def _between(book: _Notebook, blanks: str) -> str:
    """Give what parts two members of a list or object whose first one stands behind these blanks."""
    return "," + blanks if blanks else book.style.comma


def _new_cell(book: _Notebook, behind: int, edit: Cell) -> str:
    kind = edit.cell_type or "code"
    alike = [cell for cell in book.cells if cell.get("cell_type") == kind]
    as_list = not book.cells or isinstance(book.cells[0].get("source"), list)
    cell: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": _source(edit.source, as_list=as_list)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if book.has_ids:
        cell["id"] = _new_id(book, behind, edit)
    order = list(alike[0]) if alike and cell.keys() <= alike[0].keys() else sorted(cell)
    return book.style.render({key: cell[key] for key in order if key in cell}, 2)


def _new_id(book: _Notebook, behind: int, edit: Cell) -> str:
    """Derive an id from what is inserted and where, so that the same edit gives the same bytes."""
    taken = {cell.get("id") for cell in book.cells if isinstance(cell.get("id"), str)}
    name = f"{len(book.cells)} {behind} {edit.cell_type} {edit.source}"
    while (found := hashlib.sha256(name.encode("utf-8")).hexdigest()[:8]) in taken:
        name += " "
    return found


def _deleted(book: _Notebook, index: int) -> str:
    if len(book.spans) == 1:
        start, end = book.opens_at, book.closes_at
    elif index + 1 < len(book.spans):
        start, end = book.spans[index][0], book.spans[index + 1][0]
    else:
        start, end = book.spans[index - 1][1], book.spans[index][1]
    return book.text[:start] + book.text[end:]


def _source(text: str, *, as_list: bool) -> str | list[str]:
    if not as_list:
        return text
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _broken(path: RepoPath, why: str) -> EditMismatch:
    return EditMismatch(
        f"{path}: the file is no notebook whose cells can be edited: {why}",
        code="NOTEBOOK_BROKEN",
        hint="Send the whole file, or a text edit.",
        details={"path": str(path)},
    )


def _mismatch(path: RepoPath, why: str, code: str) -> EditMismatch:
    hint = "Read the notebook again and name a cell that it has by its id."
    return EditMismatch(f"{path}: {why}", code=code, hint=hint, details={"path": str(path)})
