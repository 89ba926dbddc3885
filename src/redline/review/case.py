"""One proposal under the held lock, while it is being decided."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.errors import RedlineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.held import Held
    from redline.core.kept import Kept
    from redline.core.proposal import Proposal
    from redline.core.receipt import FiledReceipt
    from redline.review.ports import Appender


@dataclass(frozen=True, slots=True)
class Ended:
    """A proposal's receipt; `replayed` if it was filed before, `kept` names foreign bytes met on the way.

    `interrupted` if somebody asked to stop when it was too late for this proposal: no other is to be taken up.
    """

    filed: FiledReceipt
    replayed: bool
    kept: tuple[Kept, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A proposal, and the journal that its end goes into.

    From before recovery until the journal is closed, interrupts are held back, and `interrupted` tells of them: one
    that comes before anything is filed or written stops the decision, one that comes later is told with its end.
    """

    held: Held
    appender: Appender
    proposal: Proposal
    interrupted: Callable[[], bool]

    def content(self, sha256: str) -> bytes:
        """A content of the proposal. Raises KeyboardInterrupt if the person wants to stop."""
        self.heed_interrupt()
        return self.appender.content(sha256)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """A block in which nothing is filed or written.

        Raises KeyboardInterrupt at its end if the person wants to stop; for an error too, as Ctrl-C also ends git.
        """
        try:
            yield
        except RedlineError:
            self.heed_interrupt()
            raise
        self.heed_interrupt()

    def heed_interrupt(self) -> None:
        """Called where nothing is written, or all of it was taken back. Raises KeyboardInterrupt."""
        if self.interrupted():
            raise KeyboardInterrupt
