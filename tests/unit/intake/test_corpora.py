"""Real edits with their verified outcome; `python -m bench.corpus` counts them, this holds what may not get worse.

Big sets are sampled; REDLINE_CORPUS=all takes every case.
"""

from __future__ import annotations

import os

import pytest
from tests.support.corpora import CORPORA, STRICTER, TAKEN, Verdict, cases, judge, sample, sets

SAMPLED = 1_000_000 if os.environ.get("REDLINE_CORPUS") == "all" else 50
# Every diff of these that git applies is taken, but for rules of ours.
MUST_BE_TAKEN = ("commits-", "swebench-gold", "llm-preds", "git-t")

pytestmark = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not beside this checkout")


@pytest.mark.parametrize("name", sets(CORPORA))
def test_no_real_edit_ends_otherwise_than_verified(name: str) -> None:
    solid = [case for case in sample(CORPORA, name, SAMPLED) if case.grade == "solid"]
    faults = {Verdict.WRONG}
    if name.startswith(MUST_BE_TAKEN):
        faults.add(Verdict.REFUSED_WRONGLY)
    ended = [(case, judge(case, detect=detect)) for case in solid for detect in (False, True)]
    found = [(case.title, result.code, result.leniencies) for case, result in ended if result.verdict in faults]
    assert found == []
    assert len(solid) >= 3


@pytest.mark.parametrize("name", sorted({name for name, _ in (*STRICTER, *TAKEN)}))
def test_an_explained_case_ends_as_explained(name: str) -> None:
    explained = {case: Verdict.REFUSED_BY_RULE for place, case in STRICTER if place == name}
    explained |= {case: Verdict.TAKEN for place, case in TAKEN if place == name}
    found = {case.name: judge(case).verdict for case in cases(CORPORA, name) if case.name in explained}
    assert found == explained
