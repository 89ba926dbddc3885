"""What a path says of its content: code, prose, text at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.core.findings.runs_later import rule_for
from redline.core.paths import skeleton

if TYPE_CHECKING:
    from redline.core.paths import RepoPath

_PROSE = frozenset(["adoc", "csv", "markdown", "md", "org", "po", "pot", "rst", "srt", "tsv", "txt", "vtt"])
_CODE = frozenset(
    [
        "asm",
        "bash",
        "bat",
        "bzl",
        "c",
        "cc",
        "cfg",
        "cjs",
        "clj",
        "cljs",
        "cmake",
        "cmd",
        "coffee",
        "conf",
        "cpp",
        "cs",
        "css",
        "cxx",
        "dart",
        "diff",
        "el",
        "env",
        "erl",
        "ex",
        "exs",
        "fish",
        "fs",
        "go",
        "gradle",
        "graphql",
        "groovy",
        "h",
        "hcl",
        "hpp",
        "hs",
        "htm",
        "html",
        "hxx",
        "inc",
        "ini",
        "ipynb",
        "java",
        "jl",
        "js",
        "json",
        "json5",
        "jsonc",
        "jsx",
        "kt",
        "kts",
        "less",
        "lisp",
        "lock",
        "lua",
        "mak",
        "mdx",
        "mjs",
        "mk",
        "ml",
        "mm",
        "mts",
        "nim",
        "nix",
        "patch",
        "php",
        "pl",
        "pm",
        "properties",
        "proto",
        "ps1",
        "psm1",
        "py",
        "pyi",
        "pyx",
        "r",
        "rb",
        "rs",
        "sass",
        "scala",
        "scss",
        "sh",
        "sol",
        "sql",
        "svelte",
        "svg",
        "swift",
        "tcl",
        "tf",
        "toml",
        "ts",
        "tsx",
        "vb",
        "vim",
        "vue",
        "xhtml",
        "xml",
        "xsl",
        "yaml",
        "yml",
        "zig",
        "zsh",
    ]
)
_TEXT_NAMES = frozenset(
    [
        "authors",
        "changelog",
        "codeowners",
        "copying",
        "dockerfile",
        "gemfile",
        "jenkinsfile",
        "justfile",
        "license",
        "makefile",
        "notice",
        "procfile",
        "rakefile",
        "readme",
        "vagrantfile",
        ".editorconfig",
        ".gitattributes",
        ".gitignore",
        ".gitmodules",
    ]
)
# Where a blank more or less at a line's start says something else.
_INDENTED = frozenset(["coffee", "fs", "hs", "mak", "mk", "ml", "nim", "py", "pyi", "pyx", "sass", "yaml", "yml"])


def extension(path: RepoPath) -> str:
    """What stands behind the last dot of the name, as a forgiving file system reads it; empty without a dot."""
    return skeleton(path.name).rpartition(".")[2] if "." in path.name else ""


def is_prose(path: RepoPath) -> bool:
    """Tell whether a text is for people alone; whatever else a path is, it is taken for code."""
    return extension(path) in _PROSE and rule_for(path) is None


def says_text(path: RepoPath) -> bool:
    """Tell whether the name promises a text."""
    return extension(path) in _PROSE | _CODE or skeleton(path.name) in _TEXT_NAMES


def is_indented(path: RepoPath) -> bool:
    return extension(path) in _INDENTED or skeleton(path.name) == "makefile"
