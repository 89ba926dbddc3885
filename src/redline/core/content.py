"""A file's content and its identity.

The identity is taken over the raw working-tree bytes: no filter, no line-end conversion.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import Enum

_HEX = re.compile(r"[0-9a-f]+\Z")
_BINARY_PROBE_BYTES = 8000


class Mode(Enum):
    """The two file modes that git records for a regular file."""

    REGULAR = "100644"
    EXECUTABLE = "100755"

    @property
    def is_executable(self) -> bool:
        return self is Mode.EXECUTABLE


class ObjectFormat(Enum):
    """The hash that names objects in a repository (gitformat: extensions.objectFormat)."""

    SHA1 = "sha1"
    SHA256 = "sha256"

    @classmethod
    def of(cls, oid: str) -> ObjectFormat:
        """The format of an object's id, by its length."""
        return cls.SHA1 if len(oid) == 40 else cls.SHA256


@dataclass(frozen=True, slots=True)
class FileState:
    """What a file was, without its bytes: the before-hash of a change."""

    oid: str
    sha256: str
    mode: Mode
    size_bytes: int

    def __post_init__(self) -> None:
        if len(self.oid) not in {40, 64} or not _HEX.match(self.oid):
            raise ValueError(f"no git object id: {self.oid!r}")
        if len(self.sha256) != 64 or not _HEX.match(self.sha256):
            raise ValueError(f"no SHA-256: {self.sha256!r}")
        if self.size_bytes < 0:
            raise ValueError(f"no size: {self.size_bytes}")


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a file is at this moment, for comparison with a state; naming it as git would is not needed for that."""

    sha256: str
    mode: Mode
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Content:
    """A regular file's bytes and mode."""

    data: bytes
    mode: Mode

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def state(self, object_format: ObjectFormat) -> FileState:
        return FileState(blob_id(self.data, object_format), self.sha256, self.mode, len(self.data))


def blob_id(data: bytes, object_format: ObjectFormat) -> str:
    """Name the bytes as git would (gitformat-pack: a blob's header is `blob SIZE NUL`)."""
    digest = hashlib.new(object_format.value, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def is_binary(data: bytes) -> bool:
    """Tell whether git would show the bytes as binary: a NUL among the first 8,000."""
    return b"\0" in data[:_BINARY_PROBE_BYTES]
