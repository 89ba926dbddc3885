"""Clean the process's environment once, at start-up, before anything else looks at it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping

_LOADER_VARIABLES = frozenset({"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"})


def scrub(environment: "MutableMapping[str, str]") -> None:
    """Remove what would steer git or a child's loader: a hook's GIT_DIR, tracing, preloaded libraries."""
    for name in list(environment):
        if name.startswith("GIT_") or name in _LOADER_VARIABLES:
            del environment[name]
