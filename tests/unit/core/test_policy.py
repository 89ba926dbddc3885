"""S59: a repository can only make the person's own rules stricter."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.build import paths

from redline.core.decision import Level
from redline.core.paths import RepoPath
from redline.core.policy import Limits, Policy

_patterns = st.sampled_from(
    ["*.txt", "!*.txt", "d*/", "/a", "!a", "**/b", "secret/**", "!secret/x", "*", "!*", "#c", "é*", "[a-c]*", "x/*"]
)
_layers = st.lists(st.lists(_patterns, max_size=4).map(tuple), max_size=3).map(tuple)
_spans = st.timedeltas(timedelta(seconds=1), timedelta(days=90))
_limits = st.builds(Limits, st.integers(1, 99), st.integers(1, 99), st.integers(1, 99))


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    shortest, longest = sorted((draw(_spans), draw(_spans)))
    return Policy(draw(st.sampled_from(Level)), draw(_layers), shortest, longest, draw(_limits))


@given(policies(), policies(), paths | st.sampled_from(["a", "secret/x", "x.txt", "d/b"]).map(RepoPath))
def test_a_repository_can_never_loosen(own: Policy, repository: Policy, path: RepoPath) -> None:
    both = own.tightened(repository)
    assert both.level.strength >= max(own.level.strength, repository.level.strength)
    assert both.lifetime <= min(own.lifetime, repository.longest_lifetime)
    assert both.longest_lifetime == min(own.longest_lifetime, repository.longest_lifetime)
    assert both.limits.input_bytes == min(own.limits.input_bytes, repository.limits.input_bytes)
    assert both.limits.file_bytes == min(own.limits.file_bytes, repository.limits.file_bytes)
    assert both.limits.files == min(own.limits.files, repository.limits.files)
    denied = own.denial(path) is not None or repository.denial(path) is not None
    assert (both.denial(path) is not None) == denied


def test_an_exception_holds_within_its_own_layer_only() -> None:
    own = Policy(denied_paths=(("*.key", "!public.key"),))
    assert own.denial(RepoPath("a.key")) == "*.key"
    assert own.denial(RepoPath("public.key")) is None
    loosened = own.tightened(Policy(denied_paths=(("!*.key", "!*"),)))
    assert loosened.denial(RepoPath("a.key")) == "*.key"
    assert own.tightened(Policy(denied_paths=(("*.key",),))).denial(RepoPath("public.key")) == "*.key"


def test_the_pattern_that_denies_is_named() -> None:
    policy = Policy(denied_paths=(("# comment", "docs/", "*.pem"),))
    assert policy.denial(RepoPath("docs/a/b.md")) == "docs/"
    assert policy.denial(RepoPath("deep/x.pem")) == "*.pem"
    assert policy.denial(RepoPath("src/a.py")) is None


@pytest.mark.parametrize("pattern", ["", "!", "\\", "a\\", "[z-a]"])
def test_a_pattern_without_meaning_is_told(pattern: str) -> None:
    assert Policy.fault(pattern) is not None


@pytest.mark.parametrize("pattern", ["*.py", "/a/", "!b", "# comment", "**", "\\#x", "[!a]"])
def test_a_pattern_with_a_meaning_has_no_fault(pattern: str) -> None:
    assert Policy.fault(pattern) is None
