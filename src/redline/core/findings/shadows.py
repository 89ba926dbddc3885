"""New modules at the root that Python would import instead of the one that is meant."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from redline.core.notes import Finding, Severity
from redline.core.paths import skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.change import ContentChange

_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
_PACKAGE_FILES = frozenset(f"__init__{suffix}" for suffix in _SUFFIXES)
# Import names that many environments have; which ones this one has cannot be read from a change's bytes.
_WELL_KNOWN = frozenset(
    [
        "aiohttp",
        "alembic",
        "anthropic",
        "attr",
        "attrs",
        "boto3",
        "botocore",
        "bs4",
        "certifi",
        "cffi",
        "chardet",
        "charset_normalizer",
        "click",
        "cryptography",
        "dateutil",
        "django",
        "dns",
        "docker",
        "dotenv",
        "fastapi",
        "filelock",
        "flask",
        "fsspec",
        "git",
        "google",
        "greenlet",
        "grpc",
        "gunicorn",
        "h11",
        "httpcore",
        "httpx",
        "hypothesis",
        "idna",
        "jinja2",
        "joblib",
        "jsonschema",
        "jwt",
        "lxml",
        "markdown",
        "markupsafe",
        "matplotlib",
        "mcp",
        "msgspec",
        "multidict",
        "mypy",
        "networkx",
        "numpy",
        "openai",
        "openpyxl",
        "orjson",
        "packaging",
        "pandas",
        "paramiko",
        "pathspec",
        "pip",
        "pkg_resources",
        "platformdirs",
        "pluggy",
        "psutil",
        "psycopg2",
        "pyarrow",
        "pydantic",
        "pygments",
        "pymysql",
        "pytest",
        "pytz",
        "redis",
        "referencing",
        "regex",
        "requests",
        "rich",
        "rpds",
        "ruamel",
        "ruff",
        "s3fs",
        "scipy",
        "setuptools",
        "six",
        "sklearn",
        "sniffio",
        "sqlalchemy",
        "starlette",
        "tenacity",
        "textual",
        "tomli",
        "tomlkit",
        "torch",
        "tornado",
        "tox",
        "tqdm",
        "transformers",
        "typer",
        "typing_extensions",
        "tzdata",
        "unidiff",
        "urllib3",
        "uvicorn",
        "virtualenv",
        "websockets",
        "werkzeug",
        "wheel",
        "wrapt",
        "xdist",
        "yaml",
        "yarl",
        "zipp",
    ]
)


def shadows(change: ContentChange) -> Iterator[Finding]:
    """Scripts that start in the root, and `python -m` there, look into the root first (sys.path)."""
    if change.before is not None or change.after is None:
        return
    module = _module([skeleton(part) for part in change.path.split("/")])
    if module is None:
        return
    names = {name.casefold(): name for name in sys.stdlib_module_names}
    whose = "Python's own" if module in names else "the installed"
    if module in names or module in _WELL_KNOWN:
        text = f"shadows a module: run from here, Python imports this instead of {whose} {names.get(module, module)}"
        yield Finding("SHADOWS_MODULE", Severity.CRITICAL, text, change.path)


def _module(parts: list[str]) -> str | None:
    """The module that a file at the root, or a package there, is imported as."""
    if len(parts) == 2 and parts[1] in _PACKAGE_FILES:
        return parts[0]
    return parts[0].partition(".")[0] if len(parts) == 1 and parts[0].endswith(_SUFFIXES) else None
