"""Files that execute, or decide what executes, when somebody later builds, tests, commits or opens an editor.

The table follows section 3 of the attack checklist, which took it from the records of CVE-2025-53773, CVE-2025-54136,
CVE-2025-59944, CVE-2025-61260 and CVE-2026-25725 and from the manuals of the tools.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from redline.core.notes import Finding, Severity
from redline.core.paths import skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from redline.core.paths import RepoPath

_CRITICAL, _SENSITIVE = Severity.CRITICAL, Severity.SENSITIVE


class Rule(NamedTuple):
    """Paths and what they do. A pattern holds in any folder; `*` stays within a name, a `/` at the end is a folder."""

    severity: Severity
    words: str
    patterns: str


RULES = (
    Rule(
        _CRITICAL,
        "decides what runs in CI",
        ".github/workflows/ .github/actions/ action.yml action.yaml .gitlab-ci.yml .circleci/ jenkinsfile"
        " azure-pipelines.yml .buildkite/ .travis.yml bitbucket-pipelines.yml",
    ),
    Rule(
        _CRITICAL,
        "decides who must review and what robots may update",
        "codeowners dependabot.yml dependabot.yaml renovate.json renovate.json5 .renovaterc .renovaterc.json",
    ),
    Rule(_CRITICAL, "changes how git stores, shows or fetches files", ".gitattributes .lfsconfig"),
    Rule(_SENSITIVE, "changes what git ignores, or whose name it shows", ".gitignore .mailmap"),
    Rule(
        _CRITICAL,
        "runs when somebody commits or pushes",
        ".pre-commit-config.yaml .pre-commit-hooks.yaml .husky/ lefthook.yml lefthook.yaml .lefthook.yml .githooks/",
    ),
    Rule(
        _CRITICAL,
        "runs, or decides what runs, when Python starts, tests, builds or installs",
        "conftest.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py pytest.ini sitecustomize.py usercustomize.py"
        " *.pth uv.toml pip.conf requirements*.txt",
    ),
    Rule(
        _CRITICAL,
        "runs, or decides what runs, when the project is built or installed",
        "makefile gnumakefile *.mk justfile .justfile taskfile.yml taskfile.yaml cmakelists.txt build.rs .cargo/"
        " package.json .npmrc .yarnrc* .pnp.* dockerfile* *.dockerfile containerfile* compose*.yml compose*.yaml"
        " docker-compose*.yml docker-compose*.yaml vagrantfile",
    ),
    Rule(
        _CRITICAL,
        "runs in a shell, or sets up what a shell runs",
        ".envrc .env* mise.toml .mise.toml .tool-versions flake.nix shell.nix *.sh",
    ),
    Rule(
        _CRITICAL,
        "runs, or decides what runs, when an editor opens the project",
        ".vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/extensions.json *.code-workspace .idea/"
        " .devcontainer/ .devcontainer.json .vimrc .exrc .nvimrc .nvim.lua .dir-locals.el",
    ),
    Rule(_SENSITIVE, "changes how editors write files", ".editorconfig"),
    Rule(
        _CRITICAL,
        "instructs AI agents, or decides what they may do",
        ".claude/ claude.md claude.local.md agents.md gemini.md .cursor/ .cursorrules .codex/ .mcp.json .windsurf/"
        " .windsurfrules .aider* .github/copilot-instructions.md .github/instructions/ .gemini/",
    ),
)


def _expression(pattern: str) -> str:
    spelt = re.escape(pattern).replace(r"\*", "[^/]*")
    return spelt + ".+" if pattern.endswith("/") else spelt


_PATHS = re.compile(
    "/(?:" + "|".join(f"({'|'.join(map(_expression, rule.patterns.split()))})" for rule in RULES) + r")\Z"
)


def rule_for(path: RepoPath) -> Rule | None:
    """Find the rule of a path, under every disguise that a forgiving file system would see through."""
    found = _PATHS.search("/" + "/".join(map(skeleton, path.split("/"))))
    return RULES[(found.lastindex or 0) - 1] if found is not None else None


def runs_later(path: RepoPath) -> Iterator[Finding]:
    rule = rule_for(path)
    if rule is not None:
        yield Finding("RUNS_LATER", rule.severity, rule.words, path)
