"""What protects a person in this repository, on this file system and on this terminal, each looked at now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.decision import Level
from redline.core.protection import Protection, Strength
from redline.errors import RedlineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redline.core.policy import Policy
    from redline.review.ports import CheckedJournal, CheckedRepository, CheckedWriter, Lock

_NO_JOURNAL = "JOURNAL_MISSING"
_NOTHING_YET = Protection(
    "journal",
    Strength.MISSING,
    "there is none here yet: nothing was proposed or decided",
    "`redline init` makes it.",
)
_AGENTS = Protection(
    "agents",
    Strength.WEAK,
    "an agent that has write tools of its own, or a shell, can pass redline by",
    "Give it `redline-agent`, and take its write tools away or let it run where it may only read.",
)


class Checkup:
    """Looks, and changes nothing but scratch files of its own under the lock."""

    def __init__(
        self,
        *,
        lock: Lock,
        journal: CheckedJournal,
        writer: Callable[[], CheckedWriter],
        repository: CheckedRepository,
        policy: Callable[[], Policy],
        terminal: Callable[[], Protection],
    ) -> None:
        self._lock = lock
        self._journal = journal
        self._writer = writer
        self._repository = repository
        self._policy = policy
        self._terminal = terminal

    def run(self) -> tuple[Protection, ...]:
        """Every protection, the journal's first; what cannot be looked at is missing, with the reason.

        Without a journal there is nothing yet that git could take or that a write could rely on.
        """
        beside_the_journal = (("git", self._look_at_git), ("writing", self._look_at_writing))
        looks = (
            ("journal", self._look_at_journal),
            *(beside_the_journal if self._has_journal() else ()),
            ("level", self._look_at_level),
            ("terminal", lambda: iter((self._terminal(),))),
        )
        return (*(found for name, look in looks for found in _found(name, look)), _AGENTS)

    def _has_journal(self) -> bool:
        try:
            with self._journal.reading():
                return True
        except RedlineError as error:
            return error.code != _NO_JOURNAL

    def _look_at_journal(self) -> Iterator[Protection]:
        faults = self._journal.faults()
        if faults:
            text = f"it was altered: {'; '.join(faults[:3])}"
            yield Protection("journal", Strength.MISSING, text, "Restore .proposals from a backup.")
            return
        yield Protection("journal", Strength.HOLDS, "yours, private, and whole by its own digests")
        with self._journal.reading() as reader:
            if reader.unfinished():
                text = "a write was cut off and is not settled yet"
                yield Protection("unfinished", Strength.WEAK, text, "`redline recover` settles it.")

    def _look_at_git(self) -> Iterator[Protection]:
        if self._repository.excludes_proposals():
            yield Protection("git", Strength.HOLDS, ".proposals stays out of `git status` and `git add`")
        else:
            text = "`git add` would take .proposals into the history"
            yield Protection("git", Strength.MISSING, text, "`redline init` puts it into .git/info/exclude.")

    def _look_at_writing(self) -> Iterator[Protection]:
        with self._lock.hold() as held:
            yield from self._writer().protections(held)

    def _look_at_level(self) -> Iterator[Protection]:
        if self._policy().level is Level.NONE:
            text = "a confirmation needs no terminal: every program of this account can give one"
            advice = 'Set `[confirm] level = "tty"` in your own configuration.'
            yield Protection("level", Strength.WEAK, text, advice)
        else:
            yield Protection("level", Strength.HOLDS, "a confirmation takes a terminal and the code of what was shown")


def _found(name: str, look: Callable[[], Iterator[Protection]]) -> Iterator[Protection]:
    try:
        yield from look()
    except RedlineError as error:
        missing = (
            _NOTHING_YET if error.code == _NO_JOURNAL else Protection(name, Strength.MISSING, error.message, error.hint)
        )
        yield missing
