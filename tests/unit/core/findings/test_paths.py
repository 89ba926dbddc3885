"""What a path says by itself: files that run later, modules that shadow, lock files, attributes."""

from __future__ import annotations

import pytest

from redline.core.change import ContentChange
from redline.core.content import Content, Mode
from redline.core.findings import examine
from redline.core.findings.file_kinds import extension, is_prose, says_text
from redline.core.findings.runs_later import rule_for
from redline.core.notes import Finding, Severity
from redline.core.paths import RepoPath

SENSITIVE, CRITICAL = Severity.SENSITIVE, Severity.CRITICAL
TEXT = Content(b"x\n", Mode.REGULAR)


def created(path: str, data: bytes = b"x\n") -> list[Finding]:
    return list(examine((ContentChange(RepoPath(path), None, Content(data, Mode.REGULAR)),)))


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        "sub/.github/workflows/deep/er.yml",
        "action.yml",
        "Jenkinsfile",
        "CODEOWNERS",
        ".gitattributes",
        "docs/.gitattributes",
        ".husky/pre-commit",
        "Conftest.py",
        "tests/conftest.py",
        "x.pth",
        "requirements-dev.txt",
        "Makefile",
        "rules.mk",
        ".cargo/config.toml",
        "package.json",
        "Dockerfile.dev",
        "compose.override.yml",
        ".envrc",
        ".env.local",
        "bin/run.SH",
        ".VSCODE/tasks.json",
        ".claude/Settings.json",
        "sub/CLAUDE.md",
        ".aider.conf.yml",
        ".github/instructions/a.md",
        "\uff43\uff4f\uff4e\uff46\uff54\uff45\uff53\uff54.py",
        "conf\u200btest.py",
    ],
)
def test_s24_a_file_that_executes_later_is_critical_under_every_disguise(path: str) -> None:
    assert ("RUNS_LATER", CRITICAL) in [(finding.code, finding.severity) for finding in created(path)]


@pytest.mark.parametrize("path", [".gitignore", "a/.editorconfig", ".mailmap"])
def test_s24_what_only_steers_tools_is_sensitive(path: str) -> None:
    assert ("RUNS_LATER", SENSITIVE) in [(finding.code, finding.severity) for finding in created(path)]


@pytest.mark.parametrize(
    "path",
    ["src/app.py", "my-conftest.py", "conftest.py.bak", "workflows/ci.yml", "docs/setup.md", "vscode/tasks.json",
     "xMakefile", ".github/README.md", "environment.yml", "husky/pre-commit", "requirements.md", ".vscode/notes.txt"],
)  # fmt: skip
def test_s24_other_paths_are_not(path: str) -> None:
    assert rule_for(RepoPath(path)) is None


def test_s25_a_rename_to_such_a_path_is_told_and_so_is_its_deletion() -> None:
    end = RepoPath(".github/workflows/ci.yml")
    found = examine(
        (
            ContentChange(RepoPath("notes.txt"), TEXT, None),
            ContentChange(end, None, TEXT, RepoPath("notes.txt")),
            ContentChange(RepoPath("setup.py"), TEXT, None),
        )
    )
    assert found == (
        Finding("RUNS_LATER", CRITICAL, "decides what runs in CI", end),
        Finding(
            "RUNS_LATER",
            CRITICAL,
            "runs, or decides what runs, when Python starts, tests, builds or installs",
            RepoPath("setup.py"),
        ),
        Finding("DELETES", SENSITIVE, "deletes the file, 1 line", RepoPath("setup.py")),
    )


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("sqlite3.py", "Python's own sqlite3"),
        ("Typing.py", "Python's own typing"),
        ("rich.py", "the installed rich"),
        ("json/__init__.py", "Python's own json"),
        ("yaml/__init__.py", "the installed yaml"),
        ("ssl.cpython-311-x86_64-linux-gnu.so", "Python's own ssl"),
    ],
)
def test_s26_a_new_module_at_the_root_that_shadows_another_is_critical(path: str, module: str) -> None:
    text = f"shadows a module: run from here, Python imports this instead of {module}"
    assert Finding("SHADOWS_MODULE", CRITICAL, text, RepoPath(path)) in created(path)


@pytest.mark.parametrize("path", ["src/sqlite3.py", "json/tools.py", "mine.py", "typing.md", "a/json/__init__.py"])
def test_s26_other_modules_do_not_shadow(path: str) -> None:
    assert created(path) == []


def test_s26_a_module_that_was_there_before_is_no_news() -> None:
    change = ContentChange(RepoPath("typing.py"), TEXT, Content(b"y\n", Mode.REGULAR))
    assert examine((change,)) == ()


def test_s12_the_lines_of_gitattributes_are_listed_one_by_one() -> None:
    found = created(".gitattributes", b"# all\n*.py -diff\n\n*.bin filter=\x1b[2J" + b"x" * 200 + b"\n")
    path = RepoPath(".gitattributes")
    said = "changes how git stores, shows or merges files:"
    assert [finding for finding in found if finding.code == "ATTRIBUTE"] == [
        Finding("ATTRIBUTE", CRITICAL, f"line 2 {said} '*.py -diff'", path, 2),
        Finding("ATTRIBUTE", CRITICAL, f"line 4 {said} '*.bin filter=\\x1b[2J{'x' * 83}'", path, 4),
    ]
    many = created("a/.gitattributes", b"".join(b"*.%d -diff\n" % number for number in range(23)))
    assert [finding.text for finding in many if finding.code == "ATTRIBUTE"][-1] == "and 3 more such lines"
    assert len([finding for finding in many if finding.code == "ATTRIBUTE"]) == 21


@pytest.mark.parametrize("path", ["package-lock.json", "sub/Cargo.lock", "go.sum", "UV.lock"])
def test_s45_a_lock_file_is_sensitive(path: str) -> None:
    text = "a lock file: it decides which code of others is installed"
    assert created(path) == [Finding("LOCK_FILE", SENSITIVE, text, RepoPath(path))]


def test_s45_a_generated_file_is_sensitive_also_if_the_mark_goes() -> None:
    mark = Content(b"// Code generated by x. DO NOT EDIT.\npackage a\n", Mode.REGULAR)
    path = RepoPath("a.go")
    text = "calls itself generated: what makes it may undo this change, or may have had to change instead"
    expected = (Finding("GENERATED", SENSITIVE, text, path),)
    assert examine((ContentChange(path, None, mark),)) == expected
    assert examine((ContentChange(path, mark, TEXT),)) == expected
    assert created("a.js", b"/* @generated */\n")[0].code == "GENERATED"
    assert created("a.js", b"x\n" * 1000 + b"@generated\n")[1:] == []


def test_what_a_name_says_of_a_content() -> None:
    assert [extension(RepoPath(path)) for path in ("a.PY", "b/.env", "Makefile", "a.tar.gz")] == ["py", "env", "", "gz"]
    assert [is_prose(RepoPath(path)) for path in ("a.md", "requirements.txt", "agents.md", "a.py")] == [
        True,
        False,
        False,
        False,
    ]
    assert [says_text(RepoPath(path)) for path in ("a.md", "Makefile", "a.png", "LICENSE", "a.js", "data")] == [
        True,
        True,
        False,
        True,
        True,
        False,
    ]
