"""The two line ends that texts are taken over to from each other: LF, and CRLF. A lone CR ends no line here."""

from __future__ import annotations


def has_only(text: bytes, *, crlf: bool) -> bool:
    """Tell whether every line end of the text, and at least one, is CRLF, or LF alone."""
    return text.count(b"\r\n") == (text.count(b"\n") if crlf else 0) and b"\n" in text


def to_lf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def to_crlf(text: bytes) -> bytes:
    return to_lf(text).replace(b"\n", b"\r\n")
