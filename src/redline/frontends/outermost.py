"""The outermost handler of a program: every error becomes words, a document where JSON was asked for, and a code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TypeVar

from redline.errors import EnvironmentFault, RedlineError
from redline.frontends import exit_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from redline.core.canonical import Record

_T = TypeVar("_T")

_AS_BEFORE = "everything is as before"


def run(command: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run a program and return its exit code."""
    _prepare_streams()

    def flushed() -> int:
        code = command()
        sys.stdout.flush()
        return code

    code = _tried(flushed)
    return code if isinstance(code, int) else _tell(code, as_json="--json" in arguments)


def caught(step: Callable[[], _T]) -> _T | RedlineError:
    """Run a step for a caller that must answer whatever happens: every failure, a bug too, is a value."""
    done = _tried(step)
    if isinstance(done, KeyboardInterrupt):
        return RedlineError(f"interrupted; {_AS_BEFORE}", code="INTERRUPTED", hint="Repeat the command to go on.")
    if isinstance(done, OSError):
        return system_refused(done)
    if isinstance(done, Exception) and not isinstance(done, RedlineError):
        account = f"An account of it is in {_account(done)}."
        return RedlineError(f"this is a bug in redline: {type(done).__name__}", code="BUG", hint=account)
    return done


def system_refused(error: OSError) -> EnvironmentFault:
    """Say an error of the system's in our own words."""
    where = f": {error.filename}" if error.filename is not None else ""
    return EnvironmentFault(
        f"the system refused: {error.strerror or error}{where}",
        code="SYSTEM_REFUSED",
        hint="Check permissions and free space, also of the folder for temporary files.",
    )


def interrupt_document(what_stands: str, undecided: Sequence[str] = ()) -> Record:
    """The document of a command that a person stopped."""
    from redline.render.document import error_document

    details: dict[str, object] = {"undecided": [*undecided]} if undecided else {}
    return error_document("INTERRUPTED", f"interrupted; {what_stands}", "Repeat the command to go on.", details)


def tell_of_interrupt(what_stands: str) -> None:
    """Say that we stopped; a terminal has echoed ^C without ending its line."""
    _say(("\n" if sys.stderr.isatty() else "") + f"interrupted; {what_stands}")


def _tried(step: Callable[[], _T]) -> _T | Exception | KeyboardInterrupt:
    try:
        return step()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 -- the outermost handler
        return error


def _tell(error: Exception | KeyboardInterrupt, *, as_json: bool) -> int:
    """Say what stopped a program; the exit code."""
    match error:
        case RedlineError():
            return _report(error, as_json=as_json)
        case KeyboardInterrupt():
            if as_json:
                from redline.render.document import spell

                print(spell(interrupt_document(_AS_BEFORE)))
            tell_of_interrupt(_AS_BEFORE)
            return exit_codes.INTERRUPTED
        case BrokenPipeError():
            # The reader of our output went away: its own choice, and nothing that we did depends on it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exit_codes.OK
        case OSError():
            return _report(system_refused(error), as_json=as_json)
        case _:
            return _report_bug(error)


def _prepare_streams() -> None:
    """Let no character that the locale cannot spell stop an answer."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _report(error: RedlineError, *, as_json: bool) -> int:
    if as_json:
        from redline.render.document import error_document, spell

        print(spell(error_document(error.code, error.message, error.hint, error.details)))
    else:
        named = [value for value in error.details.values() if isinstance(value, str)]
        _say(f"redline: {error.message}" + (f"\n  Next: {error.hint}" if error.hint else ""), named)
    return exit_codes.code_of(error)


def _report_bug(error: Exception) -> int:
    path = _account(error)
    _say(
        f"redline: this is a bug in redline: {type(error).__name__}\n"
        f"  An account of it is in {path}; it names files, not their content.\n"
        "  Next: `redline status` shows whether a write is unfinished; `redline recover` settles it."
    )
    return exit_codes.BUG


def _account(error: Exception) -> str:
    """Write down where an unexpected error came from, and return the file's path."""
    import tempfile
    import traceback

    from redline import app

    folder = app.crash_folder()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        folder = tempfile.gettempdir()
    fd, path = tempfile.mkstemp(prefix="crash-", suffix=".log", dir=folder)
    with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("".join(traceback.format_exception(error)))
    return path


def _say(text: str, whole: Collection[str] = ()) -> None:
    from redline.frontends.screen import Screen, wants_color

    Screen(sys.stderr, color=wants_color(sys.stderr, "never")).say(text, whole)
