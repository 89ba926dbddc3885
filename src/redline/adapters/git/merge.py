"""Three-way merge of texts, by `git merge-file` in a private folder (git-merge-file(1)): no mark reaches a tree."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from redline.adapters.git.runner import GitRunner, git_executable
from redline.core.merge import Merged, Region

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK_RUN = re.compile(rb"(<+|\|+|=+|>+)")
_USUAL_MARK = 7
# The exit code is the number of conflicts, cut at 127; more is an error.
_ANSWERS = range(128)


class MergeEngine:
    """Merges what two sides made of one text."""

    def __init__(self, root: str) -> None:
        self._root = root

    def merge(self, before: bytes, present: bytes, proposed: bytes) -> Merged:
        """Bring the change from `before` to `proposed` to the present text.

        Raises GitFailed.
        """
        from tempfile import TemporaryDirectory  # noqa: PLC0415 -- start-up: most commands merge nothing

        texts = (present, before, proposed)
        mark = 1 + max((len(run) for text in texts for run in _MARK_RUN.findall(text)), default=_USUAL_MARK)
        with TemporaryDirectory(prefix="redline-") as folder:
            for number, text in enumerate(texts):
                with open(os.path.join(folder, str(number)), "xb") as file:
                    file.write(text)
            _, output = GitRunner(folder, git_executable(self._root)).run(
                "merge-file",
                "--stdout",
                "--diff3",
                f"--marker-size={mark}",
                *("0", "1", "2"),
                ok=_ANSWERS,
                variables={"GIT_DIR": os.path.join(folder, "none")},
            )
        return Merged(output, tuple(_regions(output, mark)))


def _regions(output: bytes, mark: int) -> Iterator[Region]:
    """Read what stands between the marks; they are longer than any run of their characters in the texts."""
    opening, middle, parting, closing = (character * mark for character in (b"<", b"|", b"=", b">"))
    sides: list[list[bytes]] = []
    number = 1
    for line in output.split(b"\n"):
        if line.startswith(opening):
            sides = [[]]
        elif sides and line.startswith((middle, parting)):
            sides.append([])
        elif sides and line.startswith(closing):
            present, before, proposed = (tuple(side) for side in sides)
            yield Region(number - len(present), present, before, proposed)
            sides = []
        elif sides:
            sides[-1].append(line)
            number += len(sides) == 1
        else:
            number += 1
