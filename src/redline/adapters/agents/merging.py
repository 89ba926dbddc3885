"""An agent's shared configuration with redline's hooks in it, or without them; what others put there stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from redline.adapters.agents.json_splice import JsonText
from redline.errors import EnvironmentFault

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from redline.core.canonical import Json, Record

_HOOKS: Final = "hooks"
_VERSION: Final = "version"


class Shared:
    """One file's text; `own` is what a command of redline's in it looks like.

    Raises EnvironmentFault if it is not laid out as the agent says.
    """

    def __init__(self, path: str, text: str, own: re.Pattern[str]) -> None:
        self._path = path
        self._own = own
        try:
            self._json = JsonText(text)
        except (ValueError, RecursionError) as error:
            raise self._fault(f"is no plain JSON: {error}") from error
        self._check()

    def with_hooks(self, wanted: Record) -> str:
        """The text with exactly these of redline's hooks, at the end of each event's list."""
        events = wanted[_HOOKS]
        assert isinstance(events, dict)  # noqa: S101 -- a file of our own
        if all(self._present(event) == events.get(event, []) for event in {*self._events(), *events}):
            return self._json.text
        self._take_out()
        if _VERSION in wanted and _VERSION not in self._value:
            self._json = self._json.with_added((), _VERSION, wanted[_VERSION])
        if _HOOKS not in self._value:
            self._json = self._json.with_added((), _HOOKS, {})
        for event, entries in events.items():
            if event not in self._events():
                self._json = self._json.with_added((_HOOKS,), event, entries)
                continue
            for entry in entries if isinstance(entries, list) else ():
                self._json = self._json.with_added((_HOOKS, event), None, entry)
        return self._json.text

    def without_hooks(self) -> str | None:
        """The text without them; None if nothing else is left."""
        if not any(self._present(event) for event in self._events()):
            return self._json.text
        self._take_out()
        return self._json.text if self._value.keys() - {_VERSION} else None

    @property
    def _value(self) -> Record:
        value = self._json.value
        return value if isinstance(value, dict) else {}

    def _events(self) -> dict[str, list[Json]]:
        hooks = self._value.get(_HOOKS)
        listed = hooks.items() if isinstance(hooks, dict) else ()
        return {event: found for event, found in listed if isinstance(found, list)}

    def _present(self, event: str) -> list[Json]:
        """The entries of an event in which redline has a part."""
        return [entry for entry in self._events().get(event, []) if [*self._own_parts(entry)]]

    def _own_parts(self, entry: Json) -> Iterator[tuple[str | int, ...]]:
        """Where redline's commands stand in an entry: the entry itself, or some of its hooks."""
        if not isinstance(entry, dict):
            return
        if self._is_own(entry):
            yield ()
        inner = entry.get(_HOOKS)
        for number, item in enumerate(inner if isinstance(inner, list) else []):
            if isinstance(item, dict) and self._is_own(item):
                yield (_HOOKS, number)

    def _is_own(self, item: Record) -> bool:
        command = item.get("command")
        return isinstance(command, str) and self._own.fullmatch(command) is not None

    def _take_out(self) -> None:
        """Remove redline's commands, last one first, and what holds nothing else any more."""
        for event, entries in self._events().items():
            for number, entry in reversed([*enumerate(entries)]):
                for part in reversed([*self._own_parts(entry)]):
                    self._remove((_HOOKS, event, number, *part))

    def _remove(self, path: tuple[str | int, ...]) -> None:
        self._json = self._json.without(path)
        above = path[:-1]
        while above and not _found(self._json.value, above):
            path, above = above, above[:-1]
            self._json = self._json.without(path)
        # A group of hooks is nothing without them, whatever its matcher says.
        if len(path) == 4 and path[-1] == _HOOKS:
            self._remove(above)

    def _check(self) -> None:
        if not isinstance(self._json.value, dict):
            raise self._fault("is no JSON object")
        hooks = self._value.get(_HOOKS, {})
        if not isinstance(hooks, dict) or len(self._events()) != len(hooks):
            raise self._fault("has hooks that are no object of lists")

    def _fault(self, what: str) -> EnvironmentFault:
        return EnvironmentFault(
            f"{self._path} {what}",
            code="AGENT_CONFIG_UNREADABLE",
            hint="Repair it, or put the hooks there by hand: `hooks/agents` has them. Nothing was written.",
        )


def _found(value: Json, path: tuple[str | int, ...]) -> Json:
    for key in path:
        value = value[key]  # type: ignore[index]  # the path was found there
    return value
