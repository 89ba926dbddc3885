"""The exception tree; nothing else.

RedlineError
├── IntakeError            the text is no usable proposal
│   ├── UnknownFormat      no format, or several, fit the text
│   ├── MalformedEdit      the text breaks its own format
│   ├── EditMismatch       the edit does not fit the file: absent, present, no match, several matches
│   ├── UnsafePath         the path may never be written by a proposal
│   ├── PathRefused        the path is refused here and now: ignored, denied by policy, not a regular file
│   └── LimitExceeded      larger than the person allows
├── EnvironmentFault       the surroundings do not let redline work
│   ├── RepositoryFault    no repository, a bare one, one that points elsewhere
│   ├── GitFailed          git is missing or answered with an error
│   ├── JournalFault       the journal is untrusted, corrupt, too new or cannot be written
│   ├── SettingsFault      the person's configuration or the repository's policy cannot be read
│   └── LockHeld           another redline is at work
├── UsageFault             the command line asks for something that has no meaning
├── DecisionRefused        this person, here, may not decide that
├── ConfirmationMismatch   what was displayed is not what is stored
├── WriteFailed            the guarded write stopped; the tree is as before
├── DriftFound             the guard met bytes that are not *before*; the tree is as before
└── RecoveryIncomplete     a person must look

Expected ends of a proposal are values (`redline.core.lifecycle.Outcome`), not exceptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class RedlineError(Exception):
    """The flow cannot go on.

    `code` is stable and machine-readable, `hint` is the next step, `details` holds JSON values.
    """

    default_code = "ERROR"

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        hint: str = "",
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.details: dict[str, object] = dict(details or {})


class IntakeError(RedlineError):
    default_code = "INTAKE"


class UnknownFormat(IntakeError):
    default_code = "FORMAT_UNKNOWN"


class MalformedEdit(IntakeError):
    default_code = "INPUT_MALFORMED"


class EditMismatch(IntakeError):
    default_code = "NO_MATCH"


class UnsafePath(IntakeError):
    default_code = "PATH_UNSAFE"


class PathRefused(IntakeError):
    default_code = "PATH_REFUSED"


class LimitExceeded(IntakeError):
    default_code = "LIMIT_SIZE"


class EnvironmentFault(RedlineError):
    default_code = "ENVIRONMENT"


class RepositoryFault(EnvironmentFault):
    default_code = "NOT_A_REPOSITORY"


class GitFailed(EnvironmentFault):
    default_code = "GIT_FAILED"


class JournalFault(EnvironmentFault):
    default_code = "JOURNAL_UNTRUSTED"


class SettingsFault(EnvironmentFault):
    default_code = "SETTINGS_INVALID"


class LockHeld(EnvironmentFault):
    default_code = "LOCK_HELD"


class UsageFault(RedlineError):
    default_code = "USAGE"


class DecisionRefused(RedlineError):
    default_code = "NOT_AUTHORIZED"


class ConfirmationMismatch(RedlineError):
    default_code = "CONFIRMATION_MISMATCH"


class WriteFailed(RedlineError):
    default_code = "WRITE_FAILED"


class DriftFound(RedlineError):
    default_code = "DRIFT"


class RecoveryIncomplete(RedlineError):
    default_code = "RECOVERY_INCOMPLETE"
